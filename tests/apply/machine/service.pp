# A service definition: its unit file, whether it runs and whether it starts at boot.
file { '/etc/systemd/system/example.service':
  content => "[Unit]\nDescription=Example\n\n[Service]\nExecStart=/bin/sleep infinity\n\n[Install]\nWantedBy=multi-user.target\n",
  notify  => Service['example'],
}
service { 'example': ensure => running, enable => true }
