# Classes and defined types of the module openstack_extras.
include openstack_extras::repo::debian::params
include openstack_extras::repo::redhat::params

class { 'openstack_extras::auth_file':
  password => 'a_secret',
  service_token => 'x',
  use_no_cache => false,
  auth_type => 'x',
  compute_api_version => 'x',
  network_api_version => 'x',
  image_api_version => 'x',
  volume_api_version => 'x',
  object_api_version => 'x',
  tenant_name => 'x',
}

class { 'openstack_extras::repo::debian::debian':
  manage_deb => false,
  package_require => true,
  use_extrepo => false,
}

class { 'openstack_extras::repo::debian::ubuntu':
  manage_uca => false,
  package_require => true,
}
