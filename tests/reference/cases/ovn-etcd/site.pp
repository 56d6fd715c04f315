# Open Virtual Network's north side and a discovery service.
class { 'ovn::northd': dbs_listen_ip => '0.0.0.0' }
include etcddiscovery
