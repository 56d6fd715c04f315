include ntp
include no_such_module::server
