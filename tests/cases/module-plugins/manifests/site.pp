include plug
notify { 'function': message => plug::shout('a') }
notify { 'nested': message => plug::nested::deeper() }
notify { 'ruby': message => plug::rubyish('b') }
notify { 'alias': message => String(8080 =~ Plug::Port) }
notify { 'deep': message => String('x' =~ Plug::Deep::Word) }
notify { 'fact': message => String($facts['plug_external']) }
notify { 'data': message => lookup('plug::port') }
notify { 'other': message => lookup({ 'name' => 'other::key', 'default_value' => 'not from plug' }) }
notify { 'plain': message => lookup({ 'name' => 'plain', 'default_value' => 'not from plug' }) }
if defined('plug::deploy') { notify { 'plan is a class': } }
node 'plan' {
  include plug::deploy
}
node default { }
notify { 'typeset': message => String(5 =~ Kinds::Small) }
