# Collections that contain themselves, and deep ones. Where Ruby raises SystemStackError, its answer depends on the size of its stack.
(a=[];a<<a;b=[];b<<b;a==b)  #=> true
(a=[];a<<a;b=[];b<<b;a.eql?(b))  #=> true
(a=[];a<<a;b=[];b<<b;a<=>b)  #=> 0
(a=[];a<<a;b=[];b<<b; a.hash==b.hash)  #=> true
(a=[];a<<a;b=[[]];b[0]<<b;a==b)  #=> true
(a=[];a<<a<<1;b=[];b<<b<<2;a==b)  #=> false
(a=[];a<<a<<1;b=[];b<<b<<2;a<=>b)  #=> -1
(a={}; a[:a]=a; b={}; b[:a]=b; a==b)  #=> true
(a={}; a[:a]=a; b={}; b[:a]=b; a.eql?(b))  #=> true
(a={}; a[:a]=a; b={}; b[:a]=b; a.hash==b.hash)  #=> true
(a={}; a[:a]=a; a)  #=> {:a=>{...}}
(a={}; a[a]=a; a)  #=> {{...}=>{...}}
(a=[];a<<a; a.to_s)  #=> "[[...]]"
(a=[];a<<a; a.flatten)  #=> !ArgumentError: tried to flatten recursive array
(a=[];a<<a; a.flatten(2))  #=> [[[...]]]
(a=[];a<<a; a.join)  #=> !ArgumentError: recursive array join
(a=[];a<<a; a.to_json)  #=> !JSON::NestingError: nesting of 100 is too deep
(a={}; a[:a]=a; a.to_json)  #=> !JSON::NestingError: nesting of 100 is too deep
(a=[];a<<a; a.uniq)  #=> [[[...]]]
(a=[];a<<a;b=[];b<<b; a-b)  #=> []
(a=[];a<<a;b=[];b<<b; (a|b))  #=> [[[...]]]
(a=[];a<<a;b=[];b<<b; (a&b))  #=> [[[...]]]
(a=[];a<<a;b=[];b<<b; [a,b].uniq.size)  #=> 1
(a=[];a<<a; a.product(a).size)  #=> 1
(a=[];a<<a; a.include?(a))  #=> true
(a=[];a<<a; a.include?([a]))  #=> true
(a=[];a<<a; a.dig(0,0,0,0).size)  #=> 1
(a=[];a<<a; a.pack("N"))  #=> !TypeError: no implicit conversion of Array into Integer
(a=[];a<<a; a.transpose)  #=> [[[[...]]]]
(a=[];a<<a; a.sum([]).size)  #=> 1
(a=[];a<<a; a.sort)  #=> [[[...]]]
(a=[];a<<a;b=[];b<<b; [a,b].sort.size)  #=> 2
(a=[];a<<a;b=[];b<<b; [a,b].max.size)  #=> 1
(a=[];a<<a; a.to_h)  #=> !ArgumentError: wrong array length at 0 (expected 2, was 1)
(a=[];a<<a; a.dup==a)  #=> true
(a=[];a<<a; Marshal.load(Marshal.dump(a)).inspect)  #=> "[[...]]"
(a=[];a<<a; "#{a}")  #=> "[[...]]"
(a=[];a<<a; Array(a).size)  #=> 1
(a=[];a<<a; a*",")  #=> !ArgumentError: recursive array join
(a=[];a<<a; a.flatten!)  #=> !ArgumentError: tried to flatten recursive array
(a=[];a<<a; [a].assoc(a))  #=> [[...]]
(a=[];a<<a; {a=>1}[a])  #=> 1
(a=[];a<<a;b=[];b<<b; {a=>1}[b])  #=> 1
(a={}; a[:a]=a; a.dig(:a,:a,:a).size)  #=> 1
(a={}; a[:a]=a; a.invert.size)  #=> 1
(a={}; a[:a]=a; a.to_a)  #=> [[:a, {:a=>{...}}]]
(a={}; a[:a]=a; a.flatten)  #=> [:a, {:a=>{...}}]
(a={}; a[:a]=a; a.merge(a))  #=> {:a=>{:a=>{...}}}
(a={}; a[:a]=a; a<=a)  #=> true
(a={}; a[:a]=a; b={}; b[:a]=b; a<=b)  #=> true
(a={}; a[:a]=a; a.compact)  #=> {:a=>{:a=>{...}}}
(a={}; a[:a]=a; a.key(a))  #=> :a
(a={}; a[:a]=a; a.value?(a))  #=> true
(s=Set.new; s<<s; s)  #=> #<Set: {#<Set: {...}>}>
(s=Set.new; s<<s; s.to_a.size)  #=> 1
(s=Set.new; s<<s; s.hash.class)  #=> Integer
(a=[];a<<a; a.first(2).size)  #=> 1
(a=[];a<<a; a.each_slice(2).to_a)  #=> [[[[...]]]]
(a=[];a<<a; a.hash==a.hash)  #=> true
(a=[];a<<a; a.frozen?)  #=> false
(a=[];a<<a; a.freeze.frozen?)  #=> true
(a=[1]; a<<a; a.inspect)  #=> "[1, [...]]"
(a=[1]; b=[a]; a<<b; a.inspect)  #=> "[1, [[...]]]"
(a=[]; a<<{a=>a}; a)  #=> [{[...]=>[...]}]
(a=[];a<<a; a.sum)  #=> !TypeError: Array can't be coerced into Integer
(a=[];a<<a; a.cycle.first(2).size)  #=> 2
(a=[];a<<a; case a; in [[x]] then x.size; end)  #=> 1
(a=[];a<<a; [1,[2]]<=>[1,[2]])  #=> 0
(a=[];a<<a; a.combination(1).to_a.size)  #=> 1
(a=[];a<<a; a.rotate.inspect)  #=> "[[[...]]]"
(a=[];a<<a; a.zip(a))  #=> [[[[...]], [[...]]]]
(a=[];a<<a; a.group_by(&:itself).size)  #=> 1
(a=[];a<<a; a.tally.size)  #=> 1
(a=[];a<<a; a.each_with_object([]).to_a.size)  #=> 1
(a=[];a<<a; a.lazy.map{|x|x}.to_a.size)  #=> 1
(a=[];a<<a; a.to_a.equal?(a))  #=> true
(a=[];a<<a; a.replace(a).size)  #=> 1
(a=[];a<<a; a.concat(a).size)  #=> 2
(a=[];a<<a; a.delete(a).size)  #=> 0
(a=[];a<<a; a.index(a))  #=> 0
(a=[];a<<a; a.count(a))  #=> 1
(a=[];a<<a; a.fill(a).size)  #=> 1
(a=[];a<<a; Hash[[[a,a]]])  #=> {[[...]]=>[[...]]}
(a=[];a<<a; JSON.generate(a))  #=> !JSON::NestingError: nesting of 100 is too deep
(a=[];a<<a; JSON.pretty_generate(a))  #=> !JSON::NestingError: nesting of 100 is too deep
(a=nil; 100000.times{a=[a]}; b=nil; 100000.times{b=[b]}; begin; a==b; rescue SystemStackError; end; 1)  #=> 1
(a=nil; 100000.times{a=[a]}; b=nil; 100000.times{b=[b]}; begin; a<=>b; rescue SystemStackError; end; 1)  #=> 1
(a=nil; 100000.times{a=[a]}; begin; a.hash.class; rescue SystemStackError; end; 1)  #=> 1
(a=nil; 100000.times{a=[a]}; begin; a.inspect.size; rescue SystemStackError; end; 1)  #=> 1
(a=nil; 100000.times{a=[a]}; a.flatten)  #=> [nil]
(a=nil; 100000.times{a=[a]}; a.to_json.size)  #=> !JSON::NestingError: nesting of 100 is too deep
(a=nil; 100000.times{a={1=>a}}; begin; a.inspect.size; rescue SystemStackError; end; 1)  #=> 1
(a=nil; 3000.times{a=[a]}; b=nil; 3000.times{b=[b]}; a==b)  #=> true
(a=nil; 300.times{a=[a]}; b=nil; 300.times{b=[b]}; a==b)  #=> true
(a=nil; 300.times{a=[a]}; b=nil; 300.times{b=[b]}; a.eql?(b))  #=> true
(a=nil; 300.times{a=[a]}; b=nil; 300.times{b=[b]}; a<=>b)  #=> 0
(a=nil; 300.times{a={a=>1}}; b=nil; 300.times{b={b=>1}}; a==b)  #=> true
(a=nil; 300.times{a=[a]}; a.inspect.size)  #=> 603
(a=nil; 300.times{a=[a]}; a.join.size)  #=> 0
(a=nil; 300.times{a=[a]}; a.flatten)  #=> [nil]
(s=Struct.new(:a); x=s.new; x.a=x; y=s.new; y.a=y; [x==y, x.eql?(y), x.to_h.size, x.hash == y.hash])  #=> [true, true, 1, true]
(Wrapped=Struct.new(:a); x=Wrapped.new; x.a=[x]; x.inspect)  #=> "#<struct Wrapped a=[#<struct Wrapped:...>]>"
(s=Struct.new(:a); x=s.new; x.a=[x]; y=s.new; y.a=[[y]]; [x==y, y==x])  #=> [false, false]
(s=Struct.new(:a, :b); x=s.new(1, 2); [x, x.to_a, x == s.new(1, 2), x == s.new(1, 3), x.eql?(s.new(1, 2))])  #=> [#<struct a=1, b=2>, [1, 2], true, false, true]
(a=[];a<<a; a.to_s.size)  #=> 7
(a=[];a<<a; b=[a]; a==b)  #=> true
(a=[];a<<a; a==[[[[a]]]])  #=> true
(a=[];a<<a; a==[[[[1]]]])  #=> false
(a=[]; b=[a]; a<<b; c=[]; d=[c]; c<<d; a==c)  #=> true
(a=[];a<<a; a.permutation.first(1).size)  #=> 1
(a=[];a<<a; a.min_by { 1 }.size)  #=> 1
(a=[];a<<a; a.inject { |x, y| x }.size)  #=> 1
(a=[];a<<a; a.partition { |x| x == a })  #=> [[[[...]]], []]
(a=[];a<<a; a.values_at(0)[0].equal?(a))  #=> true
(a=[];a<<a;b=[];b<<b; Set.new([a]) == Set.new([b]))  #=> true
(a=[];a<<a;b=[];b<<b; Set.new([a]).superset?(Set.new([b])))  #=> true
(a=[];a<<a; (1..a))  #=> !ArgumentError: bad value for range
(a={}; a.default=a; a[1][2][3])  #=> {}
(a={}; a.default=a; a == {})  #=> true
(e=RuntimeError.new("x"); e.instance_variable_set(:@a, e); e.inspect)  #=> "#<RuntimeError: x>"
(begin; begin; raise "a"; rescue => e; raise e; end; rescue => f; f.cause.inspect; end)  #=> "nil"
