include ntp
include mysql::client::install
class { 'redis::ulimit': }
