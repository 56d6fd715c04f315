# Classes and defined types of the module sahara.
include sahara
include sahara::client
include sahara::config
include sahara::db
include sahara::db::sync
include sahara::deps
include sahara::keystone::authtoken

class { 'sahara::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'sahara::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'sahara::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'sahara::notify':
  notification_transport_url => 'http://127.0.0.1:5000/',
  notification_driver => 'x',
  notification_topics => 'x',
}

class { 'sahara::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
  policy_dirs => 'x',
  purge_config => true,
}

class { 'sahara::service::api':
  enabled => false,
  manage_service => false,
}

class { 'sahara::service::engine':
  enabled => false,
  manage_service => false,
  periodic_enable => 'x',
  periodic_fuzzy_delay => 'x',
  periodic_interval_max => 'x',
  min_transient_cluster_active_time => 'x',
  cleanup_time_for_incomplete_clusters => 'x',
  periodic_coordinator_backend_url => 'http://127.0.0.1:5000/',
  periodic_workers_number => 'x',
  coordinator_heartbeat_interval => 'x',
  hash_ring_replicas_count => 'x',
}
