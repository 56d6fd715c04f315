# Classes and defined types of the module archive.
class { 'archive':
  seven_zip_source => 'x',
  aws_cli_install => true,
}

include archive::staging

archive::download { 'thing':
  url => 'http://127.0.0.1:5000/',
  checksum => false,
  digest_url => 'http://127.0.0.1:5000/',
  digest_string => 'x',
  allow_insecure => true,
  follow_redirects => true,
  verbose => false,
  proxy_server => 'host.example.com',
  user => 'x',
}

archive::nexus { 'thing':
  url => 'http://127.0.0.1:5000/',
  gav => 'x',
  repository => 'x',
  checksum_verify => false,
  use_nexus3_urls => true,
  classifier => 'x',
  extension => 'x',
  username => 'x',
  password => 'a_secret',
  user => 'x',
  owner => 'x',
  group => 'x',
  mode => 'x',
  extract => true,
  extract_path => '/tmp/extract_path',
  extract_flags => 'x',
  extract_command => 'x',
  creates => 'x',
  cleanup => true,
  proxy_server => 'host.example.com',
  proxy_type => 'x',
  allow_insecure => true,
}
