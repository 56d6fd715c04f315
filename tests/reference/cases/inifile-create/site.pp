# Hashes turned to resources by functions: create_resources with defaults, and the same by splat.
$defaults = { 'path' => '/etc/my.cnf', 'ensure' => 'present' }
create_resources(ini_setting, {
  'mysqld port'   => { 'section' => 'mysqld', 'setting' => 'port', 'value' => '3306' },
  'mysqld socket' => { 'section' => 'mysqld', 'setting' => 'socket', 'value' => '/run/mysqld.sock', 'path' => '/etc/other.cnf' },
}, $defaults)

[['client', 'port', 3306], ['client', 'user', 'root']].each |$row| {
  [$section, $setting, $value] = $row
  ini_setting { "${section} ${setting}":
    * => $defaults + { 'section' => $section, 'setting' => $setting, 'value' => String($value) },
  }
}
