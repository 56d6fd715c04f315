# Absent everything: other branches of the same modules.
class { 'ntp': package_ensure => 'absent', service_manage => false }
class { 'mysql::client': package_ensure => 'absent' }
vcsrepo { '/srv/gone': ensure => absent, provider => git }
kmod::alias { 'old': ensure => 'absent', source => 'x' }
ini_setting { 'gone': ensure => absent, path => '/etc/x.ini', section => 's', setting => 'k' }
file_line { 'gone': ensure => absent, path => '/etc/x', match => '^old', match_for_absence => true, multiple => true }
archive { '/tmp/gone.tgz': ensure => absent }
rsync::get { '/srv/r': source => 'rsync://x/y', options => '-a', onlyif => 'test -d /srv' }
include openssl
