# Types with numbered titles, purge, and a module with private classes.
include firewall
firewall { '001 accept related': proto => 'all', state => ['RELATED', 'ESTABLISHED'], action => 'accept' }
firewall { '100 web': dport => [80, 443], proto => 'tcp', action => 'accept', source => '10.0.0.0/8' }
firewall { '999 drop': proto => 'all', action => 'drop', before => undef }
firewallchain { 'LOGGING:filter:IPv4': purge => true, ignore => ['--comment keep'] }
resources { 'firewallchain': purge => true }
Firewall { require => undef }
