# Classes and defined types of the module tempest.
include tempest::config

class { 'tempest::magnum':
  provision_image => false,
  provision_flavors => false,
  provision_keypair => true,
  magnum_url => 'http://127.0.0.1:5000/',
  copy_logs => false,
}
