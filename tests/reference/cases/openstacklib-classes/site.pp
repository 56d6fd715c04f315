# Classes and defined types of the module openstacklib.
include openstacklib::defaults
include openstacklib::openstackclient

class { 'openstacklib::iscsid':
  enabled => false,
  manage_service => false,
}

openstacklib::clouds { 'thing':
  username => 'x',
  password => 'a_secret',
  auth_url => 'http://127.0.0.1:5000/',
  project_name => 'x',
  system_scope => 'x',
  interface => 'x',
  region_name => 'x',
}

openstacklib::db::mysql { 'thing':
  password => 'a_secret',
  plugin => 'x',
  create_user => false,
  create_grant => false,
  password_hash => 'a_secret',
}

openstacklib::messaging::rabbitmq { 'thing':
  is_admin => true,
  manage_user => false,
  manage_user_permissions => false,
  manage_vhost => false,
}

openstacklib::policy::base { 'thing':
  file_path => '/tmp/file_path',
  key => 'a_secret',
  file_user => 'x',
  file_group => 'x',
  purge_config => true,
}

openstacklib::service_validation { 'thing':
  command => 'x',
}
