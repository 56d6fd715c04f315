# @summary Logins from outside, and only from where they may come.
#
# @param allow_from
#   Networks in CIDR notation.
class profile::bastion (
  Array[Pattern[/\A[0-9.]+\/\d+\z/], 1] $allow_from,
) {
  file { '/etc/ssh/sshd_config.d/10-bastion.conf':
    mode    => '0600',
    content => epp("${module_name}/bastion.conf.epp", { 'networks' => $allow_from }),
    notify  => Service['sshd'],
  }

  service { 'sshd':
    ensure => running,
    enable => true,
    name   => $facts['os']['family'] ? { 'Debian' => 'ssh', default => 'sshd' },
  }

  User <| tag == 'bastion' or tag == 'ops' |>

  motd::message { 'bastion':
    weight => 90,
    text   => 'All sessions are recorded.',
  }
}
