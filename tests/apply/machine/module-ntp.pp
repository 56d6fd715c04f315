# setup: apt-get -qq update
class { 'ntp': servers => ['ntp1.example.net', 'ntp2.example.net'] }
