class mongodb::client (
  $ensure       = $mongodb::params::ensure_client,
  $package_name = $mongodb::params::client_package_name,
) {
}

class mongodb::client::install {
}

class mongodb::globals (
  $server_package_name  = undef,
  $client_package_name  = undef,

  $service_name         = undef,
  $service_provider     = undef,
  $service_status       = undef,

  $user                 = undef,
  $group                = undef,
  $bind_ip              = undef,

  $version              = undef,

  $manage_package_repo  = undef,
) {
}

class mongodb (
  $enable_10gen    = undef,

  $init            = $mongodb::params::service_provider,
  $location        = '',
  $packagename     = undef,
  $version         = undef,
  $servicename     = $mongodb::params::service_name,
  $service_enable  = true, #deprecated
  $logpath         = $mongodb::params::logpath,
  $logappend       = true,
  $fork            = $mongodb::params::fork,
  $port            = 27017,
  $dbpath          = $mongodb::params::dbpath,
  $journal         = undef,
  $nojournal       = undef,
  $smallfiles      = undef,
  $cpu             = undef,
  $noauth          = undef,
  $auth            = undef,
  $verbose         = undef,
  $objcheck        = undef,
  $quota           = undef,
  $oplog           = undef, #deprecated it's on if replica set
  $oplog_size      = undef,
  $nohints         = undef,
  $nohttpinterface = undef,
  $noscripting     = undef,
  $notablescan     = undef,
  $noprealloc      = undef,
  $nssize          = undef,
  $mms_token       = undef,
  $mms_name        = undef,
  $mms_interval    = undef,
  $slave           = undef,
  $only            = undef,
  $master          = undef,
  $source          = undef,
  $replset         = undef,
  $rest            = undef,
  $slowms          = undef,
  $keyfile         = undef,
  $bind_ip         = undef,
  $pidfilepath     = undef
) {
}

class mongodb::params {
}

class mongodb::repo (
  $ensure  = $mongodb::params::ensure,
) {
}

class mongodb::repo::apt {
}

class mongodb::repo::yum {
}

class mongodb::server (
  $ensure           = $mongodb::params::ensure,

  $user             = $mongodb::params::user,
  $group            = $mongodb::params::group,

  $config           = $mongodb::params::config,
  $dbpath           = $mongodb::params::dbpath,
  $pidfilepath      = $mongodb::params::pidfilepath,

  $service_provider = $mongodb::params::service_provider,
  $service_name     = $mongodb::params::service_name,
  $service_status   = $mongodb::params::service_status,

  $package_ensure  = $ensure,
  $package_name    = $mongodb::params::server_package_name,

  $logpath         = $mongodb::params::logpath,
  $bind_ip         = $mongodb::params::bind_ip,
  $logappend       = true,
  $fork            = $mongodb::params::fork,
  $port            = 27017,
  $journal         = $mongodb::params::journal,
  $nojournal       = undef,
  $smallfiles      = undef,
  $cpu             = undef,
  $auth            = false,
  $noauth          = undef,
  $verbose         = undef,
  $verbositylevel  = undef,
  $objcheck        = undef,
  $quota           = undef,
  $quotafiles      = undef,
  $diaglog         = undef,
  $directoryperdb  = undef,
  $profile         = undef,
  $maxconns        = undef,
  $oplog_size      = undef,
  $nohints         = undef,
  $nohttpinterface = undef,
  $noscripting     = undef,
  $notablescan     = undef,
  $noprealloc      = undef,
  $nssize          = undef,
  $mms_token       = undef,
  $mms_name        = undef,
  $mms_interval    = undef,
  $replset         = undef,
  $rest            = undef,
  $slowms          = undef,
  $keyfile         = undef,
  $set_parameter   = undef,
  $master          = undef,
  $slave           = undef,
  $only            = undef,
  $source          = undef,
) {
}

class mongodb::server::config {
}

class mongodb::server::install {
}

class mongodb::server::service {
}
