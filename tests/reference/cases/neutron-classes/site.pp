# Classes and defined types of the module neutron.
include neutron

class { 'neutron::agents::bagpipe':
  my_as => 'x',
  api_host => 'host.example.com',
  api_port => 'x',
  enabled => false,
  enable_rtc => 'x',
  manage_service => false,
  mpls_interface => 'x',
  ovs_bridge => 'x',
  peers => 'x',
  proxy_arp => true,
  purge_config => true,
}

class { 'neutron::agents::bgp_dragent':
  enabled => false,
  manage_service => false,
  purge_config => true,
}

class { 'neutron::agents::dhcp':
  enabled => false,
  manage_service => false,
  debug => 'x',
  resync_interval => 'x',
  dhcp_driver => 'x',
  dnsmasq_config_file => '/tmp/dnsmasq_config_file',
  dnsmasq_dns_servers => 'host.example.com',
  dnsmasq_base_log_dir => '/tmp/dnsmasq_base_log_dir',
  dnsmasq_local_resolv => 'x',
  dnsmasq_lease_max => 'x',
  dnsmasq_enable_addr6_list => 'x',
  enable_isolated_metadata => true,
  enable_force_metadata => true,
  enable_metadata_network => true,
  dhcp_broadcast_reply => 'x',
  purge_config => true,
  availability_zone => 'x',
  ovs_integration_bridge => 'x',
  ovsdb_connection => 'x',
  ovsdb_agent_ssl_key_file => '/tmp/ovsdb_agent_ssl_key_file',
  ovsdb_agent_ssl_cert_file => '/tmp/ovsdb_agent_ssl_cert_file',
  ovsdb_agent_ssl_ca_file => '/tmp/ovsdb_agent_ssl_ca_file',
  report_interval => 'x',
  rpc_response_max_timeout => 'x',
}

class { 'neutron::agents::l2gw':
  enabled => false,
  manage_service => false,
  debug => 'x',
  ovsdb_hosts => 'host.example.com',
  enable_manager => true,
  l2_gw_agent_priv_key_base_path => '/tmp/l2_gw_agent_priv_key_base_path',
  l2_gw_agent_cert_base_path => '/tmp/l2_gw_agent_cert_base_path',
  l2_gw_agent_ca_cert_base_path => '/tmp/l2_gw_agent_ca_cert_base_path',
  periodic_interval => 'x',
  max_connection_retries => 'x',
  purge_config => true,
}

class { 'neutron::agents::l3':
  enabled => false,
  manage_service => false,
  debug => 'x',
  handle_internal_only_routers => 'x',
  metadata_port => 'x',
  periodic_interval => 'x',
  periodic_fuzzy_delay => 'x',
  enable_metadata_proxy => 'x',
  ha_enabled => true,
  ha_vrrp_auth_password => 'a_secret',
  purge_config => true,
  availability_zone => 'x',
  extensions => 'x',
  report_interval => 'x',
  rpc_response_max_timeout => 'x',
  radvd_user => 'x',
  ovs_integration_bridge => 'x',
  network_log_rate_limit => 'x',
  network_log_burst_limit => 'x',
  network_log_local_output_log_base => 'x',
}

class { 'neutron::agents::metadata':
  shared_secret => 'a_secret',
  enabled => false,
  manage_service => false,
  debug => 'x',
  auth_ca_cert => 'x',
  metadata_host => 'host.example.com',
  metadata_port => 'x',
  metadata_protocol => 'x',
  metadata_backlog => 'x',
  metadata_memory_cache_ttl => 'x',
  metadata_insecure => 'x',
  nova_client_cert => 'x',
  nova_client_priv_key => 'a_secret',
  report_interval => 'x',
  rpc_response_max_timeout => 'x',
  purge_config => true,
}

class { 'neutron::agents::metering':
  enabled => false,
  manage_service => false,
  debug => 'x',
  measure_interval => 'x',
  report_interval => 'x',
  rpc_response_max_timeout => 'x',
  agent_report_interval => 'x',
  purge_config => true,
}

class { 'neutron::agents::ml2::linuxbridge':
  enabled => false,
  manage_service => false,
  local_ip => true,
  vxlan_group => 'x',
  vxlan_ttl => 'x',
  vxlan_tos => 'x',
  polling_interval => 'x',
  rpc_response_max_timeout => 'x',
  l2_population => 'x',
  purge_config => true,
}

class { 'neutron::agents::ml2::macvtap':
  enabled => false,
  manage_service => false,
  polling_interval => 'x',
  purge_config => true,
}

class { 'neutron::agents::ml2::networking_baremetal':
  password => 'a_secret',
  enabled => false,
  manage_service => false,
  endpoint_override => 'x',
  cafile => 'x',
  certfile => 'x',
  keyfile => 'x',
  insecure => 'x',
  system_scope => 'x',
  region_name => 'x',
  status_code_retry_delay => 'x',
  status_code_retries => 'x',
  valid_interfaces => 'x',
  purge_config => true,
  report_interval => 'x',
}

class { 'neutron::agents::ml2::sriov':
  enabled => false,
  manage_service => false,
  physical_device_mappings => 'x',
  rpc_response_max_timeout => 'x',
  report_interval => 'x',
  exclude_devices => 'x',
  extensions => 'x',
  purge_config => true,
  number_of_vfs => 'x',
  resource_provider_default_hypervisor => 'x',
}

class { 'neutron::agents::ml2::vpp':
  enabled => false,
  manage_service => false,
  physnets => 'x',
  etcd_host => 'host.example.com',
  etcd_port => 'x',
  etcd_user => 'x',
  etcd_pass => 'x',
  purge_config => true,
}

class { 'neutron::agents::ovn_metadata':
  shared_secret => 'a_secret',
  enabled => false,
  manage_service => false,
  debug => true,
  auth_ca_cert => 'x',
  metadata_host => 'host.example.com',
  metadata_port => 'x',
  metadata_protocol => 'x',
  metadata_backlog => 'x',
  metadata_insecure => 'x',
  nova_client_cert => 'x',
  nova_client_priv_key => 'a_secret',
  ovn_sb_connection => 'x',
  ovn_sb_private_key => 'a_secret',
  ovn_sb_certificate => 'x',
  ovn_sb_ca_cert => 'x',
  ovsdb_connection_timeout => 'x',
  ovsdb_retry_max_interval => 'x',
  ovsdb_probe_interval => 'x',
  root_helper_daemon => 'x',
  purge_config => true,
  metadata_ip => '10.0.0.1',
}
