# super
(class SupA; def m(a, b = 2); [a, b]; end; end; class SupB < SupA; def m(a, b = 3); super; end; end; SupB.new.m(1))  #=> [1, 3]
(class SupC; def m(*a, **k); [a, k]; end; end; class SupD < SupC; def m(a, *r, k: 1); a = 9; super; end; end; SupD.new.m(1, 2, 3))  #=> [[9, 2, 3], {:k=>1}]
(class SupE; def m; [yield]; end; end; class SupF < SupE; def m; super { 5 }; end; end; SupF.new.m { 6 })  #=> [5]
(class SupG; def m; [yield]; end; end; class SupH < SupG; def m; super; end; end; SupH.new.m { 6 })  #=> [6]
(class SupI; def m(a = 0); a; end; end; class SupJ < SupI; def m(a); super(); end; end; SupJ.new.m(7))  #=> 0
(module SupM; def m; "m" + super; end; end; class SupK; def m; "k"; end; end; class SupL < SupK; include SupM; def m; "l" + super; end; end; SupL.new.m)  #=> "lmk"
(module SupN; def m; "n" + super; end; end; class SupO; prepend SupN; def m; "o"; end; end; SupO.new.m)  #=> "no"
(class SupP; def initialize(a); @a = a; end; attr_reader :a; end; class SupQ < SupP; def initialize(a, b); super(a); @b = b; end; attr_reader :b; end; [SupQ.new(1, 2).a, SupQ.new(1, 2).b])  #=> [1, 2]
(class SupR < StandardError; attr_reader :n; def initialize(n, m); @n = n; super(m); end; def to_s; "[#{@n}]: #{super}"; end; end; begin; raise SupR.new(3, "x"); rescue SupR => e; [e.message, e.n, e.is_a?(StandardError)]; end)  #=> ["[3]: x", 3, true]
(class SupS < StandardError; def initialize(m = "usual"); super; end; end; begin; raise SupS; rescue => e; e.message; end)  #=> "usual"
(class SupT < StandardError; def initialize(m = "usual"); super; end; end; begin; raise SupT, "other"; rescue => e; e.message; end)  #=> "other"
(class SupU; def self.make(a); [a]; end; end; class SupV < SupU; def self.make(a); super + [2]; end; end; SupV.make(1))  #=> [1, 2]
(class SupW; def to_s; "w" + super[0, 2]; end; end; SupW.new.to_s)  #=> "w#<"
(class SupX; def m; super; end; end; SupX.new.m rescue $!.class)  #=> NoMethodError
(class SupY; def respond_to?(n, all = false); n == :zz || super; end; end; [SupY.new.respond_to?(:zz), SupY.new.respond_to?(:yy), SupY.new.respond_to?(:to_s)])  #=> [true, false, true]
(class SupZ < Hash; def fetch(k); super(k.to_s); end; end; h = SupZ.new; h["a"] = 1; [h.fetch(:a), h, h.is_a?(Hash), h.size])  #=> [1, {"a"=>1}, true, 1]
(class SubIp < IPAddr; def initialize(a); super(a); end; def short; to_s + "!"; end; end; [SubIp.new("10.0.0.1").short, SubIp.new("10.0.0.1").ipv4?, SubIp.new("10.0.0.1") == IPAddr.new("10.0.0.1")])  #=> ["10.0.0.1!", true, true]
(class SubText < String; attr_reader :n; def initialize(t, n); super(t); @n = n; end; end; t = SubText.new("ab", 3); [t.upcase, t.n, t + "c", "#{t}", t == "ab", t.length])  #=> ["AB", 3, "abc", "ab", true, 2]
(class SubList < Array; def total; sum; end; end; l = SubList.new; l << 1 << 2; [l.total, l.map { |x| x * 2 }, l])  #=> [3, [2, 4], [1, 2]]
defined?(super)  #=> nil
(class SupDef; def m; defined?(super).inspect; end; def to_s; defined?(super); end; end; SupDef.new.m)  #=> "nil"
# hooks and method_missing
(class Mm; def method_missing(n, *a); "#{n}:#{a.inspect}"; end; def respond_to_missing?(n, all = false); true; end; end; [Mm.new.foo(1, 2), Mm.new.bar])  #=> ["foo:[1, 2]", "bar:[]"]
(class Mm2; def method_missing(n, *a); n == :x ? 1 : super; end; end; [Mm2.new.x, (Mm2.new.y rescue $!.class)])  #=> [1, NoMethodError]
(module Inc; def self.included(base); base.extend(Kls); end; module Kls; def made; "made by #{name}"; end; end; end; class IncA; include Inc; end; IncA.made)  #=> "made by IncA"
(class Inh; def self.inherited(sub); (@subs ||= []) << sub.name; super; end; def self.subs; @subs; end; end; class Inh1 < Inh; end; class Inh2 < Inh; end; Inh.subs)  #=> ["Inh1", "Inh2"]
# define_method and similar methods
(class Dm; %w[a b].each { |n| define_method("get_#{n}") { |x = 1| "#{n}#{x}#{self.class}" } }; end; [Dm.new.get_a, Dm.new.get_b(5)])  #=> ["a1Dm", "b5Dm"]
(class Dm2; define_method(:m) { |a, b| return a if a > b; b }; end; [Dm2.new.m(1, 2), Dm2.new.m(3, 2)])  #=> [2, 3]
(class Dm3; define_method(:m) { |a| a }; end; Dm3.new.m)  #=> !ArgumentError: wrong number of arguments (given 0, expected 1)
(o = Object.new; o.define_singleton_method(:hi) { |x| x + 1 }; [o.hi(1), o.respond_to?(:hi), Object.new.respond_to?(:hi)])  #=> [2, true, false]
(o = Object.new; def o.hi; "hi"; end; o.hi)  #=> "hi"
(o = Object.new; o.instance_variable_set(:@a, 5); [o.instance_variable_get(:@a), o.instance_variables, o.instance_variable_defined?(:@b)])  #=> [5, [:@a], false]
(class Ie; def initialize; @a = 1; end; end; [Ie.new.instance_eval { @a }, Ie.new.instance_exec(4) { |x| @a + x }, Ie.new.instance_eval("@a + 1")])  #=> [1, 5, 2]
(class Ce; end; Ce.class_eval { def x; 1; end }; Ce.class_eval("def y; 2; end"); [Ce.new.x, Ce.new.y])  #=> [1, 2]
(class AmA; def a; 1; end; alias_method :b, :a; alias c a; end; [AmA.new.b, AmA.new.c])  #=> [1, 1]
(class String; alias_method :old_up, :upcase; def upcase; old_up + "!"; end; end; r = "a".upcase; class String; alias_method :upcase, :old_up; end; r)  #=> "A!"
(module ExtA; def hey; "hey #{self}"; end; end; o = "s".dup; o.is_a?(String))  #=> true
(module ExtB; def hey; 1; end; end; o = Object.new; o.extend(ExtB); [o.hey, o.is_a?(Object)])  #=> [1, true]
(module ExtC; extend self; def a; b; end; def b; 3; end; end; ExtC.a)  #=> 3
(module ExtD; module_function; def a; b; end; def b; 3; end; end; ExtD.a)  #=> 3
(module ExtE; class << self; attr_accessor :v; def w; self.v ||= 4; end; end; end; [ExtE.w, ExtE.v])  #=> [4, 4]
(class Cv; @@n = 0; def self.inc; @@n += 1; end; def n; @@n; end; end; Cv.inc; Cv.inc; Cv.new.n)  #=> 2
(class Cv2; def n; @@nope; end; end; Cv2.new.n)  #=> !NameError: uninitialized class variable @@nope in Cv2
(class CiA; @x = 1; class << self; attr_reader :x; end; end; class CiB; @x = 2; class << self; attr_reader :x; end; end; [CiA.x, CiB.x])  #=> [1, 2]
(class Mth; def up(s); s.upcase; end; def all(l); l.map(&method(:up)); end; end; Mth.new.all(%w[a b]))  #=> ["A", "B"]
[1, 2].map(&method(:Float))  #=> [1.0, 2.0]
(k = Class.new { def x; 7; end }; k.new.x)  #=> 7
(Kn = Class.new(StandardError); [Kn.name, Kn.new.message, Kn.superclass])  #=> ["Kn", "Kn", StandardError]
(Kp = Class.new(Array); Kp.new.is_a?(Array))  #=> true
(class Sc; end; class Sd < Sc; end; [Sd.superclass, Sd.ancestors.first(2), Sd < Sc, Sc <= Sc])  #=> [Sc, [Sd, Sc], true, true]
(class Im; def a; end; def b; end; end; [Im.instance_methods(false).sort, Im.method_defined?(:a), Im.method_defined?(:z)])  #=> [[:a, :b], true, false]
(class Send; def pub(a); a; end; end; [Send.new.send(:pub, 1), Send.new.public_send("pub", 2)])  #=> [1, 2]
(class OpA; attr_reader :v; def initialize(v); @v = v; end; def +(o); OpA.new(v + o.v); end; def ==(o); v == o.v; end; def [](i); v * i; end; def -@; OpA.new(-v); end; def !; "not"; end; def coerce(o); [OpA.new(o), self]; end; end; [(OpA.new(1) + OpA.new(2)).v, OpA.new(1) == OpA.new(1), OpA.new(1) != OpA.new(1), OpA.new(3)[4], (-OpA.new(1)).v])  #=> [3, true, false, 12, -1]
# Comparable and Enumerable
(class Cmp; include Comparable; attr_reader :n; def initialize(n); @n = n; end; def <=>(o); n <=> o.n; end; end; a, b = Cmp.new(1), Cmp.new(2); [a < b, a > b, a == Cmp.new(1), a.between?(a, b), [b, a].sort.map(&:n), [a, b].max.n, a.clamp(b, b).n])  #=> [true, false, true, true, [1, 2], 2, 2]
(class Enu; include Enumerable; def each; yield 3; yield 1; yield 2; end; end; e = Enu.new; [e.sort, e.map { |x| x * 2 }, e.include?(2), e.first, e.first(2), e.to_a, e.min, e.reduce(:+), e.sort_by { |x| -x }, e.each_with_index.to_a, e.select(&:odd?), e.each_slice(2).to_a])  #=> [[1, 2, 3], [6, 2, 4], true, 3, [3, 1], [3, 1, 2], 1, 6, [3, 2, 1], [[3, 0], [1, 1], [2, 2]], [3, 1], [[3, 1], [2]]]
(class Enu2; include Enumerable; def each(&b); [[:a, 1], [:b, 2]].each(&b); end; end; [Enu2.new.to_h, Enu2.new.map { |k, v| "#{k}#{v}" }])  #=> [{:a=>1, :b=>2}, ["a1", "b2"]]
# Struct, OpenStruct
(Pt = Struct.new(:x, :y); pt = Pt.new(1, 2); [pt.x, pt[1], pt["x"], pt[:y], pt.to_a, pt.to_h, pt == Pt.new(1, 2), pt.members])  #=> [1, 2, 1, 2, [1, 2], {:x=>1, :y=>2}, true, [:x, :y]]
(Pt2 = Struct.new(:x, :y) do def sum; x + y; end; end; pt = Pt2.new(1, 2); pt.x = 5; pt[:y] = 6; [pt.sum, pt.inspect])  #=> [11, "#<struct Pt2 x=5, y=6>"]
(Pt3 = Struct.new(:x, :y, keyword_init: true); Pt3.new(x: 1, y: 2).to_a)  #=> [1, 2]
(Pt4 = Struct.new(:x); Pt4.new(1, 2))  #=> !ArgumentError: struct size differs
(Pt5 = Struct.new(:x, :y); Pt5.new(1))  #=> #<struct Pt5 x=1, y=nil>
(class Pt6 < Struct.new(:a, :b); def initialize(a, b = 9); super; end; def both; [a, b]; end; end; Pt6.new(1).both)  #=> [1, 9]
(Pt7 = Struct.new(:x, :y); a, b = *Pt7.new(1, 2); [a, b])  #=> [1, 2]
(Pt8 = Struct.new(:x); Pt8.new(1).z)  #=> !NoMethodError: undefined method `z' for #<struct Pt8 x=1>
(Pt9 = Struct.new(:x, :y); Pt9.new(3, 4).map { |v| v * 2 })  #=> [6, 8]
(Pt10 = Struct.new(:x); Pt10.new(1)[:q])  #=> !NameError: no member 'q' in struct
(require "ostruct"; o = OpenStruct.new(a: 1, "b" => 2); o.c = 3; [o.a, o.b, o.c, o.d, o[:a], o.to_h, o.respond_to?(:a), o.respond_to?(:zz)])  #=> [1, 2, 3, nil, 1, {:a=>1, :b=>2, :c=>3}, true, false]
(require "ostruct"; OpenStruct.new(a: "x").inspect)  #=> "#<OpenStruct a=\"x\">"
# Date and Time
(require "date"; d = Date.new(2024, 2, 29); [d.to_s, (d + 1).to_s, (d - 1).to_s, (d >> 12).to_s, (d << 1).to_s, d.leap?, d.yday, d.cweek, d.wday, d.cwday])  #=> ["2024-02-29", "2024-03-01", "2024-02-28", "2025-02-28", "2024-01-29", true, 60, 9, 4, 4]
(require "date"; [Date.parse("2020-03-04").to_s, Date.parse("4 Mar 2020").to_s, Date.parse("20200304").to_s, Date.parse("March 4, 2020").to_s, Date.parse("2020/3/4").to_s])  #=> ["2020-03-04", "2020-03-04", "2020-03-04", "2020-03-04", "2020-03-04"]
(require "date"; Date.parse("nothing"))  #=> !Date::Error: invalid date
(require "date"; Date.new(2023, 2, 29))  #=> !Date::Error: invalid date
(require "date"; [Date.valid_date?(2023, 2, 29), Date.valid_date?(2024, 2, 29), Date.valid_date?(2024, 13, 1)])  #=> [false, true, false]
(require "date"; (Date.new(2024, 3, 1) - Date.new(2024, 2, 1)).to_i)  #=> 29
(require "date"; (Date.new(2024, 3, 1) - Date.new(2024, 2, 1)).inspect)  #=> "(29/1)"
(require "date"; [Date.new(2024, 1, 31).next_month.to_s, Date.new(2024, 3, 31).prev_month.to_s, Date.new(2024, 1, 1).next_year.to_s])  #=> ["2024-02-29", "2024-02-29", "2025-01-01"]
(require "date"; [Date.new(2024, 1, 1) < Date.new(2024, 1, 2), Date.new(2024, 1, 1) == Date.new(2024, 1, 1), [Date.new(2024, 1, 2), Date.new(2024, 1, 1)].min.to_s])  #=> [true, true, "2024-01-01"]
(require "date"; [Date.new(2024, 1, 1).monday?, Date.new(2024, 1, 1).sunday?, Date.new(2024, 5, 6).strftime("%d.%m.%y %A %j")])  #=> [true, false, "06.05.24 Monday 127"]
(require "date"; (Date.new(2024, 1, 30)..Date.new(2024, 2, 2)).map(&:day))  #=> [30, 31, 1, 2]
(require "date"; Date.strptime("03/04/2020", "%d/%m/%Y").to_s)  #=> "2020-04-03"
(require "date"; [DateTime.new(2024, 1, 2, 3, 4, 5).to_s, DateTime.parse("2024-01-02T03:04:05+02:00").to_s, DateTime.parse("2024-01-02 03:04").hour])  #=> ["2024-01-02T03:04:05+00:00", "2024-01-02T03:04:05+02:00", 3]
(require "date"; Date.new(2024, 1, 2).to_time.to_i)  #=> 1704153600
(require "date"; Time.utc(2024, 5, 6, 7).to_date.to_s)  #=> "2024-05-06"
(require "date"; Date::MONTHNAMES[3] + Date::ABBR_DAYNAMES[0])  #=> "MarchSun"
(require "date"; [Date.new(2024, 1, 1).jd, Date.jd(2460311).to_s, Date.new(2024, -1, -1).to_s])  #=> [2460311, "2024-01-01", "2024-12-31"]
(require "time"; Time.parse("2020-01-02 03:04:05 UTC").to_i)  #=> 1577934245
(require "time"; Time.parse("Nov 21 07:03:35 2026 GMT").to_s)  #=> "2026-11-21 07:03:35 +0000"
(require "time"; Time.parse("2020-01-02T03:04:05.25+02:00").to_s)  #=> "2020-01-02 03:04:05 +0200"
(require "time"; Time.parse("Thu, 02 Jan 2020 03:04:05 +0100").utc.to_s)  #=> "2020-01-02 02:04:05 UTC"
(require "time"; Time.parse("3pm 4 May 2021").hour)  #=> 15
(require "time"; Time.parse("no time"))  #=> !ArgumentError: no time information in "no time"
(require "time"; Time.iso8601("2020-01-02T03:04:05Z").to_s)  #=> "2020-01-02 03:04:05 UTC"
(require "time"; Time.strptime("2020-01-02 03", "%Y-%m-%d %H").to_i)  #=> 1577934000
Time.utc(2020, 2, 3, 4, 5, 6).to_s  #=> "2020-02-03 04:05:06 UTC"
Time.gm(2020, "mar").month  #=> 3
Time.new(2020, 1, 1, 0, 0, 0, "+02:00").to_i  #=> 1577829600
Time.utc(2020, 13)  #=> !ArgumentError: mon out of range
[Time.utc(2024, 1, 1).monday?, Time.utc(2024, 1, 1, 10).strftime("%I %p"), (Time.utc(2024, 1, 2) - Time.utc(2024, 1, 1)), Time.utc(2024) < Time.utc(2025)]  #=> [true, "10 AM", 86400.0, true]
Time.utc(2024, 1, 1, 1, 1, 1).httpdate rescue "no"  #=> "Mon, 01 Jan 2024 01:01:01 GMT"
# strings evaluated as code
eval("1 + 2")  #=> 3
(x = 5; eval("x + 1"))  #=> 6
eval("1 +")  rescue 0  #=> !SyntaxError: (eval):1: syntax error, unexpected end-of-input
# setters of a URI
(u = URI("postgres://"); u.host = "h"; u.port = 5432; u.path = "/d"; u.user = "u"; u.password = "p"; u.to_s)  #=> "postgres://u:p@h:5432/d"
(u = URI("http://a:b@x/"); u.user = "c"; u.to_s)  #=> "http://c:b@x/"
(u = URI("http://x/"); u.password = "z"; u.to_s)  #=> !URI::InvalidURIError: password component depends user component
(u = URI("http://a:b@x/"); u.password = nil; u.to_s)  #=> "http://a@x/"
(u = URI("http://a:b@x/"); u.user = nil; u.to_s)  #=> "http://x/"
(u = URI("http://x/"); u.user = "a"; [u.userinfo, u.user, u.password])  #=> ["a", "a", nil]
# modes of files in letters
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); [m.symbolic_mode_to_int('u+rwX,g+rX,o-rwx', 0o644, true), m.symbolic_mode_to_int('u+rwX,g+rX,o-rwx', 0o644)])  #=> [488, 416]
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); %w[0644 a=rx u=rws,g=u o+t,g-w =,u+s].map { |t| m.symbolic_mode_to_int(t, 0o775) })  #=> [420, 365, 2485, 1005, 2048]
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); m.symbolic_mode_to_int('u=rw,g?x'))  #=> !Puppet::Error: Missing action at "g?x" in symbolic mode "u=rw,g?x"
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); m.symbolic_mode_to_int('u-X'))  #=> !Puppet::Error: X only works with the '+' operator in symbolic mode "u-X"
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); m.symbolic_mode_to_int('u=rw,g+q'))  #=> !Puppet::Error: Unknown operation at "g+q" in symbolic mode "u=rw,g+q"
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); m.symbolic_mode_to_int('89'))  #=> !Puppet::Error: Numeric modes must be in octal, not decimal!
(m = Object.new.extend(Puppet::Util::SymbolicFileMode); [m.valid_symbolic_mode?('u=rw,g+x'), m.valid_symbolic_mode?('9'), m.normalize_symbolic_mode('0644'), m.normalize_symbolic_mode(420), m.display_mode('644')])  #=> [true, false, "644", "644", "0644"]
# formats of addresses
URI.encode_www_form({ 'a' => '1 2', :b => [3, 'ü'], 'c' => nil })  #=> "a=1+2&b=3&b=%C3%BC&c"
URI.encode_www_form([['q', 'x&y'], ['z']])  #=> "q=x%26y&z"
# timeouts
Timeout.timeout(5) { |s| s + 1 }  #=> 6
# constants of Ruby below Puppet
Puppet::ArgumentError  #=> !NameError: uninitialized constant Puppet::ArgumentError
Puppet::DataBinding::LookupError.new('x').message  #=> "x"
# paths that are not strings
File.exist?(nil)  #=> !TypeError: no implicit conversion of nil into String
File.file?(5)  #=> !TypeError: no implicit conversion of Integer into String
File.directory?([1])  #=> !TypeError: no implicit conversion of Array into String
File.basename(nil)  #=> !TypeError: no implicit conversion of nil into String
File.basename({})  #=> !TypeError: no implicit conversion of Hash into String
File.basename('a.b', nil)  #=> !TypeError: no implicit conversion of nil into String
File.dirname(1)  #=> !TypeError: no implicit conversion of Integer into String
File.extname(true)  #=> !TypeError: no implicit conversion of true into String
File.read(nil)  #=> !TypeError: no implicit conversion of nil into String
Dir.exist?(nil)  #=> !TypeError: no implicit conversion of nil into String
Dir.glob(nil)  #=> !TypeError: no implicit conversion of nil into String
File.absolute_path?(nil)  #=> !TypeError: no implicit conversion of nil into String
File.expand_path(nil)  #=> !TypeError: no implicit conversion of nil into String
[File.basename('.bashrc', '.*'), File.basename('.conf', '.conf'), File.basename('a.tar.gz', '.*'), File.basename('/x/a.conf', '.conf')]  #=> [".bashrc", ".conf", "a.tar", "a"]
[File.executable?('/nowhere/x'), File.writable?('/nowhere/x')]  #=> [false, false]
URI(5)  #=> !ArgumentError: bad argument (expected URI object or URI string)
URI.parse([1])  #=> !URI::InvalidURIError: bad URI(is not URI?): [1]
URI.parse(nil)  #=> !URI::InvalidURIError: bad URI(is not URI?): nil
IPAddr.new(5)  #=> !IPAddr::AddressFamilyError: address family must be specified
IPAddr.new(nil)  #=> !IPAddr::AddressFamilyError: address family must be specified
IPAddr.new(5, 3)  #=> !IPAddr::AddressFamilyError: unsupported address family: 3
# lists and versions
[Array[1, 2], Array[], Array[[1], nil]]  #=> [[1, 2], [], [[1], nil]]
[(''..'foo').to_a, ('a'..'e').to_a, ('y'..'ab').to_a, ('08'..'11').to_a]  #=> [[""], ["a", "b", "c", "d", "e"], [], ["08", "09", "10", "11"]]
[1, 2, 3, 4, 5, 6, 7, 8, 9].sample(4, random: Random.new(5))  #=> [4, 8, 7, 1]
(1..40).to_a.sample(20, random: Random.new(7))  #=> [5, 27, 6, 23, 28, 34, 21, 31, 17, 35, 25, 22, 39, 12, 14, 15, 7, 3, 26, 32]
[[1, 2, 3].sample(0), [].sample(3), [1, 2, 3].sample(5, random: Random.new(3)), [1, 2].sample(1, random: Random.new(3))]  #=> [[], [], [3, 1, 2], [1]]
[1, 2].sample(-1)  #=> !ArgumentError: negative sample number
Gem::Version.new('a=1')  #=> !ArgumentError: Malformed version number string a=1
Gem::Version.new('1.2-x..')  #=> !ArgumentError: Malformed version number string 1.2-x..
[Gem::Version.new(' 1.2.b3 '), Gem::Version.new('1.0-rc.1'), Gem::Version.new(5)].map(&:to_s)  #=> ["1.2.b3", "1.0.pre.rc.1", "5"]
(d = Digest::MD5.new; 5.times { d << 'ab' }; [d.hexdigest, d.hexdigest('x'), d.reset.hexdigest])  #=> ["25be798d7e111e9fadb6769931ded8c2", "9dd4e461268c8034f5c8564e155c67a6", "d41d8cd98f00b204e9800998ecf8427e"]
