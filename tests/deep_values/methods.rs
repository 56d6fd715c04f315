//! Every method of Ruby's classes and every function of the Puppet language, with values that contain themselves and deep ones.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::quote;
use super::select;
use super::survive;

/// Ruby code that makes a value, with its class. `DEEP` is the number of levels.
const VALUES: &[(&str, &str)] = &[
    ("Array", "a = []; a << a; a"),
    ("Array", "a = []; a << a << 1 << a; a"),
    ("Array", "a = []; b = [a]; a << b << {a => b}; a"),
    ("Array", "(1..60).inject([1]) { |a, _| [a, a] }"),
    ("Array", "(1..DEEP).inject([]) { |a, _| [a] }"),
    ("Hash", "a = {}; a[:a] = a; a"),
    ("Hash", "a = {}; a[a] = 1; a"),
    ("Hash", "a = {}; a[a] = a; a[[a]] = [a]; a"),
    ("Hash", "a = {}; a.default = a; a[1] = a; a"),
    ("Hash", "a = Hash.new { |h, k| h[[k]] }; a[1] = a; a"),
    ("Hash", "(1..DEEP).inject({}) { |a, _| {a => a} }"),
    ("Set", "s = Set.new; s << s; s"),
    ("Set", "s = Set.new; s << [s] << {s => s}; s"),
    ("Set", "(1..DEEP).inject(Set.new) { |a, _| Set.new([a]) }"),
    ("Struct", "k = Struct.new(:a, :b); s = k.new; s.a = s; s.b = [s]; s"),
    ("Struct", "k = Struct.new(:a); (1..DEEP).inject(nil) { |a, _| k.new(a) }"),
    (
        "Object",
        "k = Class.new { attr_accessor :a; def ==(o); a == o.a; end; def hash; [a].hash; end; \
                def eql?(o); a.eql?(o.a); end; def inspect; a.inspect; end; def to_s; a.to_s; end }; o = k.new; o.a = [o]; o",
    ),
    (
        "Object",
        "k = Class.new { attr_accessor :a; include Comparable; def <=>(o); a <=> o; end; def coerce(o); [self, self]; end; \
                def each; yield self; end; include Enumerable; def to_ary; [self]; end; def to_str; \"#{self}\"; end }; \
                o = k.new; o.a = [o]; o",
    ),
    (
        "Object",
        "k = Class.new { def method_missing(*a, &b); foo(*a, &b); end; def respond_to_missing?(*a); foo(*a); end }; k.new",
    ),
    ("Array", "k = Class.new(Array); a = k.new; a << a; a"),
    ("Hash", "k = Class.new(Hash); a = k.new; a[a] = a; a"),
    ("Enumerator", "a = []; a << a; a.each_with_index"),
    ("Enumerator", "(1..DEEP).inject([1].each) { |a, _| a.with_index }"),
    ("Enumerator", "a = [1]; Enumerator.new { |y| y << a; a << y; y.yield(a, y) }"),
    ("Proc", "f = nil; f = lambda { |*x| f }; f"),
    ("Proc", "(1..DEEP).inject(lambda { |x| x }) { |a, _| lambda { |x| a } }"),
    ("Proc", "(1..DEEP).inject(lambda { |x| x }) { |a, _| a >> a }"),
    ("Method", "a = []; a << a; a.method(:flatten)"),
    (
        "Range",
        "k = Class.new { def <=>(o); 0; end; def succ; self; end; attr_accessor :r }; o = k.new; o.r = (o..o); o.r",
    ),
    ("Range", "(1..DEEP).inject(1..2) { |a, _| (a..a) }"),
    ("Exception", "e = RuntimeError.new([1]); e.instance_variable_set(:@a, e); e.message << e; e"),
    ("Exception", "(1..DEEP).inject(RuntimeError.new('a')) { |a, _| RuntimeError.new(a) }"),
    ("String", "a = []; a << a; s = 'x%s'; s.instance_variable_set(:@a, a); s"),
    ("Symbol", ":a"),
    ("Integer", "5"),
    ("Float", "2.5"),
    ("Regexp", "/(a)|(?<b>b)/"),
    ("Time", "Time.at(0)"),
    ("NilClass", "nil"),
];

