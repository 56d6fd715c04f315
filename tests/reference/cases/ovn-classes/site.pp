# Classes and defined types of the module ovn.
include ovn

class { 'ovn::northd':
  dbs_cluster_local_addr => '10.0.0.1',
  dbs_cluster_remote_addr => '10.0.0.1',
}

class { 'ovn::controller':
  ovn_remote => 'x',
  ovn_encap_ip => '10.0.0.1',
}
