# Zones and views.
class { 'dns': forwarders => ['8.8.8.8', '8.8.4.4'], allow_recursion => ['10.0.0.0/8'], listen_on_v6 => 'any', additional_options => { 'querylog' => 'yes' }, zones => { 'example.com' => { 'soa' => 'ns1.example.com', 'reverse' => false, 'soaip' => '10.0.0.1' }, '0.0.10.in-addr.arpa' => { 'reverse' => true, 'soa' => 'ns1.example.com' } } }
dns::zone { 'slave.example.com': zonetype => 'slave', masters => ['10.0.0.9', '10.0.0.8'] }
dns::key { 'k1': secret => 'c2VjcmV0' }
