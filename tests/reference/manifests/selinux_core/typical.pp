selboolean { 'one': name => 'httpd_enable_cgi', value => off, persistent => true }
selmodule { 'mine': ensure => present, selmoduledir => '/usr/share/selinux', selmodulepath => '/tmp/mine.pp', syncversion => true }
file { '/tmp/mine.pp': seltype => 'tmp_t', before => Selmodule['mine'] }
