# @summary Manages {name}
#
# @example
#   include {name}
#
# @param ensure whether the configuration exists
# @param options lines of the configuration
class {name} (
  Enum['present', 'absent'] $ensure = 'present',
  Hash[String[1], String] $options = {},
) {
  $lines = $options.map |$key, $value| { "${key} = ${value}\n" }

  file { '/etc/{name}.conf':
    ensure  => $ensure,
    mode    => '0644',
    content => "# Managed by Puppet\n${lines.join}",
  }
}
