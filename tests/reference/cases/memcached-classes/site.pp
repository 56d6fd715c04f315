# Classes and defined types of the module memcached.
include memcached
