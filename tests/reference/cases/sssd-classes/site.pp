# Classes and defined types of the module sssd.
include sssd
include sssd::install
include sssd::service
