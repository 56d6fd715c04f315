# Units, drop-ins, timers, tmpfiles; module data; type aliases that are patterns.
class { 'systemd':
  manage_resolved  => false,
  manage_networkd  => false,
  manage_journald  => true,
  journald_settings => { 'Storage' => 'persistent', 'SystemMaxUse' => '1G' },
}
systemd::unit_file { 'app.service':
  content => "[Service]\nExecStart=/usr/bin/app\n",
  enable  => true,
  active  => true,
}
systemd::dropin_file { 'limits.conf': unit => 'app.service', content => "[Service]\nLimitNOFILE=65536\n" }
systemd::dropin_file { 'eager.conf': unit => 'app.service', content => Sensitive("[Service]\nEnvironment=TOKEN=x\n"), daemon_reload => 'eager' }
systemd::timer { 'app-clean.timer':
  timer_content   => "[Timer]\nOnCalendar=daily\n",
  service_content => "[Service]\nExecStart=/usr/bin/app clean\n",
  active          => true,
  enable          => true,
}
systemd::tmpfile { 'app.conf': content => "d /run/app 0755 app app -\n" }
systemd::udev::rule { 'disks.rules': rules => ['KERNEL=="vd*", MODE="0660"', 'ACTION=="add", RUN+="/bin/true"'] }
systemd::network { 'lan.network': content => "[Match]\nName=en*\n", restart_service => true }
