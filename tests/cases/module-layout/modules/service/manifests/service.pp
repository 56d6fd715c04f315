class service::service {
  service { $service::package: ensure => $service::ensure == 'present', enable => $service::ensure == 'present' }
}
