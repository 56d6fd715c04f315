class apache::confd::no_accf {
}

class apache::default_confd_files (
  $all = true,
) {
}

class apache::default_mods (
  $all            = true,
  $mods           = undef,
  $apache_version = $::apache::apache_version,
  $use_systemd    = $::apache::use_systemd,
) {
}

class apache::dev {
}

class apache (
  $apache_name                                                          = $::apache::params::apache_name,
  $service_name                                                         = $::apache::params::service_name,
  $default_mods                                                         = true,
  Boolean $default_vhost                                                = true,
  $default_charset                                                      = undef,
  Boolean $default_confd_files                                          = true,
  Boolean $default_ssl_vhost                                            = false,
  $default_ssl_cert                                                     = $::apache::params::default_ssl_cert,
  $default_ssl_key                                                      = $::apache::params::default_ssl_key,
  $default_ssl_chain                                                    = undef,
  $default_ssl_ca                                                       = undef,
  $default_ssl_crl_path                                                 = undef,
  $default_ssl_crl                                                      = undef,
  $default_ssl_crl_check                                                = undef,
  $default_type                                                         = 'none',
  $dev_packages                                                         = $::apache::params::dev_packages,
  $ip                                                                   = undef,
  Boolean $service_enable                                               = true,
  Boolean $service_manage                                               = true,
  $service_ensure                                                       = 'running',
  $service_restart                                                      = undef,
  $purge_configs                                                        = true,
  $purge_vhost_dir                                                      = undef,
  $purge_vdir                                                           = false,
  $serveradmin                                                          = 'root@localhost',
  Enum['On', 'Off', 'on', 'off'] $sendfile                              = 'On',
  $ldap_verify_server_cert                                              = undef,
  $ldap_trusted_mode                                                    = undef,
  $error_documents                                                      = false,
  $timeout                                                              = '60',
  $httpd_dir                                                            = $::apache::params::httpd_dir,
  $server_root                                                          = $::apache::params::server_root,
  $conf_dir                                                             = $::apache::params::conf_dir,
  $confd_dir                                                            = $::apache::params::confd_dir,
  Enum['Off', 'On', 'Double', 'off', 'on', 'double'] $hostname_lookups  = $::apache::params::hostname_lookups,
  $conf_enabled                                                         = $::apache::params::conf_enabled,
  $vhost_dir                                                            = $::apache::params::vhost_dir,
  $vhost_enable_dir                                                     = $::apache::params::vhost_enable_dir,
  $mod_libs                                                             = $::apache::params::mod_libs,
  $mod_packages                                                         = $::apache::params::mod_packages,
  $vhost_include_pattern                                                = $::apache::params::vhost_include_pattern,
  $mod_dir                                                              = $::apache::params::mod_dir,
  $mod_enable_dir                                                       = $::apache::params::mod_enable_dir,
  $mpm_module                                                           = $::apache::params::mpm_module,
  $lib_path                                                             = $::apache::params::lib_path,
  $conf_template                                                        = $::apache::params::conf_template,
  $servername                                                           = $::apache::params::servername,
  $pidfile                                                              = $::apache::params::pidfile,
  Optional[Stdlib::Absolutepath] $rewrite_lock                          = undef,
  Boolean $manage_user                                                  = true,
  Boolean $manage_group                                                 = true,
  $user                                                                 = $::apache::params::user,
  $group                                                                = $::apache::params::group,
  $http_protocol_options                                                = $::apache::params::http_protocol_options,
  $supplementary_groups                                                 = [],
  $keepalive                                                            = $::apache::params::keepalive,
  $keepalive_timeout                                                    = $::apache::params::keepalive_timeout,
  $max_keepalive_requests                                               = $::apache::params::max_keepalive_requests,
  $limitreqfieldsize                                                    = '8190',
  $limitreqfields                                                       = '100',
  $logroot                                                              = $::apache::params::logroot,
  $logroot_mode                                                         = $::apache::params::logroot_mode,
  Apache::LogLevel $log_level                                           = $::apache::params::log_level,
  $log_formats                                                          = {},
  $ssl_file                                                             = undef,
  $ports_file                                                           = $::apache::params::ports_file,
  $docroot                                                              = $::apache::params::docroot,
  $apache_version                                                       = $::apache::version::default,
  $server_tokens                                                        = 'Prod',
  $server_signature                                                     = 'On',
  $trace_enable                                                         = 'On',
  Optional[Enum['on', 'off', 'nodecode']] $allow_encoded_slashes        = undef,
  $file_e_tag                                                           = undef,
  Optional[Enum['On', 'on', 'Off', 'off', 'DNS', 'dns']]
    $use_canonical_name                                          = undef,
  $package_ensure                                                = 'installed',
  Boolean $use_optional_includes                                 = $::apache::params::use_optional_includes,
  $use_systemd                                                   = $::apache::params::use_systemd,
  $mime_types_additional                                         = $::apache::params::mime_types_additional,
  $file_mode                                                     = $::apache::params::file_mode,
  $root_directory_options                                        = $::apache::params::root_directory_options,
  Boolean $root_directory_secured                                = false,
  $error_log                                                     = $::apache::params::error_log,
  $scriptalias                                                   = $::apache::params::scriptalias,
  $access_log_file                                               = $::apache::params::access_log_file,
  Array[Enum['h2', 'h2c', 'http/1.1']] $protocols                = [],
  Optional[Boolean] $protocols_honor_order                       = undef,
) {
}

