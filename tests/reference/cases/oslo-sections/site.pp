# Defines that create another module's type by name, with hundreds of placeholder values.
keystone_config { 'DEFAULT/admin_token': ensure => absent }
oslo::concurrency { 'keystone_config': lock_path => '/var/lib/keystone/lock' }
oslo::cors { 'keystone_config': allowed_origin => ['http://a.example.com', 'http://b.example.com'], max_age => 3600 }
oslo::messaging::default { 'keystone_config': rpc_response_timeout => 60, transport_url => 'rabbit://u:p@host:5672/' }
glance_api_config { 'DEFAULT/workers': value => $facts['os_workers'] }
nova_config { 'DEFAULT/host': value => $facts['networking']['fqdn'] }
Nova_config <| |> -> Keystone_config <| title == 'DEFAULT/rpc_response_timeout' |>
