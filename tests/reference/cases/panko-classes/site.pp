# Classes and defined types of the module panko.
class { 'panko':
  purge_config => true,
}

include panko::client
include panko::config
include panko::deps
include panko::logging

class { 'panko::db':
  database_connection_recycle_time => 'x',
  database_max_pool_size => 'x',
  database_db_max_retries => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_pool_timeout => 'x',
  mysql_enable_ndb => 'x',
  database_min_pool_size => 'x',
}

class { 'panko::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'panko::db::sync':
  extra_params => 'x',
}

class { 'panko::expirer':
  events_delete_batch_size => 'x',
  enable_cron => 'x',
}

class { 'panko::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'panko::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'panko::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
}

class { 'panko::keystone::authtoken':
  password => 'a_secret',
}
