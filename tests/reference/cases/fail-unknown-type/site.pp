node default {
  no_such_type { 'x': ensure => present }
}
