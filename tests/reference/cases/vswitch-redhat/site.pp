class { 'vswitch::ovs':
  package_ensure    => 'latest',
  enable_hw_offload => true,
  disable_emc       => true,
  vlan_limit        => 2,
  vs_config         => {
    'external_ids:ovn-remote' => { 'value' => 'tcp:10.20.3.1:6642' },
    'other_config:max-idle'   => { 'value' => '30000', 'restart' => true },
  },
}
vs_bridge { 'br-ex': ensure => present, external_ids => 'bridge-id=br-ex' }
vs_port { 'eth1': ensure => present, bridge => 'br-ex' }
