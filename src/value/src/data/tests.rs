//! Compares tables with the answers of Ruby in their second column: see `tests/reference/data_answers.rb`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::data::yaml::AllowedClasses;
use crate::data::yaml::Symbols;
use crate::data::yaml::parse_allowing;
use crate::value::Value;

/// A value in the table's notation.
fn show(value: &Value) -> String {
    let join = |items: Vec<String>| items.join(", ");
    match value {
        Value::Undef => "nil".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(f) if f.is_nan() => "NaN".to_owned(),
        Value::Float(f) if f.is_infinite() => if *f > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        Value::Float(f) if f.abs() >= 1e16 || (*f != 0.0 && f.abs() < 1e-4) => {
            let text = format!("{f:e}");
            let (mantissa, exponent) = text.split_once('e').unwrap();
            let exponent: i32 = exponent.parse().unwrap();
            let dot = if mantissa.contains('.') { "" } else { ".0" };
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}{dot}e{sign}{:02}", exponent.abs())
        }
        Value::Float(f) => format!("{f:?}"),
        Value::Str(text) => serde_json::to_string(text.as_ref()).unwrap(),
        Value::Array(items) => format!("[{}]", join(items.iter().map(show).collect())),
        Value::Hash(entries) => {
            format!("{{{}}}", join(entries.iter().map(|(k, v)| format!("{}: {}", show(k), show(v))).collect()))
        }
        other => panic!("{other:?}"),
    }
}

/// `parsed`: the first column is a JSON string that holds the input.
fn check(table: &str, parsed: bool, answer: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    for line in table.lines() {
        let (source, expected) = line.split_once('\t').unwrap();
        let text: String = if parsed { serde_json::from_str(source).unwrap() } else { source.to_owned() };
        let found = answer(&text).replace('\t', "");
        if found != expected {
            wrong.push(format!("{source}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn yaml_is_read_as_psych_reads_it() {
    check(include_str!("yaml/cases.tsv"), true, |text| match crate::data::yaml::parse(text.as_bytes()) {
        Ok(value) => show(&value),
        Err(error) => format!("! {}", error.puppet_text(Some("/f.yaml"))),
    });
}

#[test]
fn json_is_read_as_ruby_reads_it() {
    check(include_str!("json/cases.tsv"), true, |text| match crate::data::json::parse(text.as_bytes()) {
        Ok(value) => show(&value),
        Err(error) => format!("! {}", error.message),
    });
}

#[test]
fn bombs_and_deep_nesting_are_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let from = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{from}]\n"));
    }
    let error = crate::data::yaml::parse(bomb.as_bytes()).unwrap_err();
    assert!(error.message.starts_with("more than"), "{error}");
    let error = crate::data::yaml::parse("[".repeat(5000).as_bytes()).unwrap_err();
    assert!(error.message.starts_with("nested deeper"), "{error}");
    // After a refused value, the rest is not read.
    let text = format!("a: 2020-01-01\nb: {}", "[".repeat(300_000));
    let error = crate::data::yaml::parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.message, "Tried to load unspecified class: Date");
    assert!(crate::data::json::parse("[".repeat(5000).as_bytes()).is_err());
    let error = crate::data::yaml::parse(b"a: &x [*x]").unwrap_err();
    assert!(error.message.contains("inside itself"), "{error}");
}

#[test]
fn bytes_that_are_no_utf8_are_an_error() {
    let error = crate::data::yaml::parse(b"a: \xff").unwrap_err();
    assert_eq!(error.puppet_text(Some("/f.yaml")), "(/f.yaml): invalid leading UTF-8 octet at line 1 column 1");
}

