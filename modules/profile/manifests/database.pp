# @summary The database server.
#
# @param databases
#   Databases by name.
# @param settings
#   Lines of the server's configuration.
class profile::database (
  Hash[String[1], Struct[{ owner => String[1], Optional[encoding] => String[1] }]] $databases = {},
  Hash[String[1], Scalar] $settings = {},
) {
  $service = $facts['os']['family'] ? {
    'RedHat' => 'postgresql-server',
    default  => 'postgresql',
  }
  $directory = "/etc/${service}.d"

  package { $service:
    ensure => installed,
  }
  -> file { $directory:
    ensure  => directory,
    purge   => true,
    recurse => true,
  }
  -> file { "${directory}/site.conf":
    content => $settings.map |$name, $value| { "${name} = '${value}'\n" }.join,
  }
  ~> service { $service:
    ensure => running,
    enable => true,
  }

  # Keep the server's pages in memory.
  sysctl { 'vm.swappiness':
    value  => 1,
    before => Service[$service],
  }

  $databases.each |$name, $options| {
    $encoding = $options['encoding'].lest || { 'UTF8' }

    exec { "create database ${name}":
      command => "createdb --owner=${options['owner']} --encoding=${encoding} ${name}",
      unless  => "psql -qtA -c 'select 1' ${name}",
      user    => 'postgres',
      require => Service[$service],
    }
  }

  realize User['grace'], User['linus']
}
