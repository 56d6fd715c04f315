# Classes and defined types of the module etcddiscovery.
class { 'etcddiscovery':
  enabled => false,
}

include etcddiscovery::deps
