# @summary Keeps the clock right with chrony.
#
# @param package
#   Name of the package.
# @param service
#   Name of the service.
# @param config
#   The configuration file.
# @param driftfile
#   Where chrony keeps what it knows about the clock.
# @param makestep
#   Step the clock if it is off by more than so many seconds, but only in the first so many updates.
# @param servers
#   Servers to ask, in order of preference.
class timesync (
  String[1]                           $package,
  String[1]                           $service,
  Pattern[/\A\//]                     $config,
  Pattern[/\A\//]                     $driftfile,
  Tuple[Numeric, Integer]             $makestep,
  Array[String[1], 1]                 $servers = ['pool.ntp.org'],
) {
  package { $package:
    ensure => installed,
  }

  file { $config:
    ensure  => file,
    content => epp('timesync/chrony.conf.epp'),
    require => Package[$package],
    notify  => Service[$service],
  }

  service { $service:
    ensure => running,
    enable => true,
  }
}
