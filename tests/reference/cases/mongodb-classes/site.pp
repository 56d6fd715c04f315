# Classes and defined types of the module mongodb.
include mongodb
include mongodb::client
include mongodb::client::install
include mongodb::globals
include mongodb::server
include mongodb::server::install
include mongodb::server::service

mongodb::db { 'thing':
  user => 'x',
  password_hash => true,
  password => true,
}
