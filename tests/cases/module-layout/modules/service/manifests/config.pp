class service::config {
  $dir = $service::ensure ? { 'present' => 'directory', default => 'absent' }
  file { '/etc/service': ensure => $dir, recurse => true, purge => $dir == 'directory', force => true }
  file { '/etc/service/service.conf':
    ensure  => service::file_ensure($service::ensure),
    content => epp("${module_name}/service.conf.epp", { 'port' => $service::port, 'settings' => $service::settings }),
  }
}
