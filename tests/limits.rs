//! What a manifest cannot do to the process: deep nesting, long arrays. Every case ends with a value or a clear error.

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use catwalk::compile::probe::Setup;
use catwalk::compile::probe::evaluate;
use catwalk::value::Value;

use crate::support::Site;

fn nowhere() -> Site {
    Site::empty()
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
fn arrays_of_a_million_elements_are_evaluated() {
    let empty = nowhere();
    let code = "
        $a = Integer[1, 1000000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        [$a.length, $b.length, sort($a)[-1], unique($a).length, join($a, ',').length, flatten([$a, [$b]]).length]
    ";
    let run = empty.run(&["eval", "--time-limit", "600", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[1000000, 500000, 1000000, 1000000, 6888895, 1500000]\n");
    let code = "
        $a = Integer[1, 200000].map |$x| { $x }
        $b = $a.filter |$x| { $x % 2 == 0 }
        $sum = $a.reduce |$m, $x| { $m + $x }
        $both = $a + $b
        $rest = $a - $b
        [$sum, $both.length, $rest.length, $a == $a, 200000 in $a, $a[1, -2].length]
    ";
    let run = empty.run(&["eval", "--time-limit", "600", "-e", code]).expect(0, "");
    assert_eq!(run.stdout, "[20000100000, 300000, 100000, true, true, 199998]\n");
}

/// Runs `catwalk` with a memory limit where the system supports it.
fn confined(site: &Site, args: &[&str]) -> std::process::Output {
    let script = "ulimit -v 4000000; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_catwalk")]).args(args);
    command.current_dir(site.path()).env("NO_COLOR", "1").output().unwrap()
}

const SMALL: &[&str] = &["--limit", "elements=100000", "--limit", "memory=200000000", "--limit", "text=2000000"];

#[test]
fn hostile_programs_end_by_themselves() {
    let stdlib = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;
    let site = Site::new(&[("catwalk.toml", "modulepath = [\"modules\"]\n"), ("modules/stdlib/metadata.json", stdlib)]);
    let text = include_str!("limits/hostile.txt");
    let text: String = text.split_inclusive('\n').skip_while(|line| line.starts_with('#')).collect();
    let programs = Mutex::new(text.trim_end().split("\n---\n"));
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(program) = programs.lock().unwrap().next() else { break };
            let is_answer = |line: &&str| line.starts_with("=> ") || line.starts_with("! ");
            let code: Vec<&str> = program.lines().filter(|line| !is_answer(line)).collect();
            let code = code.join("\n");
            let wanted = program.lines().rfind(is_answer).expect("an answer");
            let started = Instant::now();
            // What is to end by time ends soon; what has an end has time for it.
            let limit = if wanted.contains("1 second") { "1" } else { "60" };
            let output = confined(&site, &[&["eval", "--time-limit", limit, "-e", &code], SMALL].concat());
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let is_expected = match wanted.split_once(' ') {
                Some(("=>", value)) => output.status.code() == Some(0) && stdout.contains(value),
                // A fast machine meets another limit before the time is over.
                Some((_, errors)) => {
                    output.status.code() == Some(1) && errors.split(" or ").any(|error| stderr.contains(error))
                }
                None => false,
            };
            // A machine that does other things, too, is slow: this only tells what does not end.
            if !is_expected || started.elapsed() > Duration::from_secs(90) {
                let output_start: String = format!("{stdout}{stderr}").chars().take(300).collect();
                let took = started.elapsed().as_secs();
                wrong
                    .lock()
                    .unwrap()
                    .push(format!("{code}\n   {wanted}, but {} after {took} s: {output_start}", output.status));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn input_and_output_are_limited_too() {
    // Aliases of aliases: little text, much data.
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for n in 1..60 {
        bomb.push_str(&format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
    }
    let chain: String = (0..3000).map(|n| format!("k{n}: \"%{{lookup('k{}')}}\"\n", n + 1)).collect();
    let double: String =
        (0..60).map(|n| format!("k{n}: \"%{{lookup('k{0}')}}%{{lookup('k{0}')}}\"\n", n + 1)).collect();
    let double = format!("{double}k60: x\n");
    let hiera = |file: &str, kind: &str| {
        format!("version: 5\nhierarchy: [{{name: d, path: {file}}}]\ndefaults: {{data_hash: {kind}_data}}\n")
    };
    for (file, kind, data, code) in [
        ("d.yaml", "yaml", bomb.as_str(), "lookup('a59')"),
        ("d.yaml", "yaml", bomb.as_str(), "class c($a59) { } include c"),
        ("d.yaml", "yaml", chain.as_str(), "lookup('k0')"),
        ("d.yaml", "yaml", double.as_str(), "lookup('k0')"),
        ("d.yaml", "yaml", "k: \"%{lookup('k')}\"\n", "lookup('k')"),
        ("d.json", "json", &format!("{{\"a\": {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.yaml", "yaml", &format!("a: {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.conf", "hocon", &format!("a: {}", "[".repeat(1_000_000)), "lookup('a')"),
        ("d.conf", "hocon", &format!("a: {}", "{a:".repeat(1_000_000)), "lookup('a')"),
    ] {
        let site = Site::new(&[("hiera.yaml", &hiera(file, kind)), (&format!("data/{file}"), data)]);
        site.write("catwalk.toml", "");
        let output = confined(&site, &[&["eval", "--time-limit", "1", "-e", code], SMALL].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{code} {}: {stderr}", data.get(..40).unwrap());
    }
    // A catalog whose values share parts is as long as if they did not.
    let site = nowhere();
    let code = "$t = 14.reduce('x') |$m, $x| { \"${m}${m}\" }\n$a = 80.map |$x| { $t }\n\
                100.map |$x| { notify { \"${x}\": message => $a } }";
    let output = confined(&site, &[&["compile", "-e", code], SMALL].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the catalog's strings have more than 50000000 bytes"), "{stderr}");
    for format in ["puppet", "json", "rich"] {
        let code = "9990.reduce([]) |$m, $x| { [$m] }";
        let output = confined(&site, &["eval", "--format", format, "-e", code]);
        assert_eq!(output.status.code(), Some(0), "{format} {}", String::from_utf8_lossy(&output.stderr));
    }
    let code = "notify { 'n': message => 9990.reduce([]) |$m, $x| { [$m] } }";
    for format in ["native", "wire4"] {
        let output = confined(&site, &["compile", "--format", format, "-e", code]);
        assert_eq!(output.status.code(), Some(0), "{format} {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn fails(code: &str, setup: &Setup) -> String {
    evaluate(code, setup).result.unwrap_err()
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
fn endless_iteration_is_stopped() {
    let mut setup = Setup::default();
    setup.settings.limits.time = Some(Duration::from_millis(200));
    let text = fails("9223372036854775807.each |$x| { }", &setup);
    assert!(text.contains("evaluation takes longer than 0.2 seconds"), "{text}");
}

#[test]
fn deep_nesting_is_a_value_or_an_error() {
    for depth in [100, 5000] {
        let code = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let _ = evaluate(&code, &Setup::default()).result;
    }
}

#[test]
fn long_arrays_are_mapped_and_reduced() {
    let code = "Integer[1, 1000000].map |$x| { $x + 1 }.reduce |$m, $x| { $m + $x }";
    assert_eq!(evaluate(code, &Setup::default()).result, Ok(Value::Int(500_001_500_000)));
}

#[test]
fn only_nodes_that_take_too_much_memory_fail_however_many_compile_at_once() {
    let code = "
        $s = 22.reduce('x') |$m, $x| { \"${m}${m}\" }
        node /^bad/ { $a = Integer[1, 1000].map |$x| { \"${s}${x}\" } }
        node default { Integer[1, 20].each |$x| { \"${s}${x}\".length } notify { 'good': } }
    ";
    let site = Site::new(&[("site.pp", code)]);
    let bad = ["bad1", "bad2", "bad3"].map(str::to_owned);
    (0..49).map(|n| format!("g{n}")).chain(bad).for_each(|name| site.write(&format!("nodes/{name}.json"), "{}"));
    let mut command = site.command(&["compile", "--output", "out", "--limit", "memory=150000000"]);
    let output = command.env("RAYON_NUM_THREADS", "16").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let errors = stderr.lines().filter(|line| line.contains("more than 150000000 bytes of memory")).count();
    let nodes: Vec<&str> = stderr.lines().filter_map(|line| line.trim().strip_prefix("= ")).collect();
    assert_eq!((errors, nodes.last()), (1, Some(&"on 3 nodes: bad1, bad2, bad3")), "{stderr}");
    assert_eq!(std::fs::read_dir(site.path().join("out")).unwrap().count(), 49);
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

#[cfg(target_os = "linux")]
#[test]
fn no_program_takes_much_more_memory_than_its_limit() {
    let site = Site::new(&[("nodes/n.json", "{}")]);
    let limit = 60_000_000;
    for program in [
        "$a = Array(Integer[1, 3000000])\nnotice(shuffle($a).length)",
        "$a = Array(Integer[1, 3000000])\nnotice(sort($a).length)",
        "$a = Array(Integer[1, 3000000])\nnotice(($a + $a).length)",
        "$s = Integer[1, 15000].reduce('x') |$m, $i| { if $i < 21 { \"${m}${m}\" } else { $m } }\n\
         notice(regsubst($s, '.', 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz', 'G').length)",
        &format!(
            "$s = Integer[1, 19].reduce('x') |$m, $i| {{ \"${{m}}${{m}}\" }}\nnotice(regsubst($s, '.*', '{}', 'G').length)",
            "\\0".repeat(100)
        ),
        "$s = Integer[1, 20].reduce('x') |$m, $i| { \"${m}${m}\" }\nInteger[1, 500].each |$i| { notice(\"${i}${s}\") }",
    ] {
        site.write("site.pp", program as &str);
        let mut command = site.command(&["compile", "n", "-o", "out/", "--limit", "memory=60000000"]);
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        command.stderr(std::fs::File::create(site.path().join("errors")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
            most = peak.and_then(|peak| peak.trim().parse::<u64>().ok()).map_or(most, |peak| most.max(peak * 1024));
            std::thread::sleep(Duration::from_millis(1));
        }
        let errors = std::fs::read_to_string(site.path().join("errors")).unwrap();
        let errors = errors.rsplit_once("error[").map_or("", |(_, last)| last);
        assert!(errors.contains("more than 60000000 bytes of memory"), "{program}: {errors:.500}");
        // The program itself takes some 30 MB, 16 MiB pass between two questions, and printing the log takes as much as that.
        assert!(most < 2 * limit + 60_000_000, "{program}: {most} bytes");
    }
}
