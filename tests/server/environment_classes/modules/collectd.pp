class collectd::config {
}

class collectd (
  Boolean $autoloadplugin                              = $collectd::params::autoloadplugin,
  String $collectd_hostname                            = $collectd::params::collectd_hostname,
  Optional[String] $conf_content                       = $collectd::params::conf_content,
  String $config_file                                  = $collectd::params::config_file,
  Boolean $fqdnlookup                                  = $collectd::params::fqdnlookup,
  Boolean $has_wordexp                                 = $collectd::params::has_wordexp,
  Array $include                                       = $collectd::params::include,
  Integer[1] $interval                                 = $collectd::params::interval,
  Boolean $internal_stats                              = $collectd::params::internal_stats,
  Boolean $manage_package                              = $collectd::params::manage_package,
  Boolean $manage_repo                                 = $collectd::params::manage_repo,
  Optional[Collectd::Manifests::Init] $ci_package_repo = $collectd::params::ci_package_repo,
  Boolean $manage_service                              = $collectd::params::manage_service,
  String $minimum_version                              = $collectd::params::minimum_version,
  String $package_ensure                               = $collectd::params::package_ensure,
  Optional[Array] $package_install_options             = $collectd::params::package_install_options,
  Stdlib::Fqdn $package_keyserver                      = $collectd::params::package_keyserver,
  Variant[String[1],Array[String[1]]] $package_name    = $collectd::params::package_name,
  Optional[String] $package_provider                   = $collectd::params::package_provider,
  Stdlib::Absolutepath $plugin_conf_dir                = $collectd::params::plugin_conf_dir,
  String $plugin_conf_dir_mode                         = $collectd::params::plugin_conf_dir_mode,
  Boolean $purge                                       = $collectd::params::purge,
  Boolean $purge_config                                = $collectd::params::purge_config,
  Integer[1] $read_threads                             = $collectd::params::read_threads,
  Boolean $recurse                                     = $collectd::params::recurse,
  String $config_group                                 = $collectd::params::config_group,
  String $config_mode                                  = $collectd::params::config_mode,
  String $config_owner                                 = $collectd::params::config_owner,
  Boolean $service_enable                              = $collectd::params::service_enable,
  String $service_ensure                               = $collectd::params::service_ensure,
  String $service_name                                 = $collectd::params::service_name,
  Integer[1] $timeout                                  = $collectd::params::timeout,
  Array $typesdb                                       = $collectd::params::typesdb,
  Optional[Integer] $write_queue_limit_high            = $collectd::params::write_queue_limit_high,
  Optional[Integer] $write_queue_limit_low             = $collectd::params::write_queue_limit_low,
  Integer[1] $write_threads                            = $collectd::params::write_threads,
) {
}

class collectd::install {
}

class collectd::params {
}

class collectd::plugin::aggregation (
  Enum['present', 'absent'] $ensure = 'present',
  Optional[Integer[1]] $interval    = undef,
  Hash $aggregators                 = {},
) {
}

class collectd::plugin::amqp (
  Enum['present', 'absent'] $ensure  = 'present',
  Boolean $manage_package            = $collectd::manage_package,
  Stdlib::Host $amqphost             = 'localhost',
  Stdlib::Port $amqpport             = 5672,
  String $amqpvhost                  = 'graphite',
  String $amqpuser                   = 'graphite',
  String $amqppass                   = 'graphite',
  Collectd::Amqp::Format $amqpformat = 'Graphite',
  Boolean $amqpstorerates            = false,
  String $amqpexchange               = 'metrics',
  Boolean $amqppersistent            = true,
  String $amqproutingkey             = 'collectd',
  String $graphiteprefix             = 'collectd.',
  String[1] $escapecharacter         = '_',
  Optional[Integer[1]] $interval     = undef,
  Boolean $graphiteseparateinstances = false,
  Boolean $graphitealwaysappendds    = false,
) {
}

