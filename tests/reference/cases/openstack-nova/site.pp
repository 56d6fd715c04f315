include nova
include neutron
