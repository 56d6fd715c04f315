# Classes and defined types of the module haproxy.
include haproxy

class { 'haproxy::globals':
  sort_options_alphabetic => false,
}

haproxy::backend { 'thing':
  mode => 'x',
  collect_exported => false,
  sort_options_alphabetic => 'x',
  defaults => 'x',
  config_file => '/tmp/config_file',
}

haproxy::balancermember { 'thing':
  listening_service => 'x',
  ports => 'x',
  define_cookies => true,
  defaults => 'x',
  config_file => '/tmp/config_file',
  verifyhost => true,
  weight => 'x',
}

haproxy::defaults { 'thing':
  sort_options_alphabetic => 'x',
}

haproxy::mailers { 'thing':
  collect_exported => false,
}

haproxy::peer { 'thing':
  peers_name => 'x',
  port => 'x',
  config_file => '/tmp/config_file',
}

haproxy::peers { 'thing':
  collect_exported => false,
  config_file => '/tmp/config_file',
}

haproxy::userlist { 'thing':
  users => 'x',
  groups => 'x',
  config_file => '/tmp/config_file',
}

haproxy::frontend { 'thing': }

haproxy::mailer { 'thing':
  mailers_name => 'x',
  port => 'x',
}

haproxy::mapfile { 'thing': }
