class net::config(
  Net::Port               $port,
  Array[Net::Host::Name, 1] $hosts,
  Net::Listener           $listener,
  Level                   $level = 'low',
  Tree                    $tree  = 'leaf',
) {
  notify { "${port} ${hosts} ${listener} ${level} ${tree}": }
}
