# Classes and defined types of the module manila.
include manila

class { 'manila::backends':
  enabled_share_backends => 'x',
}

class { 'manila::compute::nova':
  insecure => 'x',
  auth_url => 'http://127.0.0.1:5000/',
  cafile => 'x',
  system_scope => 'x',
  region_name => 'x',
  endpoint_type => 'x',
  password => 'a_secret',
  api_microversion => 'x',
}

class { 'manila::coordination':
  backend_url => 'http://127.0.0.1:5000/',
}

class { 'manila::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'manila::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'manila::ganesha':
  ganesha_config_dir => '/tmp/ganesha_config_dir',
  ganesha_config_path => '/tmp/ganesha_config_path',
  ganesha_service_name => 'x',
  ganesha_db_path => '/tmp/ganesha_db_path',
  ganesha_export_dir => '/tmp/ganesha_export_dir',
  ganesha_export_template_dir => '/tmp/ganesha_export_template_dir',
}

class { 'manila::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'manila::image::glance':
  api_microversion => 'x',
  insecure => 'x',
  auth_url => 'http://127.0.0.1:5000/',
  cafile => 'x',
  certfile => 'x',
  keyfile => 'x',
  system_scope => 'x',
  region_name => 'x',
  endpoint_type => 'x',
  password => 'a_secret',
}

class { 'manila::keystone::auth':
  password => 'a_secret',
  password_v2 => 'a_secret',
  configure_endpoint => false,
  configure_endpoint_v2 => false,
  configure_user => false,
  configure_user_v2 => false,
  configure_user_role => false,
  configure_user_role_v2 => false,
}

class { 'manila::network::neutron':
  insecure => 'x',
  auth_url => 'http://127.0.0.1:5000/',
  cafile => 'x',
  system_scope => 'x',
  region_name => 'x',
  timeout => 'x',
  endpoint_type => 'x',
  password => 'a_secret',
  network_plugin_ipv4_enabled => 'x',
  network_plugin_ipv6_enabled => 'x',
}

manila::backend::cephfs { 'thing':
  driver_handles_share_servers => true,
  backend_availability_zone => 'x',
  cephfs_ganesha_server_ip => '10.0.0.1',
  cephfs_ganesha_export_ips => 'x',
  cephfs_ganesha_server_is_remote => 'host.example.com',
  cephfs_ganesha_server_username => 'host.example.com',
  cephfs_ganesha_server_password => 'a_secret',
  cephfs_ganesha_path_to_private_key => 'a_secret',
  cephfs_volume_mode => 'x',
  cephfs_filesystem_name => 'x',
}

manila::backend::ganesha { 'thing':
  ganesha_config_dir => '/tmp/ganesha_config_dir',
  ganesha_config_path => '/tmp/ganesha_config_path',
  ganesha_service_name => 'x',
  ganesha_db_path => '/tmp/ganesha_db_path',
  ganesha_export_dir => '/tmp/ganesha_export_dir',
  ganesha_export_template_dir => '/tmp/ganesha_export_template_dir',
  ganesha_rados_store_enable => 'x',
  ganesha_rados_store_pool_name => 'x',
  ganesha_rados_export_counter => 'x',
  ganesha_rados_export_index => 'x',
}

manila::backend::service_instance { 'thing':
  service_instance_user => 'x',
  service_instance_password => 'a_secret',
  create_service_image => false,
  service_image_location => 'x',
  connect_share_server_to_tenant_network => true,
}
