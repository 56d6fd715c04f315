class bad_virtual_class { @class { 'parent': } }
