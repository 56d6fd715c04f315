# Globals, params and client without the server: long parameter inheritance.
class { 'postgresql::globals': version => '15', encoding => 'UTF-8', locale => 'en_US.UTF-8' }
-> class { 'postgresql::client': package_ensure => 'latest' }
class { 'postgresql::lib::devel': link_pg_config => false }
include postgresql::lib::python
include postgresql::lib::perl
include postgresql::lib::java
