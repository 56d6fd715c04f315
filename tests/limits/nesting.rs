//! Deeply nested code, values, data, types and classes: each ends with a value or a clear error.

use super::fails;
use super::nowhere;
use crate::support::Site;
use catwalk_session::probe::Setup;
use catwalk_session::probe::evaluate;
use catwalk_value::Value;
use std::time::Duration;
use std::time::Instant;

/// Code that nests `n` levels deep in one way.
fn nested(n: usize) -> Vec<(&'static str, String)> {
    let around = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    vec![
        ("parentheses", around("(", "1", ")")),
        ("arrays", around("[", "1", "]")),
        ("hashes", around("{a=>", "1", "}")),
        ("conditionals", around("if true {", "1", "}")),
        ("cases", around("case 1 { 1: {", "1", "}}")),
        ("selectors", around("true ? { true => ", "1", "}")),
        ("blocks", around("[1].map |$x| {", "1", "}")),
        ("calls", around("String(", "1", ")")),
        ("texts", around("\"${", "1", "}\"")),
        ("negations", around("!", "true", "")),
        ("operators", around("", "1", "+1")),
        ("alternatives", around("", "if false { 1 }", " elsif false { 1 }")),
        ("methods", around("", "[1]", ".map |$x| { $x }")),
        ("indices", around("", "$facts", "['a']")),
        ("types", around("Array[", "Integer", "]")),
    ]
}

#[test]
fn nesting_in_source_is_evaluated_or_refused() {
    let empty = nowhere();
    for (levels, errors) in [
        (900, &["indices"] as &[&str]),
        (5000, &["indices", "blocks", "texts"]),
        (
            20_000,
            &[
                "parentheses",
                "arrays",
                "hashes",
                "conditionals",
                "cases",
                "selectors",
                "blocks",
                "calls",
                "texts",
                "negations",
                "operators",
                "alternatives",
                "methods",
                "indices",
                "types",
            ],
        ),
    ] {
        for (kind, code) in nested(levels) {
            empty.write("code.pp", &code);
            let run = empty.run(&["eval", "code.pp"]);
            let wanted = i32::from(errors.contains(&kind));
            assert_eq!(run.code, Some(wanted), "{kind} {levels}: {}", run.stderr.chars().take(300).collect::<String>());
        }
    }
}

