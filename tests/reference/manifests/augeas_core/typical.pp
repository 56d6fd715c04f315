augeas { 'hosts':
  incl      => '/etc/hosts',
  lens      => 'Hosts.lns',
  changes   => ['set 01/ipaddr 192.0.2.1', 'set 01/canonical one.example.com'],
  onlyif    => 'match *[ipaddr = "192.0.2.1"] size == 0',
  show_diff => false,
  notify    => Exec['reload'],
}
augeas { 'force': root => '/chroot', load_path => '/opt/lenses', force => true, type_check => true, changes => [] }
exec { 'reload': command => '/bin/true', refreshonly => true }
