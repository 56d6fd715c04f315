class base::strict inherits base {
  File['/etc/base'] { mode => '0600', owner => undef, group => 'strict' }
  File['/etc/other'] { require +> Service['base'], content => "${shared} in ${title}" }
  Service['base'] { subscribe => File['/etc/base', '/etc/other'] }
}