class collectd::plugin::amqp1 (
  Enum['present', 'absent'] $ensure  = 'present',
  Boolean $manage_package            = $collectd::manage_package,
  String $transport                  = 'metrics',
  Stdlib::Host $host                 = 'localhost',
  String $port                       = '5672',
  String $user                       = 'guest',
  String $password                   = 'guest',
  String $address                    = 'collectd',
  Hash $instances                    = {},
  Optional[Integer] $retry_delay     = undef,
  Optional[Integer] $interval        = undef,
) {
}

class collectd::plugin::apache (
  Enum['present', 'absent'] $ensure        = 'present',
  Boolean $manage_package                  = $collectd::manage_package,
  Hash $instances                          = { 'localhost' => { 'url' => 'http://localhost/mod_status?auto' } },
  Optional[Integer[1]] $interval           = undef,
  Optional[Array] $package_install_options = $collectd::package_install_options,
) {
}

class collectd::plugin::battery (
  Enum['present', 'absent'] $ensure   = 'present',
  Optional[Integer] $interval         = undef,
  Boolean $values_percentage          = false,
  Boolean $report_degraded            = false,
  Boolean $query_state_fs             = false,
) {
}

class collectd::plugin::bind (
  Stdlib::Httpurl $url,
  Enum['present', 'absent'] $ensure  = 'present',
  Boolean $manage_package            = $collectd::manage_package,
  Boolean $memorystats               = true,
  Boolean $opcodes                   = true,
  Boolean $parsetime                 = false,
  Boolean $qtypes                    = true,
  Boolean $resolverstats             = false,
  Boolean $serverstats               = true,
  Boolean $zonemaintstats            = true,
  Array[Collectd::Bind::View] $views = [],
  Optional[Integer[1]] $interval     = undef,
) {
}

class collectd::plugin::ceph (
  Array $daemons,
  Enum['present', 'absent'] $ensure  = 'present',
  Boolean $longrunavglatency         = false,
  Boolean $convertspecialmetrictypes = true,
  Boolean $manage_package            = $collectd::manage_package,
  String $package_name               = 'collectd-ceph'
) {
}

class collectd::plugin::cgroups (
  Array $cgroups                    = [],
  Enum['present', 'absent'] $ensure = 'present',
  Boolean $ignore_selected          = false,
  Optional[Integer[1]] $interval    = undef,
) {
}

class collectd::plugin::chain (
  String $chainname                       = 'Main',
  Enum['present', 'absent'] $ensure       = 'present',
  Collectd::Filter::Target $defaulttarget = 'write',
  Array $rules                            = []
) {
}

class collectd::plugin::connectivity (
  Enum['present', 'absent'] $ensure = 'present',
  Boolean $manage_package           = $collectd::manage_package,
  Array[String[1]] $interfaces      = [],
) {
}

class collectd::plugin::conntrack (
  Enum['present', 'absent'] $ensure = 'present',
) {
}

class collectd::plugin::contextswitch (
  Enum['present', 'absent'] $ensure   = 'present',
  Optional[Integer[1]] $interval      = undef,
) {
}

class collectd::plugin::cpu (
  Enum['present', 'absent'] $ensure = 'present',
  Boolean $reportbystate            = true,
  Boolean $reportbycpu              = true,
  Boolean $valuespercentage         = false,
  Boolean $reportnumcpu             = false,
  Boolean $reportgueststate         = false,
  Boolean $subtractgueststate       = true,
  Optional[Integer[1]] $interval    = undef,
) {
}

class collectd::plugin::cpufreq (
  Enum['present', 'absent'] $ensure = 'present',
) {
}

class collectd::plugin::csv (
  $ensure     = 'present',
  $datadir    = '/etc/collectd/var/lib/collectd/csv',
  $interval   = undef,
  $storerates = false
) {
}

class collectd::plugin::cuda (
  Optional[String] $ensure           = 'present',
  Optional[Boolean] $manage_package   = undef,
  Optional[String] $package_name     = 'collectd-cuda',
  Optional[String] $package_provider = 'pip',
  Optional[String] $provider_proxy   = undef,
) {
}

