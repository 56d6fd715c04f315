# Classes and defined types of the module archvsync.
class { 'archvsync':
  manage_apache => false,
  manage_pureftpd => false,
  manage_rsync => false,
  configure_rsync => false,
  setup_daily_cron => false,
  sync_debian => false,
  debian_accept_push => true,
  debian_push_ssh_key => 'a_secret',
  debian_enable_runmirrors => true,
  sync_debian_security => false,
  debian_security_accept_push => true,
  debian_security_push_ssh_key => 'a_secret',
  debian_security_enable_runmirrors => true,
  sync_debian_archive => false,
  debian_archive_accept_push => true,
  debian_archive_push_ssh_key => 'a_secret',
  debian_archive_enable_runmirrors => true,
  sync_ubuntu => false,
  ubuntu_accept_push => true,
  ubuntu_enable_runmirrors => true,
  sync_debian_cd => false,
}

include archvsync::deps
include archvsync::pureftpd

class { 'archvsync::rsync':
  configure_rsync => false,
}

archvsync::acceptpush { 'thing': }

archvsync::runmirrors { 'thing': }
