class chrony::config (
  $commandkey           = $chrony::commandkey,
  $config               = $chrony::config,
  $config_template      = $chrony::config_template,
  $config_keys          = $chrony::config_keys,
  $config_keys_template = $chrony::config_keys_template,
  $config_keys_owner    = $chrony::config_keys_owner,
  $config_keys_group    = $chrony::config_keys_group,
  $config_keys_mode     = $chrony::config_keys_mode,
  $config_keys_manage   = $chrony::config_keys_manage,
  $chrony_password      = $chrony::chrony_password,
  $keys                 = $chrony::keys,
  $log_options          = $chrony::log_options,
  $refclocks            = $chrony::refclocks,
  $mailonchange         = $chrony::mailonchange,
  $threshold            = $chrony::threshold,
  $lock_all             = $chrony::lock_all,
  $peers                = $chrony::peers,
  $servers              = $chrony::servers,) {
}

class chrony (
  $commandkey                       = $chrony::params::commandkey,
  $config                           = $chrony::params::config,
  $config_template                  = $chrony::params::config_template,
  $config_keys                      = $chrony::params::config_keys,
  $config_keys_template             = $chrony::params::config_keys_template,
  $chrony_password                  = $chrony::params::chrony_password,
  $config_keys_owner                = $chrony::params::config_keys_owner,
  $config_keys_group                = $chrony::params::config_keys_group,
  $config_keys_mode                 = $chrony::params::config_keys_mode,
  $config_keys_manage               = $chrony::params::config_keys_manage,
  $keys                             = $chrony::params::keys,
  $local_stratum                    = $chrony::params::local_stratum,
  $log_options                      = $chrony::params::log_options,
  $package_ensure                   = $chrony::params::package_ensure,
  $package_name                     = $chrony::params::package_name,
  $refclocks                        = $chrony::params::refclocks,
  $peers                            = $chrony::params::peers,
  $servers                          = $chrony::params::servers,
  $makestep_seconds                 = $chrony::params::makestep_seconds,
  $makestep_updates                 = $chrony::params::makestep_updates,
  $queryhosts                       = $chrony::params::queryhosts,
  $mailonchange                     = $chrony::params::mailonchange,
  Float $threshold                  = $chrony::params::threshold,
  Boolean $lock_all                 = $chrony::params::lock_all,
  $port                             = $chrony::params::port,
  Boolean $clientlog                = $chrony::params::clientlog,
  Optional[Integer] $clientloglimit = $chrony::params::clientloglimit,
  $service_enable                   = $chrony::params::service_enable,
  $service_ensure                   = $chrony::params::service_ensure,
  $service_manage                   = $chrony::params::service_manage,
  $service_name                     = $chrony::params::service_name,) {
}

class chrony::install (
  $package_ensure = $chrony::package_ensure,
  $package_name   = $chrony::package_name,) {
}

class chrony::params {
}

class chrony::service (
  $service_enable = $chrony::service_enable,
  $service_ensure = $chrony::service_ensure,
  $service_manage = $chrony::service_manage,
  $service_name   = $chrony::service_name,) {
}
