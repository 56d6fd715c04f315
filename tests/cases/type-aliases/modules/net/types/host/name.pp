type Net::Host::Name = Pattern[/\A[a-z][a-z0-9.-]*\z/]
