# The types that left Puppet's core and came back as modules.
augeas { 'sshd':
  context => '/files/etc/ssh/sshd_config',
  changes => ['set PermitRootLogin no', 'set Port 22'],
  onlyif  => "match Port[. = '22'] size == 0",
}
cron { 'backup': command => '/usr/local/bin/backup', user => 'root', hour => [2, 14], minute => fqdn_rand(60, 'backup'), weekday => 'absent' }
cron { 'env': command => 'true', environment => ['PATH=/bin', 'MAILTO=ops@example.com'], special => 'daily', target => 'root' }
host { 'db1.example.com': ip => '10.20.1.21', host_aliases => ['db1', 'mysql'] }
mount { '/srv/data': ensure => mounted, device => '/dev/vdb1', fstype => 'xfs', options => 'noatime,nodev', dump => 0, pass => 2, remounts => true }
mailalias { 'root': recipient => ['ops@example.com', 'ada'] }
sshkey { 'db1.example.com': ensure => present, type => 'ssh-ed25519', key => $facts['ssh']['ed25519']['key'], host_aliases => [$facts['networking']['ip']] }
ssh_authorized_key { 'ada@laptop': ensure => present, user => 'ada', type => 'ssh-ed25519', key => 'AAAAC3Nza', options => ['no-pty', 'from="10.0.0.0/8"'] }
user { 'ada': ensure => present, managehome => true, groups => ['adm', 'sudo'], password => Sensitive('$6$salt$hash'), uid => 2001 }
group { 'ops': gid => 900, members => ['ada'] }
selboolean { 'httpd_can_network_connect': persistent => true, value => on }
selmodule { 'local': ensure => present, selmoduledir => '/usr/share/selinux' }
alternatives { 'editor': path => '/usr/bin/vim.basic' }
alternative_entry { '/usr/bin/vim.basic': altlink => '/usr/bin/editor', altname => 'editor', priority => 50 }
wait_for { 'ready': query => 'curl -sf localhost', exit_code => 0, polling_frequency => 5, max_retries => 3 }
posix_acl { '/srv/data': action => set, permission => ['user::rwx', 'group:ops:r-x', 'mask::rwx'], recursive => true, require => Mount['/srv/data'] }
tidy { '/tmp': age => '1w', recurse => 1, matches => ['*.tmp', 'core.*'] }
schedule { 'night': range => '2 - 4', period => daily }
filebucket { 'main': path => false, server => 'puppet.example.com' }
resources { 'host': purge => false, noop => true }
exec { 'refresh': command => ['/usr/bin/systemctl', 'daemon-reload'], refreshonly => true, subscribe => [Mount['/srv/data'], Host['db1.example.com']], schedule => 'night', returns => [0, 1] }
