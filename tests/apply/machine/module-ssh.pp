# setup: apt-get -qq update
class { 'ssh::client': storeconfigs_enabled => false, options => { 'Host *' => { 'SendEnv' => 'LANG LC_*' } } }
