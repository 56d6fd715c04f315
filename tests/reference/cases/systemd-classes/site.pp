# Classes and defined types of the module systemd.
include systemd
include systemd::systemctl::daemon_reload
include systemd::tmpfiles

systemd::network { 'thing':
  content => 'x',
  source => 'x',
  target => '/tmp/target',
  show_diff => false,
  restart_service => false,
}
