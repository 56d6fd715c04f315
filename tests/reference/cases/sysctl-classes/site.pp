# Classes and defined types of the module sysctl.
include sysctl::base

sysctl::value { 'thing':
  value => 'x',
  target => 'x',
}