/// Code that makes the arguments of a call; `x` is the receiver.
const ARGUMENTS: &[&str] = &[
    "[]",
    "[x]",
    "[x.dup]",
    "[(b = []; b << b; b)]",
    "[(b = {}; b[b] = b; b)]",
    "[(b = Set.new; b << b; b)]",
    "[0, x]",
    "[x, x]",
    "[-1]",
    "[9223372036854775807]",
    "[2**64]",
    "['']",
    "[:a]",
    "[/a/]",
    "[1.0/0]",
    "[nil, nil, nil]",
    "[(0..-1)]",
    "[x, 1, 9223372036854775807]",
];

/// Functions of modules and classes, called with a value.
const CALLS: &[&str] = &[
    "JSON.generate(x)",
    "JSON.pretty_generate(x)",
    "JSON.dump(x)",
    "YAML.dump(x)",
    "x.to_yaml",
    "x.to_json",
    "x.to_pson",
    "Marshal.load(Marshal.dump(x))",
    "Array(x)",
    "Hash[x]",
    "Hash[[[x, x]]]",
    "Set.new(x)",
    "Set[x]",
    "String(x)",
    "Integer(x)",
    "Float(x)",
    "Rational(x)",
    "format('%s %p %d', x, x, x)",
    "'%s' % [x]",
    "'%-5p' % [x]",
    "\"#{x}\"",
    "raise x",
    "raise 'a', x",
    "puts x",
    "p x",
    "print x",
    "pp x",
    "warn x",
    "throw :a, x",
    "catch(x) { throw x, x }",
    "Struct.new(:a).new(x).to_a",
    "ERB.new(x).result",
    "ERB.new('<%= x %>').result(binding)",
    "scope.function_notice([x])",
    "scope.call_function('notice', [x])",
    "scope.call_function('flatten', [x])",
    "scope['x'] = x",
    "scope.lookupvar(x)",
    "scope.setvar('z', x); scope['z']",
    "Puppet.notice(x)",
    "Puppet::Util::Errors.fail(x)",
    "File.join(x)",
    "File.join('a', x)",
    "[x].pack('a')",
    "[x, x].max",
    "[x, x].sort",
    "[x, x.dup].minmax",
    "{x => 1}[x]",
    "{x => 1}.key?(x.dup)",
    "case x when x then 1 end",
    "case x; in [[y]] then 1; in {a: y} then 2; in _ then 3; end",
    "x.freeze.inspect",
    "x.clone.hash",
    "a, (b, c), *d = x",
    "[*x, **{}]",
    "lambda { |(a, b), *c| a }.call(x)",
    "x&.then { |y| [y] }",
    "def m(a: 1, **b); b; end; m(**x)",
    "Comparable.instance_method(:clamp).bind(x).call(x, x)",
    "x.instance_variables.map { |v| x.instance_variable_get(v) }",
    "Object.new.instance_variable_set(:@a, x)",
    "x.method(:inspect).unbind",
    "x.define_singleton_method(:inspect) { x.to_s + super }; x.inspect",
    "x.singleton_class.send(:define_method, :==) { |o| o == self }; x == [x]",
    "x.extend(Enumerable).to_a",
    "Date.parse(x)",
    "Time.parse(x)",
    "IPAddr.new(x)",
    "URI.parse(x)",
    "Shellwords.join(x)",
    "x.zip(x).to_h",
    "[[x]].to_h { |y| [y, y] }",
    "x.each_with_object(x) { |y, z| z << y }",
    "x.tap { |y| y << y }.flatten",
    "x.sum(x)",
    "x.inject(:+)",
    "x.inject { |a, b| [a, b] }",
    "x.first(9223372036854775807)",
    "x * 9223372036854775807",
    "'a' * 9223372036854775807",
    "Array.new(9223372036854775807, x)",
    "Array.new(100000000) { x }",
    "'a'.ljust(9223372036854775807)",
    "' '.center(2**62)",
    "x.cycle { |y| y }",
    "x.permutation.to_a",
    "x.product(*[x] * 70).size",
    "x.combination(2**40).to_a",
    "x.repeated_permutation(60).to_a",
    "1 << 2**40",
    "2**(2**40)",
    "(2**64)**(2**20)",
    "'é'[1..-1].byteslice(1)",
    "'é'.unpack('C*').pack('U*')",
    "x.fill(x, 2**62)",
    "x[2**40] = x",
    "x.insert(2**40, x)",
    "x.values_at(2**62)",
    "x.rotate(-2**63)",
    "x.sample(2**62)",
    "x.each_slice(2**62).to_a",
    "x.each_cons(2**62).to_a",
    "x.flatten(2**62)",
    "'a'.tr('a-\u{10ffff}', 'b')",
    "'a'.sum(2**62)",
    "('a'..'z' * 1000).to_a.size",
    "(1..2**62).to_a",
    "(1..Float::INFINITY).to_a",
    "1.step(2**62, 0) { }",
    "1.upto(2**70).to_a",
    "'a'.succ * 5",
    "Time.at(2**62)",
    "Time.at(1e300)",
    "Time.at(0).strftime('%999999999d')",
    "Time.now + 2**62",
    "Random.rand(-2**70)",
    "[1].pack('N' * 100000)",
    "['a'].pack('a999999999')",
    "'a'.unpack('a999999999')",
    "Regexp.new('(' * 100000)",
    "Regexp.new('a{99999}{99999}')",
    "Regexp.new('(?<a>\\\\g<a>)') =~ 'a'",
    "'a' =~ /(a|b)*\\1/",
    "x.to_s.encode('UTF-16')",
];

