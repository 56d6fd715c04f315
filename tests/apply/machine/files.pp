# A service definition and what belongs to it, as a small module would have it.
file { '/etc/catwalk-example': ensure => directory, mode => '0750' }
file { '/etc/catwalk-example/main.conf': content => "listen = 8080\n", mode => '0640', group => 'daemon', notify => Exec['reload'] }
file { '/etc/systemd/system/catwalk-example.service':
  content => "[Unit]\nDescription=Example\n\n[Service]\nExecStart=/bin/sleep infinity\nUser=daemon\n",
}
file { '/etc/systemd/system/multi-user.target.wants': ensure => directory }
file { '/etc/systemd/system/multi-user.target.wants/catwalk-example.service':
  ensure => link, target => '/etc/systemd/system/catwalk-example.service',
}
file { '/etc/cron.d/catwalk-example': content => "0 4 * * * daemon /bin/true\n" }
exec { 'reload': command => '/bin/sh -c "echo reloaded >> /var/log/catwalk-example"', refreshonly => true }
