# @summary What every machine gets.
#
# @param packages
#   Packages to install; all levels of the hierarchy add to the list.
# @param admin_group
#   The group whose members may become root.
class profile::base (
  Array[String[1], 1] $packages    = ['curl'],
  String[1]           $admin_group = 'sudo',
) {
  include motd
  include timesync
  include profile::users

  package { $packages:
    ensure => installed,
  }

  # Accounts are declared once in profile::users; each profile collects the ones it needs. Here: who may become root.
  User <| tag == 'ops' |> {
    groups +> $admin_group,
  }

  motd::message { 'where':
    weight => 10,
    text   => "${facts['networking']['fqdn']}, ${facts['os']['name']} ${facts['os']['release']['full']}, ${$datacenter}",
  }
}