class apache::mod::actions {
}

class apache::mod::alias(
  $apache_version = undef,
  $icons_options  = 'Indexes MultiViews',
  $icons_path     = $::apache::params::alias_icons_path,
) {
}

class apache::mod::auth_basic {
}

class apache::mod::auth_cas (
  String $cas_login_url,
  String $cas_validate_url,
  String $cas_cookie_path    = $::apache::params::cas_cookie_path,
  $cas_cookie_path_mode      = '0750',
  $cas_version               = 2,
  $cas_debug                 = 'Off',
  $cas_validate_server       = undef,
  $cas_validate_depth        = undef,
  $cas_certificate_path      = undef,
  $cas_proxy_validate_url    = undef,
  $cas_root_proxied_as       = undef,
  $cas_cookie_entropy        = undef,
  $cas_timeout               = undef,
  $cas_idle_timeout          = undef,
  $cas_cache_clean_interval  = undef,
  $cas_cookie_domain         = undef,
  $cas_cookie_http_only      = undef,
  $cas_authoritative         = undef,
  $cas_validate_saml         = undef,
  $cas_sso_enabled           = undef,
  $cas_attribute_prefix      = undef,
  $cas_attribute_delimiter   = undef,
  $cas_scrub_request_headers = undef,
  $suppress_warning          = false,
) {
}

class apache::mod::auth_gssapi {
}

class apache::mod::auth_kerb {
}

class apache::mod::auth_mellon (
  $mellon_cache_size = $::apache::params::mellon_cache_size,
  $mellon_lock_file  = $::apache::params::mellon_lock_file,
  $mellon_post_directory = $::apache::params::mellon_post_directory,
  $mellon_cache_entry_size = undef,
  $mellon_post_ttl = undef,
  $mellon_post_size = undef,
  $mellon_post_count = undef
) {
}

class apache::mod::auth_openidc {
}

class apache::mod::authn_core(
  $apache_version = $::apache::apache_version
) {
}

class apache::mod::authn_dbd (
  $authn_dbd_params,
  $authn_dbd_dbdriver    = 'mysql',
  $authn_dbd_query       = undef,
  $authn_dbd_min         = '4',
  $authn_dbd_max         = '20',
  $authn_dbd_keep        = '8',
  $authn_dbd_exptime     = '300',
  $authn_dbd_alias       = undef,
) {
}

class apache::mod::authn_file {
}

class apache::mod::authnz_ldap (
  Boolean $verify_server_cert = true,
  $package_name               = undef,
) {
}

class apache::mod::authnz_pam {
}

class apache::mod::authz_default(
    $apache_version = $::apache::apache_version
) {
}

class apache::mod::authz_user {
}

class apache::mod::autoindex {
}

class apache::mod::cache {
}

class apache::mod::cgi {
}

