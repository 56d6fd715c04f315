type Plug::Port = Integer[1, 65535]
