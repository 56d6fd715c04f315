notify { 'joined': message => tools::joined([' A', 'b ']) }
notify { 'twice': message => tools::twice(['x', 'Y']) }
notify { 'later': message => tools::later(['q']) }
notify { 'missing': message => tools::missing() }
notify { 'digests': message => tools::digests('secret', 'salt') }
notify { 'place': message => [tools_place('tools'), tools_place('nowhere')] }
$pairs = { 'a' => 1, 'b' => undef }
$words = [['x', 'y'], 'z']
notify { 'lines': message => template('tools/lines.erb') }
tools::thing { 'x': one => { 'a' => [1, undef] } }
include tools
