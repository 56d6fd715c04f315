# Classes and defined types of the module ipaclient.
include ipaclient::automount
include ipaclient::debian_fixes
include ipaclient::sudoers
