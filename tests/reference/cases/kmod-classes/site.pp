# Classes and defined types of the module kmod.
include kmod

kmod::option { 'thing':
  option => 'x',
  value => 'x',
  file => '/tmp/file',
}

kmod::setting { 'thing':
  file => '/tmp/file',
  category => 'x',
  option => 'x',
  value => 'x',
}

kmod::alias { 'thing':
  source => 'x',
}

kmod::blacklist { 'thing': }

kmod::install { 'thing': }

kmod::load { 'thing': }
