# Classes and defined types of the module powerdns.
include powerdns
include powerdns::package
include powerdns::recursor

powerdns::config { 'thing':
  value => 'x',
}
