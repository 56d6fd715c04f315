# Downloads with checksums, a proxy, credentials, extraction; the module's own class and its gems.
class { 'archive':
  aws_cli_install => false,
}

file { '/opt/tool': ensure => directory }

archive { '/var/cache/big.zip':
  ensure       => present,
  source       => 'https://dl.example.com/big.zip',
  username     => 'reader',
  password     => Sensitive('s3cret'),
  cleanup      => false,
  proxy_server => 'http://proxy.example.com:3128',
  require      => File['/opt/tool'],
}

archive::download { '/tmp/other.tgz':
  url              => 'http://dl.example.com/other.tgz',
  digest_string    => 'd41d8cd98f00b204e9800998ecf8427e',
  digest_type      => 'md5',
  timeout          => 120,
}
