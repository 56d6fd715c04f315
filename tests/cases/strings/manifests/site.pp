# Text functions, conversions, interpolation and escapes.
$word = 'wörld'
$r = {
  'sprintf'      => [sprintf('%d %5d|%-5d|%05d %+d', 42, 42, 42, 42, 42), sprintf('%s %10s|%-10s|%.2s', 'a', 'b', 'c', 'def'), sprintf('%x %X %#x %o %b %#b', 255, 255, 255, 8, 5, 5), sprintf('%.2f %8.3f %e %g', 3.14159, 2.5, 12345.678, 0.0001)],
  'sprintf more' => [sprintf('%%'), sprintf('%c', 65), sprintf('%<a>05.1f %{b}', { 'a' => 1.25, 'b' => 'x' }), sprintf('%2$s %1$s', 'a', 'b'), sprintf('%s', [1, 'a', undef]), sprintf('%s', { 'k' => 'v' }), sprintf('%p', 'q'), sprintf('%s', undef), sprintf('%*d', 5, 42)],
  'regsubst'     => [regsubst('abc', 'b', 'X'), regsubst('aaa', 'a', 'b', 'G'), regsubst('AbC', '[a-z]', '<\0>', 'GI'), regsubst('john smith', '(\w+) (\w+)', '\2 \1'), regsubst(['a1', 'b2'], '\d', ''), regsubst('a.b', '[.]', '\\\\.'), regsubst('x', /(?<n>x)/, '\k<n>\k<n>'), regsubst("a\nb", '^', '> ', 'G')],
  'split'        => [split('a,b,,c', ','), split('a1b2', /\d/), split('abc', ''), split('a b  c', ' '), split('', ','), split('a|b', '[|]'), split('a.b', '.')],
  'join'         => [join(['a', 1, undef, true], ','), join([['a'], 'b'], '-'), join([])],
  'match'        => [match('abc123', /([a-z]+)(\d+)/), match('x', /y/), match(['a1', 'b'], /\d/), 'abc'.match('b')],
  'case'         => [upcase($word), capitalize('hello World'), downcase('ÀB'), camelcase('foo_bar'), upcase(['a', 'b'])],
  'strip'        => [strip("  a \n"), lstrip('  a '), rstrip(' a  '), chomp("a\n"), chop('abc'), chomp(["a\r\n"])],
  'in'           => ['B' in 'abc', 'a' in ['A'], /b/ in 'abc', 'x' in { 'X' => 1 }, /^k/ in { 'key' => 1 }],
  'compare'      => [compare('a', 'B'), compare('a', 'A', false), compare(1, 2), compare('a', 'A'), versioncmp('1.10', '1.9'), versioncmp('1.0-rc1', '1.0'), versioncmp('2', '2.0')],
  'math'         => [abs(-3), ceiling(1.2), floor(-1.2), round(2.5), round(-2.5), 7 % 3, -7 / 2, 7.0 / 2, 2 * 3.0, 1 + 0.5, '10' + 5, '0x10' + 0, '1.5' * 2, 1 << 3, -1 >> 1, 5 % -3],
  'index'        => ['hello'[0], 'hello'[-1], 'hello'[1, 3], 'hello'[1, -1], 'hello'[10], [1, 2, 3][1, -1], [1, 2, 3][-2, 2], $word[1]],
  'string()'     => [String(undef), String(true), String(1.0), String(10, '%#x'), String([1, 'a']), String({ 'a' => 1 }), String('x', '%p'), String([1, [2]], { Array => { 'format' => '%(a', 'separator' => ';' } }), String(3.14, '%.1f'), String(true, '%y'), String(/a/), String(default), String(Integer[1, 2])],
  'escapes'      => ["tab\there", "nl\\n", 'single \n \' \\', "\u263a \u{1F600}", "a\sb", "\$x ${'y'}", "dollar $ alone ${1 + 1}", 'no ${interp}'],
  'interpolate'  => ["${word}", "$word!", "${word[0]}", "${word.upcase}", "${[1, 2].join('+')}", "${facts['os']['name']}", "$facts", "${$word}", "${if true { 'yes' } else { 'no' }}", "nested ${"in ${word} out"}"],
  'digest'       => [md5('a'), sha1('a'), sha256('a'), fqdn_rand(100), fqdn_rand(100, 'seed')],
  'shell'        => [shellquote('a b', "it's", '$x', ['plain', 'two words'])],
  'numbers'      => [Integer('42'), Integer('-0x1F'), Integer('101', 2), Integer(3.9), Float('1e3'), Numeric('12'), Integer(true), 0.1 + 0.2, 1e21, 1e15, 1.0, 100000000000000000.0, 1e-5],
  'time'         => [Timespan('1-02:03:04'), Timespan({ 'hours' => 25 }), strftime(Timespan(90), '%M:%S'), Timestamp('2020-02-29T12:00:00 UTC').strftime('%Y-%j'), String(Timespan(1.5))],
  'semver'       => [SemVer('1.2.3-rc1'), SemVer('1.2.3') > SemVer('1.2.3-rc1'), SemVer('1.5.0') =~ SemVerRange('^1.2.0'), String(SemVerRange('>=1 <3'))],
  'binary'       => [Binary('aGVsbG8='), String(Binary('hello', '%s'))],
  'encode'       => [unwrap(Sensitive('s')), type('x'), type(1.5, 'generalized'), String(type([1, 'a'], 'reduced'))],
}
$r.each |$k, $v| { notify { $k: message => $v } }
