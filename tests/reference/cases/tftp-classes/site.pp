# Classes and defined types of the module tftp.
include tftp

tftp::file { 'thing':
  owner => 'x',
  group => 'x',
  recurse => true,
  purge => 'x',
  replace => 'x',
  recurselimit => 'x',
  content => 'x',
  source => 'x',
}