class apache::mod::cgid {
}

class apache::mod::cluster (
  $allowed_network,
  $balancer_name,
  $ip,
  $version,
  $enable_mcpm_receive = true,
  $port = '6666',
  $keep_alive_timeout = 60,
  $manager_allowed_network = '127.0.0.1',
  $max_keep_alive_requests = 0,
  $server_advertise = true,
  $advertise_frequency = undef,
) {
}

class apache::mod::data (
  $apache_version = undef,
) {
}

class apache::mod::dav {
}

class apache::mod::dav_fs {
}

class apache::mod::dav_svn (
  $authz_svn_enabled = false,
) {
}

class apache::mod::dbd {
}

class apache::mod::deflate (
  $types = [
    'text/html text/plain text/xml',
    'text/css',
    'application/x-javascript application/javascript application/ecmascript',
    'application/rss+xml',
    'application/json',
  ],
  $notes = {
    'Input'  => 'instream',
    'Output' => 'outstream',
    'Ratio'  => 'ratio',
  }
) {
}

class apache::mod::dev {
}

class apache::mod::dir (
  $dir                   = 'public_html',
  Array[String] $indexes = ['index.html','index.html.var','index.cgi','index.pl','index.php','index.xhtml'],
) {
}

class apache::mod::disk_cache (
  $cache_root           = undef,
  $cache_ignore_headers = undef,
) {
}

class apache::mod::dumpio(
  Enum['Off', 'On', 'off', 'on'] $dump_io_input  = 'Off',
  Enum['Off', 'On', 'off', 'on'] $dump_io_output = 'Off',
) {
}

class apache::mod::env {
}

class apache::mod::event (
  $startservers           = '2',
  $maxclients             = '150',
  $maxrequestworkers      = undef,
  $minsparethreads        = '25',
  $maxsparethreads        = '75',
  $threadsperchild        = '25',
  $maxrequestsperchild    = '0',
  $maxconnectionsperchild = undef,
  $serverlimit            = '25',
  $apache_version         = undef,
  $threadlimit            = '64',
  $listenbacklog          = '511',
) {
}

class apache::mod::expires (
  $expires_active  = true,
  $expires_default = undef,
  $expires_by_type = undef,
) {
}

class apache::mod::ext_filter(
  Optional[Hash] $ext_filter_define = undef
) {
}

class apache::mod::fastcgi {
}

class apache::mod::fcgid(
  $options = {},
) {
}

class apache::mod::filter {
}

class apache::mod::geoip (
  $enable                     = false,
  $db_file                    = '/usr/share/GeoIP/GeoIP.dat',
  $flag                       = 'Standard',
  $output                     = 'All',
  $enable_utf8                = undef,
  $scan_proxy_headers         = undef,
  $scan_proxy_header_field    = undef,
  $use_last_xforwarededfor_ip = undef,
) {
}

class apache::mod::headers {
}

class apache::mod::http2 (
  Optional[Boolean] $h2_copy_files              = undef,
  Optional[Boolean] $h2_direct                  = undef,
  Optional[Boolean] $h2_early_hints             = undef,
  Optional[Integer] $h2_max_session_streams     = undef,
  Optional[Integer] $h2_max_worker_idle_seconds = undef,
  Optional[Integer] $h2_max_workers             = undef,
  Optional[Integer] $h2_min_workers             = undef,
  Optional[Boolean] $h2_modern_tls_only         = undef,
  Optional[Boolean] $h2_push                    = undef,
  Optional[Integer] $h2_push_diary_size         = undef,
  Array[String]     $h2_push_priority           = [],
  Array[String]     $h2_push_resource           = [],
  Optional[Boolean] $h2_serialize_headers       = undef,
  Optional[Integer] $h2_stream_max_mem_size     = undef,
  Optional[Integer] $h2_tls_cool_down_secs      = undef,
  Optional[Integer] $h2_tls_warm_up_size        = undef,
  Optional[Boolean] $h2_upgrade                 = undef,
  Optional[Integer] $h2_window_size             = undef,
  Optional[String]  $apache_version             = undef,
) {
}

class apache::mod::include {
}