class collectd::plugin::curl (
  $ensure         = 'present',
  $manage_package = undef,
  $interval       = undef,
  $pages          = { },
) {
}

class collectd::plugin::dbi (
  $ensure         = 'present',
  $databases      = { },
  $queries        = { },
  $packages       = undef,
  $interval       = undef,
  $manage_package = undef,
) {
}

class collectd::plugin::df (
  $ensure                   = 'present',
  Array $devices            = [],
  Array $fstypes            = [],
  Boolean $ignoreselected   = false,
  $interval                 = undef,
  Array $mountpoints        = [],
  Boolean $reportbydevice   = false,
  Boolean $reportinodes     = true,
  Boolean $reportreserved   = true,
  Boolean $valuesabsolute   = true,
  Boolean $valuespercentage = false,
) {
}

class collectd::plugin::disk (
  Array $disks            = [],
  $ensure                 = 'present',
  Boolean $ignoreselected = false,
  $interval               = undef,
  $manage_package         = undef,
  $package_name           = 'collectd-disk',
  $udevnameattr           = undef,
  Optional[Array[String]] $package_install_options = undef
) {
}

class collectd::plugin::dns (
  Enum['present','absent'] $ensure                   = 'present',
  Optional[Stdlib::Compat::Ip_address] $ignoresource = undef,
  String $interface                                  = 'any',
  Optional[String] $interval                         = undef,
  $manage_package                                    = undef,
  $package_name                                      = 'collectd-dns',
  Variant[String,Boolean] $selectnumericquerytypes   = true,
) {
}

class collectd::plugin::entropy (
  $ensure   = 'present',
  $interval = undef,
) {
}

class collectd::plugin::ethstat (
  $ensure           = 'present',
  Array $interfaces = [],
  Array $maps       = [],
  $mappedonly       = false,
  $interval         = undef,
) {
}

class collectd::plugin::exec (
  Hash $commands          = {},
  Hash $commands_defaults = {},
  $interval               = undef,
  $ensure                 = 'present',
  Boolean $globals        = false,
) {
}

class collectd::plugin::fhcount (
  $ensure                   = 'present',
  Boolean $valuesabsolute   = true,
  Boolean $valuespercentage = false,
  $interval                 = undef,
) {
}

class collectd::plugin::filecount (
  $ensure           = 'present',
  Hash $directories = {},
  $interval         = undef,
) {
}

class collectd::plugin::filter (
  $ensure          = 'present',
  $precachechain   = 'PreChain',
  $postcachechain  = 'PostChain',
) {
}

class collectd::plugin::fscache (
  $ensure = 'present',
) {
}

class collectd::plugin::genericjmx (
  $ensure         = 'present',
  $jvmarg         = [],
  $manage_package = undef,
) {
}

class collectd::plugin::hddtemp (
  $host         = '127.0.0.1',
  Integer $port = 7634,
  $ensure       = 'present',
  $interval     = undef,
) {
}

class collectd::plugin::hugepages (
  Enum['present', 'absent'] $ensure   = 'present',
  Optional[Integer] $interval         = undef,
  Boolean $report_per_node_hp         = true,
  Boolean $report_root_hp             = true,
  Boolean $values_pages               = true,
  Boolean $values_bytes               = false,
  Boolean $values_percentage          = false,
) {
}

class collectd::plugin::intel_pmu (
  Enum['present', 'absent'] $ensure                       = 'present',
  Optional[Boolean]         $report_hardware_cache_events = false,
  Optional[Boolean]         $report_kernel_pmu_events     = false,
  Optional[Boolean]         $report_software_events       = false,
  Optional[String]          $event_list                   = undef,
  Optional[Array[String]]   $hardware_events              = undef,
) {
}

class collectd::plugin::intel_rdt (
  Enum['present', 'absent'] $ensure   = 'present',
  Optional[Integer] $interval         = undef,
  Array[String[1]] $cores             = [],
) {
}

