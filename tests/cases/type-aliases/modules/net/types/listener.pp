type Net::Listener = Struct[{
  address       => String[1],
  port          => Net::Port,
  Optional[tls] => Boolean,
}]
