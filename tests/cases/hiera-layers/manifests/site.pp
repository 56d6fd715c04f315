# Environment and module layers: which one answers, merges across both, parameters found by class name.
include svc
include svc::extra
notify { "lookup ${lookup('plain')}": }
notify { "default ${lookup('no::such', String, 'first', 'fallback')}": }
notify { "options ${lookup('no::such', { 'default_value' => [1, 2] })}": }
notify { "names ${lookup(['no::a', 'plain'])}": }
notify { "merged ${lookup('svc::users', Array, 'unique')}": }
notify { "deep ${lookup({ 'name' => 'svc::tree', 'merge' => { 'strategy' => 'deep' } })}": }
notify { "hash ${lookup('svc::tree', Hash, 'hash')}": }
notify { "dig ${lookup('svc::tree.one.a', { 'default_value' => 'nothing there' })} ${lookup('list.1')}": }
notify { "block ${lookup('no::such') |$key| { "computed for ${key}" }}": }
notify { "override ${lookup('plain', 'override' => { 'plain' => 'overridden' })}": }
