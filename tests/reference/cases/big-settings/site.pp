# 250 settings from nested data.
class settings_site(Hash[String, Hash] $files = {}, Integer[0] $generated = 0) {
  $files.each |$path, $sections| {
    file { $path: ensure => file, mode => '0644' }
    $sections.each |$section, $pairs| {
      $pairs.each |$k, $v| {
        ini_setting { "${path} ${section}/${k}":
          path => $path, section => $section, setting => $k, value => $v, require => File[$path],
        }
      }
    }
  }
  Integer[1, $generated].each |$i| {
    settings_site::generated { sprintf('g%03d', $i): weight => $i, even => $i % 2 == 0 }
  }
}
define settings_site::generated(Integer $weight, Boolean $even) {
  if $even {
    ini_setting { $title: path => '/etc/generated.ini', section => 'even', setting => $title, value => $weight * 2 }
  } else {
    file { "/etc/generated/${title}": content => inline_epp('<%= $w %> of <%= $t %>', { 'w' => $weight, 't' => $title }) }
  }
}
include settings_site
