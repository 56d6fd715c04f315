# A Ruby function without signatures, called with too many arguments.
$x = get_in_addr_arpa()
