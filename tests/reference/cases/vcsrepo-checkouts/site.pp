# Repositories of several kinds; overrides, class inheritance, `+>`.
class checkouts {
  vcsrepo { default:
      ensure   => present,
      provider => git,
      owner    => 'deploy',
    ;
    '/srv/app':
      source   => 'https://git.example.com/app.git',
      revision => 'v1.2.3',
    ;
    '/srv/site':
      source   => { 'origin' => 'https://git.example.com/site.git', 'mirror' => 'https://mirror.example.com/site.git' },
      remote   => 'origin',
      depth    => 1,
  }
  vcsrepo { '/srv/old': ensure => latest, provider => svn, source => 'svn://svn.example.com/old', basic_auth_username => 'u', basic_auth_password => 'p' }
  user { 'deploy': ensure => present, before => Vcsrepo['/srv/app'] }
}
class checkouts::latest inherits checkouts {
  Vcsrepo['/srv/app'] { ensure => latest, revision => 'main', require +> Package['git'] }
  package { ['git', 'subversion']: ensure => installed }
}
include checkouts::latest
