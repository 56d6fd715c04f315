mount { '/srv': ensure => mounted, device => '/dev/sdb1', fstype => 'ext4' }
