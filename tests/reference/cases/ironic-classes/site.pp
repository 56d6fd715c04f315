# Classes and defined types of the module ironic.
include ironic

class { 'ironic::audit':
  enabled => 'x',
  audit_map_file => '/tmp/audit_map_file',
  ignore_req_list => 'x',
}

class { 'ironic::cinder':
  auth_url => 'http://127.0.0.1:5000/',
  password => 'a_secret',
  system_scope => 'x',
  region_name => 'x',
  endpoint_override => 'x',
}

class { 'ironic::cors':
  allowed_origin => 'x',
  allow_credentials => 'x',
  expose_headers => 'x',
  max_age => 'x',
  allow_methods => 'x',
  allow_headers => 'x',
}

class { 'ironic::db::mysql':
  password => 'a_secret',
  allowed_hosts => 'host.example.com',
}

class { 'ironic::db::online_data_migrations':
  extra_params => 'x',
  migration_params => 'x',
}

class { 'ironic::disk_utils':
  efi_system_partition_size => 'x',
  bios_boot_partition_size => 'x',
  dd_block_size => 'x',
  partition_detection_attempts => 'x',
  partprobe_attempts => 'x',
  image_convert_memory_limit => 'x',
  image_convert_attempts => 'x',
}

class { 'ironic::drivers::agent':
  stream_raw_images => 'x',
  image_download_source => 'x',
  post_deploy_get_power_state_retries => 'x',
  post_deploy_get_power_state_retry_interval => 'x',
  deploy_logs_collect => 'x',
  deploy_logs_storage_backend => 'x',
  deploy_logs_local_path => '/tmp/deploy_logs_local_path',
  deploy_logs_swift_container => 'x',
  deploy_logs_swift_days_to_expire => 'x',
  command_timeout => 'x',
  max_command_attempts => 'x',
}

class { 'ironic::drivers::ansible':
  ansible_extra_args => 'x',
  playbooks_path => '/tmp/playbooks_path',
  config_file_path => '/tmp/config_file_path',
  image_store_insecure => 'x',
  default_username => 'x',
  default_key_file => '/tmp/default_key_file',
  default_deploy_playbook => 'x',
  default_shutdown_playbook => 'x',
  default_clean_playbook => 'x',
  default_clean_steps_config => 'x',
  default_python_interpreter => 'x',
}

class { 'ironic::drivers::ilo':
  client_timeout => 'x',
  client_port => 'x',
  use_web_server_for_images => 'host.example.com',
  default_boot_mode => 'x',
}

class { 'ironic::drivers::inspector':
  auth_url => 'http://127.0.0.1:5000/',
  password => 'a_secret',
  system_scope => 'x',
  region_name => 'x',
  endpoint_override => 'x',
  callback_endpoint_override => 'x',
  power_off => 'x',
  extra_kernel_params => 'x',
}

class { 'ironic::drivers::ipmi':
  command_retry_timeout => 'x',
  min_command_interval => 'x',
  use_ipmitool_retries => 'x',
  kill_on_timeout => 'x',
  disable_boot_timeout => 'x',
  debug => 'x',
}

class { 'ironic::drivers::pxe':
  kernel_append_params => 'x',
  pxe_bootfile_name => 'x',
  pxe_config_template => 'x',
  ipxe_bootfile_name => 'x',
  ipxe_config_template => 'x',
  tftp_server => 'host.example.com',
  tftp_root => 'x',
  images_path => '/tmp/images_path',
  tftp_master_path => '/tmp/tftp_master_path',
  instance_master_path => '/tmp/instance_master_path',
  uefi_pxe_config_template => 'x',
  ipxe_timeout => 'x',
  enable_ppc64le => true,
  boot_retry_timeout => 'x',
  boot_retry_check_interval => 'x',
  dir_permission => 'x',
  file_permission => 'x',
  loader_file_paths => 'x',
  ip_version => 'x',
}

class { 'ironic::drivers::redfish':
  connection_attempts => 'x',
  connection_retry_interval => 'x',
  connection_cache_size => 'x',
  auth_type => 'x',
  use_swift => 'x',
  swift_container => 'x',
  swift_object_expiry_timeout => 'x',
  kernel_append_params => 'x',
  file_permission => 'x',
  firmware_update_status_interval => 'x',
  firmware_update_fail_interval => 'x',
}
