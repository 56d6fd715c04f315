# The client and the language bindings: inheritance from params, parameters by class declaration.
class { 'mysql::client':
  package_name    => 'default-mysql-client',
  bindings_enable => false,
}
class { 'mysql::bindings':
  java_enable   => true,
  perl_enable   => true,
  python_enable => true,
  ruby_enable   => false,
}
