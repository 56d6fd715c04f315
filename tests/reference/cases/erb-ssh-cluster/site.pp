# ssh, corosync, etcd, galera.
class { 'ssh::server': options => { 'Port' => [22, 2222], 'PermitRootLogin' => 'no', 'Match User www' => { 'ChrootDirectory' => '%h', 'ForceCommand' => 'internal-sftp', 'X' => ['a', 'b'] }, 'UsePAM' => true } }
class { 'ssh::client': options => { 'Host *.example.com' => { 'User' => 'x' }, 'HashKnownHosts' => 'yes' } }
ssh::server::match_block { 'sftp': type => 'User', options => { 'ChrootDirectory' => '/srv', 'AllowTcpForwarding' => 'no' } }
class { 'corosync': authkey => '/dev/null', bind_address => '10.0.0.1', cluster_name => 'c', enable_secauth => false, unicast_addresses => ['10.0.0.1', '10.0.0.2'], set_votequorum => true, quorum_members => ['10.0.0.1', '10.0.0.2'], token => 3000 }
corosync::service { 'pacemaker': version => '1' }
