# @summary Installs, configures and runs the web application.
#
# @example On port 9000, one virtual host
#   class { 'webapp':
#     port   => 9000,
#     vhosts => { 'Main' => { 'server_name' => 'www.example.com' } },
#   }
#
# @param package
#   Name of the package.
# @param unit_dir
#   Where the system keeps unit files of packages.
# @param user
#   The account the application runs as; its group has the same name.
# @param root
#   Directory of the application's files.
# @param port
#   Port of the application itself, behind the virtual hosts.
# @param workers
#   Number of worker processes.
# @param version
#   Version of the package; any will do when not given.
# @param session_key
#   Signs session cookies.
# @param environment
#   Environment variables of the service.
# @param vhosts
#   Parameters of `webapp::vhost` resources, by title.
class webapp (
  String[1]                             $package,
  Webapp::Path                          $unit_dir,
  String[1]                             $user,
  Webapp::Path                          $root,
  Webapp::Port                          $port,
  Integer[1, 64]                        $workers,
  Optional[Pattern[/\A\d+(\.\d+)*\z/]]  $version     = undef,
  Optional[Sensitive[String[1]]]        $session_key = undef,
  Hash[Pattern[/\A[A-Z_]+\z/], String]  $environment = {},
  Hash[String[1], Hash]                 $vhosts      = {},
) {
  contain webapp::install
  contain webapp::config
  contain webapp::service

  Class['webapp::install']
  -> Class['webapp::config']
  ~> Class['webapp::service']

  $vhosts.each |$title, $parameters| {
    webapp::vhost { $title:
      * => $parameters,
    }
  }
}
