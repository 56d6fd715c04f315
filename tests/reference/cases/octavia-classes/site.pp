# Classes and defined types of the module octavia.
include octavia

class { 'octavia::audit':
  enabled => 'x',
  audit_map_file => '/tmp/audit_map_file',
  ignore_req_list => 'x',
}

class { 'octavia::cinder':
  service_name => 'x',
  endpoint => 'x',
  region_name => 'x',
  endpoint_type => 'x',
  availability_zone => 'x',
  volume_size => 'x',
  volume_type => 'x',
  volume_create_retry_interval => 'x',
  volume_create_timeout => 'x',
  volume_create_max_retries => 'x',
}

class { 'octavia::compute':
  max_retries => 'x',
  retry_interval => 'x',
  retry_backoff => 'x',
  retry_max => 'x',
}

class { 'octavia::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'octavia::db::mysql':
  password => 'a_secret',
  persistence_dbname => 'x',
  allowed_hosts => 'host.example.com',
}

class { 'octavia::db::sync':
  extra_params => 'x',
}

class { 'octavia::driver_agent':
  manage_service => false,
  enabled => false,
  status_socket_path => '/tmp/status_socket_path',
  stats_socket_path => '/tmp/stats_socket_path',
  get_socket_path => '/tmp/get_socket_path',
  status_request_timeout => 'x',
  status_max_processes => 'x',
  stats_request_timeout => 'x',
  stats_max_processes => 'x',
  get_request_timeout => 'x',
  get_max_processes => 'x',
  max_process_warning_percent => 'x',
  provider_agent_shutdown_timeout => 'x',
  enabled_provider_agents => 'x',
}

class { 'octavia::glance':
  service_name => 'x',
  endpoint => 'x',
  region_name => 'x',
  endpoint_type => 'x',
}

class { 'octavia::health_manager':
  manage_service => false,
  enabled => false,
  ip => '10.0.0.1',
  port => 'x',
  failover_threads => 'x',
  heartbeat_timeout => 'x',
  health_check_interval => 'x',
  sock_rlimit => 'x',
  failover_threshold => 'x',
  workers => 'x',
  heartbeat_key => 'a_secret',
  heartbeat_interval => 'x',
}

class { 'octavia::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'octavia::housekeeping':
  manage_service => false,
  enabled => false,
  cleanup_interval => 'x',
  amphora_expiry_age => 'x',
  load_balancer_expiry_age => 'x',
  cert_interval => 'x',
  cert_expiry_buffer => 'x',
  cert_rotate_threads => 'x',
}

class { 'octavia::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'octavia::neutron':
  service_name => 'x',
  endpoint => 'x',
  region_name => 'x',
  endpoint_type => 'x',
}
