# Classes and defined types of the module murano.
include murano
include murano::client
include murano::config
include murano::db
include murano::db::sync

class { 'murano::api':
  manage_service => false,
  enabled => false,
  host => 'host.example.com',
  port => 'x',
}

class { 'murano::cfapi':
  manage_service => false,
  enabled => false,
  bind_host => 'host.example.com',
  bind_port => 'x',
  user_domain_name => 'x',
  project_domain_name => 'x',
}

class { 'murano::dashboard':
  dashboard_name => 'x',
  repo_url => 'http://127.0.0.1:5000/',
  enable_glare => true,
  sync_db => false,
  image_filter_project_id => 'x',
}

class { 'murano::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'murano::db::mysql_cfapi':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'murano::engine':
  manage_service => false,
  enabled => false,
}

class { 'murano::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'murano::keystone::cfapi_auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_user => true,
  configure_user_role => true,
}

murano::application { 'thing':
  package_category => 'x',
  public => false,
}
