class dns::config {
}

class dns (
  Stdlib::Absolutepath $namedconf_path                              = $dns::params::namedconf_path,
  Stdlib::Absolutepath $dnsdir                                      = $dns::params::dnsdir,
  String $dns_server_package                                        = $dns::params::dns_server_package,
  Stdlib::Absolutepath $rndckeypath                                 = $dns::params::rndckeypath,
  Stdlib::Absolutepath $optionspath                                 = $dns::params::optionspath,
  Stdlib::Absolutepath $publicviewpath                              = $dns::params::publicviewpath,
  Stdlib::Absolutepath $vardir                                      = $dns::params::vardir,
  String $namedservicename                                          = $dns::params::namedservicename,
  Stdlib::Absolutepath $zonefilepath                                = $dns::params::zonefilepath,
  Variant[Enum['unmanaged'], Stdlib::Absolutepath] $localzonepath   = $dns::params::localzonepath,
  Variant[Enum['unmanaged'], Stdlib::Absolutepath] $defaultzonepath = $dns::params::defaultzonepath,
  Optional[Enum['only', 'first']] $forward                          = $dns::params::forward,
  Array[String] $forwarders                                         = $dns::params::forwarders,
  Optional[Variant[String, Boolean]] $listen_on_v6                  = $dns::params::listen_on_v6,
  Enum['yes', 'no'] $recursion                                      = $dns::params::recursion,
  Array[String] $allow_recursion                                    = $dns::params::allow_recursion,
  Array[String] $allow_query                                        = $dns::params::allow_query,
  Enum[yes, no] $empty_zones_enable                                 = $dns::params::empty_zones_enable,
  Optional[Enum['yes', 'no', 'explicit']] $dns_notify               = $dns::params::dns_notify,
  Enum['yes', 'no'] $dnssec_enable                                  = $dns::params::dnssec_enable,
  Enum['yes', 'no', 'auto'] $dnssec_validation                      = $dns::params::dnssec_validation,
  String $namedconf_template                                        = $dns::params::namedconf_template,
  Hash[String, Array[String]] $acls                                 = $dns::params::acls,
  String $optionsconf_template                                      = $dns::params::optionsconf_template,
  Hash[String, Hash[String, Data]] $controls                        = $dns::params::controls,
  Variant[Enum['running', 'stopped'], Boolean] $service_ensure      = $dns::params::service_ensure,
  Boolean $service_enable                                           = $dns::params::service_enable,
  Hash[String, Data] $additional_options                            = $dns::params::additional_options,
  Array[String] $additional_directives                              = $dns::params::additional_directives,
  Boolean $enable_views                                             = $dns::params::enable_views,
  Hash[String, Hash] $zones                                         = $dns::params::zones,
  Hash[String, Hash] $keys                                          = $dns::params::keys,
) {
}

class dns::install {
}

class dns::params {
}

class dns::service {
}