class apache::mod::info (
  $allow_from      = ['127.0.0.1','::1'],
  $apache_version  = undef,
  $restrict_access = true,
  $info_path       = '/server-info',
) {
}

class apache::mod::intercept_form_submit {
}

class apache::mod::itk (
  $startservers        = '8',
  $minspareservers     = '5',
  $maxspareservers     = '20',
  $serverlimit         = '256',
  $maxclients          = '256',
  $maxrequestsperchild = '4000',
  $enablecapabilities  = undef,
  $apache_version      = undef,
) {
}

class apache::mod::jk (
  Optional[String] $ip         = undef,
  Integer          $port       = 80,
  Boolean          $add_listen = true,
  $workers_file                = undef,
  $worker_property             = {},
  $logroot                     = undef,
  $shm_file                    = 'jk-runtime-status',
  $shm_size                    = undef,
  $mount_file                  = undef,
  $mount_file_reload           = undef,
  $mount                       = {},
  $un_mount                    = {},
  $auto_alias                  = undef,
  $mount_copy                  = undef,
  $worker_indicator            = undef,
  $watchdog_interval           = undef,
  $log_file                    = 'mod_jk.log',
  $log_level                   = undef,
  $log_stamp_format            = undef,
  $request_log_format          = undef,
  $extract_ssl                 = undef,
  $https_indicator             = undef,
  $sslprotocol_indicator       = undef,
  $certs_indicator             = undef,
  $cipher_indicator            = undef,
  $certchain_prefix            = undef,
  $session_indicator           = undef,
  $keysize_indicator           = undef,
  $local_name_indicator        = undef,
  $ignore_cl_indicator         = undef,
  $local_addr_indicator        = undef,
  $local_port_indicator        = undef,
  $remote_host_indicator       = undef,
  $remote_addr_indicator       = undef,
  $remote_port_indicator       = undef,
  $remote_user_indicator       = undef,
  $auth_type_indicator         = undef,
  $options                     = [],
  $env_var                     = {},
  $strip_session               = undef,
  $location_list               = [],
  $workers_file_content        = {},
  $mount_file_content          = {},
) {
}

class apache::mod::ldap (
  $apache_version                                  = undef,
  $package_name                                    = undef,
  $ldap_trusted_global_cert_file                   = undef,
  Optional[String] $ldap_trusted_global_cert_type  = 'CA_BASE64',
  $ldap_shared_cache_size                          = undef,
  $ldap_cache_entries                              = undef,
  $ldap_cache_ttl                                  = undef,
  $ldap_opcache_entries                            = undef,
  $ldap_opcache_ttl                                = undef,
  $ldap_trusted_mode                               = undef,
  String $ldap_path                                = '/ldap-status',
) {
}

class apache::mod::lookup_identity {
}

class apache::mod::macro {
}

class apache::mod::mime (
  $mime_support_package = $::apache::params::mime_support_package,
  $mime_types_config    = $::apache::params::mime_types_config,
  $mime_types_additional = undef,
) {
}

class apache::mod::mime_magic (
  $magic_file = undef,
) {
}

class apache::mod::negotiation (
  Variant[Array[String], String] $force_language_priority = 'Prefer Fallback',
  Variant[Array[String], String] $language_priority = [ 'en', 'ca', 'cs', 'da', 'de', 'el', 'eo', 'es', 'et',
                        'fr', 'he', 'hr', 'it', 'ja', 'ko', 'ltz', 'nl', 'nn',
                        'no', 'pl', 'pt', 'pt-BR', 'ru', 'sv', 'zh-CN',
                        'zh-TW' ],
) {
}

class apache::mod::nss (
  $transfer_log = "${::apache::params::logroot}/access.log",
  $error_log    = "${::apache::params::logroot}/error.log",
  $passwd_file  = undef,
  $port     = 8443,
) {
}

