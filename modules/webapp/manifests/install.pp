# @summary The package, its account and its directories.
# @api private
class webapp::install {
  $version = $webapp::version.lest || { 'installed' }

  group { $webapp::user:
    ensure => present,
    system => true,
  }

  user { $webapp::user:
    ensure => present,
    system => true,
    gid    => $webapp::user,
    home   => $webapp::root,
    shell  => '/usr/sbin/nologin',
  }

  package { $webapp::package:
    ensure => $version,
  }

  file {
    default:
      ensure => directory,
      owner  => $webapp::user,
      group  => $webapp::user,
    ;
    $webapp::root:
    ;
    ["${webapp::root}/files", "${webapp::root}/cache"]:
      mode => '0750',
    ;
  }
}
