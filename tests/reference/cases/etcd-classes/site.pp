# Classes and defined types of the module etcd.
include etcd
include etcd::install
include etcd::service
