# Classes and defined types of the module cloudkitty.
include cloudkitty
include cloudkitty::client
include cloudkitty::config

class { 'cloudkitty::api':
  manage_service => false,
  enabled => false,
  host_ip => '10.0.0.1',
  port => 'x',
  pecan_debug => 'x',
  sync_db => false,
  enable_proxy_headers_parsing => 'x',
  max_request_body_size => 'x',
}

class { 'cloudkitty::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'cloudkitty::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'cloudkitty::db::sync':
  extra_params => 'x',
}

class { 'cloudkitty::fetcher::gnocchi':
  scope_attribute => 'x',
  resource_types => 'x',
  gnocchi_auth_type => 'x',
  gnocchi_user => 'x',
  gnocchi_endpoint => 'x',
  interface => 'x',
  region_name => 'x',
  auth_type => 'x',
  auth_section => 'x',
}

class { 'cloudkitty::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'cloudkitty::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
  manage_rating_role => false,
}

class { 'cloudkitty::orchestrator':
  coordination_url => 'http://127.0.0.1:5000/',
  max_workers => 'x',
  max_threads => 'x',
}

class { 'cloudkitty::processor':
  manage_service => false,
  enabled => false,
  window => 'x',
  period => 'x',
  wait_periods => 'x',
  services => 'x',
  region_name => 'x',
  interface => 'x',
  max_workers => 'x',
}

class { 'cloudkitty::storage::elasticsearch':
  host => 'host.example.com',
  index_name => 'x',
  insecure => true,
  cafile => 'x',
  scroll_duration => 8080,
}

class { 'cloudkitty::storage::influxdb':
  username => 'x',
  password => 'a_secret',
  database => 'x',
  retention_policy => 'x',
  host => 'host.example.com',
  port => 8080,
  use_ssl => true,
  insecure => true,
  cafile => 'x',
}
