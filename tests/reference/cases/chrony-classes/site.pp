# Classes and defined types of the module chrony.
include chrony::params
