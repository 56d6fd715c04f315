# Classes and defined types of the module zookeeper.
include zookeeper
include zookeeper::config
include zookeeper::install
include zookeeper::install::archive
include zookeeper::install::package
include zookeeper::install::repo
include zookeeper::sasl
include zookeeper::service
