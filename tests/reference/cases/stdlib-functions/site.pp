# The functions of stdlib that modules use most, each in a notify's message.
class { 'stdlib': }
$checks = {
  'pick'          => pick(undef, '', 'third'),
  'pick_default'  => pick_default(undef, ''),
  'merge'         => merge({ 'a' => 1 }, { 'b' => 2 }, { 'a' => 3 }),
  'deep_merge'    => deep_merge({ 'a' => { 'x' => 1 } }, { 'a' => { 'y' => 2 } }),
  'member'        => member(['a', 'b'], 'b'),
  'delete_at'     => delete_at(['a', 'b', 'c'], 1),
  'delete'        => delete(['a', 'b', 'a'], 'a'),
  'delete_undef'  => delete_undef_values(['a', undef, 'b']),
  'delete_values' => delete_values({ 'a' => 'x', 'b' => 'y' }, 'x'),
  'prefix'        => prefix(['a', 'b'], 'p'),
  'suffix'        => suffix(['a', 'b'], 's'),
  'any2array'     => any2array({ 'a' => 1 }),
  'union'         => union(['a'], ['b', 'a']),
  'intersection'  => intersection(['a', 'c'], ['c']),
  'difference'    => difference(['a', 'c'], ['c']),
  'bool2str'      => bool2str(true, 'on', 'off'),
  'str2bool'      => str2bool('yes'),
  'bool2num'      => bool2num(true),
  'num2bool'      => num2bool(0),
  'dirname'       => dirname('/etc/app/app.conf'),
  'basename'      => basename('/etc/app/app.conf', '.conf'),
  'grep'          => grep(['aaa', 'bbb'], 'a'),
  'hash'          => hash(['k', 'v']),
  'range'         => range('1', '5', '2'),
  'join_kv'       => join_keys_to_values({ 'a' => 1, 'b' => [2, 3] }, '='),
  'fact'          => fact('os.release.major'),
  'has_key'       => has_key({ 'a' => 1 }, 'a'),
  'squeeze'       => squeeze('aabbcc', 'b'),
  'to_json'       => to_json({ 'a' => [1, undef, true] }),
  'to_yaml'       => to_yaml({ 'a' => ['x', 'y'], 'b' => 'yes' }),
  'shell_escape'  => shell_escape("it's"),
  'swapcase'      => swapcase('aBc'),
  'zip'           => zip(['1', '2'], ['a', 'b']),
  'values_at'     => values_at(['a', 'b', 'c'], [0, 2]),
  'stdlib::ensure' => stdlib::ensure(true, 'file'),
  'os_version'    => stdlib::end_with('bookworm', ['worm']),
  'is_integer'    => Integer('0x1F', 16),
}
$checks.each |$name, $value| {
  notify { "stdlib ${name}": message => sprintf('%p', $value) }
}
validate_legacy(String, 'validate_string', 'text')
ensure_packages(['curl', 'jq'])
ensure_packages({ 'git' => { 'ensure' => 'latest' } })
ensure_resource('user', ['ada', 'grace'], { 'ensure' => 'present', 'shell' => '/bin/bash' })
ensure_resource('user', 'ada', { 'ensure' => 'present', 'shell' => '/bin/bash' })
ensure_resources('group', { 'ops' => { 'gid' => 900 }, 'dev' => {} }, { 'ensure' => 'present' })
if !defined_with_params(User['ada'], { 'shell' => '/bin/zsh' }) {
  file_line { 'ada': path => '/etc/ada', line => 'shell=bash', match => '^shell=' }
}
