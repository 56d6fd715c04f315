# Classes and defined types of the module posix_acl.
include posix_acl::requirements
