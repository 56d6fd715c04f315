# One node per mistake in declaring classes and resources.
class c($a, Integer $b = 1) { }
define d(String $x, Integer[0, 9] $y = 0) { notify { "${x} ${y}": } }
class parent { file { '/p': mode => '0644' } }
class child inherits parent { }
class grand inherits nowhere { }
class loop_a { include loop_b notify { 'a': } }
class loop_b { include loop_a notify { 'b': } }
define endless { endless { "${title}x": } }

node 'missing-class' { include nothing::here }
node 'missing-classes' { include c2, c3 }
node 'missing-parent' { include grand }
node 'missing-type' { nothing { 'x': } }
node 'missing-define-in-module' { shop::nothing { 'x': } }
node 'wrong-file' { include shop::wrong }
node 'missing-parameter-class' { include c }
node 'missing-parameter-define' { d { 'x': } }
node 'unknown-parameter-class' { class { 'c': a => 1, z => 2, zz => 3 } }
node 'unknown-parameter-define' { d { 'x': x => 'a', z => 1 } }
node 'unknown-parameter-type' { file { '/x': colour => 'red' } }
node 'duplicate-file' { file { '/x': } file { '/x': } }
node 'duplicate-title' { notify { ['a', 'b', 'a']: } }
node 'duplicate-define' { d { 'x': x => 'a' } d { 'x': x => 'b' } }
node 'duplicate-namevar' { file { '/x': } file { 'other': path => '/x' } }
node 'duplicate-class' { include parent class { 'parent': } }
node 'duplicate-in-module' { include shop include shop::again }
node 'duplicate-parameter' { file { '/x': mode => '0644', owner => 'a', mode => '0600' } }
node 'duplicate-parameter-splat' { file { '/x': mode => '0644', * => { 'mode' => '0600' } } }
node 'override-not-owner' { include parent File['/p'] { mode => '0600' } }
node 'override-missing' { File['/none'] { mode => '0600' } }
node 'empty-title' { notify { '': } }
node 'undef-title' { notify { undef: } }
node 'number-title' { notify { 5: } }
node 'two-defaults' { file { default: mode => '0600'; default: owner => 'x'; '/x': } }
node 'class-title-upper' { class { 'Parent::Nope': } }
node 'endless-define' { endless { 'x': } }
node 'recursive-include' { include loop_a }
node 'wrong-case' { Notify { 'x': } }
node 'alias-twice' { notify { 'a': alias => 'z' } notify { 'b': alias => 'z' } }
node 'alias-of-other' { notify { 'a': } notify { 'b': alias => 'a' } }
node 'fails' { fail('on purpose', 1, [2]) }
node 'fails-in-define' { shop::fails { 'now': } }
node 'bad-tag' { notify { 'x': tag => 'with space' } }
node 'bad-stage' { class { 'parent': stage => 'nope' } }
node 'stage-on-resource' { notify { 'x': stage => 'main' } }
node 'realize-missing' { realize Notify['nope'] }
node 'create-resources-missing' { create_resources('nope', { 'x' => {} }) }
node 'create-resources-wrong' { create_resources('notify', ['x']) }
