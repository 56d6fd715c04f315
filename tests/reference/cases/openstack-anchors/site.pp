# Anchors and collectors between services: tags decide what runs before what.
include glance
include barbican
include placement
include panko
include powerdns
package { 'glance-extras': ensure => installed, tag => ['openstack', 'glance-package'] }
service { 'glance-api': ensure => running, tag => 'glance-service' }
glance_api_config { 'glance_store/default_store': value => 'file' }
Glance_api_config <| |> ~> Service <| tag == 'glance-service' |>
