# Zones.
dns::zone { 'example.com': soa => 'ns1.example.com', soa_email => 'admin.example.com', nameservers => ['ns1', 'ns2'], allow_transfer => ['10.0.0.2'], also_notify => ['10.0.0.3'] }
dns::record::a { 'www': zone => 'example.com', data => ['10.0.0.10', '10.0.0.11'] }
dns::record::mx { 'mx,10': zone => 'example.com', preference => 10, data => 'mx.example.com' }
dns::server::options { '/etc/bind/named.conf.options': forwarders => ['8.8.8.8', '8.8.4.4'], allow_recursion => ['10.0.0.0/8'] }