class apache::mod::pagespeed (
  $inherit_vhost_config          = 'on',
  $filter_xhtml                  = false,
  $cache_path                    = '/var/cache/mod_pagespeed/',
  $log_dir                       = '/var/log/pagespeed',
  $memcache_servers              = [],
  $rewrite_level                 = 'CoreFilters',
  $disable_filters               = [],
  $enable_filters                = [],
  $forbid_filters                = [],
  $rewrite_deadline_per_flush_ms = 10,
  $additional_domains            = undef,
  $file_cache_size_kb            = 102400,
  $file_cache_clean_interval_ms  = 3600000,
  $lru_cache_per_process         = 1024,
  $lru_cache_byte_limit          = 16384,
  $css_flatten_max_bytes         = 2048,
  $css_inline_max_bytes          = 2048,
  $css_image_inline_max_bytes    = 2048,
  $image_inline_max_bytes        = 2048,
  $js_inline_max_bytes           = 2048,
  $css_outline_min_bytes         = 3000,
  $js_outline_min_bytes          = 3000,
  $inode_limit                   = 500000,
  $image_max_rewrites_at_once    = 8,
  $num_rewrite_threads           = 4,
  $num_expensive_rewrite_threads = 4,
  $collect_statistics            = 'on',
  $statistics_logging            = 'on',
  $allow_view_stats              = [],
  $allow_pagespeed_console       = [],
  $allow_pagespeed_message       = [],
  $message_buffer_size           = 100000,
  $additional_configuration      = {},
  $apache_version                = undef,
  $package_ensure                = undef,
) {
}

class apache::mod::passenger (
  $manage_repo                                                                               = true,
  $mod_id                                                                                    = undef,
  $mod_lib                                                                                   = undef,
  $mod_lib_path                                                                              = undef,
  $mod_package                                                                               = undef,
  $mod_package_ensure                                                                        = undef,
  $mod_path                                                                                  = undef,
  $passenger_allow_encoded_slashes                                                           = undef,
  $passenger_app_env                                                                         = undef,
  $passenger_app_group_name                                                                  = undef,
  $passenger_app_root                                                                        = undef,
  $passenger_app_type                                                                        = undef,
  $passenger_base_uri                                                                        = undef,
  $passenger_buffer_response                                                                 = undef,
  $passenger_buffer_upload                                                                   = undef,
  $passenger_concurrency_model                                                               = undef,
  $passenger_conf_file                                                                       = $::apache::params::passenger_conf_file,
  $passenger_conf_package_file                                                               = $::apache::params::passenger_conf_package_file,
  $passenger_data_buffer_dir                                                                 = undef,
  $passenger_debug_log_file                                                                  = undef,
  $passenger_debugger                                                                        = undef,
  $passenger_default_group                                                                   = undef,
  $passenger_default_ruby                                                                    = $::apache::params::passenger_default_ruby,
  $passenger_default_user                                                                    = undef,
  $passenger_disable_security_update_check                                                   = undef,
  $passenger_enabled                                                                         = undef,
  $passenger_error_override                                                                  = undef,
  $passenger_file_descriptor_log_file                                                        = undef,
  $passenger_fly_with                                                                        = undef,
  $passenger_force_max_concurrent_requests_per_process                                       = undef,
  $passenger_friendly_error_pages                                                            = undef,
  $passenger_group                                                                           = undef,
  $passenger_high_performance                                                                = undef,
  $passenger_installed_version                                                               = undef,
  $passenger_instance_registry_dir                                                           = undef,
  $passenger_load_shell_envvars                                                              = undef,
  Optional[Stdlib::Absolutepath] $passenger_log_file                                         = undef,
  $passenger_log_level                                                                       = undef,
  $passenger_lve_min_uid                                                                     = undef,
  $passenger_max_instances                                                                   = undef,
  $passenger_max_instances_per_app                                                           = undef,
  $passenger_max_pool_size                                                                   = undef,
  $passenger_max_preloader_idle_time                                                         = undef,
  $passenger_max_request_queue_size                                                          = undef,
  $passenger_max_request_time                                                                = undef,
  $passenger_max_requests                                                                    = undef,
  $passenger_memory_limit                                                                    = undef,
  $passenger_meteor_app_settings                                                             = undef,
  $passenger_min_instances                                                                   = undef,
  $passenger_nodejs                                                                          = undef,
  $passenger_pool_idle_time                                                                  = undef,
  Optional[Variant[String,Array[String]]] $passenger_pre_start                               = undef,
  $passenger_python                                                                          = undef,
  $passenger_resist_deployment_errors                                                        = undef,
  $passenger_resolve_symlinks_in_document_root                                               = undef,
  $passenger_response_buffer_high_watermark                                                  = undef,
  $passenger_restart_dir                                                                     = undef,
  $passenger_rolling_restarts                                                                = undef,
  $passenger_root                                                                            = $::apache::params::passenger_root,
  $passenger_ruby                                                                            = $::apache::params::passenger_ruby,
  $passenger_security_update_check_proxy                                                     = undef,
  $passenger_show_version_in_header                                                          = undef,
  $passenger_socket_backlog                                                                  = undef,
  Optional[Enum['smart', 'direct', 'smart-lv2', 'conservative']] $passenger_spawn_method     = undef,
  $passenger_start_timeout                                                                   = undef,
  $passenger_startup_file                                                                    = undef,
  $passenger_stat_throttle_rate                                                              = undef,
  $passenger_sticky_sessions                                                                 = undef,
  $passenger_sticky_sessions_cookie_name                                                     = undef,
  $passenger_thread_count                                                                    = undef,
  $passenger_use_global_queue                                                                = undef,
  $passenger_user                                                                            = undef,
  $passenger_user_switching                                                                  = undef,
  $rack_auto_detect                                                                          = undef,
  $rack_autodetect                                                                           = undef,
  $rack_base_uri                                                                             = undef,
  $rack_env                                                                                  = undef,
  $rails_allow_mod_rewrite                                                                   = undef,
  $rails_app_spawner_idle_time                                                               = undef,
  $rails_auto_detect                                                                         = undef,
  $rails_autodetect                                                                          = undef,
  $rails_base_uri                                                                            = undef,
  $rails_default_user                                                                        = undef,
  $rails_env                                                                                 = undef,
  $rails_framework_spawner_idle_time                                                         = undef,
  $rails_ruby                                                                                = undef,
  $rails_spawn_method                                                                        = undef,
  $rails_user_switching                                                                      = undef,
  $wsgi_auto_detect                                                                          = undef,
) {
}

