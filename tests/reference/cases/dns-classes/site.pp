# Classes and defined types of the module dns.
include dns
include dns::install

dns::key { 'thing':
  secret => 'a_secret',
}

dns::zone { 'thing':
  reverse => true,
  contact => 'x',
  manage_file => false,
  manage_file_name => true,
  dns_notify => 'yes',
}
