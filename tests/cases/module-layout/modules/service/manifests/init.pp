# @summary Installs, configures and runs the service.
class service(
  Enum['present', 'absent'] $ensure = 'present',
  Integer[1, 65535]         $port,
  String[1]                 $package,
  Hash[String, Scalar]      $settings,
) {
  contain service::install
  contain service::config
  contain service::service

  if $ensure == 'present' {
    Class['service::install'] -> Class['service::config'] ~> Class['service::service']
  } else {
    Class['service::service'] -> Class['service::config'] -> Class['service::install']
  }
}
