# Classes and defined types of the module mcollective.
include mcollective::defaults

mcollective::actionpolicy::rule { 'thing':
  agent => 'x',
}

mcollective::client::setting { 'thing':
  value => 'x',
}

mcollective::common::setting { 'thing':
  value => 'x',
}

mcollective::plugin { 'thing': }

mcollective::server::config::connector::activemq::hosts_iteration { 'thing': }

mcollective::server::config::connector::rabbitmq::hosts_iteration { 'thing': }

mcollective::server::setting { 'thing':
  value => 'x',
}

mcollective::setting { 'thing':
  setting => 'x',
  value => 'x',
  target => 'x',
}

mcollective::soft_include { 'thing':
  start => 'x',
  end => 'x',
}

mcollective::user::connector { 'thing':
  username => 'x',
  callerid => 'x',
  homedir => 'x',
  order => 'x',
  connector => 'x',
  middleware_ssl => 'x',
}

mcollective::user::setting { 'thing':
  username => 'x',
  setting => 'x',
  value => 'x',
}
