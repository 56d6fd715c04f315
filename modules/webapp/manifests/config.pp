# @summary Configuration files.
# @api private
class webapp::config {
  file { '/etc/webapp':
    ensure => directory,
  }

  file { '/etc/webapp/vhosts':
    ensure  => directory,
    purge   => true,
    recurse => true,
  }

  file { '/etc/webapp/webapp.conf':
    ensure  => file,
    content => epp('webapp/webapp.conf.epp', {
      'port'    => $webapp::port,
      'workers' => $webapp::workers,
      'root'    => $webapp::root,
    }),
  }

  file { '/etc/webapp/environment':
    ensure  => file,
    group   => $webapp::user,
    mode    => '0640',
    content => epp('webapp/environment.epp', { 'variables' => $webapp::environment }),
  }

  if $webapp::session_key {
    file { '/etc/webapp/session.key':
      ensure    => file,
      owner     => $webapp::user,
      mode      => '0400',
      content   => $webapp::session_key,
      show_diff => false,
    }
  }
}
