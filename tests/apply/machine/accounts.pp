# setup: apt-get -qq update && apt-get -qq install cron
group { 'operators-example': ensure => present, gid => 4242 }
user { 'operator-example':
  ensure     => present,
  uid        => 4242,
  gid        => 'operators-example',
  home       => '/home/operator-example',
  managehome => true,
  shell      => '/bin/sh',
  comment    => 'An operator',
}
user { 'games': ensure => absent }
cron { 'tidy': command => '/usr/bin/find /tmp -mtime +30 -delete', user => 'operator-example', minute => [0, 30], hour => 4 }
cron { 'report': command => '/bin/true', user => 'root', special => 'daily', environment => ['MAILTO=root'] }
host { 'db.example.net': ip => '192.0.2.7', host_aliases => ['db'] }
