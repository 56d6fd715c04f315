package { 'vim': ensure => installed }
-> alternatives { 'editor': mode => 'manual', path => '/usr/bin/vim.basic' }
alternatives { 'pager': mode => 'auto' }
alternative_entry { '/opt/java/bin/java':
  ensure   => present,
  altlink  => '/usr/bin/java',
  altname  => 'java',
  priority => 100,
  require  => Package['vim'],
}
