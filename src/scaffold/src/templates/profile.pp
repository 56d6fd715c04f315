# @summary Settings that all nodes share
#
# @param motd what users read when they log in
# @param packages packages that are installed everywhere
class profile::base (
  String[1] $motd,
  Array[String[1]] $packages = [],
) {
  file { '/etc/motd':
    ensure  => file,
    mode    => '0644',
    content => $motd,
  }

  package { $packages:
    ensure => installed,
  }
}
