# What PuppetDB gets: names beside titles, relationships as edges, values as plain data.
type Port = Integer[1, 65535]
type Point = Object[{ attributes => { x => Integer } }]

class profile {
  require profile::base
  notify { 'inside': }
}

class profile::base(String $name_of = 'base') {
  file { '/srv/': ensure => directory }
}

define site::vhost(Integer $port = 80, $docroot = undef) {
  file { "/srv/${title}":
    ensure => directory,
    owner  => 'www',
    noop   => false,
  }
  -> notify { "served ${title}": }
}

node default {
  include profile

  # One alias, several, the same again, one that is the title.
  file { '/etc/a': alias => 'a' }
  file { '/etc/b': alias => ['bb', 'b', 'b2'] }
  file { '/etc/c': alias => '/etc/c' }
  file { 'named': path => '/etc/named/' }
  service { 'web': name => 'httpd', alias => ['httpd', 'www'] }
  service { 'numbered': name => 5 }

  # Names that are shared, or made of several attributes, are no aliases.
  exec { 'run': command => '/bin/true', alias => ['z', 'y'] }
  notify { 'said': name => 'heard', message => 'x' }
  package { 'vim': name => 'vim-nox', alias => 'editor' }
  package { 'ed': alias => ['y', 'x'] }

  site::vhost { 'one': port => 8080, alias => 'first', require => Class['profile'] }
  site::vhost { 'two': subscribe => Site::Vhost['one'] }

  # Relationships by title, by alias, twice, to itself; trailing slashes; both ways.
  notify { 'all':
    require   => [File['a'], File['/etc/a'], File['/srv'], File['/srv///'], File['b2'], [[File['bb']]]],
    before    => Service['httpd'],
    subscribe => [Package['editor'], Exec['z']],
    notify    => [Service['web'], 'Notify[after]', "Notify[with [brackets] and\na line]"],
    tag       => ['Upper', 'b', 'a'],
  }
  notify { 'after': before => Notify['after'] }
  notify { "with [brackets] and\na line": audit => ['message', 'all'], require => 'File[/etc/b]' }
  notify { 'with [brackets] and': }
  Notify['with [brackets] and'] <- Notify['after'] ~> Service['web'] -> Site::Vhost['one']
  Notify['all'] <~ File['/etc/c']
  notify { 'sorted': require => [Notify['b10'], Notify['b2'], Notify['ä'], Notify['Z']] }
  notify { ['b10', 'b2', 'ä', 'Z']: }

  # Exported resources are there; their relationships count once they are collected.
  @@notify { 'exported': before => Notify['after'] }
  @@notify { 'collected': before => Notify['after'], message => 'here' }
  @notify { 'realized': require => Notify['collected'] }
  @notify { 'never': }
  Notify <| title == 'collected' |>
  realize(Notify['realized'])

  # Secrets: whole ones vanish with their relationships kept, those inside are hidden.
  notify { 'secret':
    message => Sensitive('x'),
    loglevel => 'info',
    require => Sensitive('Notify[after]'),
  }
  notify { 'values':
    message => [
      undef, default, true, 1, 1.5, 1e20, -0.0, '', /a\/b/, Sensitive('x'), Binary('aGVsbG8='), SemVer('1.2.3'),
      SemVerRange('>=1.0 <2'), Timestamp('2020-01-02T03:04:05.6'), Timespan('1-02:03:04.5'), URI('http://a/b?c'),
      Deferred('f', ['a', 1, /x/, default]), Port, Point, Point(1), Integer[1, 2], Hash[String, Port], Type[File],
      File['/etc/a'], Class['profile'], Site::Vhost['one'], Error('e'),
    ],
  }
  notify { 'hashes':
    message => {
      'plain'   => { 'a' => { 'b' => [undef, { 'c' => undef }] } },
      'marked'  => { '__ptype' => 'Integer', '__pvalue' => 1, 'x' => 2 },
      'numbers' => { 1 => 'a', 2.5 => 'b', -1 => 'c', 1e20 => 'd' },
      'keys'    => {
        undef => 1, default => 2, true => 3, /x/ => 4, [1, 'a', [undef, default]] => 5, { 'a' => "q\"#{1}\n" } => 6,
        File['/x'] => 7, Integer[1] => 8, Point => 9, SemVer('1.0.0') => 10, Sensitive('s') => 11, Timespan(90) => 12,
      },
    },
  }
  create_resources(notify, { 'created' => { 'message' => 'm', 'before' => 'Notify[after]' } })
}
