# Classes and defined types of the module nova.
include nova

class { 'nova::availability_zone':
  default_availability_zone => 'x',
  default_schedule_zone => 'x',
  internal_service_availability_zone => 'x',
}

class { 'nova::cache':
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

class { 'nova::cell_v2::map_instances':
  cell_uuid => 'x',
  cell_name => 'x',
}

class { 'nova::cinder':
  password => 'a_secret',
  auth_type => 'x',
  auth_url => 'http://127.0.0.1:5000/',
  timeout => 'x',
  project_name => 'x',
  project_domain_name => 'x',
  system_scope => 'x',
  username => 'x',
  user_domain_name => 'x',
  os_region_name => 'x',
  catalog_info => 'x',
  http_retries => 'x',
  cross_az_attach => 'x',
  debug => 'x',
}

class { 'nova::compute::image_cache':
  manager_interval => 'x',
  subdirectory_name => 'x',
  remove_unused_base_images => 'x',
  remove_unused_original_minimum_age_seconds => 'x',
  remove_unused_resized_minimum_age_seconds => 'x',
  precache_concurrency => 'x',
}

class { 'nova::compute::libvirt::libvirtd':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_client_requests => 'x',
  admin_max_client_requests => 'x',
  tls_priority => 'x',
  ovs_timeout => 'x',
}

class { 'nova::compute::libvirt::networks':
  disable_default_network => false,
}

class { 'nova::compute::libvirt::qemu':
  configure_qemu => true,
  group => 'x',
  vnc_tls => true,
  vnc_tls_verify => false,
  default_tls_verify => false,
  memory_backing_dir => '/tmp/memory_backing_dir',
  nbd_tls => true,
}

class { 'nova::compute::libvirt::virtlockd':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_size => 'x',
  max_backups => 'x',
}

class { 'nova::compute::libvirt::virtlogd':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_size => 'x',
  max_backups => 'x',
}

class { 'nova::compute::libvirt::virtnodedevd':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_client_requests => 'x',
  admin_max_client_requests => 'x',
  ovs_timeout => 'x',
}

class { 'nova::compute::libvirt::virtproxyd':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_client_requests => 'x',
  admin_max_client_requests => 'x',
  ovs_timeout => 'x',
  tls_priority => 'x',
}

class { 'nova::compute::libvirt::virtqemud':
  log_level => 'x',
  log_filters => 'x',
  log_outputs => 'x',
  max_clients => 'x',
  admin_max_clients => 'x',
  max_client_requests => 'x',
  admin_max_client_requests => 'x',
  ovs_timeout => 'x',
}
