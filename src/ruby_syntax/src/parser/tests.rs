//! The trees of short programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::parse;

#[test]
fn parses_valid_programs() {
    for text in [
        "a = b ? c : d",
        "x = foo a, b do |y| y end",
        "foo(1) { |a, (b, c), *d| a }",
        "raise Foo, \"x #{y} z\" unless a and !b",
        "a, b = 1, 2\n(a, b), c = x\n*a, b = c",
        "[1, 2].each do |x|; p x; end",
        "if x then y else z end",
        "case x\nwhen 1, 2 then 3\nwhen *y\n 4\nelse 5\nend",
        "begin\n a\nrescue A, B => e\n b\nelse\n c\nensure\n d\nend while x",
        "x = y rescue z",
        "h = { 'a' => 1, b: 2, **c }",
        "foo a: 1, 'b' => 2",
        "foo :a => 1 do |x| end",
        "x&.y&.z ||= 3",
        "a.b += 1; a['x'] ||= []",
        "def foo(a, b = 1, *c, d:, e: 2, **f, &g)\n a\nend",
        "def self.foo a, b\nend",
        "x = ->(a) { a }\nx.(1)",
        "puts [1].map(&:to_s).join ','",
        "return if x\nreturn 1, 2",
        "while x do y end\nfor a, b in c do d end",
        "a = <<~X + 'b'\n  text #{x}\n  X\n",
        "x.each_with_index.map { |a, i| a * i }",
        "p(-1, -a, !b, a - 1, a -1)",
        "@a[:b] = c if d",
        "Puppet::Functions.create_function(:'a::b') do\n dispatch :x do\n param 'String', :y\n end\nend",
        "x = if a\n 1\nelse\n 2\nend",
        "a.b c, d: 1 do |e| f end",
        "A::B.c(d)::E",
        "(1..10).to_a[1..]",
        "defined?(@a) && @b",
        "x == 'a' ? 'b' : 'c'",
        "foo.bar = baz 1, 2",
        "a\n  .b\n  .c",
        "a = [\n 1,\n 2\n]",
    ] {
        if let Err(error) = parse(text, false) {
            panic!("{text}: {error:?}");
        }
    }
}

#[test]
fn nested_brackets_are_parsed_once() {
    for text in ["((f(".repeat(25), format!("{}1{}", "((f(".repeat(25), ")))".repeat(25))] {
        // Parsing in 2^depth steps would not end.
        assert!(parse(&text, false).is_err());
    }
    for text in ["(a, b) = 1, 2", "(a, (b, *c)), d = x", "(a)\n(b).c = 1", "(x = 1; y)"] {
        parse(text, false).unwrap();
    }
}