class collectd::plugin::interface (
  $ensure                 = 'present',
  Array $interfaces       = [],
  Boolean $ignoreselected = false,
  Boolean $reportinactive = true,
  $interval               = undef,
) {
}

class collectd::plugin::ipc (
  Enum['present', 'absent'] $ensure   = 'present',
) {
}

class collectd::plugin::ipmi (
  $ensure                            = 'present',
  $ensure_package                    = 'present',
  Boolean $ignore_selected           = false,
  $interval                          = undef,
  $manage_package                    = undef,
  Boolean $notify_sensor_add         = false,
  Boolean $notify_sensor_remove      = true,
  Boolean $notify_sensor_not_present = false,
  Array $sensors                     = [],
) {
}

class collectd::plugin::iptables (
  $ensure         = 'present',
  $ensure_package = 'present',
  $manage_package = undef,
  Hash $chains    = {},
  Hash $chains6   = {},
  $interval       = undef,
) {
}

class collectd::plugin::irq (
  $ensure                 = 'present',
  Array $irqs             = [],
  Boolean $ignoreselected = false,
  $interval               = undef,
) {
}

class collectd::plugin::iscdhcp (
  Optional[String] $ensure           = 'present',
  Optional[Boolean] $manage_package   = undef,
  Optional[String] $package_name     = 'collectd-iscdhcp',
  Optional[String] $package_provider = 'pip',
  Optional[String] $provider_proxy   = undef,
) {
}

class collectd::plugin::java (
  $ensure                                   = 'present',
  $jvmarg                                   = [],
  $loadplugin                               = {},
  $interval                                 = undef,
  $manage_package                           = undef,
  Optional[Stdlib::Absolutepath] $java_home = undef,
) {
}

class collectd::plugin::load (
  $ensure   = 'present',
  $interval = undef,
  $report_relative = false,
) {
}

class collectd::plugin::logfile (
  $ensure         = 'present',
  $interval       = undef,
  $log_level      = 'info',
  $log_file       = '/var/log/collectd.log',
  $log_timestamp  = true,
  $print_severity = false
) {
}

class collectd::plugin::lvm (
  $ensure           = 'present',
  $manage_package   = undef,
  $interval         = undef,
) {
}

class collectd::plugin::memcached (
  $ensure         = 'present',
  Hash $instances = {
    'default' => {
        'host'    => 'localhost',
        'address' => '127.0.0.1',
        'port'    => 11211,
    },
  },
  $interval       = undef,
) {
}

class collectd::plugin::memory (
  $ensure                   = 'present',
  Boolean $valuesabsolute   = true,
  Boolean $valuespercentage = false,
  $interval                 = undef,
) {
}

class collectd::plugin::mongodb (
  String $db_user,
  String $db_pass,
  Enum['absent','present'] $ensure          = 'present',
  Optional[Variant[String,Float]] $interval = undef,
  Stdlib::Compat::Ip_address $db_host       = '127.0.0.1',
  Optional[String] $db_port                 = undef,
  Optional[Array] $configured_dbs           = undef,
  $collectd_dir                             = '/usr/lib/collectd',
) {
}

class collectd::plugin::mysql (
  $ensure           = 'present',
  $manage_package   = undef,
  $interval         = undef,
) {
}

class collectd::plugin::netlink (
  $ensure                  = 'present',
  $manage_package          = undef,
  Array $interfaces        = [],
  Array $verboseinterfaces = [],
  Array $qdiscs            = [],
  Array $classes           = [],
  Array $filters           = [],
  Boolean $ignoreselected  = false,
  $interval                = undef,
) {
}

class collectd::plugin::network (
  Enum['present', 'absent'] $ensure          = 'present',
  Optional[Pattern[/[0-9]+/]] $timetolive    = undef,
  Optional[Pattern[/[0-9]+/]] $maxpacketsize = undef,
  Optional[Boolean] $forward                 = undef,
  Optional[Integer[1]] $interval             = undef,
  Optional[Boolean] $reportstats             = undef,
  Hash $listeners                            = {},
  Hash $servers                              = {},
) {
}

