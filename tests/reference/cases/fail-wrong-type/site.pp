class { 'ntp':
  servers => 'one.example.com',
  minpoll => 200,
}
