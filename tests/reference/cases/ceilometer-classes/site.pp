# Classes and defined types of the module ceilometer.
include ceilometer
include ceilometer::agent::notification
include ceilometer::agent::polling
include ceilometer::config
include ceilometer::logging

class { 'ceilometer::agent::polling::rgw':
  access_key => 'a_secret',
  secret_key => 'a_secret',
  implicit_tenants => 'x',
}

class { 'ceilometer::agent::polling::service_types':
  glance => 'x',
  neutron => 'x',
  nova => 'x',
  swift => 'x',
  cinder => 'x',
  radosgw => 'x',
}

class { 'ceilometer::agent::service_credentials':
  password => 'a_secret',
  region_name => 'x',
  system_scope => 'x',
  cafile => 'x',
  interface => 'x',
}

class { 'ceilometer::cache':
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

class { 'ceilometer::coordination':
  backend_url => 'http://127.0.0.1:5000/',
}

class { 'ceilometer::db':
  database_db_max_retries => 'x',
  database_connection_recycle_time => 'x',
  database_max_pool_size => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_pool_timeout => 'x',
  mysql_enable_ndb => 'x',
  sync_db => false,
}

class { 'ceilometer::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'ceilometer::db::sync':
  extra_params => 'x',
}
