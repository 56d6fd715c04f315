class c00(
  $plain
) { }
class c01(
  String $s = 'x'
) { }
class c02(
  Integer[0, 10] $i = 3
) { }
class c03(
  Optional[Foo::Bar] $alias = undef
) { }
class c04(
  Variant[Enum['a', 'b'], Pattern[/x/]] $v = "b"
) { }
class c05(
  Array[String] $arr = ['a', "b", 3, 1.5]
) { }
class c06(
  Hash $h = { 'a' => 1, b => { 'z' => [true], 'c' => undef } }
) { }
class c07(
  Hash $h2 = { 1 => 2 }
) { }
class c08(
  $expr = $facts['os']['family']
) { }
class c09(
  $call = lookup('x', String)
) { }
class c10(
  $minus = -5
) { }
class c11(
  $def = default
) { }
class c12(
  $re = /abc/
) { }
class c13(
  $interp = "a${plain}b"
) { }
class c14(
  $simple = "plain"
) { }
class c15(
  $sum = 1 + 2 * 3
) { }
class c16(
  $paren = (1)
) { }
class c17(
  $oct = 0777
) { }
class c18(
  $hex = 0xFF
) { }
class c19(
  $sel = $plain ? { 'a' => 1, default => 2 }
) { }
class c20(
  Integer[$plain] $bad = 1
) { }
class c21(
  Stdlib::Absolutepath $path = '/a'
) { }
class c22(
  Struct[{a => Integer, Optional[b] => String}] $st = {}
) { }
class c23(
  Callable[Integer] $cb = undef
) { }
class c24(
  Type[File] $tf = File
) { }
class c25(
  File $f = File['x']
) { }
class c26(
  Class['foo'] $c = Class['foo']
) { }
class c27(
  Sensitive[String] $sec = Sensitive('x')
) { }
class c28(
  Regexp[/x/] $rx = undef
) { }
class c29(
  Tuple[String, 2, 3] $tup = ['a','b']
) { }
class c30(
  Array[Integer, 1] $a1 = [1, 2]
) { }
class c31(
  Boolean $t = true
) { }
class c32(
  Float $fl = 1.0
) { }
class c33(
  Float $fl2 = 1e3
) { }
class c34(
  Integer $big = 9223372036854775807
) { }
class c35(
  Any $um = 'ümläut'
) { }
class c36(
  $meth = $plain.upcase
) { }
class c37(
  $access = $facts[a][b]
) { }
class c38(
  $lambda = [1].map |$x| { $x }
) { }
class c39(
  $list = [ $a, 'b' ]
) { }
class c40(
  $undefs = [undef]
) { }
class c41(
  $empty = ''
) { }
class c42(
  $if = if true { 1 } else { 2 }
) { }
class c43(
  Optional $o = undef
) { }
class c44(
  Optional['lit'] $ol = undef
) { }
class c45(
  NotUndef[Data] $nd = 1
) { }
class c46(
  SemVer['>1.0.0'] $sv = undef
) { }
class c47(
  Init[Integer] $init = 1
) { }
class c48(
  Runtime['ruby', 'X'] $rt = undef
) { }
class c49(
  Object[{name => 'X'}] $ob = undef
) { }
class c50(
  Integer $neg = -5
) { }
class c51(
  $undef = undef
) { }
class c52(
  $f = f('x')
) { }
class c53(
  $q = foo::bar
) { }
class c54(
  $keys = { 'z' => 1, 'a' => { 'c' => 1, 'b' => 2 } }
) { }
class c55(
  $dq = "a\tb\u00e9"
) { }
class c56(
  $trail = [1, 2,]
) { }
class c57(
  $type = Array[String]
) { }
class c58(
  $chain = $a.b.c
) { }
class c59(
  $res = File['a']
) { }
class c60(
  $not = !true
) { }
class c61(
  $in = 'a' in ['a']
) { }
class c62(
  $long = [
    'a', # one
    'b',
  ]
) { }
class c63(
  Variant[Undef, Array[Variant[String, Hash[String, Integer[1, default]]], 1, 3]] $deep = undef
) { }
class c64(
  Optional[Sensitive[String[1]]] $secret = undef
) { }
class c65(
  Stdlib::Http::Status $status = 200
) { }
class c66(
  Deferred $d = Deferred('f')
) { }
class c67(
  Numeric $n = 1.5e-3
) { }
class c68(
  String[1, 5] $sized = 'abc'
) { }
class c69(
  Enum['a'] $e = 'a'
) { }
class c70(
  Type[Class] $tc = undef
) { }
class c71(
  Any $hash = {}
) { }
class c72(
  Hash[String, Variant[String, Array[String]]] $hh = {}
) { }
class c73(
  $kw = { true => 1, 'if' => 2 }
) { }
class c74(
  Pattern[/\A[a-z]+\z/] $pat = 'a'
) { }
class c75(
  Collection[1, 2] $col = []
) { }
class c76(
  Iterable[String] $it = []
) { }
class c77(
  Default $dd = default
) { }
class c78(
  Resource['file'] $rr = undef
) { }
class c79(
  Array[File] $af = []
) { }
class c80(
  CatalogEntry $ce = undef
) { }
class c81(
  URI $uri = undef
) { }
class c82(
  Binary $bin = undef
) { }
class c83(
  Timestamp $tst = undef
) { }
