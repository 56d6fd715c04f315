# Classes and defined types of the module filebeat.
class { 'filebeat':
  repo_priority => 8080,
  download_url => 'http://example.com/x',
  monitoring => {},
  proxy_address => 'http://example.com/x',
  systemd_beat_log_opts_override => 'x',
  extra_validate_options => 'x',
}

include filebeat::install::freebsd
include filebeat::install::linux

filebeat::input { 'thing':
  combine_partial => true,
  cri_parse_flags => true,
  ignore_older => 'x',
  close_older => 'x',
  harvester_limit => 8080,
  tail_files => true,
  close_renamed => true,
  close_removed => false,
  close_eof => true,
  clean_removed => false,
  force_close_files => true,
  symlinks => true,
  pipeline => 'x',
  pure_array => true,
  max_message_size => 'x',
}