#[test]
fn symbols_become_what_the_reader_wants() {
    let read = |symbols| {
        let allowed = AllowedClasses { symbols, ..AllowedClasses::default() };
        let document = parse_allowing(b":a:\n- :b\n- ':c'\n- !ruby/sym d\n- :default\n- :undef", allowed).unwrap();
        assert!(document.any_symbol);
        crate::value::ruby::inspect(&document.value)
    };
    assert_eq!(read(Symbols::Strings), r#"{"a"=>["b", ":c", "d", "default", "undef"]}"#);
    assert_eq!(read(Symbols::KeysAsStrings), r#"{"a"=>[:b, ":c", :d, :default, nil]}"#);
    assert_eq!(read(Symbols::Values), r#"{:a=>[:b, ":c", :d, :default, nil]}"#);
    assert_eq!(read(Symbols::Unchanged), r#"{:a=>[:b, ":c", :d, :default, :undef]}"#);
}

#[test]
fn yaml_is_written_as_psych_writes_it() {
    check(include_str!("yaml_write/cases.tsv"), false, |text| {
        let value = crate::data::json::parse(text.as_bytes()).unwrap();
        let written = crate::data::yaml_write::write(&value, Default::default()).unwrap();
        serde_json::to_string(&written).unwrap()
    });
}

#[test]
fn shared_collections_get_anchors() {
    let list = Value::array(vec![Value::Int(1)]);
    let hash = Value::hash([(Value::str("l"), list.clone())].into_iter().collect());
    let all = Value::array(vec![list, hash.clone(), hash]);
    let written = crate::data::yaml_write::write(&all, Default::default()).unwrap();
    // a = [1]; h = {'l' => a}; [a, h, h].to_yaml
    assert_eq!(written, "---\n- &1\n  - 1\n- &2\n  l: *1\n- *2\n");
}
#[test]
fn very_many_tags_before_commas_are_refused() {
    let text = format!("[{}b]", "!a, ".repeat(100));
    let error = crate::data::yaml::parse(text.as_bytes()).unwrap_err();
    assert!(error.message.starts_with("not supported yet"), "{error}");
}

/// Compares the simple reader with the complete one: random combinations of lines.
#[test]
fn simple_yaml_is_read_alike() {
    const PIECES: &[&str] = &[
        "a",
        "key",
        "apache::port",
        "x y",
        "- ",
        "-",
        ": ",
        ":",
        "  ",
        " ",
        "\n",
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        "\n- ",
        "1",
        "-1",
        "0x1f",
        "1.5",
        "yes",
        "~",
        "null",
        "'q: r'",
        "\"d - e\"",
        "'",
        "\"",
        "''",
        "#",
        " # c",
        "[a, b]",
        "[1, 'x,y']",
        "[",
        "]",
        "{}",
        "{",
        ",",
        "|",
        ">",
        "&a",
        "*a",
        "!t",
        "%{x}",
        "<<",
        "<<: ",
        "?",
        "---\n",
        "---",
        "...",
        "k: v",
        "\nk: v",
        "\n  k: v",
        "\n  - v",
        "\n- k: v",
        ":s",
        "2001-01-01",
        "@",
        "`",
        "\t",
        "=",
        "é",
        "(a)",
        "a:b",
        "a :b",
        "\\n",
        "12:30",
    ];
    let mut state: u64 = 7;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let allowed = super::yaml::AllowedClasses::default();
    for _ in 0..20_000 {
        let text: String = (0..1 + random(14)).map(|_| PIECES[random(PIECES.len())]).collect();
        let both = [
            super::yaml::parse_allowing(text.as_bytes(), allowed),
            super::yaml::parse_completely(text.as_bytes(), allowed),
        ];
        let [simple, fully] = both.map(|read| read.map(|read| format!("{read:?}")).map_err(|error| error.to_string()));
        assert_eq!(simple, fully, "{text:?}");
    }
}

#[test]
fn marks_of_utf_16_are_no_utf_8() {
    for bytes in [&b"\xFE\xFF0000\xAE"[..], b"\xFF\xFEa\0:\0 \0b\0", b"\xFF\xFE"] {
        let error = super::yaml::parse_allowing(bytes, AllowedClasses::default()).unwrap_err();
        assert_eq!(error.message, "invalid leading UTF-8 octet", "{bytes:?}");
    }
}
