# Classes and defined types of the module placement.
include placement
include placement::client
include placement::config
include placement::db::sync
include placement::deps
include placement::logging

class { 'placement::api':
  enabled => false,
  manage_service => false,
  sync_db => true,
  enable_proxy_headers_parsing => 'x',
}

class { 'placement::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'placement::db':
  database_sqlite_synchronous => 'x',
  database_slave_connection => 'x',
  database_mysql_sql_mode => 'x',
  database_max_pool_size => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_connection_debug => 'x',
  database_connection_trace => 'x',
  database_pool_timeout => 'x',
  mysql_enable_ndb => 'x',
}

class { 'placement::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'placement::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

placement::generic_service { 'thing':
  package_name => 'x',
  service_name => 'x',
  enabled => false,
  manage_service => false,
}
