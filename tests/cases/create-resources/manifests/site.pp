# Resources from data: create_resources for native types, defines and classes; virtual and exported prefixes; splat.
define item(Integer $n, String $s = 'none', $list = []) { notify { "item ${title}": message => "${n} ${s} ${list}" } }
class configured($a, $b = 'b') { notify { "configured ${a} ${b}": } }
create_resources('item', { 'one' => { 'n' => 1 }, 'two' => { 'n' => 2, 's' => 'own' } }, { 's' => 'shared', 'list' => [1, 2] })
create_resources(file, { '/a' => { 'ensure' => 'file' }, '/b' => {} }, { 'mode' => '0640' })
create_resources('@notify', { 'virtual' => { 'message' => 'm', 'tag' => 'v' } })
create_resources('@@notify', { 'exported' => {} })
create_resources('class', { 'configured' => { 'a' => 'A' } })
Notify <| tag == 'v' |>
$many = { 'mode' => '0400', 'owner' => 'root' }
file { '/c': ensure => file, * => $many }
file { default: * => $many, group => 'g'; '/d': ; '/e': group => 'own', * => { 'ensure' => 'directory' } }
$type = 'notify'
Resource[$type] { 'by type reference': message => 'x' }
Resource['file'] { ['/f', '/g']: ensure => absent }
