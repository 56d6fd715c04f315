class app::params {
  case $facts['os']['family'] {
    'Debian': { $root = '/srv/app' }
    'RedHat': { $root = '/opt/app' }
    default:  { fail("unsupported: ${facts['os']['family']}") }
  }
}
