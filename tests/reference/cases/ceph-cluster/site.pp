# A small cluster on one host: monitor, disks, pools.
class { 'ceph': fsid => '066F558C-6789-4A93-AAF1-5AF1BA01A3AD', mon_host => $facts['networking']['ip'], mon_initial_members => 'db1' }
ceph_config {
  'global/osd_journal_size': value => '100';
  'client.rgw/debug_rgw':    ensure => absent;
}
ceph::mon { 'db1': key => 'AQATGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==' }
ceph::key { 'client.admin':
  secret  => 'AQATGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==',
  cluster => 'ceph',
  cap_mon => 'allow *',
  cap_osd => 'allow *',
  inject  => true,
}
['/dev/vdb', '/dev/vdc'].each |$disk| { ceph::osd { $disk: } }
ceph::pool {
  default: pg_num => 32, exec_timeout => 600;
  'images': tag => 'rbd';
  'volumes': pg_num => 64, size => 3;
  'old': ensure => absent;
}
