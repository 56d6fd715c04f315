# Classes and defined types of the module redis.
include redis
include redis::install
include redis::preinstall
include redis::service

redis::instance { 'thing':
  manage_service_file => false,
}
