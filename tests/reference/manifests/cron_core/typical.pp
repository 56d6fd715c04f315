user { 'backup': ensure => present }
cron { 'backup':
  ensure      => present,
  command     => '/usr/local/bin/backup --all',
  user        => 'backup',
  environment => ['PATH=/bin', 'MAILTO=root'],
  hour        => [2, 14],
  minute      => '*/15',
  month       => '1-6',
  monthday    => ['2', '3'],
  weekday     => 'mon',
}
cron { 'daily': command => 'x', special => 'daily', target => 'root' }
cron { 'gone': ensure => absent, hour => absent }
resources { 'cron': purge => true }
