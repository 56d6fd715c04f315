# Classes and defined types of the module barbican.
class { 'barbican':
  purge_config => true,
}

class { 'barbican::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'barbican::db':
  database_connection_recycle_time => 'x',
  database_max_pool_size => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_pool_size => 'x',
  database_db_max_retries => 'x',
  database_pool_timeout => 'x',
  mysql_enable_ndb => 'x',
}

class { 'barbican::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'barbican::db::sync':
  extra_params => 'x',
  secret_store_extra_params => 'a_secret',
}

class { 'barbican::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'barbican::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'barbican::plugins::dogtag':
  dogtag_plugin_nss_password => 'a_secret',
  dogtag_plugin_pem_path => '/tmp/dogtag_plugin_pem_path',
  dogtag_plugin_dogtag_host => 'host.example.com',
  dogtag_plugin_dogtag_port => 'x',
  dogtag_plugin_nss_db_path => '/tmp/dogtag_plugin_nss_db_path',
  dogtag_plugin_simple_cmc_profile => 'x',
  dogtag_plugin_ca_expiration_time => 'x',
  dogtag_plugin_plugin_working_dir => '/tmp/dogtag_plugin_plugin_working_dir',
  global_default => true,
}

class { 'barbican::plugins::kmip':
  kmip_plugin_host => 'host.example.com',
  kmip_plugin_port => 'x',
  kmip_plugin_username => 'x',
  kmip_plugin_password => 'a_secret',
  kmip_plugin_keyfile => 'x',
  kmip_plugin_certfile => 'x',
  kmip_plugin_ca_certs => 'x',
  global_default => true,
}

class { 'barbican::plugins::p11_crypto':
  p11_crypto_plugin_library_path => '/tmp/p11_crypto_plugin_library_path',
  p11_crypto_plugin_login => 'x',
  p11_crypto_plugin_mkek_label => 'x',
  p11_crypto_plugin_mkek_length => 'x',
  p11_crypto_plugin_hmac_label => 'x',
  p11_crypto_plugin_token_serial_number => 'x',
  p11_crypto_plugin_token_labels => 'x',
  p11_crypto_plugin_slot_id => 'x',
  p11_crypto_plugin_encryption_mechanism => 'x',
  p11_crypto_plugin_hmac_key_type => 'x',
  p11_crypto_plugin_hmac_keygen_mechanism => 'x',
  p11_crypto_plugin_aes_gcm_generate_iv => 'x',
  p11_crypto_plugin_os_locking_ok => 'x',
  p11_crypto_plugin_always_set_cka_sensitive => 'x',
  global_default => true,
}

class { 'barbican::plugins::simple_crypto':
  simple_crypto_plugin_kek => 'x',
  global_default => true,
}

class { 'barbican::plugins::vault':
  vault_url => 'http://127.0.0.1:5000/',
  root_token_id => 'x',
  approle_role_id => 'x',
  approle_secret_id => 'a_secret',
  kv_mountpoint => 'x',
  use_ssl => true,
  ssl_ca_crt_file => '/tmp/ssl_ca_crt_file',
  global_default => true,
}

class { 'barbican::policy':
  enforce_scope => 'x',
  enforce_new_defaults => 'x',
  policy_dirs => 'x',
  purge_config => true,
}

class { 'barbican::quota':
  quota_secrets => 'a_secret',
  quota_orders => 'x',
  quota_containers => 'x',
  quota_consumers => 'x',
  quota_cas => 'x',
}
