include ntp
file { '/etc/x': require => Package['missing'] }
