class memcached (
  Enum['present', 'latest', 'absent'] $package_ensure = 'present',
  Boolean $service_manage                             = true,
  Optional[Stdlib::Absolutepath] $logfile             = $::memcached::params::logfile,
  Boolean $syslog                                     = false,
  Optional[Stdlib::Absolutepath] $pidfile             = '/var/run/memcached.pid',
  Boolean $manage_firewall                            = false,
  $max_memory                                         = '95%',
  Optional[Variant[Integer, String]] $max_item_size   = undef,
  Optional[Variant[Integer, String]] $min_item_size   = undef,
  Boolean $factor                                     = false,
  Boolean $lock_memory                                = false,
  Optional[Stdlib::Compat::Ip_address] $listen_ip     = '127.0.0.1',
  Integer $tcp_port                                   = 11211,
  Integer $udp_port                                   = 11211,
  String $user                                        = $::memcached::params::user,
  Integer $max_connections                            = 8192,
  Optional[String] $verbosity                         = undef,
  Optional[String] $unix_socket                       = undef,
  String $unix_socket_mask                            = '0755',
  Boolean $install_dev                                = false,
  Variant[String,Integer] $processorcount             = $::processorcount,
  Boolean $service_restart                            = true,
  Boolean $auto_removal                               = false,
  Boolean $use_sasl                                   = false,
  Boolean $use_registry                               = $::memcached::params::use_registry,
  String $registry_key                                = 'HKLM\System\CurrentControlSet\services\memcached\ImagePath',
  Boolean $large_mem_pages                            = false,
  Boolean $use_svcprop                                = $::memcached::params::use_svcprop,
  String $svcprop_fmri                                = 'memcached:default',
  String $svcprop_key                                 = 'memcached/options',
  Optional[Array[String]] $extended_opts              = undef,
  String $config_tmpl                                 = $::memcached::params::config_tmpl,
  Boolean $disable_cachedump                          = false
) {
}

class memcached::params {
}
