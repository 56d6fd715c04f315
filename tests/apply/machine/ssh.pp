# Keys and options of the module ssh, as far as they are files.
file { '/etc/ssh/sshd_config.d': ensure => directory }
file { '/etc/ssh/sshd_config.d/catwalk.conf': content => "PermitRootLogin no\n", mode => '0600', validate_cmd => '/bin/grep -q Permit %' }
