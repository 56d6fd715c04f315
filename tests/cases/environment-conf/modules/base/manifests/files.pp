class base::files {
  file { '/etc/base': content => file('base/base.txt') }
  file { '/etc/base2': source => ['puppet:///modules/base/base.txt', 'puppet:///modules/base/other'] }
  file { '/etc/base3': content => file('base/none.txt', 'base/base.txt') }
}
