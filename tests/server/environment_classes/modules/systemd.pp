class systemd (
  Hash[String,Hash[String, Any]]                         $service_limits,
  Boolean                                                $manage_resolved,
  Enum['stopped','running']                              $resolved_ensure,
  Optional[Variant[Array[String],String]]                $dns,
  Optional[Variant[Array[String],String]]                $fallback_dns,
  Optional[Variant[Array[String],String]]                $domains,
  Optional[Variant[Boolean,Enum['resolve']]]             $llmnr,
  Optional[Variant[Boolean,Enum['resolve']]]             $multicast_dns,
  Optional[Variant[Boolean,Enum['allow-downgrade']]]     $dnssec,
  Optional[Variant[Boolean,Enum['opportunistic', 'no']]] $dnsovertls,
  Optional[Variant[Boolean,Enum['no-negative']]]         $cache,
  Optional[Variant[Boolean,Enum['udp','tcp']]]           $dns_stub_listener,
  Boolean                                                $use_stub_resolver,
  Boolean                                                $manage_networkd,
  Enum['stopped','running']                              $networkd_ensure,
  Boolean                                                $manage_timesyncd,
  Enum['stopped','running']                              $timesyncd_ensure,
  Optional[Variant[Array,String]]                        $ntp_server,
  Optional[Variant[Array,String]]                        $fallback_ntp_server,
  Boolean                                                $manage_accounting,
  Hash[String,String]                                    $accounting,
  Boolean                                                $purge_dropin_dirs,
  Boolean                                                $manage_journald,
  Systemd::JournaldSettings                              $journald_settings,
  Boolean                                                $manage_udevd,
  Optional[Variant[Integer,String]]                      $udev_log,
  Optional[Integer]                                      $udev_children_max,
  Optional[Integer]                                      $udev_exec_delay,
  Optional[Integer]                                      $udev_event_timeout,
  Optional[Enum['early', 'late', 'never']]               $udev_resolve_names,
  Optional[Variant[Integer,String]]                      $udev_timeout_signal,
  Boolean                                                $manage_logind,
  Systemd::LogindSettings                                $logind_settings,
  Hash                                                   $loginctl_users = {},
  Hash                                                   $dropin_files = {},
  Hash                                                   $udev_rules = {},
) {
}

class systemd::journald {
}

class systemd::logind {
}

class systemd::networkd (
  Enum['stopped','running'] $ensure = $systemd::networkd_ensure,
) {
}

class systemd::resolved (
  Enum['stopped','running'] $ensure                                  = $systemd::resolved_ensure,
  Optional[Variant[Array[String],String]] $dns                       = $systemd::dns,
  Optional[Variant[Array[String],String]] $fallback_dns              = $systemd::fallback_dns,
  Optional[Variant[Array[String],String]] $domains                   = $systemd::domains,
  Optional[Variant[Boolean,Enum['resolve']]] $llmnr                  = $systemd::llmnr,
  Optional[Variant[Boolean,Enum['resolve']]] $multicast_dns          = $systemd::multicast_dns,
  Optional[Variant[Boolean,Enum['allow-downgrade']]] $dnssec         = $systemd::dnssec,
  Optional[Variant[Boolean,Enum['opportunistic', 'no']]] $dnsovertls = $systemd::dnsovertls,
  Optional[Variant[Boolean,Enum['no-negative']]] $cache              = $systemd::cache,
  Optional[Variant[Boolean,Enum['udp', 'tcp']]] $dns_stub_listener   = $systemd::dns_stub_listener,
  Boolean $use_stub_resolver                                         = $systemd::use_stub_resolver,
) {
}

class systemd::system {
}

class systemd::systemctl::daemon_reload {
}

class systemd::timesyncd (
  Enum['stopped','running'] $ensure                    = $systemd::timesyncd_ensure,
  Optional[Variant[Array,String]] $ntp_server          = $systemd::ntp_server,
  Optional[Variant[Array,String]] $fallback_ntp_server = $systemd::fallback_ntp_server,
) {
}

class systemd::tmpfiles (
  Array[Enum['create','clean','remove']] $operations = ['create']
) {
}

class systemd::udevd {
}
