file { ['/srv', '/srv/data']: ensure => directory }
mount { '/srv': ensure => mounted, device => 'LABEL=srv', fstype => 'ext4', options => 'noatime,nodev', dump => 0, pass => 2, atboot => true, remounts => true }
mount { '/srv/data': ensure => present, device => 'nas:/data', fstype => 'nfs', blockdevice => '-', target => '/etc/fstab', require => File['/srv/data'] }
mount { '/old': ensure => absent }