/// Methods that stop or delay a process, or run others: `--untrusted` refuses them, and they end the node.
const LEFT_OUT: &[&str] =
    &["exit", "exit!", "abort", "sleep", "fork", "exec", "system", "spawn", "trap", "gets", "binding", "at_exit", "`"];

/// The public methods of each class with those of its ancestors.
fn methods() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let table = include_str!("../../src/ruby/src/object/ruby_methods.tsv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    let of = |class: &str, kind: &str| {
        let row = rows.iter().find(|row| row[0] == class && row[1] == kind);
        row.map(|row| row[2].split(' ').collect::<Vec<_>>()).unwrap_or_default()
    };
    let classes: BTreeSet<&str> = VALUES.iter().map(|(class, _)| *class).collect();
    let all = |class: &'static str| {
        let chain = of(class, "ancestors").into_iter().chain([class, "Object", "Kernel", "Enumerable", "Comparable"]);
        let methods = chain.flat_map(|ancestor| of(ancestor, "objects"));
        let names = methods.filter_map(|method| method.rsplit_once(':')).map(|(name, _)| name);
        (class, names.filter(|name| !LEFT_OUT.contains(name)).collect())
    };
    classes.into_iter().map(all).collect()
}

/// A template that makes the value, does something with it, and uses the result.
fn template(value: &str, deep: usize, work: &str) -> String {
    let value = value.replace("DEEP", &deep.to_string());
    let tries = ["y.inspect", "y.hash", "y == x", "[y].flatten", "[x, y].uniq", "y.to_s", "x.dup == y"];
    let tries: String = tries.iter().map(|code| format!("begin; {code}; rescue Exception; end; ")).collect();
    let code =
        format!("x = begin; {value}; end; y = nil; begin; y = begin; {work}; end; rescue Exception; end; {tries}");
    format!("notice(inline_template({}).length)", quote(&format!("<% {code} %>")))
}

#[test]
fn methods_of_ruby() {
    let deep = if super::is_full() { 2_000_000 } else { 2_000 };
    let mut inputs = Vec::new();
    let methods = methods();
    for (class, value) in VALUES {
        for name in &methods[class] {
            for (at, arguments) in ARGUMENTS.iter().enumerate() {
                let block = if at % 2 == 0 { "" } else { " { |*z| break if (n += 1) > 1000; z.first }" };
                inputs.push(template(value, deep, &format!("n = 0; x.send(:'{name}', *{arguments}){block}")));
            }
            inputs.push(template(
                value,
                deep,
                &format!("n = 0; x.{}(x) {{ |*z| break if (n += 1) > 1000; x }}", name.trim_end_matches('=')),
            ));
        }
    }
    survive(&select(inputs, 150), "2");
}

#[test]
fn calls_of_ruby() {
    let deep = if super::is_full() { 2_000_000 } else { 2_000 };
    let inputs =
        VALUES.iter().flat_map(|(_, value)| CALLS.iter().map(move |call| template(value, deep, call))).collect();
    survive(&select(inputs, 40), "2");
}

/// Nesting that only an unbounded recursion cannot hold, also when the value is dropped.
#[test]
fn very_deep_values_of_ruby() {
    let uses = [
        "1",
        "x.inspect.size",
        "x == x.dup",
        "x.hash",
        "x.flatten",
        "[x].flatten.size",
        "x.to_s.size",
        "x.to_json",
        "x.to_yaml",
        "x.eql?(x.clone)",
        "x <=> x.dup",
    ];
    let values = VALUES.iter().filter(|(_, value)| value.contains("DEEP"));
    let inputs = values.flat_map(|(_, value)| uses.iter().map(move |work| template(value, 1_000_000, work))).collect();
    survive(&select(inputs, 20), "60");
}

