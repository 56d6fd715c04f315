# Classes and defined types of the module aodh.
include aodh
include aodh::client

class { 'aodh::coordination':
  backend_url => 'http://127.0.0.1:5000/',
  heartbeat_interval => 'x',
  retry_backoff => 'x',
  max_retry_interval => 'x',
}

class { 'aodh::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'aodh::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'aodh::evaluator':
  manage_service => false,
  enabled => false,
  evaluation_interval => 'x',
  event_alarm_cache_ttl => 'x',
  additional_ingestion_lag => 'x',
}

class { 'aodh::expirer':
  alarm_histories_delete_batch_size => 'x',
}

class { 'aodh::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'aodh::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'aodh::listener':
  manage_service => false,
  enabled => false,
  event_alarm_topic => 'x',
  batch_size => 'x',
  batch_timeout => 'x',
}

class { 'aodh::notifier':
  manage_service => false,
  enabled => false,
  batch_size => 'x',
  batch_timeout => 'x',
}

class { 'aodh::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
  policy_dirs => 'x',
  purge_config => true,
}

class { 'aodh::quota':
  user_alarm_quota => 'x',
  project_alarm_quota => 'x',
  alarm_max_actions => 'x',
}

class { 'aodh::service_credentials':
  password => 'a_secret',
  system_scope => 'x',
  cacert => 'x',
  interface => 'x',
}
