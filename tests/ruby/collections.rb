# Arrays, hashes, ranges, sets.
[1, 2, 3][1]  #=> 2
[1, 2, 3][-1]  #=> 3
[1, 2, 3][5]  #=> nil
[1, 2, 3][1..]  #=> [2, 3]
[1, 2, 3][0, 2]  #=> [1, 2]
[1, 2, 3][3, 1]  #=> []
[1, 2, 3][4, 1]  #=> nil
[1, 2, 3].first(2)  #=> [1, 2]
[1, 2, 3].last(2)  #=> [2, 3]
[3, 1, 2].sort  #=> [1, 2, 3]
["b", "a"].sort  #=> ["a", "b"]
[1, "a"].sort  #=> !ArgumentError: comparison of Integer with String failed
[nil, 1].sort  #=> !ArgumentError: comparison of NilClass with 1 failed
[3, 1, 2].sort { |a, b| b <=> a }  #=> [3, 2, 1]
["bb", "a"].sort_by { |x| x.length }  #=> ["a", "bb"]
{ "b" => 1, "a" => 2 }.sort  #=> [["a", 2], ["b", 1]]
{ "b" => 1, "a" => 2 }.sort_by { |k, v| v }  #=> [["b", 1], ["a", 2]]
{ "b" => 1, "a" => 2 }.sort.to_h  #=> {"a"=>2, "b"=>1}
[1, 2, 3].map { |x| x * 2 }  #=> [2, 4, 6]
[[1, 2], [3, 4]].map { |a, b| a + b }  #=> [3, 7]
[1, 2, 3].each_with_index.map { |x, i| x * i }  #=> [0, 2, 6]
[1, 2, 3].map.with_index(1) { |x, i| [i, x] }  #=> [[1, 1], [2, 2], [3, 3]]
[1, 2, 3].each_with_index.to_a  #=> [[1, 0], [2, 1], [3, 2]]
[1, 2, 3, 4].each_slice(2).to_a  #=> [[1, 2], [3, 4]]
[1, 2, 3].each_cons(2).to_a  #=> [[1, 2], [2, 3]]
[1, 2, 3, 4].select(&:even?)  #=> [2, 4]
[1, 2, 3, 4].reject { |x| x > 2 }  #=> [1, 2]
[1, 2, 3, 4].partition(&:even?)  #=> [[2, 4], [1, 3]]
[1, 2, 3, 4].group_by { |x| x % 2 }  #=> {1=>[1, 3], 0=>[2, 4]}
[1, 2, 3].inject { |a, b| a + b }  #=> 6
[1, 2, 3].inject(10) { |a, b| a + b }  #=> 16
[1, 2, 3].reduce(:+)  #=> 6
[1, 2, 3].inject(2, :*)  #=> 12
[1, 2, 3].sum  #=> 6
["a", "b"].sum("")  #=> "ab"
[1, 2, 3].min  #=> 1
[1, 2, 3].max  #=> 3
[].max  #=> nil
["a", "bbb"].max_by(&:size)  #=> "bbb"
[1, 2, 2, nil].uniq  #=> [1, 2, nil]
[1, nil, 2, nil].compact  #=> [1, 2]
[1, [2, [3, [4]]]].flatten  #=> [1, 2, 3, 4]
[1, [2, [3, [4]]]].flatten(1)  #=> [1, 2, [3, [4]]]
[[1, 2], [3, 4]].transpose  #=> [[1, 3], [2, 4]]
[1, 2].product([3, 4])  #=> [[1, 3], [1, 4], [2, 3], [2, 4]]
[1, 2].zip([3, 4], [5, 6])  #=> [[1, 3, 5], [2, 4, 6]]
[1, 2, 3] - [2]  #=> [1, 3]
[1, 2] | [2, 3]  #=> [1, 2, 3]
[1, 2] & [2, 3]  #=> [2]
[1, 2] + [3]  #=> [1, 2, 3]
[1, 2] * 2  #=> [1, 2, 1, 2]
[1, 2] * ","  #=> "1,2"
[1, [2, nil, "a"], :b].join("-")  #=> "1-2--a-b"
[1, 2, 3].include?(2)  #=> true
[1, 2, 3].index(2)  #=> 1
[1, 2, 3].index { |x| x > 1 }  #=> 1
[1, 2, 3].find { |x| x > 1 }  #=> 2
[1, 2, 3].find { |x| x > 5 }  #=> nil
[1, 2, 3].any? { |x| x > 2 }  #=> true
[1, 2, 3].all? { |x| x > 2 }  #=> false
[nil, false].any?  #=> false
[].all?  #=> true
[].none?  #=> true
[1, 2, 3].count(2)  #=> 1
[1, 2, 3].count(&:odd?)  #=> 2
[1, 2, 3].reverse  #=> [3, 2, 1]
[1, 2, 3].rotate  #=> [2, 3, 1]
[1, 2, 3].take_while { |x| x < 3 }  #=> [1, 2]
[1, 2, 3].drop(1)  #=> [2, 3]
[1, 2, 3].values_at(0, 2, 5)  #=> [1, 3, nil]
[1, 2, 3].fetch(1)  #=> 2
[1, 2, 3].fetch(9)  #=> !IndexError: index 9 outside of array bounds: -3...3
[1, 2, 3].fetch(9, :no)  #=> :no
[[1, [2]]].dig(0, 1, 0)  #=> 2
["a", "b"].to_s  #=> "[\"a\", \"b\"]"
[nil, true, 1.0, :a, "x", 1..2, {1 => 2}].inspect  #=> "[nil, true, 1.0, :a, \"x\", 1..2, {1=>2}]"
[1, 2].to_a.equal?([1, 2])  #=> false
[["a", 1], ["b", 2]].to_h  #=> {"a"=>1, "b"=>2}
[1, 2].to_h { |x| [x, x * 2] }  #=> {1=>2, 2=>4}
%w[a b a].tally  #=> {"a"=>2, "b"=>1}
%w[a b].each_with_object({}) { |x, h| h[x] = 1 }  #=> {"a"=>1, "b"=>1}
%w[a b].each_with_index { |x, i| }  #=> ["a", "b"]
a = [3, 1]; a.sort!; a  #=> [1, 3]
a = [1, 2, 3]; a.delete(2); a  #=> [1, 3]
a = [1, 2, 3]; a.delete_if { |x| x > 1 }; a  #=> [1]
a = [1]; a << 2 << 3; a  #=> [1, 2, 3]
a = [1]; a.push(2, 3); a  #=> [1, 2, 3]
a = [1]; a.unshift(0); a  #=> [0, 1]
a = [1, 2]; a.concat([3]); a  #=> [1, 2, 3]
a = []; a[3] = 1; a  #=> [nil, nil, nil, 1]
a = [1, 2, 3]; [a.pop, a.shift, a]  #=> [3, 1, [2]]
a = [1, 2, 3]; a.map! { |x| x + 1 }; a  #=> [2, 3, 4]
a = [1, 1]; a.uniq!  #=> [1]
a = [1, 2]; a.uniq!  #=> nil
a = [1, 2]; a.insert(1, :x); a  #=> [1, :x, 2]
a, b = [1, 2]; [b, a]  #=> [2, 1]
a, (b, c), *d = 1, [2, 3], 4, 5; [a, b, c, d]  #=> [1, 2, 3, [4, 5]]
*a, b = [1, 2, 3]; [a, b]  #=> [[1, 2], 3]
a = *1..3; a  #=> [1, 2, 3]
a = *nil; a  #=> []
[*1..3, *[4]]  #=> [1, 2, 3, 4]
[1, 2] <=> [1, 3]  #=> -1
[1, 2] == [1, 2.0]  #=> true
[1, 2].eql?([1, 2.0])  #=> false
[1, 2, 3].minmax  #=> [1, 3]
[3, 1, 2].max(2)  #=> [3, 2]
["a", "B"].sort_by(&:downcase)  #=> ["a", "B"]
[1, 2, 3, 4].each_slice(2).map(&:sum)  #=> [3, 7]
[1, 2, 3].filter_map { |x| x * 2 if x > 1 }  #=> [4, 6]
[[1, 2], [3]].flat_map { |x| x }  #=> [1, 2, 3]
[1, 2, 4, 5].slice_when { |a, b| b != a + 1 }.to_a  #=> [[1, 2], [4, 5]]
[0.1, 0.2].sum  #=> 0.30000000000000004
[1, 2, 3].lazy.map { |x| x * 2 }.first(2)  #=> [2, 4]
[1, 2, 3].first.class  #=> Integer
["x"].first.upcase  #=> "X"
Array(nil)  #=> []
Array([1])  #=> [1]
Array("a")  #=> ["a"]
Array({ "a" => 1 })  #=> [["a", 1]]
Array(1..3)  #=> [1, 2, 3]
Array.new(2, 0)  #=> [0, 0]
Array.new(2) { |i| i }  #=> [0, 1]
{ "a" => 1 }["a"]  #=> 1
{ "a" => 1 }["b"]  #=> nil
{ a: 1, "b" => 2, 3 => nil }  #=> {:a=>1, "b"=>2, 3=>nil}
{ a: 1 }.inspect  #=> "{:a=>1}"
{}.inspect  #=> "{}"
{ "a" => 1 }.fetch("a")  #=> 1
{ "a" => 1 }.fetch("b")  #=> !KeyError: key not found: "b"
{ "a" => 1 }.fetch("b", 2)  #=> 2
{ "a" => 1 }.fetch("b") { |k| k * 2 }  #=> "bb"
{ "a" => 1 }.key?("a")  #=> true
{ "a" => 1 }.has_key?("b")  #=> false
{ "a" => 1 }.value?(1)  #=> true
{ "a" => 1 }.key(1)  #=> "a"
{ "a" => 1, "b" => 2 }.keys  #=> ["a", "b"]
{ "a" => 1, "b" => 2 }.values  #=> [1, 2]
{ "a" => 1, "b" => 2 }.map { |k, v| "#{k}=#{v}" }  #=> ["a=1", "b=2"]
{ "a" => 1, "b" => 2 }.map { |x| x }  #=> [["a", 1], ["b", 2]]
{ "a" => 1, "b" => 2 }.each { |k, v| }  #=> {"a"=>1, "b"=>2}
{ "a" => 1, "b" => 2 }.each_with_index.map { |(k, v), i| [k, v, i] }  #=> [["a", 1, 0], ["b", 2, 1]]
{ "a" => 1, "b" => 2 }.select { |k, v| v > 1 }  #=> {"b"=>2}
{ "a" => 1, "b" => 2 }.reject { |k, v| v > 1 }  #=> {"a"=>1}
{ "a" => 1, "b" => 2 }.find { |k, v| v > 1 }  #=> ["b", 2]
{ "a" => 1, "b" => 2 }.any? { |k, v| v > 1 }  #=> true
{ "a" => 1, "b" => 2 }.all? { |k, v| v > 0 }  #=> true
{ "a" => 1, "b" => 2 }.count { |k, v| v > 1 }  #=> 1
{ "a" => 1, "b" => 2 }.partition { |k, v| v > 1 }  #=> [[["b", 2]], [["a", 1]]]
{ "a" => 1, "b" => 2 }.min_by { |k, v| v }  #=> ["a", 1]
{ "a" => 1, "b" => 2 }.inject(0) { |s, (k, v)| s + v }  #=> 3
{ "a" => 1, "b" => 2 }.each_with_object([]) { |(k, v), l| l << k }  #=> ["a", "b"]
{ "a" => 1, "b" => 2 }.to_a  #=> [["a", 1], ["b", 2]]
{ "a" => 1, "b" => 2 }.invert  #=> {1=>"a", 2=>"b"}
{ "a" => 1 }.merge("b" => 2)  #=> {"a"=>1, "b"=>2}
{ "a" => 1 }.merge({ "a" => 2 }) { |k, o, n| o + n }  #=> {"a"=>3}
{ "a" => 1, "b" => nil }.compact  #=> {"a"=>1}
{ "a" => { "b" => 1 } }.dig("a", "b")  #=> 1
{ "a" => 1 }.transform_values { |v| v + 1 }  #=> {"a"=>2}
{ "a" => 1 }.transform_keys(&:to_sym)  #=> {:a=>1}
{ "a" => 1, "b" => 2 }.slice("a")  #=> {"a"=>1}
{ "a" => 1, "b" => 2 }.except("a")  #=> {"b"=>2}
{ "a" => 1 }.to_s  #=> "{\"a\"=>1}"
{ "a" => 1 } == { "a" => 1.0 }  #=> true
{ 1 => 2 }[1.0]  #=> nil
{ "a" => 1 }.sort { |a, b| b <=> a }  #=> [["a", 1]]
{ "b" => 1, "a" => 2 }.max_by { |_, v| v }  #=> ["a", 2]
{ "b" => 1 }.group_by { |k, v| v }  #=> {1=>[["b", 1]]}
{ "b" => 1 }.sum { |k, v| v }  #=> 1
{ "b" => 1 }.flat_map { |k, v| [k, v] }  #=> ["b", 1]
{ "b" => 1 }.filter_map { |k, v| k if v }  #=> ["b"]
{ "b" => 1 }.zip([1])  #=> [[["b", 1], 1]]
{ "b" => 1 }.first  #=> ["b", 1]
{ "b" => 1 }.length  #=> 1
h = Hash.new(0); h["x"] += 1; h  #=> {"x"=>1}
h = Hash.new { |hash, k| hash[k] = [] }; h["a"] << 1; h  #=> {"a"=>[1]}
h = { "a" => 1 }; h.delete("a"); h  #=> {}
h = { "a" => 1 }; h.delete("z")  #=> nil
h = { "a" => 1, "b" => 2 }; h.delete_if { |k, v| v == 1 }; h  #=> {"b"=>2}
h = { "a" => 1 }; h.store("b", 2); h  #=> {"a"=>1, "b"=>2}
h = { "a" => 1 }; h.merge!("b" => 2); h  #=> {"a"=>1, "b"=>2}
h = {}; h["a"] ||= 5; h["a"] ||= 6; h  #=> {"a"=>5}
Hash[[["a", 1]]]  #=> {"a"=>1}
(1..3).to_a  #=> [1, 2, 3]
(1...3).to_a  #=> [1, 2]
("a".."e").to_a  #=> ["a", "b", "c", "d", "e"]
("a".."e").include?("c")  #=> true
(1..10).step(3).to_a  #=> [1, 4, 7, 10]
(1..3).map { |x| x * x }  #=> [1, 4, 9]
(1..3).include?(2.5)  #=> true
(1..3).sum  #=> 6
(1..)  #=> 1..
(1..3).each_slice(2).to_a  #=> [[1, 2], [3]]
(1..3).inject(:*)  #=> 6
(1..3).to_s  #=> "1..3"
(1..0).to_a  #=> []
1.step(10, 4).to_a  #=> [1, 5, 9]
3.times.to_a  #=> [0, 1, 2]
3.times.map { |i| i }  #=> [0, 1, 2]
1.upto(3).to_a  #=> [1, 2, 3]
3.downto(1).to_a  #=> [3, 2, 1]
Set.new([1, 2, 2]).size  #=> 2
Set.new([1]).include?(1)  #=> true
[1, 2, 2].to_set.to_a  #=> [1, 2]
[1].to_set | [2]  #=> #<Set: {1, 2}>
{ "a" => [1, { "b" => nil }] }.to_json  #=> "{\"a\":[1,{\"b\":null}]}"
[1.0, "ü\n", true].to_json  #=> "[1.0,\"ü\\n\",true]"
JSON.pretty_generate({ "a" => [1, {}], "b" => {} })  #=> "{\n  \"a\": [\n    1,\n    {\n    }\n  ],\n  \"b\": {\n  }\n}"
{ "a" => [1, "x"], "b" => nil }.to_yaml  #=> "---\na:\n- 1\n- x\nb:\n"
[1, "2", "yes"].to_yaml  #=> "---\n- 1\n- '2'\n- 'yes'\n"
JSON.parse('{"a": [1, 2.5, null]}')  #=> {"a"=>[1, 2.5, nil]}
{a: 1} <= {a: 1, b: 2}  #=> true
{a: 1} < {a: 1}  #=> false
{a: 1, b: 2} > {a: 1}  #=> true
{a: 1} >= {a: 2}  #=> false
{} >= 1  #=> !TypeError: no implicit conversion of Integer into Hash
{} < nil  #=> !TypeError: no implicit conversion of nil into Hash
(1.."x")  #=> !ArgumentError: bad value for range
("a"..2)  #=> !ArgumentError: bad value for range
([1]..[2, 3])  #=> [1]..[2, 3]
(1..2.5).to_a  #=> [1, 2]
5.size  #=> 8
1.5.size  #=> !NoMethodError: undefined method `size' for 1.5:Float
Puppet::Util::Package.versioncmp(nil, "1")  #=> !NoMethodError: undefined method `scan' for nil:NilClass
Puppet::Util::Package.versioncmp("1.2", "1.10")  #=> -1
x = [3, 1, [2]]; x.max  #=> !ArgumentError: comparison of Integer with Array failed
[true, nil].min  #=> !ArgumentError: comparison of TrueClass with nil failed
[nil, 1].sort { |a, b| b <=> a }  #=> !ArgumentError: comparison of NilClass with 1 failed
[1, 2].first(-1)  #=> !ArgumentError: negative array size
[1, 2].last(-1)  #=> !ArgumentError: negative array size
[1, 2].take(-1)  #=> !ArgumentError: attempt to take negative size
[1, 2].drop(-1)  #=> !ArgumentError: attempt to drop negative size
{ 'a' => 1 }.first(-1)  #=> !ArgumentError: attempt to take negative size
[1, 2].max(-1)  #=> !ArgumentError: negative size (-1)
%w[x yy z].max_by(2) { |q| q }  #=> ["z", "yy"]
%w[x yy z].min_by(2, &:size)  #=> ["x", "z"]
[[1, 2, 3]].to_h  #=> !ArgumentError: wrong array length at 0 (expected 2, was 3)
[[1, 2], 3].to_h  #=> !TypeError: wrong element type Integer at 1 (expected array)
[1].to_h { |q| [q] }  #=> !ArgumentError: wrong array length at 0 (expected 2, was 1)
{ 'a' => 1 }.to_h { |k, v| [k] }  #=> !ArgumentError: element has wrong array length (expected 2, was 1)
{ 'a' => 1 }.rehash  #=> {"a"=>1}
nil.select { |q| q }  #=> !NoMethodError: private method `select' called for nil:NilClass
1.5.format  #=> !NoMethodError: private method `format' called for 1.5:Float
[1].puts(2)  #=> !NoMethodError: private method `puts' called for [1]:Array
nil.open  #=> !NoMethodError: private method `open' called for nil:NilClass
'abc'.match(/(?<n>b)(?<m>x)?/).inspect  #=> "#<MatchData \"b\" n:\"b\" m:nil>"
# iteration over ranges and numbers
(r = []; (1..Float::INFINITY).each { |i| break if i > 3; r << i }; r)  #=> [1, 2, 3]
(1..Float::INFINITY).find { |i| i * i > 50 }  #=> 8
(1..).find_index { |i| i > 9 }  #=> 9
(1..10**12).any? { |i| i == 7 }  #=> true
[(1..3).all? { |i| i < 2 }, (1...3).none? { |i| i > 2 }, (3..1).any? { |i| true }, (3..1).all? { |i| false }, (3..1).find { |i| true }]  #=> [false, true, false, true, nil]
(1..10**15).take_while { |i| i < 4 }  #=> [1, 2, 3]
[(1..10**15).first(3), (1..).first(2), (5..3).first(2), (1...3).first(9), (1..3).take(0)]  #=> [[1, 2, 3], [1, 2], [], [1, 2], []]
(1..3).first(-1)  #=> !ArgumentError: negative array size (or size too big)
(1..3).take(-1)  #=> !ArgumentError: attempt to take negative size
(r = []; (1..10**15).step(10**14) { |i| break if r.size > 3; r << i }; r)  #=> [1, 100000000000001, 200000000000001, 300000000000001]
(r = []; x = (1..3).each_with_index { |a, i| r << [a, i] }; [r, x])  #=> [[[1, 0], [2, 1], [3, 2]], 1..3]
(r = []; x = (1..2.5).each { |a| r << a }; [r, x])  #=> [[1, 2], 1..2.5]
(r = []; x = (1...3.0).each { |a| r << a }; [r, x])  #=> [[1, 2], 1...3.0]
(r = []; x = 1.step(10, 4) { |i| r << i }; [r, x])  #=> [[1, 5, 9], 1]
(r = []; 10.step(by: -3, to: 2) { |i| r << i }; r)  #=> [10, 7, 4]
(r = []; 1.step(by: 2) { |i| break if i > 6; r << i }; r)  #=> [1, 3, 5]
(r = []; 1.step { |i| break if i > 3; r << i }; r)  #=> [1, 2, 3]
(r = []; 1.0.step(2.0, 0.25) { |i| r << i }; r)  #=> [1.0, 1.25, 1.5, 1.75, 2.0]
(r = []; 1.step(2, 0.5) { |i| r << i }; r)  #=> [1.0, 1.5, 2.0]
(r = []; 2.0.step(1.0, -0.3) { |i| r << i }; r)  #=> [2.0, 1.7, 1.4, 1.1]
(r = []; 0.1.step(0.5, 0.1) { |i| r << i }; r)  #=> [0.1, 0.2, 0.30000000000000004, 0.4, 0.5]
[1.step(9, 3).to_a, 1.step(9, 3).map { |i| i * 2 }, 9.step(1, -4).to_a]  #=> [[1, 4, 7], [2, 8, 14], [9, 5, 1]]
1.step(5, 0) { |i| i }  #=> !ArgumentError: step can't be 0
(r = []; x = [1, 2].cycle(2) { |i| r << i }; [r, x])  #=> [[1, 2, 1, 2], nil]
(r = []; [1, 2].cycle { |i| break if r.size > 4; r << i }; r)  #=> [1, 2, 1, 2, 1]
[].cycle { |i| 1 }  #=> nil
# The library deep_merge
(require "deep_merge"; { "a" => { "b" => [1], "c" => 2 } }.deep_merge!({ "a" => { "b" => [2, 1], "d" => nil }, :x => { "y" => 1 } }))  #=> {"a"=>{"b"=>[1, 2], "c"=>2, "d"=>nil}, :x=>{"y"=>1}}
(require "deep_merge"; { "a" => 1, "b" => [1] }.deep_merge({ "a" => 2, "b" => 3, "c" => 4 }))  #=> {"a"=>1, "b"=>[1], "c"=>4}
(require "deep_merge"; { "a" => %w[x y z], "b" => "s" }.ko_deep_merge!({ "a" => %w[--y w], "b" => "--s", "c" => ["--q", "r"] }))  #=> {"a"=>["x", "z", "w"], "b"=>"", "c"=>["r"]}
(require "deep_merge"; { "a" => %w[x y] }.deep_merge!({ "a" => ["--", "w"] }, knockout_prefix: "--"))  #=> {"a"=>["w"]}
DeepMerge.deep_merge!({ "a" => [{ "b" => 1 }, { "c" => 2 }] }, { "a" => [{ "d" => 3 }] }, merge_hash_arrays: true)  #=> {"a"=>[{"d"=>3, "b"=>1}, {"c"=>2}]}
DeepMerge.deep_merge!({ "a" => [3, 1] }, { "a" => [2] }, sort_merged_arrays: true)  #=> {"a"=>[1, 2, 3]}
DeepMerge.deep_merge!({ "a" => "x,y" }, { "a" => ["z"] }, unpack_arrays: ",")  #=> {"a"=>"x,y"}
DeepMerge.deep_merge!({ "a" => ["x,y"] }, { "a" => ["z,x"] }, unpack_arrays: ",")  #=> {"a"=>["z", "x", "y"]}
DeepMerge.deep_merge!({ "a" => [1] }, { "a" => [2] }, overwrite_arrays: true)  #=> {"a"=>[1]}
DeepMerge.deep_merge!({ "a" => 1, "b" => { "c" => 1 } }, { "a" => [2], "b" => [3] }, extend_existing_arrays: true)  #=> {"a"=>[2, 1], "b"=>[3, {"c"=>1}]}
(require "deep_merge"; d = { "a" => 1 }; [d.deep_merge!({ "a" => { "b" => 2 } }), d])  #=> [{"a"=>{"b"=>2}}, {"a"=>{"b"=>2}}]
(require "deep_merge"; { "a" => 1 }.deep_merge!({ "a" => 2 }, knockout_prefix: ""))  #=> !DeepMerge::InvalidParameter: knockout_prefix cannot be an empty string in deep_merge!
(require "deep_merge"; { "a" => 1 }.deep_merge({ "a" => 2 }, knockout_prefix: "-"))  #=> !DeepMerge::InvalidParameter: overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!
(require "deep_merge"; { "a" => "x" }.deep_merge!({ "a" => { "b" => 1, "c" => 2 } }))  #=> {"a"=>{"b"=>1, "c"=>2}}
# Blocks that change the iterated collection, and the arguments of blocks.
(a = [1, 2, 3]; seen = []; a.each { |x| seen << x; a << 9 if a.size < 5 }; seen)  #=> [1, 2, 3, 9, 9]
(a = [1, 2, 3, 4]; a.each { |x| a.delete(x) }; a)  #=> [2, 4]
(a = [1, 2, 3]; a.map { |x| a << 9 if a.size < 5; x }.size)  #=> 5
(h = { a: 1, b: 2, c: 3 }; seen = []; h.each { |k, v| seen << k; h.delete(k) }; [seen, h])  #=> [[:a, :b, :c], {}]
(h = { a: 1, b: 2, c: 3 }; seen = []; h.each { |k, v| seen << k; h.delete(:b) }; seen)  #=> [:a, :c]
(h = { a: 1 }; h.each { |k, v| h[:b] = 2 })  #=> !RuntimeError: can't add a new key into hash during iteration
(h = { a: 1, b: 2 }; h.each { |k, v| h[k] = v + 1 }; h)  #=> {:a=>2, :b=>3}
(h = { a: 1 }; h.each { h.rehash })  #=> !RuntimeError: rehash during iteration
{ a: 1 }.map { |x| x }  #=> [[:a, 1]]
{ a: 1 }.select { |x| x == :a }  #=> {:a=>1}
{ a: 1 }.partition { |x| x == [:a, 1] }  #=> [[[:a, 1]], []]
{ a: 1 }.any? { |k, v| v == 1 }  #=> true
{ a: 1 }.any? { |x| x == [:a, 1] }  #=> true
{ a: 1 }.each_with_index.map { |(k, v), i| [k, v, i] }  #=> [[:a, 1, 0]]
{ a: 1, b: 2 }.each_with_object([]) { |(k, v), m| m << v }  #=> [1, 2]
[5].each_with_index.map { |x| x }  #=> [5]
[5].each_with_index.select { |x| x == [5, 0] }  #=> [[5, 0]]
[5].each_with_index.count { |x| x == 5 }  #=> 1
{ b: 1, a: 2 }.min_by { |k, v| k }  #=> [:a, 2]
{ a: 1, b: 2 }.sum { |k, v| v }  #=> 3
{ a: 1, b: 2 }.inject { |a, b| a + b }  #=> [:a, 1, :b, 2]
{ a: 1, b: 2 }.find { |k, v| v == 2 }  #=> [:b, 2]
{ a: 1, b: 2 }.filter_map { |k, v| k if v > 1 }  #=> [:b]
{ a: 1, b: 2 }.to_h { |k, v| [v, k] }  #=> {1=>:a, 2=>:b}
{ a: 1 }.to_h { 1 }  #=> !TypeError: wrong element type Integer (expected array)
# Sums of floats, orders, groups.
[0.1, 0.2, 0.3].sum  #=> 0.6
[0.1] * 3  #=> [0.1, 0.1, 0.1]
[3, 0.1, 0.2].sum  #=> 3.3
["a"].sum  #=> !TypeError: String can't be coerced into Integer
[1, 2, 4, 5, 7].slice_when { |a, b| b != a + 1 }.to_a  #=> [[1, 2], [4, 5], [7]]
[1, 2, 4, 5, 7].chunk_while { |a, b| b == a + 1 }.map(&:size)  #=> [2, 2, 1]
[1, 1, 2, 3, 3].chunk { |x| x.odd? }.to_a  #=> [[true, [1, 1]], [false, [2]], [true, [3, 3]]]
[1, 2, 3, 4].slice_before(&:even?).to_a  #=> [[1], [2, 3], [4]]
[1, 2, 3, 4].slice_after(&:even?).to_a  #=> [[1, 2], [3, 4]]
[1, 2, 2].tally({ 1 => 5 })  #=> {1=>6, 2=>2}
[3, 1, 2].minmax_by { |x| -x }  #=> [3, 1]
%w[b a c].max(2)  #=> ["c", "b"]
[[2, "b"], [1, "a"], [2, "a"]].sort_by { |n, s| [-n, s] }  #=> [[2, "a"], [2, "b"], [1, "a"]]
[1, nil].max  #=> !ArgumentError: comparison of Integer with nil failed
[1, 2, 3].cycle.first(5)  #=> [1, 2, 3, 1, 2]
# Arrays changed in place.
(a = [1, 2, 3]; a[1, 1] = [7, 8]; a)  #=> [1, 7, 8, 3]
(a = [1, 2, 3]; a[0..1] = 9; a)  #=> [9, 3]
(a = [1]; a[3] = 4; a)  #=> [1, nil, nil, 4]
(a = [1]; a[-3] = 4)  #=> !IndexError: index -3 too small for array; minimum: -1
(a = [1, 2, 3, 4]; [a.delete_if(&:even?), a])  #=> [[1, 3], [1, 3]]
(a = [1, 2, 3]; [a.select! { true }, a.reject! { |x| x > 1 }, a])  #=> [nil, [1], [1]]
(a = [1, 2, 3]; a.fill { |i| i * i })  #=> [0, 1, 4]
(a = [1, 2, 3]; a.fill(0, 1))  #=> [1, 0, 0]
(a = [1, 2, 3]; a.fill(0, 2, 3))  #=> [1, 2, 0, 0, 0]
(a = [1, 2, 3]; [a.slice!(0, 2), a])  #=> [[1, 2], [3]]
(a = [1, 2, 3]; a.insert(-2, 9))  #=> [1, 2, 9, 3]
(a = [3, 1, 2]; a.sort_by! { |x| -x })  #=> [3, 2, 1]
(a = [1, [2, [3]]]; [a.flatten!(1), a.flatten!, a.flatten!])  #=> [[1, 2, 3], [1, 2, 3], nil]
[1].freeze.map!  #=> #<Enumerator: [1]:map!>
[1].freeze.uniq!  #=> !FrozenError: can't modify frozen Array: [1]
[1].freeze.delete(2)  #=> nil
[1].freeze.delete(1)  #=> !FrozenError: can't modify frozen Array: [1]
[1, 2, 3].bsearch_index { |x| x >= 2 }  #=> 1
[1, 2].repeated_combination(2).to_a  #=> [[1, 1], [1, 2], [2, 2]]
[1, 2].repeated_permutation(2).to_a  #=> [[1, 1], [1, 2], [2, 1], [2, 2]]
[1, 2, 3].permutation(2).first(2)  #=> [[1, 2], [1, 3]]
[1, 2, 3].union([4], [1, 5])  #=> [1, 2, 3, 4, 5]
[1, 2, 3].difference([1], [2])  #=> [3]
[1, 2, 3].intersection([1, 2], [2])  #=> [2]
[1, 2].product([3, 4], [5])  #=> [[1, 3, 5], [1, 4, 5], [2, 3, 5], [2, 4, 5]]
[1, 2].zip([3, 4], [5])  #=> [[1, 3, 5], [2, 4, nil]]
[1, 2].zip(1..)  #=> [[1, 1], [2, 2]]
[1].zip(1)  #=> !TypeError: wrong argument type Integer (must respond to :each)
[1] + nil  #=> !TypeError: no implicit conversion of nil into Array
[[1, :a], [2, :b]].rassoc(:b)  #=> [2, :b]
[1].first(1, 2)  #=> !ArgumentError: wrong number of arguments (given 2, expected 0..1)
[1].fetch  #=> !ArgumentError: wrong number of arguments (given 0, expected 1..2)
# Hashes.
{ a: 1 }.transform_keys({ a: :b })  #=> {:b=>1}
{ a: 1, b: 2 }.transform_keys({ a: :c }, &:to_s)  #=> {:c=>1, "b"=>2}
(h = { a: 1 }; h.transform_keys!(&:to_s); h)  #=> {"a"=>1}
(h = { a: nil, b: 1 }; [h.compact!, h.compact!])  #=> [{:b=>1}, nil]
(h = { a: 1, b: 2 }; [h.select! { true }, h.keep_if { |k, v| v > 1 }, h])  #=> [nil, {:b=>2}, {:b=>2}]
(h = Hash.new { |hash, k| k }; h.default(3))  #=> 3
(h = Hash.new(4); h.default_proc = proc { 5 }; [h.default, h[:x]])  #=> [nil, 5]
{ a: 1 }.default_proc = 1  #=> !TypeError: wrong default_proc type Integer (expected Proc)
{ a: 1 }.merge({ a: 2, b: 3 }, { c: 4 }) { |k, old, new| old + new }  #=> {:a=>3, :b=>3, :c=>4}
{ a: 1 }.merge(1)  #=> !TypeError: no implicit conversion of Integer into Hash
{ a: 1 }.rassoc(1)  #=> [:a, 1]
{ a: 1, b: 2 } > { a: 1 }  #=> true
%i[a b].map(&{ a: 1 })  #=> [1, nil]
{ a: 1 }.freeze.delete(:z)  #=> !FrozenError: can't modify frozen Hash: {:a=>1}
{ a: 1 }.fetch("x")  #=> !KeyError: key not found: "x"
# Sets.
Set[1, 2] ^ [2, 3]  #=> #<Set: {3, 1}>
Set[1, 2] <=> Set[1]  #=> 1
Set[1, 2] <= [1]  #=> !ArgumentError: value must be a set
Set[1, 2].add?(1)  #=> nil
Set[1, 2].classify(&:odd?)  #=> {true=>#<Set: {1}>, false=>#<Set: {2}>}
Set[1, 2].join("-")  #=> "1-2"
Set[1, 2].map! { |x| x * 2 }  #=> #<Set: {2, 4}>
Set[1, 2].subtract([1])  #=> #<Set: {2}>
Set[1, 2].select! { |x| x > 1 }  #=> #<Set: {2}>
Set[1, 2].disjoint?(Set[3])  #=> true
Set[1] | 1  #=> !ArgumentError: value must be enumerable
# Ranges.
(1...5).max  #=> 4
(1..).max  #=> !RangeError: cannot get the maximum of endless range
(1...5.5).max  #=> !TypeError: cannot exclude non Integer end value
(1..3).minmax  #=> [1, 3]
("a".."z").include?("bb")  #=> false
("a".."z").cover?("bb")  #=> true
(1..5).cover?(2..5)  #=> true
(1..5).cover?(2...6)  #=> true
(1..5).include?(1..2)  #=> false
(1.0..5).size  #=> 5
(1..).first(2)  #=> [1, 2]
(1..).lazy.map { |x| x * 2 }.first(2)  #=> [2, 4]
(1..).each_slice(2).first(2)  #=> [[1, 2], [3, 4]]
(1..).to_a  #=> !RangeError: cannot convert endless range to an array
(0..100).bsearch { |x| x >= 37 }  #=> 37
(1..10).step(3).to_a  #=> [1, 4, 7, 10]
(1..10).step(3).map { |x| x }  #=> [1, 4, 7, 10]
(1..3).each_entry.to_a  #=> [1, 2, 3]
(1..3).reverse_each.to_a  #=> [3, 2, 1]
(1..3).inject(:*)  #=> 6
