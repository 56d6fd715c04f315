class firewall (
  $ensure          = running,
  $ensure_v6       = undef,
  $pkg_ensure      = present,
  $service_name    = $firewall::params::service_name,
  $service_name_v6 = $firewall::params::service_name_v6,
  $package_name    = $firewall::params::package_name,
  $ebtables_manage = false,
) {
}

class firewall::linux (
  $ensure          = running,
  $ensure_v6       = undef,
  $pkg_ensure      = installed,
  $service_name    = $firewall::params::service_name,
  $service_name_v6 = $firewall::params::service_name_v6,
  $package_name    = $firewall::params::package_name,
  $ebtables_manage = false,
  $iptables_name   = $firewall::params::iptables_name,
) {
}

class firewall::linux::archlinux (
  $ensure         = 'running',
  $enable         = true,
  $service_name   = $firewall::params::service_name,
  $package_name   = $firewall::params::package_name,
  $package_ensure = $firewall::params::package_ensure,
) {
}

class firewall::linux::debian (
  $ensure         = running,
  $enable         = true,
  $service_name   = $firewall::params::service_name,
  $package_name   = $firewall::params::package_name,
  $package_ensure = $firewall::params::package_ensure,
) {
}

class firewall::linux::gentoo (
  $ensure         = 'running',
  $enable         = true,
  $service_name   = $firewall::params::service_name,
  $package_name   = $firewall::params::package_name,
  $package_ensure = $firewall::params::package_ensure,
) {
}

class firewall::linux::redhat (
  $ensure           = running,
  $ensure_v6        = undef,
  $enable           = true,
  $enable_v6        = undef,
  $service_name     = $firewall::params::service_name,
  $service_name_v6  = $firewall::params::service_name_v6,
  $package_name     = $firewall::params::package_name,
  $package_ensure   = $firewall::params::package_ensure,
  $sysconfig_manage = $firewall::params::sysconfig_manage,
) {
}

class firewall::params {
}
