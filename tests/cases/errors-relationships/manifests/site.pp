# One node per mistake in relationships and references.
class a { include b notify { 'in a': } }
class b { notify { 'in b': } }
node 'require-missing' { notify { 'x': require => Notify['nope'] } }
node 'before-missing' { notify { 'x': before => [Notify['x2'], File['/nope']] } notify { 'x2': } }
node 'arrow-missing' { notify { 'x': } Notify['x'] -> Notify['nope'] }
node 'arrow-missing-left' { notify { 'x': } Class['nope'] ~> Notify['x'] }
node 'arrow-text' { notify { 'x': } 'text' -> Notify['x'] }
node 'require-text' { notify { 'x': require => 'Notify[y]' } }
node 'require-virtual' { @notify { 'v': } notify { 'x': require => Notify['v'] } }
node 'class-missing' { notify { 'x': require => Class['b'] } }
node 'reference-lower' { notify { 'x': require => notify['x'] } }
node 'reference-unknown-type' { notify { 'x': require => Nope['x'] } }
node 'cycle' { notify { 'x': require => Notify['y'] } notify { 'y': require => Notify['x'] } }
node 'access-parameter' { notify { 'x': message => 'm' } notify { "got ${Notify['x']['message']}": } }
node 'access-unknown-parameter' { notify { 'x': } notify { "got ${Notify['x']['nope']}": } }
node 'access-missing-resource' { notify { "got ${Notify['none']['message']}": } }