/// Code of the Puppet language that makes a deep value.
const PUPPET_VALUES: &[&str] = &[
    "Integer[1, 9000].reduce([]) |$m, $x| { [$m] }",
    "Integer[1, 9000].reduce({}) |$m, $x| { {'a' => $m} }",
    "Integer[1, 4000].reduce({}) |$m, $x| { {[$m] => $m} }",
    "Integer[1, 9000].reduce(1) |$m, $x| { Sensitive($m) }",
    "Integer[1, 9000].reduce([1]) |$m, $x| { reverse_each($m) }",
    "Integer[1, 9000].reduce(Integer) |$m, $x| { Array[$m] }",
    "Integer[1, 9000].reduce(Integer) |$m, $x| { Optional[$m] }",
    "Integer[1, 4000].reduce(Integer) |$m, $x| { Struct[{'a' => $m}] }",
    "Integer[1, 4000].reduce(Integer) |$m, $x| { Callable[$m] }",
    "Integer[1, 20].reduce([1, 2]) |$m, $x| { [$m, $m] }",
    "Deferred('join', [Integer[1, 9000].reduce([]) |$m, $x| { [$m] }])",
    "[9223372036854775807, -9223372036854775807, 1.0e308, 'é', '']",
];

#[test]
fn functions_of_the_puppet_language() {
    let left_out = ["fail", "break", "next", "return"];
    let mut inputs = Vec::new();
    for function in catwalk_functions::all().filter(|function| !left_out.contains(&function.name)) {
        let name = function.name;
        for value in PUPPET_VALUES {
            for call in [
                "NAME($x)",
                "NAME($x, $x)",
                "NAME($x, $x, $x)",
                "NAME('a', $x)",
                "NAME($x, 'a')",
                "NAME($x, 1)",
                "NAME($x, 9223372036854775807)",
                "NAME($x) |$a| { $a }",
                "NAME($x) |$a, $b| { [$a, $b] }",
                "NAME('a', $x) |$a| { $x }",
                "NAME('%s', $x)",
                "NAME({'a' => $x}, {'a' => $x})",
            ] {
                let call = call.replace("NAME", name);
                inputs.push(format!("$x = {value}\n$y = [{call}]\nnotice($y == $x, \"${{y}}\".length)"));
            }
        }
    }
    survive(&select(inputs, 250), "2");
}

/// Operators, conversions, types, templates and resources.
#[test]
fn other_uses_in_the_puppet_language() {
    let uses = [
        "$x == $x",
        "$x in [$x]",
        "$x + $x",
        "$x - $x",
        "[$x] << $x",
        "$x =~ Data",
        "$x =~ Array[Array]",
        "type($x)",
        "type($x, 'generalized')",
        "String($x)",
        "String($x, '%#p')",
        "Array($x)",
        "Hash($x)",
        "Integer($x)",
        "$x ? { $x => 1, default => 2 }",
        "[$x].map |$y| { $y =~ type($x) }",
        "$x < $x",
        "\"${x}\"",
        "inline_epp('<%= $x %>', {'x' => $x})",
        "inline_template('<%= @x.inspect.size %>')",
        "inline_template('<%= @x.to_json %>')",
        "inline_template('<%= @x == @x.dup %><%= @x.hash %>')",
        "inline_template('<%= scope.call_function(\"flatten\", [[@x]]) %>')",
        "notify { 'a': message => $x }",
        "notify { 'a': tag => $x }",
        "file { '/a': content => $x }",
        "notify { $x: }",
        "create_resources('notify', {'a' => {'message' => $x}})",
        "$y = {'a' => $x}; dig($y, 'a', 0, 0)",
        "lookup('a', {'default_value' => $x})",
        "fail($x)",
        "unwrap($x)",
        "Sensitive($x) == Sensitive($x)",
        "$x.then |$y| { $y }",
        "Notify <| message == $x |>",
        "assert_type(Array, $x)",
        "[$x, $x].unique",
        "[$x].flatten",
        "$x.each |$a| { notice($a) }",
        "with(*$x) |*$a| { $a }",
    ];
    let mut inputs = Vec::new();
    for value in PUPPET_VALUES {
        inputs.extend(uses.iter().map(|code| format!("$x = {value}\n$z = [1]\n{code}\n")));
    }
    survive(&select(inputs, 6), "2");
}
