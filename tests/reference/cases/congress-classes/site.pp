# Classes and defined types of the module congress.
include congress::client
include congress::config
include congress::db::sync
include congress::deps
include congress::logging
include congress::policy

class { 'congress::db':
  database_connection_recycle_time => 'x',
  database_max_pool_size => 'x',
  database_db_max_retries => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_pool_timeout => 'x',
  database_min_pool_size => 'x',
}

class { 'congress::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'congress::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'congress::keystone::authtoken':
  password => 'a_secret',
}
