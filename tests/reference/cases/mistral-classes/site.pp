# Classes and defined types of the module mistral.
include mistral
include mistral::client
include mistral::config

class { 'mistral::coordination':
  backend_url => 'http://127.0.0.1:5000/',
  heartbeat_interval => 'x',
}

class { 'mistral::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'mistral::cron_trigger':
  enabled => 'x',
  execution_interval => 'x',
}

class { 'mistral::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'mistral::engine':
  manage_service => false,
  enabled => false,
  host => 'host.example.com',
  topic => 'x',
  version => 'x',
  execution_field_size_limit_kb => 'x',
  execution_integrity_check_delay => 'x',
  execution_integrity_check_batch_size => 'x',
  action_definition_cache_time => 'x',
  start_subworkflows_via_rpc => 'x',
}

class { 'mistral::event_engine':
  manage_service => false,
  enabled => false,
  host => 'host.example.com',
  topic => 'x',
  event_definitions_cfg_file => '/tmp/event_definitions_cfg_file',
}

class { 'mistral::execution_expiration_policy':
  evaluation_interval => 'x',
  older_than => 'x',
  max_finished_executions => 'x',
  batch_size => 'x',
  ignored_states => 'x',
}

class { 'mistral::executor':
  manage_service => false,
  enabled => false,
  host => 'host.example.com',
  topic => 'x',
  version => 'x',
}

class { 'mistral::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_service => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'mistral::notifier':
  type => 'x',
  host => 'host.example.com',
  topic => 'x',
  notify_publishers => 'x',
}

class { 'mistral::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
  policy_dirs => 'x',
  purge_config => true,
}
