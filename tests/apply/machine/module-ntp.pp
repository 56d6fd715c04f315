# setup: apt-get -qq update && apt-get -qq remove systemd-timesyncd
class { 'ntp': servers => ['ntp1.example.net', 'ntp2.example.net'] }