#[test]
fn files_are_checked_on_large_stacks_and_levels_of_all_kinds_add_up() {
    let site = nowhere();
    for (kind, code) in nested(5000) {
        site.write(&format!("deep/{kind}.pp"), &code);
    }
    let mut mixed = "1".to_owned();
    for _ in 0..100 {
        mixed = format!("({mixed}{})", "+1".repeat(200));
    }
    site.write("deep/mixed.pp", &mixed);
    let run = site.run(&["check", "deep"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("Expression is nested too deeply: more than 10000 levels"));
    // Levels of siblings do not add up.
    site.write("wide.pp", format!("[{}].length", vec!["1+1+1"; 20_000].join(",")));
    assert_eq!(site.run(&["eval", "wide.pp"]).expect(0, "").stdout, "20000\n");
}

#[test]
fn values_5000_deep_are_values() {
    let empty = nowhere();
    let build =
        "$a = Integer[1, 5000].reduce([]) |$m, $x| { [$m] }\n$b = Integer[1, 5000].reduce([]) |$m, $x| { [$m] }\n";
    for (code, wanted) in [
        ("\"${a}\".length", "10002"),
        ("$a == $b", "true"),
        ("flatten($a)", "[]"),
        ("unique([$a, $b]).length", "1"),
        ("$h = { $a => 1 }\n$h[$b]", "1"),
        ("$a =~ Data", "true"),
        ("\"${type($a)}\".length > 10000", "true"),
        ("$a in [$b]", "true"),
        ("case $a { $b: { 1 } default: { 2 } }", "1"),
        ("($a - $b).length", "0"),
        ("Sensitive($a).unwrap == $b", "true"),
    ] {
        let run = empty.run(&["eval", "-e", &format!("{build}{code}")]);
        assert_eq!(run.stdout.trim_end(), wanted, "{code}: {}", run.stderr.chars().take(300).collect::<String>());
    }
    for format in ["puppet", "json", "rich"] {
        let run = empty.run(&["eval", "--format", format, "-e", &format!("{build}$a")]).expect(0, "");
        assert!(run.stdout.len() > 10_000, "{format}");
    }
    let code = format!("{build}notify {{ 'n': message => $a }}");
    for format in ["native", "wire4"] {
        let run = empty.run(&["compile", "--format", format, "-e", &code]).expect(0, "");
        assert!(run.stdout.len() > 10_000, "{format}");
    }
}

#[test]
fn long_chains_of_aliases_are_resolved() {
    let empty = nowhere();
    let count = 3000;
    for (each, last) in [("Array", "[[]] =~ T2999"), ("Optional", "undef =~ T2999"), ("", "5 =~ T2999")] {
        let aliases = (1..count).map(|n| match each {
            "" => format!("type T{n} = T{}\n", n - 1),
            each => format!("type T{n} = {each}[T{}]\n", n - 1),
        });
        let code: String = std::iter::once("type T0 = Integer\n".to_owned()).chain(aliases).collect();
        empty.write("code.pp", format!("{code}{last}"));
        let started = Instant::now();
        let run = empty.run(&["eval", "code.pp", "--time-limit", "30"]).expect(0, "");
        assert_eq!(run.stdout, "true\n", "{each}");
        assert!(started.elapsed() < Duration::from_secs(30), "{each}: {:?}", started.elapsed());
    }
}

#[test]
fn deep_data_is_read_or_refused() {
    let nest = |n: usize| format!("{{\"a\": {}1{}}}", "[".repeat(n), "]".repeat(n));
    for (levels, file) in [(90, "facts.json"), (5000, "facts.json"), (200, "facts.yaml"), (5000, "facts.yaml")] {
        let empty = nowhere();
        empty.write(file, nest(levels));
        let run = empty.run(&["eval", "--facts", file, "-e", "$facts['a'] =~ Array"]);
        assert!(
            run.code == Some(0) && run.stdout == "true\n" || run.code == Some(2) && run.stderr.contains("nest"),
            "{levels} {file} {run:#?}"
        );
        let data = Site::new(&[
            (
                "hiera.yaml",
                &format!(
                    "version: 5\nhierarchy: [{{name: d, path: {}}}]\ndefaults: {{data_hash: {}_data}}\n",
                    file,
                    &file[6..]
                ),
            ),
            (&format!("data/{file}"), &nest(levels)),
            ("nodes/n.json", "{}"),
            ("catwalk.toml", "nodes = \"nodes\"\n"),
        ]);
        let run = data.run(&["eval", "-e", "lookup('a') =~ Array"]);
        assert!(
            run.code == Some(0) && run.stdout == "true\n" || run.code == Some(1) && run.stderr.contains("nest"),
            "{levels} {file} {run:#?}"
        );
    }
}

#[test]
fn endless_recursion_is_an_error() {
    let text = "function probe::f($n) { probe::f($n + 1) }".to_owned();
    let setup = Setup { files: vec![("functions/f.pp".to_owned(), text)], ..Setup::default() };
    assert!(fails("probe::f(1)", &setup).contains("stack level too deep"));
}

#[test]
fn recursion_below_the_limit_works() {
    let text = "function probe::f($n) { if $n == 0 { 0 } else { 1 + probe::f($n - 1) } }".to_owned();
    let setup = Setup { files: vec![("functions/f.pp".to_owned(), text)], ..Setup::default() };
    assert_eq!(evaluate("probe::f(900)", &setup).result, Ok(Value::Int(900)));
}

#[test]
fn deep_nesting_is_a_value_or_an_error() {
    for depth in [100, 5000] {
        let code = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let _ = evaluate(&code, &Setup::default()).result;
    }
}

#[test]
fn names_of_nested_classes_are_bounded_where_nothing_is_compiled() {
    let site = nowhere();
    let long = "a".repeat(100_000);
    let wide = format!("class {long} {{\n{}}}", (0..1000).map(|n| format!("class b{n} {{}}\n")).collect::<String>());
    let deep = format!("{}{}", format!("class {} {{\n", "a".repeat(1000)).repeat(500), "}".repeat(500));
    for (code, status) in [(wide, 1), (deep, 1), ("class a { class b { define c() {} } }".to_owned(), 0)] {
        site.write("code.pp", &code);
        let run = site.run(&["check", "code.pp", "--format", "json"]).expect(status, "");
        assert_eq!(
            run.stdout.contains("the full names of nested classes and defines in this file have more than"),
            status == 1
        );
    }
}
