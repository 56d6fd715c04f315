# Open vSwitch: network types of the module with their dependencies.
class { 'vswitch': provider => 'ovs' }
