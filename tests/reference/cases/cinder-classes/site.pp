# Classes and defined types of the module cinder.
include cinder

class { 'cinder::backend::defaults':
  use_multipath_for_image_xfer => 'x',
}

class { 'cinder::backup':
  enabled => false,
  manage_service => false,
  backup_manager => 'x',
  backup_api_class => 'x',
  backup_name_template => 'x',
  backup_workers => 'x',
  backup_max_operations => 'x',
}

class { 'cinder::backup::glusterfs':
  glusterfs_backup_mount_point => 'x',
  glusterfs_backup_share => 'x',
}

class { 'cinder::coordination':
  backend_url => 'http://127.0.0.1:5000/',
}

class { 'cinder::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'cinder::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'cinder::db::sync':
  extra_params => 'x',
}

class { 'cinder::glance':
  glance_api_servers => 'host.example.com',
  glance_num_retries => 'x',
  glance_api_insecure => 'x',
  glance_api_ssl_compression => 'x',
  glance_request_timeout => 'x',
  allowed_direct_url_schemes => 'x',
  verify_glance_signatures => 'x',
  glance_catalog_info => 'x',
  glance_core_properties => 'x',
}

class { 'cinder::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'cinder::key_manager':
  backend => 'x',
}

class { 'cinder::key_manager::barbican':
  barbican_endpoint => 'x',
  barbican_api_version => 'x',
  auth_endpoint => 'x',
  retry_delay => 'x',
  number_of_retries => 'x',
  barbican_endpoint_type => 'x',
  barbican_region_name => 'x',
  send_service_user_token => 'x',
}

class { 'cinder::key_manager::barbican::service_user':
  password => 'a_secret',
  system_scope => 'x',
  insecure => 'x',
  auth_version => 'x',
  cafile => 'x',
  certfile => 'x',
  keyfile => 'x',
  region_name => 'x',
}

cinder::backend::dellemc_powerflex { 'thing':
  san_login => 'x',
  san_password => 'a_secret',
  san_ip => '10.0.0.1',
  powerflex_storage_pools => 'x',
  backend_availability_zone => 'x',
  powerflex_allow_migration_during_rebuild => 'x',
  powerflex_allow_non_padded_volumes => 'x',
  powerflex_max_over_subscription_ratio => 'x',
  powerflex_rest_server_port => 'host.example.com',
  powerflex_round_volume_capacity => 'x',
  powerflex_server_api_version => 'host.example.com',
  powerflex_unmap_volume_before_deletion => 'x',
  san_thin_provision => 'x',
  driver_ssl_cert_verify => 'x',
  driver_ssl_cert_path => '/tmp/driver_ssl_cert_path',
  manage_volume_type => true,
}
