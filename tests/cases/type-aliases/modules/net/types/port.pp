# A TCP or UDP port.
type Net::Port = Integer[1, 65535]
