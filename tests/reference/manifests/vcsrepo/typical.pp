file { '/srv': ensure => directory }
vcsrepo { '/srv/app': ensure => latest, provider => git, source => { 'origin' => 'https://example.com/app.git', 'fork' => 'git@example.com:app.git' }, revision => 'main', remote => 'origin', depth => 1, submodules => false, user => 'www-data' }
vcsrepo { '/srv/svn': ensure => present, provider => svn, source => 'svn://example.com/x', basic_auth_username => 'u', basic_auth_password => 'p', conflict => 'theirs-full' }
vcsrepo { '/srv/hg': ensure => bare, provider => hg }
