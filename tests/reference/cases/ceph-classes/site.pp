# Classes and defined types of the module ceph.
class { 'ceph':
  fsid => 'x',
  keyring => 'x',
  osd_journal_size => 'x',
  osd_max_object_name_len => 'x',
  osd_max_object_namespace_len => 'x',
  osd_pool_default_pg_num => 'x',
  osd_pool_default_pgp_num => 'x',
  osd_pool_default_size => 'x',
  osd_pool_default_min_size => 'x',
  osd_pool_default_crush_rule => 'x',
  osd_crush_update_on_start => 'x',
  mon_osd_full_ratio => 'x',
  mon_osd_nearfull_ratio => 'x',
  mon_initial_members => 'x',
  mon_host => 'host.example.com',
  ms_bind_ipv6 => 'x',
  require_signatures => 'x',
  cluster_require_signatures => 'x',
  service_require_signatures => 'x',
  sign_messages => 'x',
  cluster_network => 'x',
  public_network => 'x',
  public_addr => '10.0.0.1',
  osd_max_backfills => 'x',
  osd_recovery_max_active => 'x',
  osd_recovery_op_priority => 'x',
  osd_recovery_max_single_start => 'x',
  osd_max_scrubs => 'x',
  osd_op_threads => 'x',
  rbd_default_features => 'x',
  set_osd_params => true,
}

include ceph::conf
include ceph::keys
include ceph::mons
include ceph::osds

class { 'ceph::mds':
  public_addr => '10.0.0.1',
  mds_activate => false,
  mds_data => 'x',
  mds_enable => false,
  keyring => 'x',
}

class { 'ceph::profile::params':
  fsid => 'x',
  release => 'x',
  authentication_type => 'x',
  mon_initial_members => 'x',
  mon_host => 'host.example.com',
  ms_bind_ipv6 => 'x',
  osd_journal_size => 'x',
  osd_max_object_name_len => 'x',
  osd_max_object_namespace_len => 'x',
  osd_pool_default_pg_num => 'x',
  osd_pool_default_pgp_num => 'x',
  osd_pool_default_size => 'x',
  osd_pool_default_min_size => 'x',
  osd_crush_update_on_start => 'x',
  cluster_network => 'x',
  public_network => 'x',
  public_addr => '10.0.0.1',
  mds_key => 'a_secret',
  mon_key => 'a_secret',
  mgr_key => 'a_secret',
  mon_keyring => 'x',
  osds => 'x',
  manage_repo => false,
  rgw_name => 'x',
  rgw_user => 'x',
  rgw_print_continue => 'x',
  frontend_type => 'x',
  rgw_frontends => 'x',
  osd_max_backfills => 'x',
  osd_recovery_max_active => 'x',
  osd_recovery_op_priority => 'x',
  osd_recovery_max_single_start => 'x',
  osd_max_scrubs => 'x',
  osd_op_threads => 'x',
  pid_max => 'x',
  rgw_keystone_admin_domain => 'x',
  rgw_keystone_admin_project => 'x',
  rgw_keystone_admin_user => 'x',
  rgw_keystone_admin_password => 'a_secret',
  rbd_mirror_client_name => 'x',
  fs_metadata_pool => 'x',
  fs_data_pool => 'x',
  fs_name => 'x',
  rbd_default_features => 'x',
}

class { 'ceph::repo':
  fastcgi => true,
  proxy => 'x',
  proxy_username => 'x',
  proxy_password => 'a_secret',
  enable_epel => false,
  ceph_mirror => 'x',
}

ceph::fs { 'thing':
  metadata_pool => 'x',
  data_pool => 'x',
}

ceph::key { 'thing':
  secret => 'a_secret',
}

ceph::mirror { 'thing': }

ceph::osd { 'thing': }

ceph::pool { 'thing': }
