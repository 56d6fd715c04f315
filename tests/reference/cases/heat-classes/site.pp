# Classes and defined types of the module heat.
class { 'heat::cache':
  config_prefix => 'x',
  expiration_time => 'x',
  backend => 'x',
  backend_argument => 'x',
  proxies => 'x',
  enabled => 'x',
  debug_cache_backend => 'x',
  memcache_servers => 'host.example.com',
  memcache_dead_retry => 'x',
  memcache_socket_timeout => 'x',
  enable_socket_keepalive => 'x',
  socket_keepalive_idle => 'x',
  socket_keepalive_interval => 'x',
  socket_keepalive_count => 'x',
  memcache_pool_maxsize => 'x',
  memcache_pool_unused_timeout => 'x',
  memcache_pool_connection_get_timeout => 'x',
  manage_backend_package => false,
  constraint_validation_caching => 'x',
  constraint_validation_expiration_time => 'x',
  service_extension_caching => 'x',
  service_extension_expiration_time => 'x',
  resource_finder_caching => 'x',
  resource_finder_expiration_time => 'x',
  tls_enabled => 'x',
  tls_cafile => 'x',
  tls_certfile => 'x',
  tls_keyfile => 'x',
  tls_allowed_ciphers => 'x',
  enable_retry_client => 'x',
  retry_attempts => 'x',
  retry_delay => 'x',
  hashclient_retry_attempts => 'x',
  hashclient_retry_delay => 'x',
  dead_timeout => 'x',
}

class { 'heat::clients':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::aodh':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::barbican':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::cinder':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
  http_log_debug => 'x',
}

class { 'heat::clients::designate':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::glance':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::heat':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
  url => 'http://127.0.0.1:5000/',
}

class { 'heat::clients::keystone':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
  auth_uri => 'http://127.0.0.1:5000/',
}

class { 'heat::clients::magnum':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::manila':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::mistral':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::neutron':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
}

class { 'heat::clients::nova':
  endpoint_type => 'x',
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => 'x',
  http_log_debug => 'x',
}
