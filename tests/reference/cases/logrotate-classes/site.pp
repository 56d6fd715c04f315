# Classes and defined types of the module logrotate.
include logrotate::base
include logrotate::defaults::debian
