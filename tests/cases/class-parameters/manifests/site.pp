# Defaults from earlier parameters, explicit undef, classes declared as resources, parameter order in the catalog.
class { 'app': port => 8080, extra => undef, options => { 'z' => 1, 'a' => [true, undef] } }
class { 'app::worker': }
include app::plain
