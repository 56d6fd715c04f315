# Sources, pins, keys, settings, PPA-free apt: defined types that call defined types, EPP, hash parameters.
class { 'apt':
  update  => { 'frequency' => 'daily', 'loglevel' => 'debug' },
  purge   => { 'sources.list' => true, 'sources.list.d' => true, 'preferences' => false },
  proxy   => { 'host' => 'proxy.example.com', 'port' => 3128, 'https' => true },
  sources => {
    'debian' => {
      'location' => 'http://deb.debian.org/debian',
      'release'  => $facts['os']['distro']['codename'],
      'repos'    => 'main contrib non-free-firmware',
      'include'  => { 'src' => true, 'deb' => true },
    },
  },
}

apt::source { 'puppetlabs':
  comment  => 'Puppet releases',
  location => 'http://apt.puppet.com',
  repos    => 'puppet7',
  key      => { 'id' => 'D6811ED3ADEEB8441AF5AA8F4528B6CD9E61EF3A', 'server' => 'pgp.mit.edu' },
  pin      => '550',
}

apt::source { 'internal':
  location       => 'https://repo.example.com/debian',
  release        => 'stable',
  repos          => 'main',
  architecture   => 'amd64',
  allow_unsigned => true,
  notify_update  => false,
}

apt::key { 'example':
  id      => '0123456789ABCDEF0123456789ABCDEF01234567',
  content => "-----BEGIN PGP PUBLIC KEY BLOCK-----\nxyz\n-----END PGP PUBLIC KEY BLOCK-----\n",
}

apt::pin { 'testing': priority => -10, originator => 'Debian', release => 'testing' }
apt::pin { 'kernel': packages => ['linux-image-*', 'linux-headers-*'], version => '6.1.*', priority => 1001 }
apt::conf { 'no-recommends': content => 'APT::Install-Recommends "false";', priority => 99 }
apt::conf { 'gone': ensure => absent }
apt::setting { 'conf-extra': content => 'APT::Get::Assume-Yes "true";', notify_update => false }

Apt::Source['puppetlabs'] -> package { 'puppet-agent': ensure => installed }
