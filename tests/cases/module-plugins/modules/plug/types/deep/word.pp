type Plug::Deep::Word = Pattern[/\A\w+\z/]
