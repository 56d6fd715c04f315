# Classes and defined types of the module keystone.
include keystone
include keystone::client
include keystone::config
include keystone::cron::fernet_rotate

class { 'keystone::bootstrap':
  password => 'a_secret',
  internal_url => 'http://127.0.0.1:5000/',
  bootstrap => false,
}

class { 'keystone::cache':
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
  token_caching => 'x',
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

class { 'keystone::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'keystone::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'keystone::federation':
  trusted_dashboards => 'x',
  remote_id_attribute => 'x',
}

class { 'keystone::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'keystone::ldap':
  url => 'http://127.0.0.1:5000/',
  user => 'x',
  password => 'a_secret',
  suffix => 'x',
  query_scope => 'x',
  page_size => 'x',
  user_tree_dn => 'x',
  user_filter => 'x',
  user_objectclass => 'x',
  user_id_attribute => 'x',
  user_name_attribute => 'x',
  user_description_attribute => 'x',
  user_mail_attribute => 'x',
  user_enabled_attribute => 'x',
  user_enabled_mask => 'x',
  user_enabled_default => 'x',
  user_enabled_invert => 'x',
  user_attribute_ignore => 'x',
  user_default_project_id_attribute => 'x',
  user_pass_attribute => 'x',
  user_enabled_emulation => 'x',
  user_enabled_emulation_dn => 'x',
  user_additional_attribute_mapping => 'x',
  group_tree_dn => 'x',
  group_filter => 'x',
  group_objectclass => 'x',
  group_id_attribute => 'x',
  group_name_attribute => 'x',
  group_member_attribute => 'x',
  group_members_are_ids => 'x',
  group_desc_attribute => 'x',
  group_attribute_ignore => 'x',
  group_additional_attribute_mapping => 'x',
  chase_referrals => 'x',
  use_tls => 'x',
  tls_cacertdir => 'x',
  tls_cacertfile => 'x',
  tls_req_cert => 'x',
  identity_driver => 'x',
  assignment_driver => 'x',
  credential_driver => 'x',
  use_pool => 'x',
  pool_size => 'x',
  pool_retry_max => 'x',
  pool_retry_delay => 'x',
  pool_connection_timeout => 'x',
  pool_connection_lifetime => 'x',
  use_auth_pool => 'x',
  auth_pool_size => 'x',
  auth_pool_connection_lifetime => 'x',
  manage_packages => false,
}

class { 'keystone::messaging::amqp':
  amqp_pre_settled => 'x',
  amqp_idle_timeout => 'x',
  amqp_ssl_ca_file => '/tmp/amqp_ssl_ca_file',
  amqp_ssl_cert_file => '/tmp/amqp_ssl_cert_file',
  amqp_ssl_key_file => '/tmp/amqp_ssl_key_file',
  amqp_ssl_key_password => 'a_secret',
  amqp_sasl_mechanisms => 'x',
}

class { 'keystone::security_compliance':
  change_password_upon_first_use => 'a_secret',
  disable_user_account_days_inactive => 'x',
  lockout_duration => 'x',
  lockout_failure_attempts => 'x',
  minimum_password_age => 'a_secret',
  password_expires_days => 'a_secret',
  password_regex => 'a_secret',
  password_regex_description => 'a_secret',
  unique_last_password_count => 'a_secret',
}

keystone::resource::service_identity { 'thing':
  admin_url => true,
  internal_url => true,
  password => true,
  public_url => true,
  service_type => true,
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
  configure_service => false,
  service_name => 'x',
  user_domain => 'x',
  project_domain => 'x',
  default_domain => 'x',
}
