# Classes and defined types of the module xinetd.
class { 'xinetd':
  enabled => 'x',
  disabled => 'x',
  log_type => 'x',
  log_on_failure => 'x',
  log_on_success => 'x',
  no_access => 'x',
  only_from => 'x',
  max_load => 'x',
  cps => 'x',
  instances => 'x',
  per_source => 'x',
  bind => 'x',
  mdns => 'x',
  v6only => 'x',
  env => 'x',
  passenv => 'x',
  groups => 'x',
  umask => 'x',
  banner => 'x',
  banner_fail => 'x',
  banner_success => 'x',
  purge_confdir => 'x',
}

include xinetd::params