class apache::mod::perl {
}

class apache::mod::peruser (
  $minspareprocessors = '2',
  $minprocessors = '2',
  $maxprocessors = '10',
  $maxclients = '150',
  $maxrequestsperchild = '1000',
  $idletimeout = '120',
  $expiretimeout = '120',
  $keepalive = 'Off',
) {
}

class apache::mod::php (
  $package_name     = undef,
  $package_ensure   = 'present',
  $path             = undef,
  Array $extensions = ['.php'],
  $content          = undef,
  $template         = 'apache/mod/php.conf.erb',
  $source           = undef,
  $root_group       = $::apache::params::root_group,
  $php_version      = $::apache::params::php_version,
  $libphp_prefix    = 'libphp'
) {
}

class apache::mod::prefork (
  $startservers           = '8',
  $minspareservers        = '5',
  $maxspareservers        = '20',
  $serverlimit            = '256',
  $maxclients             = '256',
  $maxrequestworkers      = undef,
  $maxrequestsperchild    = '4000',
  $maxconnectionsperchild = undef,
  $apache_version         = undef,
  $listenbacklog          = '511'
) {
}

class apache::mod::proxy (
  $proxy_requests     = 'Off',
  $allow_from         = undef,
  $apache_version     = undef,
  $package_name       = undef,
  $proxy_via          = 'On',
  $proxy_timeout      = undef,
  $proxy_iobuffersize = undef,
) {
}

class apache::mod::proxy_ajp {
}

class apache::mod::proxy_balancer(
  Boolean $manager                   = false,
  Stdlib::Absolutepath $manager_path = '/balancer-manager',
  Array $allow_from                  = ['127.0.0.1','::1'],
  $apache_version                    = $::apache::apache_version,
) {
}

class apache::mod::proxy_connect (
  $apache_version  = undef,
) {
}

class apache::mod::proxy_fcgi {
}

class apache::mod::proxy_html {
}

class apache::mod::proxy_http {
}

class apache::mod::proxy_wstunnel {
}

