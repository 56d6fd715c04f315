class haproxy::globals (
  Boolean $sort_options_alphabetic = true,
) {
}

class haproxy (
  String[1] $package_ensure                                    = 'present',
  String $package_name                                         = $haproxy::params::package_name,
  Variant[Enum['running', 'stopped'], Boolean] $service_ensure = 'running',
  Boolean $service_manage                                      = true,
  String $service_options                                      = $haproxy::params::service_options,
  $sysconfig_options                                           = $haproxy::params::sysconfig_options,
  Hash $global_options                                         = $haproxy::params::global_options,
  Hash $defaults_options                                       = $haproxy::params::defaults_options,
  Boolean $merge_options                                       = $haproxy::params::merge_options,
  $restart_command                                             = undef,
  $custom_fragment                                             = undef,
  Stdlib::Absolutepath $config_dir                             = $haproxy::params::config_dir,
  Optional[Stdlib::Absolutepath] $config_file                  = $haproxy::params::config_file,
  $manage_config_dir                                           = $haproxy::params::manage_config_dir,
  $config_validate_cmd                                         = $haproxy::params::config_validate_cmd,
  $manage_service                                              = undef,
  $enable                                                      = undef,
) {
}

class haproxy::params {
}
