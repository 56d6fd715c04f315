# Classes and defined types of the module swift.
class { 'swift::constraints':
  max_file_size => 'x',
  max_meta_name_length => 'x',
  max_meta_value_length => 'x',
  max_meta_count => 'x',
  max_meta_overall_size => 'x',
  max_header_size => 'x',
  extra_header_count => 'x',
  max_object_name_length => 'x',
  container_listing_limit => 'x',
  account_listing_limit => 'x',
  max_account_name_length => 'x',
  max_container_name_length => 'x',
  valid_api_versions => 'x',
  auto_create_account_prefix => 'x',
}

class { 'swift::containerreconciler':
  manage_service => false,
  enabled => false,
  interval => 'x',
  reclaim_age => 'x',
  request_tries => 'x',
  cache_tls_enabled => true,
  cache_tls_cafile => 'x',
  cache_tls_certfile => 'x',
  cache_tls_keyfile => 'x',
}

class { 'swift::internal_client':
  object_chunk_size => 'x',
  client_chunk_size => 'x',
  read_affinity => 'x',
  write_affinity => 'x',
  write_affinity_node_count => 'x',
  client_timeout => 'x',
  node_timeout => 'x',
  recoverable_node_timeout => 'x',
}

class { 'swift::internal_client::symlink':
  symloop_max => 'x',
}

class { 'swift::keymaster':
  key_id => 'x',
  password => 'a_secret',
  project_id => 'x',
  auth_endpoint => 'x',
  project_domain_name => 'x',
  user_domain_name => 'x',
  meta_version_to_write => 'x',
}

class { 'swift::keystone::auth':
  password => 'a_secret',
  configure_endpoint => false,
  configure_s3_endpoint => false,
  configure_user => false,
  configure_user_role => false,
}

class { 'swift::memcache':
  memcache_serialization_support => 'x',
  memcache_max_connections => 'x',
  connect_timeout => 'x',
  pool_timeout => 'x',
  tries => 'x',
  io_timeout => 'x',
}

class { 'swift::proxy::bulk':
  max_containers_per_extraction => 'x',
  max_failed_extractions => 'x',
  max_failed_deletes => 'x',
  max_deletes_per_request => 'x',
  delete_container_retry_count => 'x',
  delete_concurrency => 'x',
  yield_frequency => 'x',
}

class { 'swift::proxy::cname_lookup':
  log_name => 'x',
  log_facility => 'x',
  log_level => 'x',
  log_headers => 'x',
  log_address => '10.0.0.1',
  storage_domain => 'x',
  lookup_depth => 'x',
  nameservers => 'host.example.com',
}

class { 'swift::proxy::container_sync':
  allow_full_urls => 'x',
  current => 'x',
}

class { 'swift::proxy::copy':
  object_post_as_copy => false,
}

class { 'swift::proxy::dlo':
  rate_limit_after_segment => 'x',
  rate_limit_segments_per_sec => 'x',
  max_get_time => 'x',
}

class { 'swift::proxy::domain_remap':
  log_name => 'x',
  log_facility => 'x',
  log_level => 'x',
  log_headers => 'x',
  log_address => '10.0.0.1',
  storage_domain => 'x',
  path_root => 'x',
  reseller_prefixes => 'x',
  default_reseller_prefix => 'x',
  mangle_client_paths => 'x',
}

class { 'swift::proxy::encryption':
  disable_encryption => true,
}

class { 'swift::proxy::etag_quoter':
  enabled_by_default => 'x',
}

class { 'swift::proxy::gatekeeper':
  shunt_inbound_x_timestamp => 'x',
  allow_reserved_names_header => 'x',
  log_headers => true,
}

class { 'swift::proxy::keystone':
  reseller_admin_role => 'x',
  project_reader_roles => 'x',
  system_reader_roles => 'x',
}

class { 'swift::proxy::ratelimit':
  clock_accuracy => 'x',
  max_sleep_time_seconds => 'x',
  log_sleep_time_seconds => 'x',
  rate_buffer_seconds => 'x',
  account_ratelimit => 'x',
}

class { 'swift::proxy::s3api':
  allow_no_owner => 'x',
  location => 'x',
  dns_compliant_bucket_names => 'x',
  max_bucket_listing => 'x',
  max_parts_listing => 'x',
  max_multi_delete_objects => 'x',
  multi_delete_concurrency => 'x',
  s3_acl => 'x',
  storage_domain => 'x',
  auth_pipeline_check => true,
  allow_multipart_uploads => 'x',
  max_upload_part_num => 'x',
  check_bucket_owner => 'x',
  force_swift_request_proxy_log => 'x',
  min_segment_size => 'x',
  log_name => 'x',
}

class { 'swift::proxy::slo':
  max_manifest_segments => 'x',
  max_manifest_size => 'x',
  rate_limit_under_size => 'x',
  rate_limit_after_segment => 'x',
  rate_limit_segments_per_sec => 'x',
  max_get_time => 'x',
  concurrency => 'x',
  delete_concurrency => 'x',
  yield_frequency => 'x',
  allow_async_delete => 'x',
}

class { 'swift::proxy::staticweb':
  url_base => 'x',
}

class { 'swift::proxy::symlink':
  symloop_max => 'x',
}

class { 'swift::proxy::tempurl':
  methods => 'x',
  incoming_remove_headers => 'x',
  incoming_allow_headers => 'x',
  outgoing_remove_headers => 'x',
  outgoing_allow_headers => 'x',
}

class { 'swift::proxy::versioned_writes':
  allow_versioned_writes => true,
}

class { 'swift::auth_file':
  admin_tenant => 'x',
  admin_password => 'a_secret',
}
