# Classes and defined types of the module apt.
include apt
include apt::backports

apt::conf { 'thing':
  content => 'x',
  notify_update => true,
}

apt::mark { 'thing':
  setting => 'auto',
}

apt::pin { 'thing': }