class collectd::plugin::nfs (
  $ensure   = 'present',
  $interval = undef,
) {
}

class collectd::plugin::nginx (
  $url,
  $manage_package   = undef,
  $ensure           = 'present',
  $user             = undef,
  $password         = undef,
  $verifypeer       = undef,
  $verifyhost       = undef,
  $cacert           = undef,
  $interval         = undef,
) {
}

class collectd::plugin::ntpd (
  $ensure           = 'present',
  $host             = 'localhost',
  $port             = 123,
  $reverselookups   = false,
  $includeunitid    = false,
  $interval         = undef,
) {
}

class collectd::plugin::numa (
  Enum['present', 'absent'] $ensure   = 'present',
) {
}

class collectd::plugin::nut (
  $ensure        = 'present',
  $upss       = { },
) {
}

class collectd::plugin::openldap (
  $ensure         = 'present',
  Hash $instances = { 'localhost' => { 'url' => 'ldap://localhost/' } },
  $interval       = undef,
) {
}

class collectd::plugin::openvpn (
  $ensure                                                                = 'present',
  Variant[Array[Stdlib::Absolutepath], Stdlib::Absolutepath] $statusfile = '/etc/openvpn/openvpn-status.log',
  Boolean $improvednamingschema                                          = false,
  Boolean $collectcompression                                            = true,
  Boolean $collectindividualusers                                        = true,
  Boolean $collectusercount                                              = false,
  $interval                                                              = undef,
) {
}

class collectd::plugin::oracle (
  Enum['present', 'absent'] $ensure = 'present',
  Boolean $manage_package           = false,
  Optional[Integer[1]] $interval    = undef,
) {
}

class collectd::plugin::ovs_events (
  Optional[Stdlib::Host] $address      = undef,
  Optional[Boolean] $dispatch          = undef,
  String $ensure                       = 'present',
  Optional[Array] $interfaces          = [],
  Boolean $manage_package              = true,
  Optional[Boolean] $send_notification = undef,
  String $package_name                 = 'collectd-ovs-events',
  Optional[Integer] $port              = undef,
  Optional[String] $socket             = undef,
) {
}

class collectd::plugin::ovs_stats (
  Optional[String] $address = undef,
  Optional[Array] $bridges  = undef,
  String $ensure            = 'present',
  Boolean $manage_package   = true,
  String $package_name      = 'collectd-ovs-stats',
  Optional[Integer] $port   = undef,
  Optional[String] $socket  = undef,
) {
}

class collectd::plugin::perl (
  $ensure           = 'present',
  $manage_package   = undef,
  $interval         = undef,
  $order            = 20
) {
}

class collectd::plugin::ping (
  Array $hosts,
  Enum['present', 'absent'] $ensure = 'present',
  Optional[Boolean] $manage_package = undef,
  Optional[Numeric] $interval       = undef,
  Optional[Numeric] $timeout        = undef,
  Optional[Integer[0,255]] $ttl     = undef,
  Optional[String] $source_address  = undef,
  Optional[String] $device          = undef,
  Optional[Integer[-1]] $max_missed = undef,
  Optional[Integer[0]] $size        = undef,
) {
}

class collectd::plugin::postgresql (
  $ensure         = 'present',
  $manage_package = undef,
  $databases      = { },
  $interval       = undef,
  $queries        = { },
  $writers        = { },
) {
}

class collectd::plugin::powerdns (
  Enum['present', 'absent'] $ensure       = 'present',
  Integer $order                          = 10,
  Optional[Numeric] $interval             = undef,
  Optional[Hash[String, Hash]] $servers   = {},
  Optional[Hash[String, Hash]] $recursors = {},
  Optional[String] $local_socket          = undef,
) {
}

class collectd::plugin::processes (
  Enum['present', 'absent'] $ensure          = 'present',
  Integer $order                             = 10,
  Optional[Numeric] $interval                = undef,
  Optional[Array] $processes                 = undef,
  Optional[Array] $process_matches           = undef,
  Optional[Boolean] $collect_context_switch  = undef,
  Optional[Boolean] $collect_file_descriptor = undef,
  Optional[Boolean] $collect_memory_maps     = undef,
) {
}

