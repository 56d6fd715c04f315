class app(
  Integer[1, 65535] $port,
  String            $host    = $facts['networking']['fqdn'],
  String            $url     = "http://${host}:${port}/",
  Optional[String]  $extra   = 'default extra',
  Hash[String, Any] $options = {},
  Array[Integer]    $ports   = [$port, $port + 1],
  Boolean           $enabled = $port > 1024 ? { true => true, default => false },
) {
  file { '/etc/app.url': content => "${url} ${extra} ${ports} ${enabled}\n" }
}
