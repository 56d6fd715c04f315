# Exec defaults set inside a define, and a function of the caller's module name.
include kmod
kmod::alias { 'bond0': source => 'bonding' }
kmod::load { ['br_netfilter', 'overlay']: }
kmod::blacklist { 'floppy': file => '/etc/modprobe.d/floppy.conf' }
kmod::option { 'bonding mode': module => 'bonding', option => 'mode', value => '1', file => '/etc/modprobe.d/bonding.conf' }
kmod::setting { 'raw': file => '/etc/modprobe.d/raw.conf', category => 'options', module => 'snd', option => 'index', value => '0' }
include staging
staging::file { 'tool.tar.gz': source => 'https://dl.example.com/tool.tar.gz', timeout => 60 }
staging::file { 'creds.zip': source => 'https://dl.example.com/creds.zip', username => 'u', password => 'p' }
