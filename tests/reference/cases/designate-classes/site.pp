# Classes and defined types of the module designate.
include designate

class { 'designate::agent':
  enabled => false,
  manage_service => false,
  threads => 'x',
  listen => 'x',
}

class { 'designate::agent::bind9':
  rndc_host => 'host.example.com',
  rndc_port => 'x',
  rndc_timeout => 'x',
  zone_file_path => '/tmp/zone_file_path',
  query_destination => 'x',
}

class { 'designate::api':
  enabled => false,
  manage_service => false,
  auth_strategy => 'x',
  enable_api_v2 => 'x',
  enable_api_admin => 'x',
  api_base_uri => 'http://127.0.0.1:5000/',
  listen => 'x',
  threads => 'x',
  enable_host_header => 'host.example.com',
  max_header_line => 'x',
  default_limit_admin => 'x',
  max_limit_admin => 'x',
  default_limit_v2 => 'x',
  max_limit_v2 => 'x',
  pecan_debug => 'x',
  enabled_extensions_v2 => 'x',
  enabled_extensions_admin => 'x',
  quotas_verify_project_id => 'x',
  enable_proxy_headers_parsing => 'x',
}

class { 'designate::backend::agent':
  manage_pool => false,
}

class { 'designate::backend::bind9':
  rndc_controls => 'x',
  configure_bind => false,
  manage_pool => false,
}

class { 'designate::backend::pdns4':
  api_token => 'x',
  tsigkey_name => 'x',
  manage_pool => false,
}

class { 'designate::central':
  enabled => false,
  manage_service => false,
  managed_resource_tenant_id => 'x',
  max_zone_name_len => 'x',
  max_recordset_name_len => 'x',
  min_ttl => 'x',
  threads => 'x',
  default_pool_id => 'x',
  scheduler_filters => 'x',
}

class { 'designate::coordination':
  backend_url => 'http://127.0.0.1:5000/',
  heartbeat_interval => 'x',
  run_watchers_interval => 'x',
}

class { 'designate::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'designate::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'designate::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'designate::keystone':
  timeout => 'x',
  service_type => 'x',
  valid_interfaces => 'x',
  endpoint_override => 'x',
  region_name => 'x',
  connect_retries => 'x',
  connect_retry_delay => 'x',
  status_code_retries => 'x',
  status_code_retry_delay => 'x',
}

designate::generic_service { 'thing':
  package_name => 'x',
  service_name => 'x',
  enabled => true,
  manage_service => false,
}
