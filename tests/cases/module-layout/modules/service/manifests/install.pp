class service::install {
  package { $service::package: ensure => $service::ensure ? { 'present' => installed, default => absent } }
}
