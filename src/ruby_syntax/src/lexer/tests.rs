//! The tokens of short sources.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::Kind;
use super::Part;
use super::Token;
use super::lex;

/// Formats tokens in a short notation.
fn format_tokens(source: &str) -> String {
    lex(source)
        .unwrap_or_else(|error| panic!("{source}: {error:?}"))
        .iter()
        .map(format_token)
        .collect::<Vec<_>>()
        .join(" ")
}

fn format_token(token: &Token) -> String {
    match &token.kind {
        Kind::Ident(t) => t.to_string(),
        Kind::Const(t) => t.to_string(),
        Kind::IVar(t) => format!("@{t}"),
        Kind::CVar(t) => format!("@@{t}"),
        Kind::GVar(t) => format!("${t}"),
        Kind::Keyword(t) => format!("<{t}>"),
        Kind::Label(t) => format!("{t}:"),
        Kind::Symbol(t) => format!(":{t}"),
        Kind::DynamicSymbol(p) => format!(":{}", format_parts(p)),
        Kind::Str(p) => format_parts(p),
        Kind::Command(p) => format!("`{}`", format_parts(p)),
        Kind::Regexp(p, flags) => format!("re{}{flags}", format_parts(p)),
        Kind::Words(w) => format!("%w[{}]", w.iter().map(|w| format_parts(w)).collect::<Vec<_>>().join(" ")),
        Kind::Symbols(w) => format!("%i[{}]", w.iter().map(|w| format_parts(w)).collect::<Vec<_>>().join(" ")),
        Kind::Int(n) => n.to_string(),
        Kind::Float(n) => format!("{n:?}"),
        Kind::OtherNumber(t) => t.to_string(),
        Kind::Op(t) => (*t).to_string(),
        Kind::Newline => ";".into(),
    }
}

fn format_parts(parts: &[Part]) -> String {
    let inner: String = parts
        .iter()
        .map(|part| match part {
            Part::Literal(text) => text.clone(),
            Part::Code(tokens) => format!("#{{{}}}", tokens.iter().map(format_token).collect::<Vec<_>>().join(" ")),
        })
        .collect();
    format!("{inner:?}")
}

#[test]
fn splits_source_into_tokens() {
    let cases = [
        ("a = b / c", "a = b / c"),
        ("puts /x y/i", "puts re\"x y\"i"),
        ("x.split(/,/)", "x . split ( re\",\" )"),
        ("a /b/", "a re\"b\""),
        ("[1,2] / 3", "[ 1 , 2 ] / 3"),
        (r"%r{a/\/b}m", r#"re"a/\\/b"m"#),
        (r"/a\/b/", r#"re"a/b""#),
        ("%w[a b c].each { |x| y }", r#"%w["a" "b" "c"] . each { | x | y }"#),
        ("%i(a b)", r#"%i["a" "b"]"#),
        ("5 % 3", "5 % 3"),
        ("{ a: 1, 'b' => 2, \"c\": 3 }", "{ a: 1 , \"b\" => 2 , c: 3 }"),
        ("x ? :a : :b", "x ? :a : :b"),
        ("x ? 'a': 'b'", "x ? \"a\" : \"b\""),
        ("x ? y : z", "x ? y : z"),
        ("a? b", "a? b"),
        ("Foo::Bar.new", "Foo :: Bar . new"),
        ("::Foo", ":: Foo"),
        ("obj.class.end", "obj . class . end"),
        ("if x then y end", "<if> x <then> y <end>"),
        ("def self.x; end", "<def> <self> . x ; <end>"),
        ("def end; end", "<def> end ; <end>"),
        ("{ if: 1 }", "{ if: 1 }"),
        ("\"a#{b + \"c#{d}\"}e\"", r##""a#{b + \"c#{d}\"}e""##),
        ("\"#@a #$b #\"", r##""#{@a} #{$b} #""##),
        ("?a + ?\\n", r#""a" + "\n""#),
        ("1_000 0x1f 1.5 1e3 017 1..2", "1000 31 1.5 1000.0 15 1 .. 2"),
        ("foo(<<-A, <<~'B')\n  x\n  A\n    y\n     z\nB\nbar", "foo ( \"  x\\n\" , \"y\\n z\\n\" ) ; bar"),
        ("a <<A\nt\nA\n", "a \"t\\n\" ;"),
        ("a << B", "a << B"),
        ("x <<~EOT\n  a #{b}\n    c\n  EOT\n", "x \"a #{b}\\n  c\\n\" ;"),
        ("a\n  .b\n  # c\n  &.d", "a . b &. d"),
        ("a \\\n b", "a b"),
        ("=begin\nx\n=end\na", "a"),
        ("a +\n b,\n c\n\n\nd", "a + b , c ; d"),
        ("a # c\nb", "a ; b"),
        (":a?, :b=, :[], :<=>, :\"x y\", :\"a#{b}\"", r##":a? , :b= , :[] , :<=> , :x y , :"a#{b}""##),
        ("a.b!=c", "a . b != c"),
        ("f :x, &:y", "f :x , & :y"),
        ("class << self", "<class> << <self>"),
        ("$1 $~ $stdout @@x", "$1 $~ $stdout @@x"),
        ("a\n__END__\nnot ruby '", "a"),
        ("'it''s' 'a\\'b\\n'", r#""it" "s" "a'b\\n""#),
    ];
    for (source, expected) in cases {
        assert_eq!(format_tokens(source), expected, "{source}");
    }
}

#[test]
fn unclosed_literals_are_errors() {
    for source in ["'a", "\"#{a", "%w[a", "<<A\nb\n", "/a", "=begin\n"] {
        assert!(lex(source).is_err(), "{source}");
    }
    assert!(lex(&"\"#{".repeat(500)).is_err());
}
