class { 'galera':
  vendor_type        => 'mariadb',
  configure_repo     => false,
  configure_firewall => false,
  galera_servers     => ['10.0.0.1', '10.0.0.2'],
  galera_master      => 'web1.example.com',
  local_ip           => '10.0.0.1',
  bind_address       => '10.0.0.1',
  root_password      => 'secret',
  status_password    => 'secret',
}
