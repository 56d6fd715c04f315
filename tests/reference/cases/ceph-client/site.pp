# A storage client: collectors in arrows, execs with long commands, defines with the class's params.
class { 'ceph::repo': release => 'pacific' }
class { 'ceph':
  fsid                       => '066F558C-6789-4A93-AAF1-5AF1BA01A3AD',
  mon_host                   => '10.20.1.1,10.20.1.2',
  mon_initial_members        => 'mon1,mon2',
  osd_pool_default_size      => 3,
  osd_pool_default_min_size  => 2,
  authentication_type        => 'cephx',
  public_network             => '10.20.0.0/16',
}
class { 'ceph::keys':
  args     => {
    'client.admin' => { 'secret' => 'AQATGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==', 'cap_mon' => 'allow *', 'cap_osd' => 'allow *' },
    'client.glance' => { 'secret' => 'AQBTGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==', 'cap_mon' => 'allow r', 'mode' => '0640', 'group' => 'glance' },
  },
  defaults => { 'cap_mds' => 'allow *' },
}
