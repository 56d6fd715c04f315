# A Ruby function raises.
$x = validate_network_vlan_ranges(['a:5000:6000'])
