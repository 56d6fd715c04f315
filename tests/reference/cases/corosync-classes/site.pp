# Classes and defined types of the module corosync.
include corosync::reprobe
