//! What a manifest cannot do to the process: deep nesting, long arrays. Every case ends with a value or a clear error.

use crate::support::Site;

fn nowhere() -> Site {
    Site { dir: tempfile::TempDir::new().unwrap() }
}

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
        for (what, code) in nested(levels) {
            empty.write("code.pp", &code);
            let run = empty.run(&["eval", "code.pp"]);
            let wanted = i32::from(errors.contains(&what));
            assert_eq!(run.code, Some(wanted), "{what} {levels}: {}", run.stderr.chars().take(300).collect::<String>());
        }
    }
}

#[test]
fn files_are_checked_on_large_stacks_and_levels_of_all_kinds_add_up() {
    let site = nowhere();
    for (what, code) in nested(5000) {
        site.write(&format!("deep/{what}.pp"), &code);
    }
    let mut mixed = "1".to_owned();
    for _ in 0..100 {
        mixed = format!("({mixed}{})", "+1".repeat(200));
    }
    site.write("deep/mixed.pp", &mixed);
    let run = site.run(&["check", "deep"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("Expression is nested too deeply: more than 10000 levels"));
    // What stands side by side does not add up.
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
fn arrays_of_a_million_are_no_burden() {
    let empty = nowhere();
    let code = "
        $a = Integer[1, 1000000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        [$a.length, $b.length, sort($a)[-1], unique($a).length, join($a, ',').length, flatten([$a, [$b]]).length]
    ";
    let run = empty.run(&["eval", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[1000000, 500000, 1000000, 1000000, 6888895, 1500000]\n");
    let code = "
        $a = Integer[1, 200000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        $sum = $a.reduce |$m, $x| { $m + $x }
        $both = $a + $b
        $rest = $a - $b
        [$sum, $both.length, $rest.length, $a == $a, 200000 in $a, $a[1, -2].length]
    ";
    let run = empty.run(&["eval", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[20000100000, 300000, 100000, true, true, 199998]\n");
}
