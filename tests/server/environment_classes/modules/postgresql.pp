class postgresql::client (
  Enum['file', 'absent'] $file_ensure        = 'file',
  Stdlib::Absolutepath $validcon_script_path = $postgresql::params::validcon_script_path,
  String[1] $package_name                    = $postgresql::params::client_package_name,
  String[1] $package_ensure                  = 'present'
) {
}

class postgresql::globals (
  $client_package_name      = undef,
  $server_package_name      = undef,
  $contrib_package_name     = undef,
  $devel_package_name       = undef,
  $java_package_name        = undef,
  $docs_package_name        = undef,
  $perl_package_name        = undef,
  $plperl_package_name      = undef,
  $plpython_package_name    = undef,
  $python_package_name      = undef,
  $postgis_package_name     = undef,

  $service_name             = undef,
  $service_provider         = undef,
  $service_status           = undef,
  $default_database         = undef,

  $validcon_script_path     = undef,

  $initdb_path              = undef,
  $createdb_path            = undef,
  $psql_path                = undef,
  $pg_hba_conf_path         = undef,
  $pg_ident_conf_path       = undef,
  $postgresql_conf_path     = undef,
  $recovery_conf_path       = undef,
  $default_connect_settings = {},

  $pg_hba_conf_defaults     = undef,

  $datadir                  = undef,
  $confdir                  = undef,
  $bindir                   = undef,
  $xlogdir                  = undef,
  $logdir                   = undef,
  $log_line_prefix          = undef,
  $manage_datadir           = undef,
  $manage_logdir            = undef,
  $manage_xlogdir           = undef,

  $user                     = undef,
  $group                    = undef,

  $version                  = undef,
  $postgis_version          = undef,
  $repo_proxy               = undef,
  $repo_baseurl             = undef,

  $needs_initdb             = undef,

  $encoding                 = undef,
  $locale                   = undef,
  $data_checksums           = undef,
  $timezone                 = undef,

  $manage_pg_hba_conf       = undef,
  $manage_pg_ident_conf     = undef,
  $manage_recovery_conf     = undef,
  $manage_selinux           = undef,

  $manage_package_repo      = undef,
  $module_workdir           = undef,
) {
}

class postgresql::lib::devel(
  String $package_name      = $postgresql::params::devel_package_name,
  String[1] $package_ensure = 'present',
  Boolean $link_pg_config   = $postgresql::params::link_pg_config
) {
}

class postgresql::lib::docs (
  String $package_name      = $postgresql::params::docs_package_name,
  String[1] $package_ensure = 'present',
) {
}

class postgresql::lib::java (
  String $package_name      = $postgresql::params::java_package_name,
  String[1] $package_ensure = 'present'
) {
}

class postgresql::lib::perl(
  String $package_name      = $postgresql::params::perl_package_name,
  String[1] $package_ensure = 'present'
) {
}

class postgresql::lib::python(
  String[1] $package_name   = $postgresql::params::python_package_name,
  String[1] $package_ensure = 'present'
) {
}

class postgresql::params {
}

class postgresql::repo (
  $version = undef,
  $proxy = undef,
  $baseurl = undef,
) {
}

class postgresql::repo::apt_postgresql_org {
}

class postgresql::repo::yum_postgresql_org {
}

class postgresql::server (
  $postgres_password          = undef,

  $package_name               = $postgresql::params::server_package_name,
  $package_ensure             = $postgresql::params::package_ensure,

  $plperl_package_name        = $postgresql::params::plperl_package_name,
  $plpython_package_name      = $postgresql::params::plpython_package_name,

  $service_ensure             = $postgresql::params::service_ensure,
  $service_enable             = $postgresql::params::service_enable,
  $service_manage             = $postgresql::params::service_manage,
  $service_name               = $postgresql::params::service_name,
  $service_restart_on_change  = $postgresql::params::service_restart_on_change,
  $service_provider           = $postgresql::params::service_provider,
  $service_reload             = $postgresql::params::service_reload,
  $service_status             = $postgresql::params::service_status,
  $default_database           = $postgresql::params::default_database,
  $default_connect_settings   = $postgresql::globals::default_connect_settings,
  $listen_addresses           = $postgresql::params::listen_addresses,
  $port                       = $postgresql::params::port,
  $ip_mask_deny_postgres_user = $postgresql::params::ip_mask_deny_postgres_user,
  $ip_mask_allow_all_users    = $postgresql::params::ip_mask_allow_all_users,
  Array[String[1]] $ipv4acls  = $postgresql::params::ipv4acls,
  Array[String[1]] $ipv6acls  = $postgresql::params::ipv6acls,

  $initdb_path                = $postgresql::params::initdb_path,
  $createdb_path              = $postgresql::params::createdb_path,
  $psql_path                  = $postgresql::params::psql_path,
  $pg_hba_conf_path           = $postgresql::params::pg_hba_conf_path,
  $pg_ident_conf_path         = $postgresql::params::pg_ident_conf_path,
  $postgresql_conf_path       = $postgresql::params::postgresql_conf_path,
  $recovery_conf_path         = $postgresql::params::recovery_conf_path,

  $datadir                    = $postgresql::params::datadir,
  $xlogdir                    = $postgresql::params::xlogdir,
  $logdir                     = $postgresql::params::logdir,

  $log_line_prefix            = $postgresql::params::log_line_prefix,

  $pg_hba_conf_defaults       = $postgresql::params::pg_hba_conf_defaults,

  $user                       = $postgresql::params::user,
  $group                      = $postgresql::params::group,

  $needs_initdb               = $postgresql::params::needs_initdb,

  $encoding                   = $postgresql::params::encoding,
  $locale                     = $postgresql::params::locale,
  $data_checksums             = $postgresql::params::data_checksums,
  $timezone                   = $postgresql::params::timezone,

  $manage_pg_hba_conf         = $postgresql::params::manage_pg_hba_conf,
  $manage_pg_ident_conf       = $postgresql::params::manage_pg_ident_conf,
  $manage_recovery_conf       = $postgresql::params::manage_recovery_conf,
  Boolean $manage_selinux     = $postgresql::params::manage_selinux,
  $module_workdir             = $postgresql::params::module_workdir,

  $manage_datadir             = $postgresql::params::manage_datadir,
  $manage_logdir              = $postgresql::params::manage_logdir,
  $manage_xlogdir             = $postgresql::params::manage_xlogdir,
  $password_encryption        = $postgresql::params::password_encryption,
  $extra_systemd_config       = $postgresql::params::extra_systemd_config,

  Hash[String, Hash] $roles         = {},
  Hash[String, Any] $config_entries = {},
  Hash[String, Hash] $pg_hba_rules  = {},
  $version                    = undef,
) {
}

class postgresql::server::config {
}

class postgresql::server::contrib (
  String $package_name      = $postgresql::params::contrib_package_name,
  String[1] $package_ensure = 'present'
) {
}

class postgresql::server::initdb {
}

class postgresql::server::install {
}

class postgresql::server::passwd {
}

class postgresql::server::plperl(
  $package_ensure = 'present',
  $package_name   = $postgresql::server::plperl_package_name
) {
}

class postgresql::server::plpython(
  $package_ensure = 'present',
  $package_name   = $postgresql::server::plpython_package_name,
) {
}

class postgresql::server::postgis (
  String $package_name      = $postgresql::params::postgis_package_name,
  String[1] $package_ensure = 'present'
) {
}

class postgresql::server::reload {
}

class postgresql::server::service {
}