class collectd::plugin::procevent (
  Enum['present', 'absent'] $ensure            = 'present',
  Boolean $manage_package                      = $collectd::manage_package,
  Optional[String[1]] $process                 = undef,
  Optional[String[1]] $regex_process           = undef,
  Optional[Integer[1, default]] $buffer_length = undef,
) {
}

class collectd::plugin::protocols (
  $ensure                 = 'present',
  Boolean $ignoreselected = false,
  Array $values           = []
) {
}

class collectd::plugin::python (
  $encoding            = undef,
  $ensure              = 'present',
  Boolean $globals     = true,
  Boolean $interactive = false,
  $interval            = undef,
  Boolean $logtraces   = false,
  $manage_package      = undef,
  Array $modulepaths   = [],
  Hash $modules        = {},
  $order               = '10',
  $conf_name           = 'python-config.conf',
) {
}

class collectd::plugin::rabbitmq (
  Hash $config      = {
    'Username' => 'guest',
    'Password' => 'guest',
    'Scheme'   => 'http',
    'Port'     => '15672',
    'Host'     => $facts['fqdn'],
    'Realm'    => '"RabbitMQ Management"',
  },
  String $ensure    = 'present',
  $interval         = undef,
  $manage_package   = undef,
  $package_name     = 'collectd-rabbitmq',
  $package_provider = 'pip',
  $provider_proxy   = undef,
  $custom_types_db  = undef,
) {
}

class collectd::plugin::redis (
  Enum['present', 'absent']              $ensure         = 'present',
  Optional[Integer[0]]                   $interval       = undef,
  Optional[Boolean]                      $manage_package = undef,
  Hash[String[1], Collectd::Redis::Node] $nodes          = {
    'redis' => {
      'host'    => 'localhost',
      'port'    => 6379,
      'timeout' => 2000,
      'queries' => {
        'dbsize' => {
          'type'  => 'count',
          'query' => 'DBSIZE',
        },
      },
    },
  },
) {
}

class collectd::plugin::rrdcached (
  $ensure                   = 'present',
  $daemonaddress            = 'unix:/tmp/rrdcached.sock',
  $datadir                  = '/var/lib/rrdcached/db/collectd',
  Boolean $createfiles      = true,
  Boolean $createfilesasync = false,
  $stepsize                 = undef,
  $heartbeat                = undef,
  $interval                 = undef,
  $rrarows                  = undef,
  Array $rratimespan        = [],
  $xff                      = undef,
  $collectstatistics        = undef,
  $manage_package           = undef,
) {
}

class collectd::plugin::rrdtool (
  $ensure                            = 'present',
  $manage_package                    = undef,
  Stdlib::Absolutepath $datadir      = '/var/lib/collectd/rrd',
  Boolean $createfilesasync          = false,
  $interval                          = undef,
  Optional[Integer] $rrarows         = 1200,
  Array[Integer] $rratimespan        = [3600, 86400, 604800, 2678400, 31622400],
  Optional[Float] $xff               = 0.1,
  Optional[Integer] $cacheflush      = 900,
  Optional[Integer] $cachetimeout    = 120,
  Optional[Integer] $writespersecond = 50
) {
}

class collectd::plugin::sensors (
  $ensure           = 'present',
  $manage_package   = undef,
  $sensorconfigfile = undef,
  $sensors          = undef,
  $ignoreselected   = undef,
  $interval         = undef,
  Optional[Array[String]] $package_install_options = undef
) {
}

class collectd::plugin::smart (
  Array $disks            = [],
  $ensure                 = 'present',
  Boolean $ignoreselected = false,
  $interval               = undef,
  $manage_package         = undef,
  $package_name           = 'collectd-smart',
) {
}

