# Classes and defined types of the module mysql.
include mysql::backup::xtrabackup
include mysql::bindings::java
include mysql::bindings::perl
include mysql::bindings::php
include mysql::bindings::python
include mysql::bindings::ruby
include mysql::client::install
include mysql::server
include mysql::server::install

class { 'mysql::bindings':
  install_options => 'x',
  java_enable => true,
  perl_enable => true,
  php_enable => true,
  python_enable => true,
  ruby_enable => true,
  client_dev => true,
  daemon_dev => true,
}

class { 'mysql::client':
  install_options => 'x',
}

class { 'mysql::server::mysqltuner':
  source => 'x',
}

mysql::db { 'thing':
  user => 'x',
  password => 'a_secret',
  tls_options => 'x',
  grant_options => 'x',
  sql => 'x',
  enforce_sql => true,
}
