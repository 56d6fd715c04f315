# Numbers, control flow, blocks, exceptions, libraries.
7 / 2  #=> 3
-7 / 2  #=> -4
7 % 3  #=> 1
-7 % 3  #=> 2
7.0 / 2  #=> 3.5
2 ** 10  #=> 1024
2 ** 0.5  #=> 1.4142135623730951
10.divmod(3)  #=> [3, 1]
1 / 0  #=> !ZeroDivisionError: divided by 0
1.0 / 0  #=> Infinity
5.to_s(2)  #=> "101"
255.to_s(16)  #=> "ff"
3.7.to_i  #=> 3
3.7.round  #=> 4
3.2.ceil  #=> 4
3.14159.round(2)  #=> 3.14
2.5.round  #=> 3
1e20  #=> 1.0e+20
1e16  #=> 1.0e+16
1.0e-5  #=> 1.0e-05
100.0  #=> 100.0
1234567.89.to_s  #=> "1234567.89"
1_000  #=> 1000
0b101  #=> 5
0o17  #=> 15
0xff  #=> 255
5.between?(1, 10)  #=> true
5.clamp(1, 3)  #=> 3
5.zero?  #=> false
5.even?  #=> false
5.pred  #=> 4
65.chr  #=> "A"
5 <=> 3  #=> 1
5 == 5.0  #=> true
5.eql?(5.0)  #=> false
1 + nil  #=> !TypeError: nil can't be coerced into Integer
1 + "a"  #=> !TypeError: String can't be coerced into Integer
1 < "a"  #=> !ArgumentError: comparison of Integer with String failed
5 & 3  #=> 1
5 | 3  #=> 7
5 ^ 3  #=> 6
1 << 10  #=> 1024
~5  #=> -6
-5.abs  #=> 5
10.digits  #=> [0, 1]
10.gcd(4)  #=> 2
Integer("12")  #=> 12
Integer("0x1f", 16)  #=> 31
Integer("x")  #=> !ArgumentError: invalid value for Integer(): "x"
Integer(nil)  #=> !TypeError: can't convert nil into Integer
Integer("08")  #=> !ArgumentError: invalid value for Integer(): "08"
Integer("12abc") rescue 5  #=> 5
Float("1.5")  #=> 1.5
Float("x")  #=> !ArgumentError: invalid value for Float(): "x"
String(5)  #=> "5"
nil.to_i  #=> 0
true & false  #=> false
true ^ true  #=> false
!true  #=> false
not(true)  #=> false
1.nil?  #=> false
1.is_a?(Integer)  #=> true
1.is_a?(Numeric)  #=> true
1.is_a?(Float)  #=> false
1.5.is_a?(Numeric)  #=> true
1.class  #=> Integer
nil.class  #=> NilClass
true.class  #=> TrueClass
{}.class  #=> Hash
(1..2).class  #=> Range
:a.class  #=> Symbol
/a/.class  #=> Regexp
1.respond_to?(:upcase)  #=> false
[].respond_to?(:each)  #=> true
if nil then 1 else 2 end  #=> 2
1 if false  #=> nil
true ? 1 : 2  #=> 1
x = 5; x > 3 && x < 10 ? "in" : "out"  #=> "in"
unless false then 1 end  #=> 1
case 5 when 1..3 then "low" when 4..6 then "mid" else "high" end  #=> "mid"
case "abc" when /^a/ then $~[0] end  #=> "a"
case 5 when String then 1 when Integer then 2 end  #=> 2
case when false then 1 when true then 2 end  #=> 2
case "x" when "a", "x" then 1 end  #=> 1
i = 0; while i < 3 do i += 1 end; i  #=> 3
i = 0; i += 1 until i == 4; i  #=> 4
i = 0; begin i += 1 end while i < 0; i  #=> 1
r = []; for a in [1, 2] do r << a end; r  #=> [1, 2]
r = []; for a, b in [[1, 2]] do r << b end; r  #=> [2]
[1, 2, 3].each { |x| break x * 10 if x == 2 }  #=> 20
[1, 2, 3].map { |x| next 0 if x == 2; x }  #=> [1, 0, 3]
[1, 2, 3].each { |x| x }  #=> [1, 2, 3]
loop { break 5 }  #=> 5
x = begin; 1; ensure; 2; end; x  #=> 1
begin; raise "a"; rescue => e; e.message; end  #=> "a"
begin; raise ArgumentError; rescue => e; [e.class, e.message]; end  #=> [ArgumentError, "ArgumentError"]
begin; raise ArgumentError, "b"; rescue TypeError; 1; rescue ArgumentError => e; e.message; end  #=> "b"
begin; Integer("z"); rescue ArgumentError => e; e.message; end  #=> "invalid value for Integer(): \"z\""
begin; nil.upcase; rescue NoMethodError => e; e.message; end  #=> "undefined method `upcase' for nil:NilClass"
begin; [].fetch(3); rescue IndexError => e; e.message; end  #=> "index 3 outside of array bounds: 0...0"
begin; {}.fetch(:a); rescue KeyError => e; e.message; end  #=> "key not found: :a"
begin; 1; rescue; 2; else; 3; end  #=> 3
raise "boom"  #=> !RuntimeError: boom
raise ArgumentError, "bad"  #=> !ArgumentError: bad
x = (raise "a" rescue 5); x  #=> 5
catch(:done) { throw :done, 7 }  #=> 7
f = lambda { |a, b = 2| a + b }; f.call(1)  #=> 3
f = ->(a) { a * 2 }; [f.(2), f[3], f.call(4)]  #=> [4, 6, 8]
f = proc { |a, b| [a, b] }; f.call([1, 2])  #=> [1, 2]
f = lambda { |a| a }; f.call(1, 2)  #=> !ArgumentError: wrong number of arguments (given 2, expected 1)
f = lambda { return 5; 6 }; f.call  #=> 5
def m1(a, b = 2, *c, d: 4, **e); [a, b, c, d, e]; end; m1(1)  #=> [1, 2, [], 4, {}]
def m2(a, b = 2, *c, d: 4, **e); [a, b, c, d, e]; end; m2(1, 3, 5, 6, d: 7, z: 8)  #=> [1, 3, [5, 6], 7, {:z=>8}]
def m3(*a, &b); b.call(a); end; m3(1, 2) { |x| x.sum }  #=> 3
def m4; yield 1, 2; end; m4 { |a, b| a + b }  #=> 3
def m5(a); return a if a; 5; end; [m5(1), m5(nil)]  #=> [1, 5]
def m6(a:, b: 2); [a, b]; end; m6(a: 1)  #=> [1, 2]
def m7(a:); a; end; m7  #=> !ArgumentError: missing keyword: :a
def m8(a); a; end; m8  #=> !ArgumentError: wrong number of arguments (given 0, expected 1)
def m9(n); n <= 1 ? 1 : n * m9(n - 1); end; m9(20)  #=> 2432902008176640000
def m10(a, (b, c)); [a, b, c]; end; m10(1, [2, 3])  #=> [1, 2, 3]
x = 1; [1].each { x += 1 }; x  #=> 2
[1].each { |v; x| x = v }; defined?(x)  #=> nil
[[1, [2, 3]]].map { |a, (b, c)| a + b + c }  #=> [6]
[[1, 2, 3]].map { |a, *b| b }  #=> [[2, 3]]
[[1, 2]].each_with_index.map { |(a, b), i| a + b + i }  #=> [3]
[1, 2].map { _1 * 2 }  #=> [2, 4]
[3, 4].each_with_index.map { |x, i| x * i }.sum  #=> 4
%w[a b].map(&:to_sym)  #=> [:a, :b]
%w[a b].each_with_index.to_h  #=> {"a"=>0, "b"=>1}
defined?(foo)  #=> nil
defined?(String)  #=> "constant"
defined?(Foo)  #=> nil
defined?(puts)  #=> "method"
defined?(x = 1)  #=> "assignment"
defined?(@a)  #=> nil
x = nil; x&.length  #=> nil
x = "a"; x&.length  #=> 1
x = nil; x ||= 3; x  #=> 3
x = 1; x &&= 3; x  #=> 3
x = [1]; x += [2]; x  #=> [1, 2]
x = y = 2; x + y  #=> 4
a = 1; b = 2; a, b = b, a; [a, b]  #=> [2, 1]
x = if true then 1 end; x  #=> 1
"a#{1 + 1}b#{"c#{2}"}"  #=> "a2bc2"
"#{nil}#{true}#{:a}#{[1, nil]}#{{ 1 => 2 }}"  #=> "truea[1, nil]{1=>2}"
/a(b)?/.match("a").to_a  #=> ["a", nil]
/(?<y>\d+)/.match("a12")[:y]  #=> "12"
/a/i =~ "bA"  #=> 1
/a/.to_s  #=> "(?-mix:a)"
/a/mix.inspect  #=> "/a/mix"
/a\/b/.source  #=> "a/b"
Regexp.escape("a.b*c")  #=> "a\\.b\\*c"
Regexp.new("a+").match("caat")[0]  #=> "aa"
Regexp.union("a.b", /c/)  #=> /a\.b|(?-mix:c)/
"foo" =~ /(o)(o)/ && [$1, $2, $~.pre_match]  #=> ["o", "o", "f"]
"ab".gsub(/./) { |m| m.upcase + $~[0] }  #=> "AaBb"
Digest::MD5.hexdigest("a")  #=> "0cc175b9c0f1b6a831c399e269772661"
Digest::SHA1.hexdigest("a")  #=> "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"
Digest::SHA256.hexdigest("a")  #=> "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
Digest::SHA1.hexdigest(Digest::SHA1.digest("a"))  #=> "667f407de7c6ad07358fa38daed7828a72014b4e"
Base64.encode64("hello world")  #=> "aGVsbG8gd29ybGQ=\n"
Base64.strict_encode64("hello")  #=> "aGVsbG8="
Base64.decode64("aGVsbG8=")  #=> "hello"
Shellwords.escape("a b'c")  #=> "a\\ b\\'c"
CGI.escapeHTML("<a&\"'>")  #=> "&lt;a&amp;&quot;&#39;&gt;"
ERB::Util.url_encode("a b/c")  #=> "a%20b%2Fc"
Time.at(0).utc.strftime("%Y-%m-%d %H:%M:%S")  #=> "1970-01-01 00:00:00"
Time.at(0).utc.year  #=> 1970
IPAddr.new("10.1.2.3/8").to_s  #=> "10.0.0.0"
IPAddr.new("10.0.0.0/8").include?("10.1.1.1")  #=> true
IPAddr.new("10.1.2.3").mask(24).to_s  #=> "10.1.2.0"
IPAddr.new("::1").ipv6?  #=> true
IPAddr.new("10.0.0.0/30").to_range.map(&:to_s)  #=> ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3"]
IPAddr.new("x")  #=> !IPAddr::InvalidAddressError: invalid address: 
Gem::Version.new("1.10") > Gem::Version.new("1.9")  #=> true
Gem::Version.new("1.0.a") < Gem::Version.new("1.0")  #=> true
Gem::Version.new("1.0") == Gem::Version.new("1.0.0")  #=> true
File.basename("/a/b.txt", ".txt")  #=> "b"
File.dirname("/a/b.txt")  #=> "/a"
File.extname("a.tar.gz")  #=> ".gz"
File.join("a", "/b", "c/", "d")  #=> "a/b/c/d"
Math.sqrt(16)  #=> 4.0
Float::INFINITY  #=> Infinity
[1, 2].frozen?  #=> false
1.frozen?  #=> true
[1].dup.push(2)  #=> [1, 2]
5.send(:+, 3)  #=> 8
5.public_send("to_s")  #=> "5"
1.then { |x| x + 1 }  #=> 2
1.instance_of?(Integer)  #=> true
Comparable  #=> Comparable
String === "a"  #=> true
Integer === "a"  #=> false
(1..3) === 2  #=> true
/a/ === "cat"  #=> true
:a === :a  #=> true
nil.to_a + [1]  #=> [1]
"10" + 5.to_s  #=> "105"
"5" * "5"  #=> !TypeError: no implicit conversion of String into Integer
[1, 2, 3].sum / [1, 2, 3].size.to_f  #=> 2.0
10.fdiv(4)  #=> 2.5
1.0.to_s + 1.50.to_s  #=> "1.01.5"
12345678901234567890  #=> 12345678901234567890
2 ** 64  #=> 18446744073709551616
100.0.to_i.to_s  #=> "100"
0.1 + 0.2  #=> 0.30000000000000004
1.23456789012345e+25  #=> 1.23456789012345e+25
sprintf("%.3g", 0.00001234)  #=> "1.23e-05"
sprintf("%s", [1, "a"])  #=> "[1, \"a\"]"
x = 5; "#{x > 3 ? 'a' : "b"}"  #=> "a"
[3, "a", nil, :b].map(&:class)  #=> [Integer, String, NilClass, Symbol]
[1, 2, 3].each_entry.to_a  #=> [1, 2, 3]
begin; foo_bar; rescue NameError => e; e.message[/`(.*)'/, 1]; end  #=> "foo_bar"
class Foo; def initialize(a); @a = a; end; def a; @a; end; end; Foo.new(3).a  #=> 3
module Bar; def self.x; 5; end; end; Bar.x  #=> 5
BAZ = 5; BAZ  #=> 5
Resolv::IPv4.create("10.1.2.3").to_name.to_s  #=> "3.2.1.10.in-addr.arpa"
Resolv::IPv6.create("2620:0:861:1::a").to_name.to_s  #=> "a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.1.6.8.0.0.0.0.0.0.2.6.2.ip6.arpa"
Resolv::IPv6.create("2620:0:861:1::a").to_s  #=> "2620:0:861:1::a"
Resolv::IPv6.create("::ffff:10.1.2.3").to_s  #=> "::ffff:a01:203"
Resolv::IPv6.create("::1").inspect  #=> "#<Resolv::IPv6 ::1>"
Resolv::IPv4.create("x")  #=> !ArgumentError: cannot interpret as IPv4 address: "x"
Resolv::IPv6.create("x")  #=> !ArgumentError: not numeric IPv6 address: x
Resolv::DNS::Name.create("a.b.").inspect  #=> "#<Resolv::DNS::Name: a.b.>"
Resolv::DNS::Name.create("a.b") == Resolv::DNS::Name.create("a.b.")  #=> false
Resolv::DNS::Resource::IN::MX.new(10, Resolv::DNS::Name.create("m.x.")).exchange.to_s  #=> "m.x"
Resolv::DNS::Resource::IN::TXT.new("a", "b").data  #=> "ab"
Resolv::ResolvError.new("x").is_a?(StandardError)  #=> true
Kernel.const_get("Resolv::IPv4").create("1.2.3.4").to_s  #=> "1.2.3.4"
Object.const_get("Nope")  #=> !NameError: uninitialized constant Nope
YAML.safe_load("!ruby/regexp /^a.b$/", permitted_classes: [Regexp]).match("axb").to_s  #=> "axb"
YAML.safe_load("!ruby/regexp /^a.b$/")  #=> !Psych::DisallowedClass: Tried to load unspecified class: Regexp
YAML.load(":a: :b")  #=> {:a=>:b}
YAML.load("- :x\n- {:y: 1}")  #=> !Psych::SyntaxError: (<unknown>): did not find expected node content while parsing a flow node at line 2 column 4
YAML.safe_load(":a: 1")  #=> !Psych::DisallowedClass: Tried to load unspecified class: Symbol
YAML.safe_load("b: :a", permitted_classes: [Symbol])  #=> {"b"=>:a}
YAML.load("")  #=> nil
YAML.unsafe_load("")  #=> false
YAML.load("", fallback: 3)  #=> 3
YAML.load("a: &x [1]\nb: *x")  #=> !Psych::BadAlias: Unknown alias: x
YAML.safe_load("a: &x [1]\nb: *x", aliases: true)  #=> {"a"=>[1], "b"=>[1]}
YAML.unsafe_load("a: &x [1]\nb: *x")  #=> {"a"=>[1], "b"=>[1]}
YAML.load("a: {b: 1}", symbolize_names: true)  #=> {:a=>{:b=>1}}
YAML.load("a: [1,\n b: }")  #=> !Psych::SyntaxError: (<unknown>): did not find expected node content while parsing a flow node at line 2 column 5
YAML.load("a: }", filename: "/x/y.yaml")  #=> !Psych::SyntaxError: (/x/y.yaml): did not find expected node content while parsing a block node at line 1 column 4
YAML.load_file("/nonexistent/x.yaml")  #=> !Errno::ENOENT: No such file or directory @ rb_sysopen - /nonexistent/x.yaml
YAML.load(nil)  #=> !TypeError: no implicit conversion of nil into String
"a b'c".shellescape  #=> "a\\ b\\'c"
"".shellescape  #=> "''"
"a 'b c' d".shellsplit  #=> ["a", "b c", "d"]
["a b", "c"].shelljoin  #=> "a\\ b c"
Pathname.new("/a/b/../c/./d//").cleanpath.to_s  #=> "/a/c/d"
Pathname.new("../a/..").cleanpath.to_s  #=> ".."
(Pathname.new("/a/b") + "../c").to_s  #=> "/a/c"
(Pathname.new("a") / "b").inspect  #=> "#<Pathname:a/b>"
Pathname.new("/a").join("b", "c.rb").extname  #=> ".rb"
Pathname.new("/a/b/c").relative_path_from(Pathname.new("/a/d")).to_s  #=> "../b/c"
Pathname.new("/a/b.rb").sub_ext(".txt").to_s  #=> "/a/b.txt"
Pathname.new("/a/b/").parent.to_s  #=> "/a"
Pathname.new("a/b").basename.to_s  #=> "b"
Pathname.new("/").root?  #=> true
Pathname.new("/nonexistent/x").exist?  #=> false
"#{Pathname.new("/x")}y"  #=> "/xy"
StringIO.new("a\nb\nc").readlines  #=> ["a\n", "b\n", "c"]
StringIO.new("a\nb").gets  #=> "a\n"
(s = StringIO.new; s.puts "a", ["b", 1]; s << "c"; s.print("d", 2); s.string)  #=> "a\nb\n1\ncd2"
StringIO.new("abc").read(2)  #=> "ab"
StringIO.new("a\nb").each_line.to_a rescue "no block"  #=> ["a\n", "b"]
(s = StringIO.new("abc"); s.read; s.eof?)  #=> true
(s = StringIO.new("ab\n"); s.write("x", 12); s.string)  #=> "x12"
File.split("/a/b/c.rb")  #=> ["/a/b", "c.rb"]
File.absolute_path?("/a")  #=> true
File.join(Pathname.new("/a"), "b")  #=> "/a/b"
File.exist?(Pathname.new("/nonexistent"))  #=> false
Dir.exist?("/nonexistent")  #=> false
File.read("/nonexistent")  #=> !Errno::ENOENT: No such file or directory @ rb_sysopen - /nonexistent
File.size?("/nonexistent")  #=> nil
Dir.glob("/nonexistent/*")  #=> []
(IPAddr.new("fe80::1:2:3:4").mask(64) | IPAddr.new("::10:0:2:1")).to_s  #=> "fe80::10:0:2:1"
(IPAddr.new("10.0.0.7/24") | 5).inspect  #=> "#<IPAddr: IPv4:10.0.0.5/255.255.255.0>"
(IPAddr.new("10.0.0.7") & "255.255.0.0").to_s  #=> "10.0.0.0"
(~IPAddr.new("10.0.0.1")).to_s  #=> "245.255.255.254"
(IPAddr.new("10.0.0.1") << 8).to_s  #=> "0.0.1.0"
(IPAddr.new("10.0.0.1") >> 8).to_s  #=> "0.10.0.0"
IPAddr.new("2001:db8::1").reverse  #=> "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
IPAddr.new("2001:db8::1").ip6_arpa  #=> "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
IPAddr.new("10.0.0.1").ipv4_mapped.to_s  #=> "::ffff:10.0.0.1"
IPAddr.new("::ffff:10.0.0.1").native.to_s  #=> "10.0.0.1"
IPAddr.new("10.1.2.3").hton.unpack("C4")  #=> [10, 1, 2, 3]
[IPAddr.new("10.1.2.3").private?, IPAddr.new("172.16.0.1").private?, IPAddr.new("172.32.0.1").private?, IPAddr.new("fd00::1").private?]  #=> [true, true, false, true]
[IPAddr.new("127.0.0.1").loopback?, IPAddr.new("::1").loopback?, IPAddr.new("fe80::1").link_local?, IPAddr.new("169.254.1.1").link_local?]  #=> [true, true, true, true]
["::/ffff:ffff::", "::/ffff:0:ffff::", "1.2.3.4/255.0.255.0", "1.2.3.4/ffff::", "fe80::1/255.0.0.0", "1.2.3.4/33", "::1/129", "::/::", "1.2.3.4/08", "1.2.3.4/255.255.255.255"].map { |t| begin; i = IPAddr.new(t); [i.prefix, i.to_s]; rescue IPAddr::Error => e; [e.class, e.message]; end }  #=> [[32, "::"], [IPAddr::InvalidPrefixError, "invalid mask ffff:0:ffff::: 0"], [IPAddr::InvalidPrefixError, "invalid mask 255.0.255.0: 16909060"], [IPAddr::InvalidPrefixError, "address family is not same: 16909060"], [IPAddr::InvalidPrefixError, "address family is not same: 338288524927261089654018896841347694593"], [IPAddr::InvalidPrefixError, "invalid length: 16909060"], [IPAddr::InvalidPrefixError, "invalid length: 1"], [0, "::"], [IPAddr::InvalidPrefixError, "leading zeros in prefix"], [32, "1.2.3.4"]]
["255.0.255.0", "ffff::", "255.255.0.0", "24"].map { |t| begin; IPAddr.new("1.2.3.4").mask(t).to_s; rescue IPAddr::Error => e; [e.class, e.message]; end }  #=> [[IPAddr::InvalidPrefixError, "invalid mask 255.0.255.0: 16909060"], [IPAddr::InvalidPrefixError, "address family is not same: 16909060"], "1.2.0.0", "1.2.3.0"]
(a = IPAddr.new("fe80::1").to_i; b = IPAddr.new("1.2.3.4").to_i; c = IPAddr.new("fe80::2").to_i; [a <=> b, b <=> a, a <=> c, c <=> a, a == a, a < c, a > b, a <= a, [a, b, c].sort == [b, a, c], [c, a].min == a, a == 1, a <=> "x"])  #=> [1, -1, -1, 1, true, true, true, true, true, true, false, nil]
IPAddr.new("10.0.0.9").succ.to_s  #=> "10.0.0.10"
IPAddr.new("10.0.0.0/8") === "10.2.3.4"  #=> true
(class KeyedA; attr_reader :n; def initialize(n); @n = n; end; def hash; @n.hash; end; def eql?(o); hash == o.hash; end; end; Set[KeyedA.new(1)].merge([KeyedA.new(1), KeyedA.new(2)]).map(&:n))  #=> [1, 2]
(class KeyedB; def initialize(n); @n = n; end; def hash; @n.hash; end; def eql?(o); hash == o.hash; end; end; h = {}; h[KeyedB.new("a")] = 1; [h[KeyedB.new("a")], h[KeyedB.new("b")], [KeyedB.new(3), KeyedB.new(3)].uniq.size])  #=> [1, nil, 1]
(class KeyedC; def initialize(n); @n = n; end; def hash; @n.hash; end; def eql?(o); hash == o.hash; end; end; [(Set[KeyedC.new(1)] & Set[KeyedC.new(1), KeyedC.new(2)]).size, Set[KeyedC.new(1)].include?(KeyedC.new(1)), ([KeyedC.new(1)] - [KeyedC.new(1)]).size])  #=> [1, true, 0]
(case [1, [2, 3]]; in [a, [b, c]]; [a, b, c]; end)  #=> [1, 2, 3]
(case {name: "x", age: 3, z: 1}; in {name: String => n, age: Integer => a}; [n, a]; end)  #=> ["x", 3]
(case {name: "x", age: 3}; in {name:, **rest}; [name, rest]; end)  #=> ["x", {:age=>3}]
(case [1, 2, 3, 4]; in [first, *mid, last]; [first, mid, last]; end)  #=> [1, [2, 3], 4]
(case 5; in 0..3 then "low"; in 4.. then "high"; end)  #=> "high"
(case 5; in Integer | Float => n if n > 4; "big #{n}"; in Integer; "small"; end)  #=> "big 5"
(case 7; in String; 1; else 2; end)  #=> 2
(x = 5; case 5; in ^x; "same"; end)  #=> "same"
(case ["cmd", {v: 1}]; in ["cmd", {v: 1 | 2 => v}]; v; end)  #=> 1
(case {a: 1}; in {a: 1, **nil}; "only"; end)  #=> "only"
(case {a: nil}; in {a: nil}; "nil"; end)  #=> "nil"
(case [1, 2]; in Integer, Integer; "two"; end)  #=> "two"
(case {k: :v}; in k: :v | :w; "sym"; end)  #=> "sym"
(case []; in []; "empty"; end)  #=> "empty"
(case {}; in {}; "empty"; end)  #=> "empty"
(PmPt = Struct.new(:x, :y); case PmPt.new(1, 2); in [x, y]; [x, y]; end)  #=> [1, 2]
(PmPu = Struct.new(:x, :y); case PmPu.new(1, 2); in PmPu(x:, y: 2); x; end)  #=> 1
(case 3; in n unless n > 5; "ok"; end)  #=> "ok"
(case {a: {b: [1, {c: 2}]}}; in {a: {b: [_, {c:}]}}; c; end)  #=> 2
# labels in quotes with code inside
(x = 'b'; { "a#{x}": 1, c: 2 })  #=> {:ab=>1, :c=>2}
(x = 'b'; [["a#{x}": 1], true ? "a#{x}":2])  #=> [[{:ab=>1}], "ab"]
# Modifiers with the condition on the next line
eval("x = 1 if\n true; x")  #=> 1
eval("x = 5 unless\n\n false; x")  #=> 5
eval("z = raise(\"q\") rescue\n 4; z")  #=> 4
eval("x = 3 if not\n false; x")  #=> 3
eval("n = 0; n += 1 while\n n < 3; n")  #=> 3
# Keywords with a hash as their default
(def kw_hash(a:, b: {}, c: []); [a, b, c]; end; kw_hash(a: 1))  #=> [1, {}, []]
(def kw_filled(a: { x: 1 }); a; end; [kw_filled, kw_filled(a: 2)])  #=> [{:x=>1}, 2]
(->(a:, b: {}) { [a, b] }).call(a: 2)  #=> [2, {}]
(-> a: 3 { a }).call  #=> 3
[1].map { |x, k: {}| [x, k] }  #=> [[1, {}]]
# A setter without parameters
eval("class SetNone\n def v=\n # nothing\n end\n end\n SetNone.new.respond_to?(:v=)")  #=> true
# alias of operators and setters
(class AlOp; attr_accessor :v; def initialize(v); @v = v; end; def eql?(o); v == o.v; end; alias == eql?; alias [] then; alias w= v=; alias :u :v; end; a = AlOp.new(1); a.w = 5; [a == AlOp.new(5), a.u, a == AlOp.new(6)])  #=> [true, 5, false]
# keywords as method names, and arguments without parentheses
((a,) = [1, 2]; a)  #=> 1
((a,), b = [[1, 2], 3]; [a, b])  #=> [1, 3]
(Class.new { def f(...) = g(...); def g(*a, k: 0, &b) = [a, k, b && b.call] }).new.f(1, k: 2) { 3 }  #=> [[1], 2, 3]
(Class.new { def f(x, ...) = g(...); def g(*a, &b) = [a, b] }).new.f(1, 2)  #=> [[2], nil]
(Class.new { def f(&) = g(&); def g = yield }).new.f { 5 }  #=> 5
(Class.new { def f(a, &) = [a].map(&) }).new.f(2) { |x| x + 1 }  #=> [3]
(eval("class EqlOne\n def initialize(v) = @v = v\n attr_reader :v\n def ==(o) = v == o.v\n alias eql? ==\n def w = 1\n end"); [EqlOne.new(1).eql?(EqlOne.new(1)), EqlOne.new(1).w])  #=> [true, 1]
(x = 3; def self.x(y) = y * 2; x = x 5; x)  #=> 10
eval("[[1, 2]] \\\n [0]")  #=> [1, 2]
(o = Object.new; def o.f(a) = yield(a); o.f (1) { |y| y + 1 })  #=> 2
begin; Puppet::Error "text"; rescue NoMethodError => e; e.class; end  #=> NoMethodError
(n = 0; [1, 2].each { |x| n += x; redo if n == 1 }; n)  #=> 4
(n = 0; i = 0; while i < 2; i += 1; n += 1; redo if n == 1; end; [n, i])  #=> [2, 2]
(n = 0; for x in [1, 2]; n += 1; redo if n == 2; end; n)  #=> 3
# evaluated strings can use the surrounding variables
(a = 1; b = nil; instance_eval("b = a + 1; c = 5", "x.rb"); [b, (defined?(c)).inspect])  #=> [2, "nil"]
(o = Object.new; x = nil; o.instance_eval("@v = 3; x = self.class.name + @v.to_s"); x)  #=> "Object3"
(k = nil; o = Object.new; o.instance_eval("k = Class.new do\n def a = 7\n end\n"); k.new.a)  #=> 7
(class EvalCl; end; n = 4; EvalCl.class_eval("def self.n = 9"); [EvalCl.n, n])  #=> [9, 4]
(def self.ev(t) = instance_eval(t); y = 1; (ev("y") rescue $!.class))  #=> NameError
# names of operators as symbols, arguments directly after a name, conditions on the next line
(class OpSym; attr_reader :v; def initialize; @v = []; end; def push(x) = @v << x; alias_method :<<, :push; alias_method :[]=, :instance_variable_set; end; o = OpSym.new; o << 1; o[:@v] = [2]; o.v)  #=> [2]
([1, 2].join',')  #=> "1,2"
([1, 2].join", ".strip)  #=> "1,2"
[0x8000000000000000, -0x8000000000000000, 0b1]  #=> [9223372036854775808, -9223372036854775808, 1]
eval("if\n true\n 1\nelsif\n false\n 2\nend")  #=> 1
eval("n = 0\nwhile\n n < 3\n n += 1\nend\nn")  #=> 3
(a = 1; b = 2; a == b = 1)  #=> true
(a = 1; 1 + b = 2)  #=> 3
(Array [1, 2])  #=> [1, 2]
(x = true; x ? 1 :-1)  #=> 1
(x = true; y = [5]; x ? y :[1])  #=> [5]
(class AlSet < Hash; eval("alias aset []=\ndef []=(k, v)\n aset(k, v + 1)\nend"); end; h = AlSet.new; h[:a] = 1; h)  #=> {:a=>2}
(config = {db: {user: "admin", port: 5432}}; config => {db: {user:, port: Integer => p}}; [user, p])  #=> ["admin", 5432]
([1, [2, 3]] => [a, [b, *c]]; [a, b, c])  #=> [1, 2, [3]]
[(1 in Integer), ("x" in Integer), ({a: 1} in {a: Integer | nil}), ([1, 2] in [_, _, _])]  #=> [true, false, true, false]
(r = []; if {k: "v"} in {k: String => s} then r << s end; r << (5 in 0..3 or 7 in 4..); r)  #=> ["v", true]
(begin; 5 => String; rescue NoMatchingPatternError => e; e.class; end)  #=> NoMatchingPatternError
([[1, :a], [2, :b], ["x", :c]].select { |pair| pair in [Integer, _] })  #=> [[1, :a], [2, :b]]
(for x in [1, 2] do x end; x)  #=> 2
4.lcm(6)  #=> 12
0.lcm(3)  #=> 0
-7.remainder(3)  #=> -1
5.infinite?  #=> nil
5.nan?  #=> !NoMethodError: undefined method `nan?' for 5:Integer
0.0.nonzero?  #=> nil
2.5.nonzero?  #=> 2.5
5.0.quo(2)  #=> 2.5
1.5.coerce(2)  #=> [2.0, 1.5]
begin; URI::HTTP.build(host: 'a', userinfo: 'b', opaque: 'x'); rescue => e; e.class; end  #=> URI::InvalidURIError
begin; URI::File.build(userinfo: 'b', path: '/x'); rescue => e; e.class; end  #=> URI::InvalidURIError
begin; URI::HTTP.build(host: 'a b'); rescue => e; [e.class, e.message]; end  #=> [URI::InvalidComponentError, "bad component(expected host component): a b"]
# random numbers
(srand(5); [rand(10), rand(10), rand, rand(1.5), rand(-7), rand(0), rand(3..9), rand(3...4), rand(5..2)])  #=> [3, 6, 0.36373689710058943, 0, 1, 0.48841118879482914, 9, 3, nil]
(srand(2 ** 70 + 3); [rand(100), rand(2 ** 40)])  #=> [45, 1072631760407]
(srand(7); srand(8))  #=> 7
(srand(7); [Random.rand(5), Random.rand, Random.rand(2.5), Random.rand(1.0..2.0), Random.rand(1.0...2.0), rand(-3.5..4)])  #=> [4, 0.7799187922401146, 1.0960230786022338, 1.7234651798977483, 1.9779895119966027, 0.5387190382413172]
(srand(3); a = [1, 2, 3, 4, 5, 6]; [a.shuffle, a.sample, a.shuffle, a])  #=> [[4, 6, 5, 2, 1, 3], 1, [1, 5, 2, 3, 4, 6], [1, 2, 3, 4, 5, 6]]
(srand(3); 5.times.map { rand(100) } == (srand(3); 5.times.map { rand(100) }))  #=> true
(r = Random.new(42); [r.rand, r.rand(10), r.rand(1.5), r.rand(2..4), r.seed, [1, 2, 3].shuffle(random: r), [1, 2, 3].sample(random: r)])  #=> [0.3745401188473625, 7, 0.8979877262955549, 4, 42, [3, 1, 2], 3]
(a = Random.new(1); b = Random.new(1); [a.rand(100), b.rand(100), a.rand(100), b.rand(100)])  #=> [37, 37, 12, 12]
(r = Random.new; r.rand(5).between?(0, 4))  #=> true
Random.new(1).rand(0)  #=> !ArgumentError: invalid argument - 0
Random.new(1).rand(-2)  #=> !ArgumentError: invalid argument - -2
Random.rand(5..2)  #=> !ArgumentError: invalid argument - 5..2
Random.rand(nil)  #=> !ArgumentError: invalid argument - 
(srand(4.7); rand(50))  #=> 46
(srand(-9); rand(50))  #=> 28
(srand(Digest::MD5.hexdigest("a:b").hex); rand(50))  #=> 32
(srand("1"))  #=> !TypeError: no implicit conversion of String into Integer
[rand.class, rand(5).class, (srand.is_a?(Integer))]  #=> [Float, Integer, true]
# named groups set variables
(if /^(?<id>\w+) *(?<op>[<>=]*)/ =~ 'debian >= 8' then [id, op] end)  #=> ["debian", ">="]
(r = /(?<a>x)(?<b>y)?/ =~ 'zx'; [r, a, b])  #=> [1, "x", nil]
(a = 5; r = (/(?<a>x)/ =~ 'z'); [a, r])  #=> [nil, nil]
['k=v', 'x'].map { |l| /(?<key>\w+)=(?<value>\w+)/ =~ l; [key, value] }  #=> [["k", "v"], [nil, nil]]
(raise 'no' unless /(?<id>\w+)/ =~ 'q'; id)  #=> "q"
('abc' =~ /(?<z>b)/; defined?(z).inspect)  #=> "nil"
(x = 'b'; /(?<y>#{x})/ =~ 'abc'; defined?(y).inspect)  #=> "nil"
(/(?<Up>b)(?<low>c)/ =~ 'abc'; low)  #=> "c"
(/(?<a>b)|(?<a>c)/ =~ 'xc'; a)  #=> "c"
(/\(?<n>b/ =~ '(<n>b'; defined?(n).inspect)  #=> "nil"
(/(?<!x)(?<=a)(?<m>b)/ =~ 'ab'; m)  #=> "b"
'a'.count  #=> !ArgumentError: wrong number of arguments (given 0, expected 1+)
'a'.delete  #=> !ArgumentError: wrong number of arguments (given 0, expected 1+)
# serialization round trips
(a = {'x' => ['y', :z], 1 => nil}; b = Marshal.load(Marshal.dump(a)); b['x'] << 1; b['x'][0] << 'q'; [a, b])  #=> [{"x"=>["y", :z], 1=>nil}, {"x"=>["yq", :z, 1], 1=>nil}]
(h = Hash.new(5); h['a'] = 1; c = Marshal.load(Marshal.dump(h)); [c, c['zz']])  #=> [{"a"=>1}, 5]
Marshal.load(Marshal.dump([1, 2.5, 'a', nil, true, :b, 1..2, /x/]))  #=> [1, 2.5, "a", nil, true, :b, 1..2, /x/]
(a = [1]; a << a; begin; Marshal.dump(5); end; a[1].equal?(a))  #=> true
# ways to leave a body with `ensure`
(def ends_a; begin; raise 'a'; ensure; raise ArgumentError, 'b'; end; rescue => e; e.message; end; ends_a)  #=> "b"
(def ends_b; begin; raise 'a'; ensure; return 5; end; end; ends_b)  #=> 5
(def ends_c; begin; raise 'a'; ensure; begin; raise 'x'; rescue; end; [1].each { |q| next }; end; rescue => e; e.message; end; ends_c)  #=> "a"
(def ends_d; [1, 2].each { |x| begin; return x; ensure; begin; raise 'x'; rescue => e; end; end }; end; ends_d)  #=> 1
[3, 4].each { |y| begin; break y; ensure; [9].each { |z| break z }; end }  #=> 3
(catch(:a) { begin; throw :a, 1; ensure; catch(:b) { throw :b, 2 }; end })  #=> 1
# a method that is redefined while it runs
(def twice(n); n; end; a = twice(1); def twice(n); n * 2; end; [a, twice(1)])  #=> [1, 2]
(def given(n); n; end; 3.times.map { |i| eval("def given(n); n + #{i}; end"); given(1) })  #=> [1, 2, 3]
(o = Object.new; a = o.respond_to?(:shout); def o.shout; 'o'; end; [a, o.shout, (Object.new.shout rescue 'none')])  #=> [false, "o", "none"]
# Variables shared by frames: a block with another self, a parameter that a block shadows, reused frames.
x = 1; b = nil; [2].each { |x| b = proc { x } }; [Object.new.instance_eval(&b), b.call, Object.new.instance_eval(&b), b.call]  #=> [2, 2, 2, 2]
x = 1; b = nil; [2].each { |x| b = proc { x += 1 } }; [b.call, Object.new.instance_eval(&b), b.call, x]  #=> [3, 4, 5, 1]
c = Class.new; x = 7; [8].each { |x| c.send(:define_method, :go) { x } }; y = [c.new.go]; [9].each { |x| c.send(:define_method, :go) { x } }; y + [c.new.go]  #=> [8, 9]
x = 10; [1, 2].each { |i; x| x = i }; x  #=> 10
x = 10; r = []; [1, 2].each { |i; x| r << x; x = i; r << x }; [x, r]  #=> [10, [nil, 1, nil, 2]]
r = []; 3.times { |i| y ||= i; r << y }; r  #=> [0, 1, 2]
r = []; 3.times { |i| if i == 0 then z = 5 end; r << z }; r  #=> [5, nil, nil]
procs = []; [1, 2, 3].each { |i| k = i * 2; procs << lambda { k += 1 } if i == 2 }; procs[0].call; procs.map(&:call)  #=> [6]
f = proc { |n| m = n; n.zero? ? [m] : [m] + f.call(n - 1) + [m] }; f.call(3)  #=> [3, 2, 1, 0, 1, 2, 3]
def recb(n) r = []; [n].each { |x| y = x; recb(n - 1) if n > 0; r << y }; r end; recb(4)  #=> [4]
def walk(t) t.map { |x| k = x; x.is_a?(Array) ? walk(x) + [k.size] : k } end; walk([1, [2, [3, 4]], 5])  #=> [1, [2, [3, 4, 2], 2], 5]
def yy(n) yield n; yield n + 1 end; r = []; yy(1) { |a| b = a; yy(a * 10) { |a| r << [a, b] } }; r  #=> [[10, 1], [11, 1], [20, 2], [21, 2]]
def opt(a, b = a * 2, c = b + a) [a, b, c] end; [opt(1), opt(1, 5), opt(1, 5, 7), opt(2)]  #=> [[1, 2, 3], [1, 5, 6], [1, 5, 7], [2, 4, 6]]
def optk(a, b: a * 2, c: b + 1) [a, b, c] end; [optk(1), optk(1, c: 0), optk(3, b: 9)]  #=> [[1, 2, 3], [1, 2, 0], [3, 9, 10]]
def opto(a, *r, z, k: 1, **o, &b) [a, r, z, k, o, b ? b.call : nil] end; [opto(1, 2), opto(1, 2, 3, 4, k: 5, q: 6) { 7 }, opto(1, 2)]  #=> [[1, [], 2, 1, {}, nil], [1, [2, 3], 4, 5, {:q=>6}, 7], [1, [], 2, 1, {}, nil]]
def bg; block_given? end; [bg { }, bg, bg { }, bg]  #=> [true, false, true, false]
def blk(&b) b end; [blk { 1 }.nil?, blk.nil?, blk { 2 }.call, blk.nil?]  #=> [false, true, 2, true]
def by; yield rescue "#{$!.class}" end; [by { 3 }, by, by { 4 }, by]  #=> [3, "LocalJumpError", 4, "LocalJumpError"]
class SupA; def f(a, b = 2) [a, b] end end; class SupB < SupA; def f(a, b = 5) a = a + 1; b += 1; super end end; [SupB.new.f(1), SupB.new.f(1, 1)]  #=> [[2, 6], [2, 2]]
class SupC; def f(a) a end end; class SupD < SupC; def f(a) [9].map { |a| super } end end; SupD.new.f(1)  #=> [1]
class RbA; def go; [1, 2].map { |x| yield x } end end; class RbB; def initialize(&b) @b = b end; def run(*a) instance_exec(*a, &@b) end; def hi; :hi end end; n = 3; z = RbB.new { |x| [1, 2].map { |y| [hi, x, y, n] } }; [z.run(0), z.run(5)]  #=> [[[:hi, 0, 1, 3], [:hi, 0, 2, 3]], [[:hi, 5, 1, 3], [:hi, 5, 2, 3]]]
def rbc; b = proc { |x| return x }; Object.new.instance_exec(7, &b); :not end; [rbc, rbc]  #=> [7, 7]
x = 5; r = []; 2.times { |x| b = lambda { |y = x| [x, y] }; r << b.call << Object.new.instance_exec(9, &b) << b.call(7) }; r  #=> [[0, 0], [0, 9], [0, 7], [1, 1], [1, 9], [1, 7]]
class ZsA; def f(a, k: 1, &b) [a, k, b ? b.call : nil] end end; class ZsB < ZsA; def f(a, k: 2, &b) [1].map { |a; k| k = 9; super }.first end end; [ZsB.new.f(5), ZsB.new.f(6, k: 7) { 8 }]  #=> [[5, 2, nil], [6, 7, 8]]
class ZsC; def f(a) [a] end end; class ZsD < ZsC; def f(a) g = lambda { |a| super }; a = a + 1; g.call(100) end end; ZsD.new.f(1)  #=> [2]
def m_keep; l = []; 3.times { |i| a = i; l << [-> { a }, ->(v) { a = v }] }; l end; l = m_keep; l[0][1].call(9); l.map { |g, _| g.call }  #=> [9, 1, 2]
def counter; n = 0; [-> { n += 1 }, -> { n }] end; a, b = counter; c, d = counter; a.call; a.call; c.call; [b.call, d.call]  #=> [2, 1]
def leaky(x) y = x; $review_p = proc { [x, y] } if x == 1; y = x + 10; end; leaky(1); leaky(2); $review_p.call  #=> [1, 11]
def leaky2(x) y = x; blk = proc { y += 1 }; yield blk; y end; k = nil; [leaky2(1) { |b| b.call; k = b }, leaky2(5) { |b| b.call }, k.call]  #=> [2, 6, 3]
r = []; g = lambda { |n| v = n; [n].each { |q| g.call(n - 1) if n > 0; r << [v, q] } }; g.call(2); r  #=> [[0, 0], [1, 1], [2, 2]]
def rec_default(n, acc = n > 0 ? rec_default(n - 1) : [:end]) acc + [n] end; rec_default(3)  #=> [:end, 0, 1, 2, 3]
# Methods defined after a call was resolved to another method.
class RdA; def go; 1 end end; o = RdA.new; r = []; 3.times { |i| r << o.go; (class RdA; def go; 2 end end) if i == 0 }; r  #=> [1, 2, 2]
class RdB; def go; 1 end end; o = RdB.new; r = []; 3.times { |i| r << o.go; (def o.go; 3 end) if i == 0 }; r  #=> [1, 3, 3]
class RdC; def go; 1 end end; module RdCm; def go; [super, :m] end end; o = RdC.new; r = []; 3.times { |i| r << o.go; o.extend(RdCm) if i == 0 }; r  #=> [1, [1, :m], [1, :m]]
class RdD; def go; 1 end end; module RdDm; def go; [super, :m] end end; o = RdD.new; r = []; 3.times { |i| r << o.go; RdD.prepend(RdDm) if i == 0 }; r  #=> [1, [1, :m], [1, :m]]
class RdE0; def go; 0 end end; class RdE < RdE0; def go; 1 end end; o = RdE.new; r = []; 3.times { |i| r << o.go; RdE.send(:remove_method, :go) if i == 0 }; r  #=> [1, 0, 0]
class RdH; def go; 1 end end; o = RdH.new; r = []; 3.times { |i| r << o.go; RdH.send(:define_method, :go) { :dm } if i == 0 }; r  #=> [1, :dm, :dm]
class RdI; def go; 1 end; def oth; 2 end end; o = RdI.new; r = []; 3.times { |i| r << o.go; RdI.send(:alias_method, :go, :oth) if i == 0 }; r  #=> [1, 2, 2]
class RdJ; end; o = RdJ.new; r = []; 3.times { |i| r << (o.zip rescue :none); RdJ.send(:define_method, :method_missing) { |n, *a| [:mm, n] } if i == 0 }; r  #=> [:none, [:mm, :zip], [:mm, :zip]]
class RdK; def method_missing(n, *a) [:mm, n, a] end; def respond_to_missing?(n, p = false) n.to_s.start_with?("a") end end; o = RdK.new; r = [o.abc(1), o.respond_to?(:abc), o.respond_to?(:b)]; RdK.class_eval { def abc(x) :real end }; r + [o.abc(1), o.method(:ab).call(2)]  #=> [[:mm, :abc, [1]], true, false, :real, [:mm, :ab, [2]]]
class RdL; def self.go; 1 end end; r = []; 3.times { |i| r << RdL.go; (def RdL.go; 2 end) if i == 0 }; r  #=> [1, 2, 2]
class RdM; end; r = []; 3.times { |i| r << (RdM.go rescue :none); RdM.extend(Module.new { def go; :ext end }) if i == 0 }; r  #=> [:none, :ext, :ext]
class RdN; end; o = RdN.new; r = []; 3.times { |i| r << o.to_s.class; (class RdN; def to_s; "x" end; def class; 5 end end) if i == 0; r << o.class.inspect }; r  #=> [String, "5", String, "5", String, "5"]
class RdO; end; o = RdO.new; r = []; 3.times { |i| r << o.nil?; (class RdO; def nil?; :maybe end end) if i == 0 }; r  #=> [false, :maybe, :maybe]
class RdP; end; o = RdP.new; r = []; 3.times { |i| r << (o == 1); (class RdP; def ==(x) :eq end end) if i == 0; r << (o != 1) }; r  #=> [false, false, :eq, false, :eq, false]
class RdQ; attr_reader :v; def initialize; @v = 1 end end; o = RdQ.new; r = []; 3.times { |i| r << o.v; (class RdQ; def v; @v + 10 end end) if i == 0 }; r  #=> [1, 11, 11]
class RdR; attr_accessor :v end; o = RdR.new; r = []; 3.times { |i| o.v = i; r << o.v; (class RdR; def v=(x) @v = x * 100 end end) if i == 0 }; r  #=> [0, 100, 200]
class RdT; def a; b end; private; def b; 1 end end; o = RdT.new; [o.a, (o.b rescue $!.class), o.send(:b), (o.public_send(:b) rescue $!.class)]  #=> [1, NoMethodError, 1, NoMethodError]
class PolA; def v; :a end end; class PolB; def v; :b end end; class PolC; def method_missing(n) n end end; [PolA.new, PolB.new, PolC.new, PolA.new, PolB.new, PolC.new].map { |o| o.v }  #=> [:a, :b, :v, :a, :b, :v]
