# Classes and defined types of the module apache.
class { 'apache':
  default_mods => false,
  default_vhost => false,
  default_charset => 'x',
  default_confd_files => false,
  default_ssl_vhost => true,
  default_ssl_chain => 'x',
  default_ssl_ca => 'x',
  default_ssl_crl_path => '/tmp/default_ssl_crl_path',
  default_ssl_crl => 'x',
  default_ssl_crl_check => 'x',
  ip => '10.0.0.1',
  service_enable => false,
  service_manage => false,
  service_restart => 'x',
  purge_configs => false,
  purge_vhost_dir => '/tmp/purge_vhost_dir',
  purge_vdir => true,
  ldap_verify_server_cert => 'host.example.com',
  ldap_trusted_mode => 'x',
  error_documents => true,
  rewrite_lock => '/tmp/rewrite_lock',
  manage_user => false,
  manage_group => false,
  ssl_file => '/tmp/ssl_file',
  allow_encoded_slashes => 'on',
  file_e_tag => 'x',
  use_canonical_name => 'On',
  root_directory_secured => true,
  protocols_honor_order => true,
}

class { 'apache::mod::alias':
  apache_version => 'x',
}

class { 'apache::mod::auth_cas':
  cas_login_url => 'http://127.0.0.1:5000/',
  cas_validate_url => 'http://127.0.0.1:5000/',
  cas_validate_server => 'host.example.com',
  cas_validate_depth => 'x',
  cas_certificate_path => '/tmp/cas_certificate_path',
  cas_proxy_validate_url => 'http://127.0.0.1:5000/',
  cas_root_proxied_as => 'x',
  cas_cookie_entropy => 'x',
  cas_timeout => 'x',
  cas_idle_timeout => 'x',
  cas_cache_clean_interval => 'x',
  cas_cookie_domain => 'x',
  cas_cookie_http_only => 'x',
  cas_authoritative => 'x',
  cas_validate_saml => 'x',
  cas_sso_enabled => 'x',
  cas_attribute_prefix => 'x',
  cas_attribute_delimiter => 'x',
  cas_scrub_request_headers => 'x',
  suppress_warning => true,
}

class { 'apache::mod::auth_mellon':
  mellon_cache_entry_size => 'x',
  mellon_post_ttl => 'x',
  mellon_post_size => 'x',
  mellon_post_count => 'x',
}

class { 'apache::mod::authn_dbd':
  authn_dbd_params => 'x',
  authn_dbd_query => 'x',
  authn_dbd_alias => 'x',
}

class { 'apache::mod::authnz_ldap':
  verify_server_cert => false,
  package_name => 'x',
}

class { 'apache::mod::cluster':
  allowed_network => 'x',
  balancer_name => 'x',
  ip => '10.0.0.1',
  version => 'x',
  enable_mcpm_receive => false,
  server_advertise => false,
  advertise_frequency => 'x',
}

class { 'apache::mod::data':
  apache_version => 'x',
}

class { 'apache::mod::dav_svn':
  authz_svn_enabled => true,
}

class { 'apache::mod::ext_filter':
  ext_filter_define => {},
}

class { 'apache::mod::geoip':
  enable => true,
  enable_utf8 => 'x',
  scan_proxy_headers => 'x',
  scan_proxy_header_field => 'x',
  use_last_xforwarededfor_ip => '10.0.0.1',
}

class { 'apache::mod::http2':
  h2_copy_files => true,
  h2_direct => true,
  h2_early_hints => true,
  h2_max_session_streams => 8080,
  h2_max_worker_idle_seconds => 8080,
  h2_max_workers => 8080,
  h2_min_workers => 8080,
  h2_modern_tls_only => true,
  h2_push => true,
  h2_push_diary_size => 8080,
  h2_serialize_headers => true,
  h2_stream_max_mem_size => 8080,
  h2_tls_cool_down_secs => 8080,
  h2_tls_warm_up_size => 8080,
  h2_upgrade => true,
  h2_window_size => 8080,
  apache_version => 'x',
}

apache::fastcgi::server { 'thing':
  flush => true,
  pass_header => 'x',
}

apache::mod { 'thing':
  package => 'x',
  lib => 'x',
  id => 'x',
  path => '/tmp/path',
  loadfile_name => 'x',
  loadfiles => 'x',
}
