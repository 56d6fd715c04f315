ini_setting { 'two':
  ensure            => present,
  path              => '/etc/x.ini',
  section           => 'agent',
  setting           => 'server',
  value             => ['a', 'b'],
  key_val_separator => ' = ',
  section_prefix    => '[',
  section_suffix    => ']',
  indent_char       => ' ',
  indent_width      => 2,
  show_diff         => 'md5',
}
ini_subsetting { 'xmx': path => '/etc/java', section => '', setting => 'JAVA_ARGS', subsetting => '-Xmx', value => '512m', quote_char => '"', use_exact_match => true }
inifile::create_ini_settings({ 'main' => { 'c' => 1, 'd' => { 'ensure' => 'absent' } } }, { 'path' => '/etc/y.ini' })
create_ini_settings({ 'old' => { 'e' => 'f' } }, { 'path' => '/etc/z.ini' })
