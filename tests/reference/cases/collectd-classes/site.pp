# Classes and defined types of the module collectd.
include collectd

class { 'collectd::plugin::aggregation':
  interval => 8080,
}

class { 'collectd::plugin::cgroups':
  ignore_selected => true,
  interval => 8080,
}

collectd::plugin { 'thing':
  content => 'x',
  globals => true,
  interval => 'x',
  flushinterval => 8080,
}

collectd::plugin::aggregation::aggregator { 'thing':
  host => 'host.example.com',
  plugin => 'x',
  plugininstance => 8080,
  agg_type => 'x',
  typeinstance => 'x',
  sethost => 'host.example.com',
  setplugin => 'x',
  setplugininstance => 8080,
  settypeinstance => 'x',
  calculatesum => true,
  calculatenum => true,
  calculateaverage => true,
  calculateminimum => true,
  calculatemaximum => true,
  calculatestddev => true,
}

collectd::plugin::apache::instance { 'thing':
  url => 'http://example.com/x',
  user => 'x',
  password => 'a_secret',
  verifypeer => true,
  verifyhost => true,
  cacert => '/tmp/cacert',
  sslciphers => 'x',
  timeout => 8080,
}
