# Every way to order things: arrows in chains, metaparameters, run stages, contained classes.
stage { 'first': before => Stage['main'] }
stage { 'last': }
Stage['main'] -> Stage['last']

class prepare { exec { '/bin/prepare': } }
class finish($what = 'all') { exec { "/bin/finish ${what}": } }
class app::install { package { 'app': ensure => installed } }
class app::config { file { '/etc/app.conf': content => "x\n", mode => '0640' } file { '/etc/app.d': ensure => directory, recurse => true, purge => true } }
class app::service { service { 'app': ensure => running, enable => true, hasrestart => true } }
class app {
  contain app::install
  contain app::config
  contain app::service
  Class['app::install'] -> Class['app::config'] ~> Class['app::service']
}
class { 'prepare': stage => 'first' }
class { 'finish': stage => 'last', what => 'now' }
class { 'app': require => Class['ntp'], noop => true }
include ntp

file { ['/srv/a', '/srv/b']: ensure => directory } -> [File['/etc/app.conf'], Package['app']] ~> exec { 'after': command => '/bin/true', refreshonly => true }
notify { 'one': before => [Notify['two'], Notify['three']] }
notify { 'two': loglevel => warning, alias => 'zwei' }
notify { 'three': subscribe => Notify['zwei'], audit => 'message' }
