# Small services with one or two templates each.
class { 'chrony': servers => { 'a.example.com' => ['iburst', 'maxpoll 6'], 'b.example.com' => [] }, queryhosts => ['10.0.0.0/8', ''], local_stratum => 8 }
include logrotate
logrotate::rule { 'app': path => ['/var/log/a', '/var/log/b'], rotate => 5, size => '10M', postrotate => ['/bin/a', '/bin/b'], compress => true, sharedscripts => true, create => true, create_mode => '0640', create_owner => 'a', create_group => 'b', su => true, su_user => 'u', su_group => 'g' }
include xinetd
xinetd::service { 'tftp': port => '69', server => '/usr/sbin/in.tftpd', server_args => '-s /t', socket_type => 'dgram', protocol => 'udp', cps => '100 2', flags => 'IPv4', per_source => '11', log_on_success => 'HOST', log_on_failure => '', env => 'A=1' }
class { 'rsync::server': use_xinetd => false, gid => 'nogroup' }
rsync::server::module { 'repo': path => '/srv/repo', comment => 'x', read_only => 'no', hosts_allow => ['10.0.0.0/8', '10.1.0.0/16'], exclude => ['/a', '/b'], auth_users => ['u', 'v'], max_connections => 5 }
include ssh
class { 'tftp': address => '0.0.0.0', options => '--secure' }
