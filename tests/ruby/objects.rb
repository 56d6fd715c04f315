# Singleton methods, enumerators, subclasses of Ruby's classes, libraries written in Ruby.
# freeze
"a".freeze.frozen?  #=> true
["a".dup.frozen?, :a.frozen?, 1.frozen?, nil.frozen?, 1.5.frozen?, (1..2).frozen?, Object.frozen?, [].frozen?, {}.frozen?, /a/.frozen?, Object.new.frozen?, true.frozen?, "a#{1}".frozen?, :"a#{1}".frozen?]  #=> [false, true, true, true, true, true, false, false, false, true, false, true, false, true]
(s = "a".dup.freeze; s << "b")  #=> !FrozenError: can't modify frozen String: "a"
(s = "abc".dup.freeze; s.upcase!)  #=> !FrozenError: can't modify frozen String: "abc"
(s = "abc".dup.freeze; s.gsub!(/x/, ''))  #=> !FrozenError: can't modify frozen String: "abc"
(s = "abc".dup.freeze; s[0] = "x")  #=> !FrozenError: can't modify frozen String: "abc"
(s = "abc".dup.freeze; [s.dup.frozen?, s.clone.frozen?, s.clone(freeze: false).frozen?, (+s).frozen?, (-s).frozen?, s.upcase.frozen?, s.to_s.frozen?, s.itself.frozen?])  #=> [false, true, false, false, true, false, true, true]
(a = [1, 2].freeze; a << 3)  #=> !FrozenError: can't modify frozen Array: [1, 2]
(a = [1, 2].freeze; a.push(3))  #=> !FrozenError: can't modify frozen Array: [1, 2]
(a = [1, 2].freeze; a[0] = 3)  #=> !FrozenError: can't modify frozen Array: [1, 2]
(a = [3, 1].freeze; a.sort!)  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; a.map! { |x| x })  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; a.concat([1]))  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; a.delete(3))  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; a.delete(9))  #=> nil
(a = [3, 1].freeze; a.pop)  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; a.clear)  #=> !FrozenError: can't modify frozen Array: [3, 1]
(a = [3, 1].freeze; [a.sort, a.map { |x| x + 1 }, a + [1], a.dup << 4, a.frozen?, a.dup.frozen?, a.clone.frozen?])  #=> [[1, 3], [4, 2], [3, 1, 1], [3, 1, 4], true, false, true]
(h = {a: 1}.freeze; h[:b] = 1)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.store(:b, 1))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.delete(:a))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.merge!(b: 1))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.update(b: 1))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.default = 3)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; [h.merge(b: 2), h.frozen?, h.dup.frozen?, h[:a]])  #=> [{:a=>1, :b=>2}, true, false, 1]
(class FrzB; def initialize; @v = 1; freeze; end; def m; @v = 2; end; end; FrzB.new.m rescue [$!.class, $!.is_a?(RuntimeError)])  #=> [FrozenError, true]
(FRZ = %w[a b].freeze; FRZ.include?("a"))  #=> true
(FRZH = {'a' => 'b'.freeze}.freeze; FRZH['a'] << 'c')  #=> !FrozenError: can't modify frozen String: "b"
(a = ["x", "y"].map(&:freeze).freeze; a.all?(&:frozen?))  #=> true
(s = Set[1].freeze; s << 2)  #=> !FrozenError: can't modify frozen Hash: {1=>true}
(s = Set[1].freeze; s.frozen?)  #=> true
:a.to_s.frozen?  #=> false
1.to_s.frozen?  #=> false
nil.to_s.frozen?  #=> true
true.to_s.frozen?  #=> true
begin; "x".freeze << "y"; rescue FrozenError => e; [e.message, e.receiver]; end  #=> ["can't modify frozen String: \"x\"", "x"]
begin; [1].freeze << 1; rescue RuntimeError => e; e.message; end  #=> "can't modify frozen Array: [1]"
(CONST_STR = "abc".freeze; CONST_STR.sub("a", "b"))  #=> "bbc"
(s = "abc".freeze; s += "d"; s)  #=> "abcd"
(a = [1].freeze; a += [2]; a)  #=> [1, 2]
(a = [1].freeze; a |= [2]; a)  #=> [1, 2]
(a = [[1]].freeze; a[0] << 2; a)  #=> [[1, 2]]
(a = "b".freeze; a.concat("x"))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.replace("x"))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.insert(0, "x"))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.prepend("x"))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.strip!)  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.clear)  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.force_encoding("UTF-8"))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.slice!(0))  #=> !FrozenError: can't modify frozen String: "b"
(a = "b".freeze; a.squeeze!)  #=> !FrozenError: can't modify frozen String: "b"
(a = [1].freeze; a.unshift(1))  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.insert(0, 1))  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.uniq!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.compact!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.flatten!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.reject! { |x| x })  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.select! { |x| x })  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.delete_if { |x| x })  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.keep_if { |x| x })  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.shift)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.reverse!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.rotate!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.shuffle!)  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.fill(0))  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.replace([2]))  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.delete_at(0))  #=> !FrozenError: can't modify frozen Array: [1]
(a = [1].freeze; a.slice!(0))  #=> !FrozenError: can't modify frozen Array: [1]
(h = {a: 1}.freeze; h.clear)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.reject! { |k, v| v })  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.select! { |k, v| v })  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.keep_if { |k, v| v })  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.delete_if { |k, v| v })  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.transform_values!(&:to_s))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.transform_keys!(&:to_s))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.compact!)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.shift)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.replace({}))  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = {a: 1}.freeze; h.rehash)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
(h = Hash.new { |hh, k| hh[k] = 1 }.freeze; h[:a])  #=> !FrozenError: can't modify frozen Hash: {}
# singleton methods
(o = Object.new; class << o; def hi; "hi"; end; attr_accessor :z; end; o.z = 4; [o.hi, o.z, o.singleton_methods.sort])  #=> ["hi", 4, [:hi, :z, :z=]]
(s = "abc".dup; def s.shout; upcase + "!"; end; [s.shout, s.singleton_methods, s.respond_to?(:shout), "abc".respond_to?(:shout)])  #=> ["ABC!", [:shout], true, false]
(a = [1, 2]; def a.total; sum; end; [a.total, a.dup.respond_to?(:total), a.clone.respond_to?(:total)])  #=> [3, false, true]
(h = {a: 1}; class << h; def only; self[:a]; end; end; h.only)  #=> 1
(h = {a: 1}; h.define_singleton_method(:two) { size * 2 }; h.two)  #=> 2
(h = {a: 1}; def h.[](k); "own #{k}"; end; [h[:a], h.fetch(:a)])  #=> ["own a", 1]
(h = {a: 1}; def h.fetch(k); super(k) + 1; end; h.fetch(:a))  #=> 2
(s = "x".dup; s.extend(Module.new { def yo; "yo #{self}"; end }); s.yo)  #=> "yo x"
(o = Object.new; o.singleton_class.send(:define_method, :q) { 5 }; o.q)  #=> 5
(o = Object.new; o.singleton_class.class_eval { def r; 6; end }; o.r)  #=> 6
(x = 5; def x.foo; end)  #=> !TypeError: can't define singleton
(x = :a; def x.foo; end)  #=> !TypeError: can't define singleton
(class SgA; class << self; private; def hid; 1; end; public; def pub; hid; end; end; end; [SgA.pub, (SgA.hid rescue $!.message)])  #=> [1, "private method `hid' called for SgA:Class"]
(class SgB; class << self; def a; 1; end; alias b a; end; end; SgB.b)  #=> 1
(class SgC; end; def SgC.x; 3; end; SgC.x)  #=> 3
(class SgD; end; SgD.define_singleton_method(:y) { |v = 2| v * 2 }; [SgD.y, SgD.y(5)])  #=> [4, 10]
(class SgE; def self.a; 1; end; private_class_method :a; end; SgE.a)  #=> !NoMethodError: private method `a' called for SgE:Class
(o = Object.new; def o.to_s; "own"; end; "#{o}")  #=> "own"
(o = Object.new; def o.==(x); true; end; o == 5)  #=> true
(o = Object.new; def o.method_missing(n, *a); [n, a]; end; o.foo(1))  #=> [:foo, [1]]
(o = Object.new; def o.each; yield 1; yield 2; end; o.extend(Enumerable); o.map { |x| x * 3 })  #=> [3, 6]
(o = Object.new; def o.x; 1; end; o.method(:x).call)  #=> 1
(o = Object.new; def o.x; 1; end; o.clone.x)  #=> 1
(l = lambda { |x| x }; def l.name; "n"; end; [l.name, l.call(3)])  #=> ["n", 3]
(e = RuntimeError.new("m"); def e.extra; 1; end; begin; raise e; rescue => x; x.extra; end)  #=> 1
# Enumerator
(e = [1, 2, 3].each; [e.next, e.next, e.next, (begin; e.next; rescue StopIteration => x; x.message; end)])  #=> [1, 2, 3, "iteration reached an end"]
(e = [1, 2, 3].each; [e.peek, e.next, e.peek, e.next, e.next, (e.peek rescue $!.class)])  #=> [1, 1, 2, 2, 3, StopIteration]
(e = Enumerator.new { |y| y << 1 << 2; y.yield 3; y.yield 4, 5 }; [e.to_a, e.next, e.next, e.map { |x| x }, e.size, e.first(2)])  #=> [[1, 2, 3, [4, 5]], 1, 2, [1, 2, 3, 4], nil, [1, 2]]
(fib = Enumerator.new { |y| a, b = 0, 1; loop { y << a; a, b = b, a + b } }; [fib.take(8), fib.first(5), fib.lazy.select(&:even?).first(4), fib.next, fib.next, fib.next])  #=> [[0, 1, 1, 2, 3, 5, 8, 13], [0, 1, 1, 2, 3], [0, 2, 8, 34], 0, 1, 1]
(e = [1, 2].each; r = []; loop { r << e.next }; r)  #=> [1, 2]
(e = [1, 2].each; loop { e.next })  #=> [1, 2]
(e = [1, 2].each; e.next; e.rewind; e.next)  #=> 1
(e = [1, 2].each; [e.size, e.inspect, e.class])  #=> [2, "#<Enumerator: [1, 2]:each>", Enumerator]
(e = Enumerator.new(3) { |y| y << 1 }; e.size)  #=> 3
%w[a b c].each.with_index(1).to_a  #=> [["a", 1], ["b", 2], ["c", 3]]
%w[a b c].each.with_index(1).map { |x, i| "#{i}#{x}" }  #=> ["1a", "2b", "3c"]
%w[a b c].map.with_index { |x, i| x * i }  #=> ["", "b", "cc"]
%w[a b c].each_with_index.to_a  #=> [["a", 0], ["b", 1], ["c", 2]]
%w[a b c].select.with_index { |x, i| i > 0 }  #=> ["b", "c"]
%w[a b c].each.with_object([]).to_a  #=> [["a", []], ["b", []], ["c", []]]
%w[a b].each_with_index.with_index(5).to_a  #=> [[["a", 0], 5], [["b", 1], 6]]
(e = %w[a b].cycle; [e.next, e.next, e.next])  #=> ["a", "b", "a"]
(e = [1,2,3].each_slice(2); [e.next, e.next, (e.next rescue "end")])  #=> [[1, 2], [3], "end"]
(e = {a: 1, b: 2}.each; [e.next, e.next])  #=> [[:a, 1], [:b, 2]]
(e = "ab".each_char; [e.next, e.next])  #=> ["a", "b"]
(e = 3.times; [e.next, e.next, e.size])  #=> [0, 1, 3]
(e = 1.upto(3); [e.next, e.to_a])  #=> [1, [1, 2, 3]]
(e = 1.step(10, 4); [e.next, e.to_a])  #=> [1, [1, 5, 9]]
(e = (1..Float::INFINITY).each; [e.next, e.next])  #=> [1, 2]
(1..Float::INFINITY).lazy.map { |x| x * 2 }.select { |x| x % 3 == 0 }.first(2)  #=> [6, 12]
(1..).lazy.map { |x| x * 2 }.take(3).to_a  #=> [2, 4, 6]
(1..).each_slice(2).first(2)  #=> [[1, 2], [3, 4]]
(1..20).lazy.select(&:even?).reject { |x| x % 4 == 0 }.map { |x| x + 1 }.to_a  #=> [3, 7, 11, 15, 19]
(1..3).lazy.inspect  #=> "#<Enumerator::Lazy: 1..3>"
(1..3).lazy.flat_map { |x| [x, x] }.to_a  #=> [1, 1, 2, 2, 3, 3]
(1..3).lazy.zip(4..6).to_a  #=> [[1, 4], [2, 5], [3, 6]]
(1..).lazy.take_while { |x| x < 4 }.to_a  #=> [1, 2, 3]
(1..).lazy.drop(2).first(2)  #=> [3, 4]
(1..).lazy.with_index.map { |x, i| x * i }.first(3)  #=> [0, 2, 6]
(1..4).lazy.uniq { |x| x % 2 }.to_a  #=> [1, 2]
(1..4).lazy.eager.class  #=> Enumerator
(1..4).lazy.force  #=> [1, 2, 3, 4]
(1..4).lazy.filter_map { |x| x * 2 if x.even? }.to_a  #=> [4, 8]
(1..4).lazy.include?(3)  #=> true
loop { break 5 }  #=> 5
(r = loop { raise StopIteration, "m" }; r)  #=> nil
(i = 0; loop { i += 1; next if i < 3; break i })  #=> 3
(class EnB; def each; return to_enum(:each) unless block_given?; yield 1; yield 2; end; include Enumerable; end; e = EnB.new.each; [e.next, e.next, (e.next rescue $!.class), EnB.new.each.with_index.to_a])  #=> [1, 2, StopIteration, [[1, 0], [2, 1]]]
(class EnC; def nums; return enum_for(:nums) unless block_given?; 3.times { |i| yield i }; end; end; EnC.new.nums.map { |x| x + 1 })  #=> [1, 2, 3]
(class EnD; include Enumerable; def each; return enum_for(__method__) unless block_given?; yield :a; end; end; EnD.new.each.to_a)  #=> [:a]
(def gen; return to_enum(__method__) unless block_given?; yield 1; yield 2; end; gen.to_a)  #=> [1, 2]
Enumerator.produce(1) { |x| x * 2 }.take(5)  #=> [1, 2, 4, 8, 16]
Enumerator.produce([1, 1]) { |a, b| [b, a + b] }.lazy.map(&:first).first(5)  #=> [1, 1, 2, 3, 5]
Enumerator.produce { 3 }.first(2)  #=> [3, 3]
([1, 2].each + [3]).to_a  #=> [1, 2, 3]
[1, 2].each.next_values  #=> [1]
(e = [1,2,3].map; e.with_index { |x, i| [i, x] })  #=> [[0, 1], [1, 2], [2, 3]]
(e = Enumerator.new { |y| y << 1; y << 2; :done }; e.next; e.next; begin; e.next; rescue StopIteration => x; x.result; end)  #=> :done
(e = Enumerator.new { |y| 3.times { |i| y.yield(i, i * 2) } }; [e.to_a, e.next, e.each_with_index.to_a, e.to_h])  #=> [[[0, 0], [1, 2], [2, 4]], [0, 0], [[[0, 0], 0], [[1, 2], 1], [[2, 4], 2]], {0=>0, 1=>2, 2=>4}]
(o = Enumerator.new { |y| y << 1 << 2 }; o.each { |x| x }.class)  #=> Enumerator::Yielder
(o = Enumerator.new { |y| y << 1 << 2 }; [o.include?(2), o.sort, o.reduce(:+), o.zip([3, 4]), o.each_slice(1).to_a, o.with_index(1).to_a, o.min, o.count, o.rewind.class])  #=> [true, [1, 2], 3, [[1, 3], [2, 4]], [[1], [2]], [[1, 1], [2, 2]], 1, 2, Enumerator]
Enumerator::Yielder  #=> Enumerator::Yielder
Enumerator::Lazy  #=> Enumerator::Lazy
[4, 5].each_entry.to_a  #=> [4, 5]
[1, 2, 3].each_cons(2).next  #=> [1, 2]
(Enumerator.new { |y| y << 1; raise "bad" }.to_a rescue $!.message)  #=> "bad"
(a = [1,2,3].each; b = [4,5,6].each; r = []; loop { r << a.next + b.next }; r)  #=> [5, 7, 9]
# Hash/Array/String subclasses
(class HsA < Hash; def initialize(x = nil); super(); self[:x] = x; end; end; h = HsA.new(3); [h, h.class, h.to_h.class, h.is_a?(Hash), h.merge(a: 1).class, h.dup.class, h.select { true }.class, h == {x: 3}, h[:x], h.inspect, h.to_s, h.map { |k, v| v }])  #=> [{:x=>3}, HsA, Hash, true, HsA, HsA, Hash, true, 3, "{:x=>3}", "{:x=>3}", [3]]
(class HsB < Hash; def [](k); super(k.to_s); end; def []=(k, v); super(k.to_s, v); end; end; h = HsB.new; h[:a] = 1; [h, h[:a], h["a"], h.keys])  #=> [{"a"=>1}, 1, 1, ["a"]]
(class HsC < Hash; def method_missing(n, *a); key?(n) ? self[n] : super; end; def respond_to_missing?(n, p = false); key?(n) || super; end; end; h = HsC.new; h[:foo] = 7; [h.foo, h.respond_to?(:foo), (h.bar rescue $!.class)])  #=> [7, true, NoMethodError]
(class HsD < Hash; end; HsD[a: 1])  #=> {:a=>1}
(class HsD2 < Hash; end; h = HsD2.new(5); [h[:x], h.fetch(:x, 3)])  #=> [5, 3]
(class HsD3 < Hash; end; h = HsD3.new { |hh, k| hh[k] = k * 2 }; [h[2], h])  #=> [4, {2=>4}]
(class HsE < Array; def initialize(*a); super(a); end; def second; self[1]; end; end; l = HsE.new(1, 2); [l, l.second, l.class, l.map { |x| x }.class, l + [1], (l + [1]).class, l.dup.class, l.reverse.class, l == [1, 2], [1, 2] == l, l.join("-"), "#{l}", [0, *l], [l].flatten])  #=> [[1, 2], 2, HsE, Array, [1, 2, 1], Array, HsE, Array, true, true, "1-2", "[1, 2]", [0, 1, 2], [1, 2]]
(class HsF < Array; end; HsF[1, 2])  #=> [1, 2]
(class HsF2 < Array; end; HsF2.new(2) { |i| i })  #=> [0, 1]
(class HsG < String; def initialize(s); super(s.upcase); end; def wow; self + "!"; end; end; s = HsG.new("a"); [s, s.class, s.wow, s.wow.class, s == "A", "A" == s, s.length, "#{s}b", s.to_s.class, s.upcase.class, s.dup.class, {"A" => 1}[s], s =~ /A/, s.is_a?(String), String === s, s <=> "B", [s, "B"].join, s.to_sym])  #=> ["A", HsG, "A!", String, true, true, 1, "Ab", String, String, HsG, 1, 0, true, true, -1, "AB", :A]
(class HsH < Hash; def to_s; "HH"; end; end; "#{HsH.new}")  #=> "HH"
(class HsI < Hash; attr_accessor :n; end; h = HsI.new; h.n = 3; h[:b] = 1; [h.n, h.size, h.each_pair.to_a, h.to_a, h.sort.to_a, h.any?, h.empty?])  #=> [3, 1, [[:b, 1]], [[:b, 1]], [[:b, 1]], true, false]
(class HsJ < Hash; def initialize(h); super(); merge!(h); end; end; x = HsJ.new({a: 1}); x.each { |k, v| }; [x, x.to_json, {b: 2}.merge(x), x.class.name])  #=> [{:a=>1}, "{\"a\":1}", {:b=>2, :a=>1}, "HsJ"]
(class HsK < String; end; s = HsK.new("abc"); [s.sub("a", "b"), s.split("b"), s[0], s % [], s * 2, s.frozen?, s.hash == "abc".hash, s.eql?("abc"), s.inspect])  #=> ["bbc", ["a", "c"], "a", "abc", "abcabc", false, true, true, "\"abc\""]
(class HsL < Array; def <<(x); super(x * 2); end; end; l = HsL.new; l << 1 << 2; l.push(5); l)  #=> [2, 4, 5]
(class HsM < Array; def each; super { |x| yield x + 1 }; end; end; l = HsM[1, 2]; r = []; l.each { |x| r << x }; [r, l.map { |x| x }, l.to_a])  #=> [[2, 3], [1, 2], [1, 2]]
(class HsN < Set; end; s = HsN.new([1]); [s.include?(1), s.class, s.size])  #=> [true, HsN, 1]
(class HsO < Struct.new(:a, :b); def sum; a + b; end; end; HsO.new(1, 2).sum)  #=> 3
(case Class.new(Hash).new when Hash then 1 else 2 end)  #=> 1
Array(Class.new(Array).new([1, 2]))  #=> [1, 2]
Class.new(Hash).new.merge({a: 1}).to_a  #=> [[:a, 1]]
# CSV
(require 'csv'; CSV.parse("a,b\n1,2\n"))  #=> [["a", "b"], ["1", "2"]]
(require 'csv'; CSV.parse("a,\"b \"\"q\"\"\",\n1,\"x\ny\",3\n"))  #=> [["a", "b \"q\"", nil], ["1", "x\ny", "3"]]
(require 'csv'; CSV.parse_line("a,b,c"))  #=> ["a", "b", "c"]
(require 'csv'; CSV.parse("a;b\n1;2", col_sep: ";"))  #=> [["a", "b"], ["1", "2"]]
(require 'csv'; CSV.parse("a,b\n1,2\n3,4\n", headers: true).map(&:to_h))  #=> [{"a"=>"1", "b"=>"2"}, {"a"=>"3", "b"=>"4"}]
(require 'csv'; CSV.parse("a,b\n1,2\n", headers: true, header_converters: :symbol).map(&:to_h))  #=> [{:a=>"1", :b=>"2"}]
(require 'csv'; CSV.parse("1,2.5,x,\n", converters: :numeric))  #=> [[1, 2.5, "x", nil]]
(require 'csv'; CSV.parse("1,2.5,x\n", converters: :all))  #=> [[1, 2.5, "x"]]
(require 'csv'; CSV.generate { |c| c << ["a", 1, nil, "x,y", "q\"r", ""] ; c << [] })  #=> "a,1,,\"x,y\",\"q\"\"r\",\"\"\n\n"
(require 'csv'; CSV.generate(col_sep: ";", force_quotes: true) { |c| c << ["a", 1, nil] })  #=> "\"a\";\"1\";\"\"\n"
(require 'csv'; CSV.generate_line(["a", "b c", "d,e", "l\nm"]))  #=> "a,b c,\"d,e\",\"l\nm\"\n"
(require 'csv'; ["a", "b,c"].to_csv)  #=> "a,\"b,c\"\n"
(require 'csv'; "a,b".parse_csv)  #=> ["a", "b"]
(require 'csv'; CSV.parse("a,\"b"))  #=> !CSV::MalformedCSVError: Unclosed quoted field in line 1.
(require 'csv'; CSV.parse("a,b\"c\n"))  #=> !CSV::MalformedCSVError: Illegal quoting in line 1.
(require 'csv'; begin; CSV.parse("a,\"b"); rescue CSV::MalformedCSVError => e; [e.message, e.class.superclass]; end)  #=> ["Unclosed quoted field in line 1.", RuntimeError]
(require 'csv'; CSV.parse("\n\na,b\n\n"))  #=> [[], [], ["a", "b"], []]
(require 'csv'; CSV.parse("\n\na,b\n\n", skip_blanks: true))  #=> [["a", "b"]]
(require 'csv'; CSV.parse("a,b\r\nc,d\r\n"))  #=> [["a", "b"], ["c", "d"]]
(require 'csv'; CSV.parse(""))  #=> []
(require 'csv'; CSV.parse("# c\na,b", skip_lines: /^#/))  #=> [["a", "b"]]
(require 'csv'; r = []; CSV.parse("x,1\ny,2") { |row| r << row[0] }; r)  #=> ["x", "y"]
(require 'csv'; CSV.parse("a,b\n1\n", headers: %w[p q]).map(&:to_h))  #=> [{"p"=>"a", "q"=>"b"}, {"p"=>"1", "q"=>nil}]
(require 'csv'; CSV.new("a,b\nc,d").read)  #=> [["a", "b"], ["c", "d"]]
(require 'csv'; CSV.new("a,b\nc,d").each.to_a)  #=> [["a", "b"], ["c", "d"]]
(require 'csv'; CSV.new("a,b\nc,d").map { |r| r.join("-") })  #=> ["a-b", "c-d"]
(require 'csv'; r = CSV.parse("a,b\n1,2", headers: true)[0]; [r["a"], r[1], r.to_h, r.header?("a"), r.fetch("a"), r.to_a, r.each.to_a, r.headers, r.to_s, r.inspect])  #=> ["1", "2", {"a"=>"1", "b"=>"2"}, true, "1", [["a", "1"], ["b", "2"]], [["a", "1"], ["b", "2"]], ["a", "b"], "1,2\n", "#<CSV::Row \"a\":\"1\" \"b\":\"2\">"]
(require 'csv'; CSV.generate(headers: %w[a b], write_headers: true) { |c| c << [1, 2] })  #=> "a,b\n1,2\n"
# REXML
(require 'rexml/document'; d = REXML::Document.new("<a x='1'><b>t</b><b>u</b><c/></a>"); [d.root.name, d.root.attributes["x"], d.root.elements["b"].text, d.root.elements.to_a("b").map(&:text), d.elements["a/c"].name, d.root.elements.size, d.root.elements.each("b") { |e| e }.size])  #=> ["a", "1", "t", ["t", "u"], "c", 3, 2]
(require 'rexml/document'; d = REXML::Document.new("<a><b id='1'>x &amp; y</b><b id='2'/></a>"); [REXML::XPath.first(d, "//b").text, REXML::XPath.match(d, "//b[@id='2']").size, REXML::XPath.first(d, "/a/b[2]").attributes["id"], REXML::XPath.each(d, "//b") { |e| e }.class, d.to_s, d.root.to_s])  #=> ["x & y", 1, "2", Array, "<a><b id='1'>x &amp; y</b><b id='2'/></a>", "<a><b id='1'>x &amp; y</b><b id='2'/></a>"]
(require 'rexml/document'; REXML::Document.new("<a><b></a>"))  #=> !REXML::ParseException: Missing end tag for 'b' (got 'a')
# Zlib
(require 'delegate'; class DlA < SimpleDelegator; def extra; "e#{size}"; end; end; x = DlA.new([1, 2]); [x.extra, x.first, x == [1, 2], x.is_a?(Array), x.__getobj__])  #=> ["e2", 1, true, false, [1, 2]]
(require 'forwardable'; class FwA; extend Forwardable; def_delegators :@l, :size, :<<, :first; def_delegator :@l, :join, :glue; def initialize; @l = [1, 2]; end; end; f = FwA.new; f << 3; [f.size, f.first, f.glue("-")])  #=> [3, 1, "1-2-3"]
(require 'singleton'; class SiA; include Singleton; attr_accessor :v; end; SiA.instance.v = 3; [SiA.instance.v, SiA.instance.equal?(SiA.instance), (SiA.new rescue $!.message)])  #=> [3, true, "private method `new' called for SiA:Class"]
(require 'tsort'; class TsA < Hash; include TSort; alias tsort_each_node each_key; def tsort_each_child(n, &b) fetch(n).each(&b) end; end; x = TsA.new; x[1] = [2]; x[2] = []; x.tsort)  #=> [2, 1]
(m = Mutex.new; m.synchronize { 5 })  #=> 5
(require 'monitor'; Monitor.new.synchronize { 6 })  #=> 6
(require 'tmpdir'; Dir.mktmpdir { |d| File.write("#{d}/x", "1"); File.read("#{d}/x") })  #=> "1"
Marshal.load(Marshal.dump({a: [1, "x"]}))  #=> {:a=>[1, "x"]}
(a = {a: [1]}; b = Marshal.load(Marshal.dump(a)); b[:a] << 2; [a, b])  #=> [{:a=>[1]}, {:a=>[1, 2]}]
(a, (b, *c), d = 1, [2, 3, 4], 5; [a, b, c, d])  #=> [1, 2, [3, 4], 5]
Kernel.format("%05.1f", 3.14159)  #=> "003.1"
[1, 2, 3].sum.fdiv(2)  #=> 3.0
Process.clock_gettime(Process::CLOCK_MONOTONIC).class  #=> Float
Process.pid.class  #=> Integer
__FILE__.class  #=> String
Random.new(3).rand(10)  #=> 8
[1,2,3].shuffle(random: Random.new(1))  #=> [1, 3, 2]
[1,2,3].sample(random: Random.new(1))  #=> 2
(->(x) { x } >> ->(y) { y + 1 }).call(1)  #=> 2
Integer("z", exception: false)  #=> nil
Float("x", exception: false)  #=> nil
Integer("12", exception: false)  #=> 12
# constants of class << self
(module CsSelf; class << self; CSA = 5; def a; CSA; end; end; end; CsSelf.a)  #=> 5
(o = Object.new.freeze; o.instance_variable_set(:@a, 1) rescue $!.class)  #=> FrozenError
(s = "ab".freeze; s.each_char.to_a.map(&:frozen?))  #=> [false, false]
(s = "x"; t = s.to_s; t << "y"; s)  #=> "xy"
(require 'rexml/document'; d = REXML::Document.new("<?xml version='1.0'?>\n<a>\n <b n='1'>t<![CDATA[<x>]]></b><!-- c --></a>"); [d.root.elements['b'].texts.map(&:value), d.root.elements.to_a.size, d.root.text, d.root.to_s])  #=> [["t", "<x>"], 1, "\n ", "<a>\n <b n='1'>t<![CDATA[<x>]]></b><!-- c --></a>"]
(require 'rexml/document'; d = REXML::Document.new('<a><b/></a>'); d.root.add_element('c', {'x' => '1'}).text = 'q & r'; d.root.elements['b'].attributes['k'] = 'v'; d.to_s)  #=> "<a><b k='v'/><c x='1'>q &amp; r</c></a>"
(require 'rexml/document'; d = REXML::Document.new('<r><p id="a"><n>1</n></p><p id="b"><n>2</n></p></r>'); [d.elements.collect('r/p') { |p| p.attributes['id'] }, REXML::XPath.match(d, '//p[n="2"]/@id').map(&:value), d.root.elements["p[@id='b']/n"].text, d.get_elements('//n').map(&:text), REXML::XPath.first(d, '//p[last()]').attributes['id'], d.root.elements['p'].next_element.attributes['id']])  #=> [["a", "b"], ["b"], "2", ["1", "2"], "b", "b"]
# Rational
1r  #=> (1/1)
3.to_r  #=> (3/1)
[1r / 3, Rational(1, 2), Rational("2/4"), Rational("0.75"), Rational(0.5), Rational(3), 2/3r, 1.5r]  #=> [(1/3), (1/2), (1/2), (3/4), (1/2), (3/1), (2/3), (3/2)]
[Rational(1, 2) + 1, Rational(1, 2) - Rational(1, 3), Rational(1, 2) * 4, Rational(1, 2) / 2, Rational(7, 2).to_i, Rational(7, 2).to_f, Rational(7, 2).round, Rational(-7, 2).round, Rational(5, 2).floor, Rational(5, 2).ceil, Rational(-5, 2).truncate, Rational(7, 3).to_s, Rational(7, 3).inspect]  #=> [(3/2), (1/6), (2/1), (1/4), 3, 3.5, 4, -4, 2, 3, -2, "7/3", "(7/3)"]
[0.5.to_r, "1/3".to_r, "0.25".to_r, "abc".to_r, "1.2e2".to_r, nil.to_r, 0.1.rationalize(Rational(1, 100)), 3.14.rationalize(0.01), 1.5.rationalize]  #=> [(1/2), (1/3), (1/4), (0/1), (120/1), (0/1), (1/10), (22/7), (3/2)]
[Rational(1, 2) == 0.5, Rational(4, 2) == 2, Rational(1, 2) <=> 1, Rational(1, 2) < 1, 1 > Rational(1, 2), Rational(1, 2).zero?, Rational(1, 2).numerator, Rational(1, 2).denominator, 6.numerator, 6.denominator]  #=> [true, true, -1, true, true, false, 1, 2, 6, 1]
[Rational(3, 2) ** 2, Rational(3, 2) ** -1, Rational(3, 2) % 1, Rational(7, 2).divmod(1), 2 ** -1, Rational(1, 2).abs, -Rational(1, 2), Rational(-1, 2).abs, 1.quo(2), 6.quo(3), 1.0.quo(2)]  #=> [(9/4), (2/3), (1/2), [3, (1/2)], (1/2), (1/2), (-1/2), (1/2), (1/2), (2/1), 0.5]
[Rational(1, 3) + 0.5, 0.5 + Rational(1, 2), 1 + Rational(1, 2), 2 * Rational(1, 2), 1 - Rational(1, 3), 1 / Rational(1, 3), 10 ** Rational(1, 2)]  #=> [0.8333333333333333, 1.0, (3/2), (1/1), (2/3), (3/1), 3.1622776601683795]
[Rational(22, 7).round(2), Rational(22, 7).floor(1), Rational(22, 7).ceil(1), Rational(1, 2).is_a?(Numeric), Rational(1, 2).class, Rational(1, 2).hash == Rational(2, 4).hash, {Rational(1, 2) => 1}[Rational(2, 4)], Rational(5).to_i, Rational(1, 2).integer?]  #=> [(157/50), (31/10), (16/5), true, Rational, true, 1, 5, false]
Rational(1, 0)  #=> !ZeroDivisionError: divided by 0
Rational("x")  #=> !ArgumentError: invalid value for convert(): "x"
Rational(nil)  #=> !TypeError: can't convert nil into Rational
[1r, 2, 0.5r].sum  #=> (7/2)
[Rational(1, 2), Rational(1, 3)].max  #=> (1/2)
"%.2f" % Rational(1, 3)  #=> "0.33"
"%d" % Rational(7, 2)  #=> "3"
[Integer(Rational(7, 2)), Float(Rational(1, 2)), Rational(1, 2).to_r, Rational(1, 2).rationalize, Rational(1,2).positive?, Rational(-1,2).negative?]  #=> [3, 0.5, (1/2), (1/2), true, true]
Rational(1, 3).to_json  #=> "\"1/3\""
[1.quo(3), 2 ** -2, 0.75.to_r, 3.7.rationalize, -0.3.rationalize(Rational(1, 10)), 5.rationalize, 1e-3.to_r.denominator > 1]  #=> [(1/3), (1/4), (3/4), (37/10), (-1/3), (5/1), true]
(class CoA; def initialize(n); @n = n; end; def coerce(o); [CoA.new(o), self]; end; def n; @n; end; def +(o); n + o.n; end; end; 1 + CoA.new(2))  #=> 3
(class CoB; def ==(o); true; end; end; [1 == CoB.new, 1.5 == CoB.new])  #=> [true, true]
[/(?i)(?:s)x/.to_s, /(?i)(?:s)/.to_s, /(?i)(?=s)/.to_s, /(?i)(?m:s)/.to_s, /(?i)(?<n>s)/i.to_s]  #=> ["(?-mix:(?i)(?:s)x)", "(?i-mx:s)", "(?-mix:(?i)(?=s))", "(?mi-x:s)", "(?i-mx:(?i)(?<n>s))"]
'/etc/passwd'.gsub(/ß/i, '\\1')  #=> "/etc/pawd"
["straße" =~ /STRASSE/i, "STRASSE"[/straße/i], "ﬁle".sub(/FI/i, "x"), "weiß"[/[ß]/i], "weiss"[/[ß]/i], "ss" =~ /[^ß]/i]  #=> [0, "STRASSE", "xle", "ß", "ss", 0]
# cases found by random templates
(-4).digits  #=> !Math::DomainError: out of domain
[1, 2].transpose  #=> !TypeError: no implicit conversion of Integer into Array
[[1, 2], [3, 4]].transpose  #=> [[1, 3], [2, 4]]
{'a' => 2}.dig('a', 'b')  #=> !TypeError: Integer does not have #dig method
[1].dig(0, 0)  #=> !TypeError: Integer does not have #dig method
(3.14159..9).step(3).to_a  #=> [3.14159, 6.14159]
(1.0...2.0).step(0.5).to_a  #=> [1.0, 1.5]
(1..2).step(0.5).map { |x| x }  #=> [1.0, 1.5, 2.0]
(-1).chr  #=> !RangeError: -1 out of char range
[2.5.numerator, 2.5.denominator, 0.0.numerator]  #=> [5, 2, 0]
[5[0..1], 5[1..-1], 5[0...1], 5[2..]]  #=> [1, 2, 1, 1]
["a\tb".each_grapheme_cluster.to_a, "e\u0301x".grapheme_clusters.size]  #=> [["a", "\t", "b"], 2]

# Methods that return the same object
(a = [1]; [Array(a).equal?(a), a.to_a.equal?(a), a.to_ary.equal?(a), a.entries.equal?(a), [*a].equal?(a), a.itself.equal?(a), a.tap { }.equal?(a)])  #=> [true, true, true, false, false, true, true]
(h = {a: 1}; [Hash(h).equal?(h), h.to_h.equal?(h), h.to_hash.equal?(h), Hash[h].equal?(h), {**h}.equal?(h)])  #=> [true, true, true, false, false]
(s = +"a"; [String(s).equal?(s), s.to_s.equal?(s), s.to_str.equal?(s), "#{s}".equal?(s), s.itself.equal?(s), (+s).equal?(s), s.dup.equal?(s)])  #=> [true, true, true, false, true, true, false]
(a = [3, 1]; [a.push(1), a.concat([2]), a.unshift(0), a.insert(1, 5), a.sort!, a.map! { |x| x }, a.delete_if { false }, a.keep_if { true }, a.reverse!, a.rotate!, a.each { }, a.each_with_index { }, a.freeze].map { |x| x.equal?(a) })  #=> [true, true, true, true, true, true, true, true, true, true, true, true, true]
(a = [3, 1]; [a.append(1), a.prepend(2), a.replace([1, 1]), a.uniq!, a.fill(0), a.shuffle!, a.sort_by! { |x| x }, a.collect! { |x| x }, a.clear].map { |x| x.equal?(a) })  #=> [true, true, true, true, true, true, true, true, true]
(h = {b: 1}; [h.merge!({c: 2}), h.update({d: 3}), h.delete_if { false }, h.keep_if { true }, h.each { }, h.each_pair { }, h.each_key { }, h.each_value { }, h.transform_values! { |v| v }, h.transform_keys! { |k| k }, h.replace({z: 1}), h.rehash, h.clear].map { |x| x.equal?(h) })  #=> [true, true, true, true, true, true, true, true, true, true, true, true, true]
(s = +"ab"; [s << "c", s.concat("d"), s.replace("xy"), s.insert(0, "q"), s.upcase!, s.force_encoding("UTF-8"), s.prepend("z"), s.gsub!(/Z|z/, "y"), s.sub!(/y/, "k"), s.squeeze!, s.freeze].map { |x| x.equal?(s) })  #=> [true, true, true, true, true, true, true, true, true, false, true]
(a = [1, nil]; [a.compact!.equal?(a), a.compact!, a.select! { true }, a.reject! { false }, a.flatten!, a.uniq!])  #=> [true, nil, nil, nil, nil, nil]
(a = [[1]]; b = Array(a); b << 2; [a, a.to_a.push(3), a])  #=> [[[1], 2, 3], [[1], 2, 3], [[1], 2, 3]]
(x = {list: ["a"]}; y = x.map { |k, v| [k, v] }.to_h; y[:list] = Array(y[:list]); y[:list] << "b"; x)  #=> {:list=>["a", "b"]}
(a = [1]; [a.min_by { 1 }, a.to_set.to_set.size, a.flatten.equal?(a), a.compact.equal?(a), (a + []).equal?(a), (a | []).equal?(a), a.dup.equal?(a), a.sort.equal?(a), a.take(5).equal?(a), a.first(1).equal?(a)])  #=> [1, 1, false, false, false, false, false, false, false, false]

# Names of values in conversion errors: nil, true and false are named themselves.
[nil, true, false, [], {}, :a].map { |v| begin; Float(v); rescue TypeError => e; e.message; end }  #=> ["can't convert nil into Float", "can't convert true into Float", "can't convert false into Float", "can't convert Array into Float", "can't convert Hash into Float", "can't convert Symbol into Float"]
[nil, true, false, [], {}, :a].map { |v| begin; Integer(v); rescue TypeError => e; e.message; end }  #=> ["can't convert nil into Integer", "can't convert true into Integer", "can't convert false into Integer", "can't convert Array into Integer", "can't convert Hash into Integer", "can't convert Symbol into Integer"]
[nil, true, [], "a"].map { |v| begin; Math.sqrt(v); rescue TypeError => e; e.message; end }  #=> ["can't convert nil into Float", "can't convert true into Float", "can't convert Array into Float", "can't convert String into Float"]
[nil, true, false].map { |v| begin; sprintf("%d", v); rescue TypeError => e; e.message; end }  #=> ["can't convert nil into Integer", "can't convert true into Integer", "can't convert false into Integer"]
[nil, true, false].map { |v| begin; "%.2f" % v; rescue TypeError => e; e.message; end }  #=> ["can't convert nil into Float", "can't convert true into Float", "can't convert false into Float"]
sprintf("%s %p %s", true, false, nil)  #=> "true false "
Rational(false)  #=> !TypeError: can't convert false into Rational
"a".sub(true, "")  #=> !TypeError: wrong argument type true (expected Regexp)
"a,b".split(false)  #=> !TypeError: wrong argument type false (expected Regexp)
[Math.sqrt(4), Math.log(8, 2), Math.log(1), Math.log2(8), Math.log10(1000), Math.sqrt(1r / 4)]  #=> [2.0, 3.0, 0.0, 3.0, 3.0, 0.5]
Math.sqrt(-1)  #=> !Math::DomainError: Numerical argument is out of domain - sqrt
Math.log(-1)  #=> !Math::DomainError: Numerical argument is out of domain - log
Math.log(0)  #=> -Infinity
Math.log(8, true)  #=> !TypeError: can't convert true into Float
Math.log10(-1)  #=> !Math::DomainError: Numerical argument is out of domain - log10
(r = Random.new(42); [r.bytes(0), r.bytes(5).unpack("C*"), r.bytes(8).unpack("C*"), r.rand(100)])  #=> ["", [102, 220, 225, 95, 179], [92, 3, 98, 243, 14, 149, 245, 46], 71]
[Random.bytes(3).bytesize, Random.new(1).bytes(3).encoding.to_s]  #=> [3, "ASCII-8BIT"]
Random.new(1).bytes(-1)  #=> !ArgumentError: negative string size (or size too big)
{"key" => "a" * 80}.none_such  #=> !NoMethodError: undefined method `none_such' for {"key"=>"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}:Hash
(["long text"] * 10).none_such  #=> !NoMethodError: undefined method `none_such' for ["long text", "long text", "long text", "long text", "long text", "long text", "long text", "long text", "long text", "long text"]:Array
("long text" * 10).none_such  #=> !NoMethodError: undefined method `none_such' for "long textlong textlong textlong textlong textlong textlong textlong textlong textlong text":String

# A float is truncated where an integer is expected.
["abc"[1.5], "abc"[0.0, 2.9], "abc".slice(-1.5), "abc"[5.0], "ab" * 2.7, [1] * 2.2, Array.new(2.9, 1), [[1, [2]]].flatten(1.5), [1, 2, 3].first(2.5)]  #=> ["b", "ab", "c", nil, "abab", [1, 1], [1, 1], [1, [2]], [1, 2]]
[[1, 2]].flatten(nil)  #=> [1, 2]
"ab" * -1  #=> !ArgumentError: negative argument
[1] * -1  #=> !ArgumentError: negative argument
Array.new(-1)  #=> !ArgumentError: negative array size
"ab" * nil  #=> !TypeError: no implicit conversion from nil to integer
[1] * nil  #=> !TypeError: no implicit conversion from nil to integer
[1] * true  #=> !TypeError: no implicit conversion of true into Integer
[1, 2] * "-"  #=> "1-2"
[1, 2][Float::INFINITY]  #=> !RangeError: float Inf out of range of integer
[1, 2][-Float::INFINITY]  #=> !RangeError: float -Inf out of range of integer
[1, 2][1e30]  #=> !RangeError: float 1e+30 out of range of integer
[1, 2][0.0 / 0]  #=> !RangeError: float NaN out of range of integer
"abc"[1.5, 1, 1]  #=> !ArgumentError: wrong number of arguments (given 3, expected 1..2)
# IPAddr, used by code that reopens the class
(class IPAddr; def catwalk_bits; @mask_addr.to_s(2).count("1"); end; def catwalk_first; [@addr, @family]; end; end; [IPAddr.new("10.0.0.0/20").catwalk_bits, IPAddr.new("fe80::/10").catwalk_bits, IPAddr.new("10.0.0.1").catwalk_first])  #=> [20, 10, [167772161, 2]]
(a = IPAddr.new("10.1.2.0/24"); [a.instance_variable_get(:@addr), a.instance_variable_get(:@mask_addr), a.instance_variable_get(:@family), a.instance_variable_defined?(:@addr), a.instance_variable_get(:@nothing)])  #=> [167838208, 4294967040, 2, true, nil]
IPAddr.new("ffff::/16").instance_variable_get(:@mask_addr)  #=> 340277174624079928635746076935438991360
[IPAddr.new(IPAddr.new("10.0.0.1"), 2), IPAddr.new(IPAddr.new("10.0.0.1").to_i, Socket::AF_INET).to_s, IPAddr.new(IPAddr.new("fe80::1"), Socket::AF_INET6).to_s, IPAddr.new("10.0.0.1", 2).to_s, IPAddr.new.to_s]  #=> [#<IPAddr: IPv4:10.0.0.1/255.255.255.255>, "10.0.0.1", "fe80::1", "10.0.0.1", "::"]
IPAddr.new("10.0.0.1", 10)  #=> !IPAddr::InvalidAddressError: invalid address: 
IPAddr.new(IPAddr.new("fe80::1"), 2)  #=> !IPAddr::InvalidAddressError: invalid address: 
IPAddr.new(5)  #=> !IPAddr::AddressFamilyError: address family must be specified
IPAddr.new(5, 77)  #=> !IPAddr::AddressFamilyError: unsupported address family: 77
IPAddr.new(2**128, 10)  #=> !IPAddr::InvalidAddressError: invalid address: 
IPAddr.new(2**127, 10).to_s  #=> "8000::"
(class IPAddr; def catwalk_text; _to_string(@addr); end; end; [IPAddr.new("10.0.0.1").catwalk_text, IPAddr.new("fe80::1").catwalk_text])  #=> ["10.0.0.1", "fe80:0000:0000:0000:0000:0000:0000:0001"]
(module CatwalkIp; def to_s; "ip:" + super; end; def catwalk_mine; to_s; end; end; class CatwalkIpAddr < IPAddr; prepend CatwalkIp; end; [CatwalkIpAddr.new("10.0.0.1").to_s, CatwalkIpAddr.new("10.0.0.1").catwalk_mine])  #=> ["ip:10.0.0.1", "ip:10.0.0.1"]
IPAddr.new("10.0.0.1").send(:_to_string, 5)  #=> "0.0.0.5"
(module CatwalkPrepended; def netmask; super + "!"; end; def catwalk_own; [@addr, netmask]; end; end; class IPAddr; prepend CatwalkPrepended; end; a = IPAddr.new("10.0.0.0/8"); [a.netmask, a.catwalk_own, a.to_s])  #=> ["255.0.0.0!", [167772160, "255.0.0.0!"], "10.0.0.0"]
(Set.new(5) rescue $!.message)  #=> "value must be enumerable"
Set.new("a")  #=> !ArgumentError: value must be enumerable
Set.new(nil)  #=> #<Set: {}>
Set.new(nil) { |x| x }  #=> #<Set: {}>
