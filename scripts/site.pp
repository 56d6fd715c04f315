# The main manifest. Roles come from the classifier (enc.rhai), so little is left to say here.

# Defaults for all files of the site; a module may still say otherwise.
File {
  owner => 'root',
  group => 'root',
  mode  => '0644',
}

Exec {
  path => ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'],
}

# Package sources have to be right before anything is installed.
stage { 'sources': before => Stage['main'] }

class { 'profile::package_sources':
  stage => 'sources',
}

# Nodes that the classifier knows nothing about still get the basics.
if $role == 'none' {
  warning("${trusted['certname']} has no role: only profile::base is applied")
  include profile::base
}
