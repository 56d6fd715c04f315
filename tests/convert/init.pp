# @param size how much it holds
# @param options lines of the configuration
# @param secret what only some know
# @param directory a directory for a label
# @param label the contents of a file in it
class cache (
  Integer $size = 16,
  Hash[String, String] $options = {},
  Optional[Sensitive[String]] $secret = undef,
  Optional[String] $directory = undef,
  Optional[String] $label = undef,
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
  if $directory {
    file { "${directory}/label": content => "${label} ${facts['networking']['ip6']}\n" }
    file { $directory: ensure => directory }
  }
  if $secret { file { '/etc/cache.secret': content => $secret } }
}
