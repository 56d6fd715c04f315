# @param size how much it holds
# @param options lines of the configuration
# @param secret what only some know
class cache (
  Integer $size = 16,
  Hash[String, String] $options = {},
  Optional[Sensitive[String]] $secret = undef,
) {
  if $facts['os']['family'] == 'Windows' { fail("no cache on ${facts['os']['name']}") }
  $service = $facts['os']['family'] ? { 'RedHat' => 'cached', default => 'cache' }
  package { 'cache': ensure => installed }
  file { '/etc/cache.conf':
    ensure  => file,
    mode    => '0644',
    content => "size = ${size}\n${options.map |$key, $value| { "${key} = ${value}\n" }.join}",
    require => Package['cache'],
    notify  => Service[$service],
  }
  service { $service: ensure => running, enable => true }
  if $secret { file { '/etc/cache.secret': content => $secret } }
}