class apache::mod::python (
  Optional[String] $loadfile_name = undef,
) {
}

class apache::mod::remoteip (
  String                                                     $header                    = 'X-Forwarded-For',
  Optional[Array[Variant[Stdlib::Host,Stdlib::IP::Address]]] $internal_proxy            = undef,
  Optional[Array[Variant[Stdlib::Host,Stdlib::IP::Address]]] $proxy_ips                 = undef,
  Optional[Stdlib::Absolutepath]                             $internal_proxy_list       = undef,
  Optional[String]                                           $proxies_header            = undef,
  Boolean                                                    $proxy_protocol            = false,
  Optional[Array[Variant[Stdlib::Host,Stdlib::IP::Address]]] $proxy_protocol_exceptions = undef,
  Optional[Array[Stdlib::Host]]                              $trusted_proxy             = undef,
  Optional[Array[Stdlib::Host]]                              $trusted_proxy_ips         = undef,
  Optional[Stdlib::Absolutepath]                             $trusted_proxy_list        = undef,
  Optional[String]                                           $apache_version            = undef,
) {
}

class apache::mod::reqtimeout (
  $timeouts = ['header=20-40,minrate=500', 'body=10,minrate=500']
) {
}

class apache::mod::rewrite {
}

class apache::mod::rpaf (
  $sethostname = true,
  $proxy_ips   = [ '127.0.0.1' ],
  $header      = 'X-Forwarded-For',
  $template    = 'apache/mod/rpaf.conf.erb'
) {
}

class apache::mod::security (
  $logroot                    = $::apache::params::logroot,
  $version                     = $::apache::params::modsec_version,
  $crs_package                 = $::apache::params::modsec_crs_package,
  $activated_rules             = $::apache::params::modsec_default_rules,
  $modsec_dir                  = $::apache::params::modsec_dir,
  $modsec_secruleengine        = $::apache::params::modsec_secruleengine,
  $audit_log_relevant_status   = '^(?:5|4(?!04))',
  $audit_log_parts             = $::apache::params::modsec_audit_log_parts,
  $audit_log_type              = $::apache::params::modsec_audit_log_type,
  $audit_log_storage_dir       = undef,
  $secpcrematchlimit           = $::apache::params::secpcrematchlimit,
  $secpcrematchlimitrecursion  = $::apache::params::secpcrematchlimitrecursion,
  $allowed_methods             = 'GET HEAD POST OPTIONS',
  $content_types               = 'application/x-www-form-urlencoded|multipart/form-data|text/xml|application/xml|application/x-amf',
  $restricted_extensions       = '.asa/ .asax/ .ascx/ .axd/ .backup/ .bak/ .bat/ .cdx/ .cer/ .cfg/ .cmd/ .com/ .config/ .conf/ .cs/ .csproj/ .csr/ .dat/ .db/ .dbf/ .dll/ .dos/ .htr/ .htw/ .ida/ .idc/ .idq/ .inc/ .ini/ .key/ .licx/ .lnk/ .log/ .mdb/ .old/ .pass/ .pdb/ .pol/ .printer/ .pwd/ .resources/ .resx/ .sql/ .sys/ .vb/ .vbs/ .vbproj/ .vsdisco/ .webinfo/ .xsd/ .xsx/',
  $restricted_headers          = '/Proxy-Connection/ /Lock-Token/ /Content-Range/ /Translate/ /via/ /if/',
  $secdefaultaction            = 'deny',
  $anomaly_score_blocking      = 'off',
  $inbound_anomaly_threshold   = '5',
  $outbound_anomaly_threshold  = '4',
  $critical_anomaly_score      = '5',
  $error_anomaly_score         = '4',
  $warning_anomaly_score       = '3',
  $notice_anomaly_score        = '2',
  $secrequestmaxnumargs        = '255',
  $secrequestbodylimit         = '13107200',
  $secrequestbodynofileslimit  = '131072',
  $secrequestbodyinmemorylimit = '131072',
  $manage_security_crs         = true,
) {
}

class apache::mod::setenvif {
}

class apache::mod::shib (
  $suppress_warning = false,
  $mod_full_path    = undef,
  $package_name     = undef,
  $mod_lib          = undef,
) {
}

