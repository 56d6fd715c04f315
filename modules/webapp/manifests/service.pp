# @summary The unit file and the service.
# @api private
class webapp::service {
  file { "${webapp::unit_dir}/webapp.service":
    ensure  => file,
    content => epp('webapp/webapp.service.epp'),
  }
  ~> exec { 'webapp: systemctl daemon-reload':
    command     => 'systemctl daemon-reload',
    refreshonly => true,
  }

  service { 'webapp':
    ensure    => running,
    enable    => true,
    subscribe => Exec['webapp: systemctl daemon-reload'],
  }
}
