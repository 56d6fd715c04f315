# @summary A virtual host of the web application.
#
# The name of its file is made from the title: `My Shop` becomes `my-shop.conf`.
#
# @param server_name
#   The host name it answers to.
# @param aliases
#   More host names.
# @param address
#   The address to listen on; IPv6 addresses without brackets.
# @param port
#   The port to listen on: 443 with TLS and 80 without, unless given.
# @param tls
#   Certificate and key.
# @param locations
#   Which paths are served from where. The first match wins.
# @param ensure
#   Whether the virtual host should be there.
define webapp::vhost (
  Webapp::Hostname           $server_name,
  Array[Webapp::Hostname]    $aliases   = [],
  String[1]                  $address   = '0.0.0.0',
  Optional[Webapp::Tls]      $tls       = undef,
  Webapp::Port               $port      = $tls ? { undef => 80, default => 443 },
  Array[Webapp::Location, 1] $locations = [{ 'path' => '/', 'target' => 'app' }],
  Enum['present', 'absent']  $ensure    = 'present',
) {
  include webapp

  $slug = webapp::slug($title)

  file { "/etc/webapp/vhosts/${slug}.conf":
    ensure  => $ensure ? { 'present' => 'file', default => 'absent' },
    content => epp('webapp/vhost.conf.epp', {
      'name'      => $slug,
      'listen'    => webapp::listen($address, $port),
      'hosts'     => [$server_name] + $aliases,
      'tls'       => $tls,
      'locations' => $locations,
      'upstream'  => webapp::listen('127.0.0.1', $webapp::port),
    }),
    require => Class['webapp::install'],
    notify  => Class['webapp::service'],
  }
}