class collectd::plugin::snmp (
  Enum['present', 'absent']             $ensure         = 'present',
  Optional[Boolean]                     $manage_package = undef,
  Hash[String[1], Collectd::SNMP::Data] $data           = {},
  Hash[String[1], Collectd::SNMP::Host] $hosts          = {},
  Optional[Integer[0]]                  $interval       = undef,
) {
}

class collectd::plugin::statsd (
  $ensure                = 'present',
  $host                  = undef,
  $port                  = undef,
  $deletecounters        = undef,
  $deletetimers          = undef,
  $deletegauges          = undef,
  $deletesets            = undef,
  $countersum            = undef,
  $interval              = undef,
  Array $timerpercentile = [],
  $timerlower            = undef,
  $timerupper            = undef,
  $timersum              = undef,
  $timercount            = undef,
) {
}

class collectd::plugin::swap (
  $ensure                   = 'present',
  $interval                 = undef,
  Boolean $reportbydevice   = false,
  Boolean $reportbytes      = true,
  Boolean $valuesabsolute   = true,
  Boolean $valuespercentage = false,
  Boolean $reportio         = true,
) {
}

class collectd::plugin::sysevent (
  Enum['present', 'absent'] $ensure            = 'present',
  Boolean $manage_package                      = $collectd::manage_package,
  Stdlib::Host $listen_host                    = '127.0.0.1',
  Stdlib::Port $listen_port                    = 6666,
  String $regex_filter                         = '/.*/',
  Optional[Integer[0]] $buffer_size            = undef,
  Optional[Integer[1, default]] $buffer_length = undef,
) {
}

class collectd::plugin::syslog (
  Enum['present', 'absent'] $ensure = 'present',
  Optional[Float] $interval  = undef,
  Enum['debug', 'info', 'notice', 'warning', 'err'] $log_level = 'info',
  Optional[Enum['OKAY', 'WARNING', 'FAILURE']] $notify_level   = undef
) {
}

class collectd::plugin::table (
  Hash[String, Collectd::Table::Table, 1] $tables,
  Enum['present', 'absent'] $ensure    = 'present',
  Integer $order                       = 10,
) {
}

class collectd::plugin::tail (
  $interval             = undef,
  Optional[Hash] $files = {},
) {
}

class collectd::plugin::tail_csv (
  Hash[String, Collectd::Tail_Csv::Metric, 1] $metrics,
  Hash[String, Collectd::Tail_Csv::File, 1] $files,
  Enum['present', 'absent'] $ensure = 'present',
  Integer $order                    = 10,
) {
}

class collectd::plugin::target_v5upgrade (
  $ensure = 'present',
) {
}

class collectd::plugin::tcpconns (
  Optional[Array] $localports        = undef,
  Optional[Array] $remoteports       = undef,
  $listening                         = undef,
  $interval                          = undef,
  Optional[Boolean] $allportssummary = undef,
  $ensure                            = 'present'
) {
}

class collectd::plugin::thermal (
  Array $devices          = [],
  $ensure                 = 'present',
  Boolean $ignoreselected = false,
  $interval               = undef,
) {
}

class collectd::plugin::threshold (
  Enum['present', 'absent']          $ensure   = 'present',
  Optional[Integer]                  $interval = undef,
  Array[Collectd::Threshold::Type]   $types    = [],
  Array[Collectd::Threshold::Plugin] $plugins  = [],
  Array[Collectd::Threshold::Host]   $hosts    = [],
) {
}

class collectd::plugin::turbostat (
  Enum['present', 'absent'] $ensure                      = 'present',
  Optional[Integer]         $core_c_states               = undef,
  Optional[Integer]         $package_c_states            = undef,
  Optional[Boolean]         $system_management_interrupt = undef,
  Optional[Boolean]         $digital_temperature_sensor  = undef,
  Optional[Integer]         $tcc_activation_temp         = undef,
  Optional[Integer]         $running_average_power_limit = undef,
  Optional[Boolean]         $logical_core_names          = undef,
) {
}

