# Classes and defined types of the module magnum.
include magnum
include magnum::client

class { 'magnum::certificates':
  cert_manager_type => 'x',
}

class { 'magnum::clients':
  ca_file => '/tmp/ca_file',
  cert_file => '/tmp/cert_file',
  key_file => '/tmp/key_file',
  insecure => true,
}

class { 'magnum::cluster':
  etcd_discovery_service_endpoint_format => 'x',
  nodes_affinity_policy => 'x',
  temp_cache_dir => '/tmp/temp_cache_dir',
  pre_delete_lb_timeout => 'x',
}

class { 'magnum::cluster_template':
  kubernetes_allowed_network_drivers => 'x',
  kubernetes_default_network_driver => 'x',
}

class { 'magnum::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'magnum::docker_registry':
  swift_region => 'x',
  swift_registry_container => 'x',
}

class { 'magnum::healthcheck':
  detailed => 'x',
  backends => 'x',
  disable_by_file_path => '/tmp/disable_by_file_path',
  disable_by_file_paths => 'x',
}

class { 'magnum::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
  service_name => 'x',
}

class { 'magnum::keystone::domain':
  cluster_user_trust => 'x',
  domain_id => 'x',
  domain_admin_id => 'x',
  domain_admin_domain_name => 'x',
  domain_admin_domain_id => 'x',
  roles => 'x',
  keystone_region_name => 'x',
  manage_domain => false,
  manage_user => false,
  manage_role => false,
}

class { 'magnum::keystone::keystone_auth':
  password => 'a_secret',
  system_scope => 'x',
  cafile => 'x',
  keyfile => 'x',
  certfile => 'x',
  insecure => 'x',
}

class { 'magnum::quota':
  max_clusters_per_project => 'x',
}

class { 'magnum::x509':
  allow_ca => 'x',
  allowed_extensions => 'x',
  allowed_key_usage => 'x',
  term_of_validity => 'x',
  rsa_key_size => 'x',
}
