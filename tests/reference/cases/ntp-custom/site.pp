# EPP with many parameters, a driftfile elsewhere, keys and restrictions.
node default {
  class { 'ntp':
    servers          => ['0.pool.example.com', '1.pool.example.com iburst'],
    restrict         => ['default kod nomodify notrap nopeer noquery', '127.0.0.1'],
    interfaces       => ['lo', $facts['networking']['primary']],
    keys_enable      => true,
    keys_file        => '/etc/ntp/keys',
    keys             => ['1 M AAAA', '2 M BBBB'],
    keys_trusted     => [1, 2],
    broadcastclient  => true,
    disable_monitor  => true,
    leapfile         => '/usr/share/zoneinfo/leap-seconds.list',
    logfile          => '/var/log/ntp.log',
    minpoll          => 4,
    maxpoll          => 9,
    tinker           => true,
    panic            => 0,
    service_ensure   => stopped,
    fudge            => ['127.127.1.0 stratum 10'],
  }

  notify { "time on ${trusted['certname']}":
    subscribe => Class['ntp::service'],
  }
}
