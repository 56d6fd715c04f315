# setup: apt-get -qq update
class { 'chrony': servers => ['ntp1.example.net'] }
