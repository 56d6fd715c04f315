# A Ruby function with other arguments than it declares.
$x = postgresql::postgresql_password('u', [1])
