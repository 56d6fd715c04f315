# Small services with one or two templates each.
class { 'chrony': servers => { 'a.example.com' => ['iburst', 'maxpoll 6'], 'b.example.com' => [] }, queryhosts => ['10.0.0.0/8', ''], local_stratum => 8 }
include xinetd
xinetd::service { 'tftp': port => '69', server => '/usr/sbin/in.tftpd', server_args => '-s /t', socket_type => 'dgram', protocol => 'udp', cps => '100 2', flags => 'IPv4', per_source => '11', log_on_success => 'HOST', log_on_failure => '', env => 'A=1' }
class { 'rsync::server': use_xinetd => false, gid => 'nogroup' }
rsync::server::module { 'repo': path => '/srv/repo', comment => 'x', read_only => 'no', hosts_allow => ['10.0.0.0/8', '10.1.0.0/16'], exclude => ['/a', '/b'], auth_users => ['u', 'v'], max_connections => 5 }
