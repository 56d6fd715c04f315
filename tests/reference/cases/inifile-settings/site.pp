# The two types of the module, loops over nested data and resource defaults.
Ini_setting { path => '/etc/app/app.ini' }

$settings = {
  'main'    => { 'debug' => false, 'workers' => $facts['processors']['count'], 'name' => $facts['networking']['fqdn'] },
  'logging' => { 'level' => 'info', 'file' => '/var/log/app.log' },
  'limits'  => { 'ratio' => 0.75, 'burst' => 1e3 },
}
$settings.each |$section, $pairs| {
  $pairs.each |$key, $value| {
    ini_setting { "app.ini [${section}] ${key}":
      ensure  => present,
      section => $section,
      setting => $key,
      value   => $value,
    }
  }
}

ini_setting { 'old': ensure => absent, section => 'main', setting => 'old', path => '/etc/app/other.ini', key_val_separator => ':' }
ini_subsetting { 'java heap':
  path       => '/etc/default/app',
  setting    => 'JAVA_ARGS',
  subsetting => '-Xmx',
  value      => "${Integer($facts['memory']['system']['total_bytes'] / 4 / 1048576)}m",
  quote_char => '"',
}
