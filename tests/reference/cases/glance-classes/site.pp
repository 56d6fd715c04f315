# Classes and defined types of the module glance.
include glance

class { 'glance::api::db':
  database_db_max_retries => 'x',
  database_connection_recycle_time => 'x',
  database_max_pool_size => 'x',
  database_max_retries => 'x',
  database_retry_interval => 'x',
  database_max_overflow => 'x',
  database_pool_timeout => 'x',
  mysql_enable_ndb => 'x',
}

class { 'glance::backend::cinder':
  cinder_ca_certificates_file => '/tmp/cinder_ca_certificates_file',
  cinder_api_insecure => 'x',
  cinder_catalog_info => 'x',
  cinder_endpoint_template => 'x',
  cinder_http_retries => 'x',
  cinder_store_auth_address => '10.0.0.1',
  cinder_store_project_name => 'x',
  cinder_store_user_name => 'x',
  cinder_store_password => 'a_secret',
  multi_store => true,
}

class { 'glance::backend::file':
  filesystem_thin_provisioning => 'x',
  multi_store => true,
}

class { 'glance::backend::rbd':
  rbd_store_user => 'x',
  rbd_store_ceph_conf => 'x',
  rbd_store_pool => 'x',
  rbd_store_chunk_size => 'x',
  rbd_thin_provisioning => 'x',
  manage_packages => false,
  rados_connect_timeout => 'x',
  multi_store => true,
}

class { 'glance::backend::reserved::staging':
  filesystem_store_datadir => 'x',
  filesystem_store_file_perm => 'x',
  filesystem_store_chunk_size => 'x',
  filesystem_thin_provisioning => 'x',
}

class { 'glance::backend::reserved::tasks':
  filesystem_store_datadir => 'x',
  filesystem_store_file_perm => 'x',
  filesystem_store_chunk_size => 'x',
  filesystem_thin_provisioning => 'x',
}

class { 'glance::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'glance::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

glance::backend::multistore::cinder { 'thing':
  cinder_ca_certificates_file => '/tmp/cinder_ca_certificates_file',
  cinder_api_insecure => 'x',
  cinder_catalog_info => 'x',
  cinder_endpoint_template => 'x',
  cinder_http_retries => 'x',
  cinder_store_auth_address => '10.0.0.1',
  cinder_store_project_name => 'x',
  cinder_store_user_name => 'x',
  cinder_store_password => 'a_secret',
  cinder_store_user_domain_name => 'x',
  cinder_store_project_domain_name => 'x',
  cinder_volume_type => 'x',
  cinder_enforce_multipath => 'x',
  cinder_use_multipath => 'x',
  cinder_mount_point_base => 'x',
  store_description => 'x',
}

glance::backend::multistore::http { 'thing':
  https_ca_certificates_file => '/tmp/https_ca_certificates_file',
  https_insecure => 'x',
  http_proxy_information => 'x',
}

glance::backend::multistore::rbd { 'thing':
  rbd_store_user => 'x',
  rbd_store_ceph_conf => 'x',
  rbd_store_pool => 'x',
  rbd_store_chunk_size => 'x',
  rbd_thin_provisioning => 'x',
  manage_packages => false,
  rados_connect_timeout => 'x',
  store_description => 'x',
}

glance::backend::multistore::s3 { 'thing':
  s3_store_host => 'host.example.com',
  s3_store_access_key => 'a_secret',
  s3_store_secret_key => 'a_secret',
  s3_store_bucket => 'x',
  s3_store_create_bucket_on_put => 'x',
  s3_store_bucket_url_format => 'x',
  s3_store_large_object_size => 'x',
  s3_store_large_object_chunk_size => 'x',
  s3_store_thread_pools => 'x',
  store_description => 'x',
  manage_packages => false,
}

glance::backend::multistore::swift { 'thing':
  swift_store_user => 'x',
  swift_store_key => 'a_secret',
  swift_store_container => 'x',
  swift_store_large_object_size => 'x',
  swift_store_large_object_chunk_size => 'x',
  swift_store_create_container_on_put => 'x',
  swift_store_service_type => 'x',
  swift_store_region => 'x',
  swift_buffer_on_upload => 'x',
  swift_upload_buffer_dir => '/tmp/swift_upload_buffer_dir',
  swift_store_retry_get_count => 'x',
  store_description => 'x',
  swift_store_config_file => '/tmp/swift_store_config_file',
}
