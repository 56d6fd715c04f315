class base($mode = '0644') {
  $shared = 'parent value'
  file { '/etc/base': ensure => file, mode => $mode, content => 'base', owner => 'root' }
  file { '/etc/other': ensure => file, require => File['/etc/base'] }
  service { 'base': ensure => running, enable => true }
}
