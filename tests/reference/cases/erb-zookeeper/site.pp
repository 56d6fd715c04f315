# zookeeper.
class { 'zookeeper': servers => { '1' => 'zk1', '2' => 'zk2' }, id => '1', client_ip => '10.0.0.1', install_java => false, purge_interval => 1 }
