# Classes and defined types of the module ssh.
include ssh::client::install
include ssh::hostkeys
include ssh::knownhosts
include ssh::server::install

ssh::client::config::user { 'thing': }
