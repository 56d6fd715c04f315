# Classes and defined types of the module horizon.
class { 'horizon':
  secret_key => 'a_secret',
}

include horizon::deps

horizon::dashboard { 'thing': }
