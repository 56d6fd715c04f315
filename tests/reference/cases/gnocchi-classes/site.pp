# Classes and defined types of the module gnocchi.
class { 'gnocchi':
  coordination_url => 'http://127.0.0.1:5000/',
  purge_config => true,
}

include gnocchi::client
include gnocchi::config
include gnocchi::db

class { 'gnocchi::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'gnocchi::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'gnocchi::db::sync':
  extra_opts => 'x',
}

class { 'gnocchi::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'gnocchi::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'gnocchi::metricd':
  manage_service => false,
  enabled => false,
  metric_processing_delay => 'x',
  greedy => 'x',
  metric_reporting_delay => 'x',
  metric_cleanup_delay => 'x',
  processing_replicas => 'x',
}

class { 'gnocchi::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
  policy_dirs => 'x',
  purge_config => true,
}

class { 'gnocchi::statsd':
  resource_id => 'x',
  host => 'host.example.com',
  port => 'x',
  flush_delay => 'x',
  archive_policy_name => 'x',
  creator => 'x',
  manage_service => false,
  enabled => false,
}

class { 'gnocchi::storage::ceph':
  ceph_username => 'x',
  ceph_keyring => 'x',
  ceph_secret => 'a_secret',
  ceph_timeout => 'x',
  manage_rados => false,
}

class { 'gnocchi::storage::incoming::file':
  file_basepath => 'x',
}