class apache::mod::socache_shmcb {
}

class apache::mod::speling {
}

class apache::mod::ssl (
  Boolean $ssl_compression                                  = false,
  Optional[Boolean] $ssl_sessiontickets                     = undef,
  $ssl_cryptodevice                                         = 'builtin',
  $ssl_options                                              = [ 'StdEnvVars' ],
  $ssl_openssl_conf_cmd                                     = undef,
  Optional[String] $ssl_cert                                = undef,
  Optional[String] $ssl_key                                 = undef,
  $ssl_ca                                                   = undef,
  $ssl_cipher                                               = 'HIGH:MEDIUM:!aNULL:!MD5:!RC4:!3DES',
  Variant[Boolean, Enum['on', 'off']] $ssl_honorcipherorder = true,
  $ssl_protocol                                             = $::apache::params::ssl_protocol,
  Array $ssl_proxy_protocol                                 = [],
  $ssl_pass_phrase_dialog                                   = 'builtin',
  $ssl_random_seed_bytes                                    = '512',
  String $ssl_sessioncache                                  = $::apache::params::ssl_sessioncache,
  $ssl_sessioncachetimeout                                  = '300',
  Boolean $ssl_stapling                                     = false,
  Optional[String] $stapling_cache                          = undef,
  Optional[Boolean] $ssl_stapling_return_errors             = undef,
  $ssl_mutex                                                = undef,
  $apache_version                                           = undef,
  $package_name                                             = undef,
) {
}

class apache::mod::status (
  Optional[Array] $allow_from                      = undef,
  Optional[Variant[String, Array, Hash]] $requires = undef,
  Enum['On', 'Off', 'on', 'off'] $extended_status  = 'On',
  $apache_version                                  = undef,
  $status_path                                     = '/server-status',
) {
}

class apache::mod::suexec {
}

class apache::mod::suphp {
}

class apache::mod::userdir (
  $home = undef,
  $dir = undef,
  $disable_root = true,
  $apache_version = undef,
  $path = '/home/*/public_html',
  $overrides = [ 'FileInfo', 'AuthConfig', 'Limit', 'Indexes' ],
  $options = [ 'MultiViews', 'Indexes', 'SymLinksIfOwnerMatch', 'IncludesNoExec' ],
  $unmanaged_path = false,
  $custom_fragment = undef,
) {
}

class apache::mod::version(
  $apache_version = $::apache::apache_version
) {
}

class apache::mod::vhost_alias {
}

class apache::mod::worker (
  $startservers        = '2',
  $maxclients          = '150',
  $minsparethreads     = '25',
  $maxsparethreads     = '75',
  $threadsperchild     = '25',
  $maxrequestsperchild = '0',
  $serverlimit         = '25',
  $threadlimit         = '64',
  $listenbacklog       = '511',
  $apache_version      = undef,
) {
}

class apache::mod::wsgi (
  $wsgi_restrict_embedded = undef,
  $wsgi_socket_prefix     = $::apache::params::wsgi_socket_prefix,
  $wsgi_python_path       = undef,
  $wsgi_python_home       = undef,
  $wsgi_python_optimize   = undef,
  $wsgi_application_group = undef,
  $package_name           = undef,
  $mod_path               = undef,
) {
}

class apache::mod::xsendfile {
}

class apache::mpm::disable_mpm_event {
}

class apache::mpm::disable_mpm_prefork {
}

class apache::mpm::disable_mpm_worker {
}

class apache::package (
  $ensure     = 'present',
  $mpm_module = $::apache::params::mpm_module,
) {
}

class apache::params {
}

class apache::php {
}

class apache::proxy {
}

class apache::python {
}

class apache::service (
  $service_name           = $::apache::params::service_name,
  Boolean $service_enable = true,
  $service_ensure         = 'running',
  Boolean $service_manage = true,
  $service_restart        = undef
) {
}

class apache::ssl {
}

class apache::version(
  Optional[String] $scl_httpd_version = undef,
  Optional[String] $scl_php_version   = undef,
) {
}

class apache::vhosts (
  $vhosts = {},
) {
}
