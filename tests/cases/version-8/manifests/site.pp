include m
notify { 'greeting': message => lookup('greeting') }
notify { 'settings': message => "${settings::runinterval} ${settings::tags} ${settings::strict}" }
notify { 'versions': message => "${serverversion} ${facts['clientversion']}" }
notify { 'latest': message => String(max(SemVer('1.9.0'), SemVer('1.10.0'))) }
if $facts['os']['family'] == 'RedHat' {
  notice($no_such)
}