class collectd::plugin::unixsock (
  Stdlib::Absolutepath $socketfile = '/var/run/collectd-socket',
  $socketgroup                     = 'collectd',
  $socketperms                     = '0770',
  $deletesocket                    = false,
  $ensure                          = 'present',
  $interval                        = undef,
) {
}

class collectd::plugin::uptime (
  $ensure   = 'present',
  $interval = undef,
) {
}

class collectd::plugin::users (
  $ensure   = 'present',
  $interval = undef,
) {
}

class collectd::plugin::uuid (
  $uuid_file = '/etc/uuid',
  $ensure    = 'present',
  $interval  = undef,
) {
}

class collectd::plugin::varnish (
  $ensure         = 'present',
  $manage_package = undef,
  Hash $instances = {
    'localhost' => {
    },
  },
  $interval       = undef,
) {
}

class collectd::plugin::virt (
  String $connection,
  $ensure                                      = 'present',
  $manage_package                              = undef,
  Optional[Pattern[/^\d+$/]] $refresh_interval = undef,
  Optional[String] $domain                     = undef,
  Optional[String] $block_device               = undef,
  Optional[String]$interface_device            = undef,
  Optional[Boolean] $ignore_selected           = undef,
  Optional[String] $hostname_format            = undef,
  Optional[String] $interface_format           = undef,
  Optional[String] $extra_stats                = undef,
  $interval                                    = undef,
) {
}

class collectd::plugin::vmem (
  $ensure   = 'present',
  $interval = undef,
  $verbose  = false,
) {
}

class collectd::plugin::write_graphite (
  Hash $carbons      = {},
  $carbon_defaults   = {},
  $ensure            = 'present',
  $globals           = false,
) {
}

class collectd::plugin::write_http (
  Enum['present', 'absent']          $ensure = 'present',
  Hash[String, Hash[String, Scalar]] $nodes = {},
  Hash[String, Hash[String, Scalar]] $urls  = {}
) {
}

class collectd::plugin::write_kafka (
  $ensure                    = 'present',
  $kafka_host                = undef,
  Array[String] $kafka_hosts = ['localhost:9092'],
  $kafka_port                = 9092,
  Hash $topics               = {},
) {
}

class collectd::plugin::write_log (
  String $format = 'JSON',
  $ensure        = 'present',
) {
}

class collectd::plugin::write_network (
  $ensure       = 'present',
  Hash $servers = { 'localhost'  =>  { 'serverport' => '25826' } },
) {
}

class collectd::plugin::write_prometheus (
  String $port = '9103',
  $ensure      = 'present',
) {
}

class collectd::plugin::write_riemann (
  Array[Collectd::Write_riemann::Node] $nodes,
  Enum['present', 'absent'] $ensure     = 'present',
  Boolean $manage_package               = $collectd::manage_package,
  Array[String[1]] $tags                = [],
  Hash[String[1],String[1]] $attributes = {},
) {
}

class collectd::plugin::write_sensu (
  $ensure           = 'present',
  $manage_package   = undef,
  $sensu_host       = 'localhost',
  $sensu_port       = 3030,
  Boolean $store_rates      = false,
  Boolean $always_append_ds = false,
  $metrics          = false,
  $metrics_handler  = 'example_metric_handler',
  $notifications    = false,
  $notifs_handler   = 'example_notification_handler',
) {
}

class collectd::plugin::write_tsdb (
  $ensure                   = present,
  Boolean $globals          = false,
  $host                     = 'localhost',
  $port                     = 4242,
  Array $host_tags          = [],
  Boolean $store_rates      = false,
  Boolean $always_append_ds = false,
) {
}

class collectd::plugin::zfs_arc (
  $ensure = 'present',
) {
}

class collectd::plugin::zookeeper (
  Enum['present', 'absent'] $ensure           = 'present',
  Optional[Integer]         $interval         = undef,
  String                    $zookeeper_host   = 'localhost',
  String                    $zookeeper_port   = '2181',
) {
}

class collectd::repo {
}

class collectd::repo::debian {
}

class collectd::repo::redhat {
}

class collectd::service {
}
