//! Errors of limits name where a script reached them and the calls that led there, whichever limit it is, wherever the script runs.

use crate::support::Site;

/// A limit that is reached soon: the body of a function `g` that begins in line 2, what the error says, and where it points in it.
const LIMITS: &[(&str, &str, &str)] = &[
    ("let s = \"x\";\nloop {\n  s += s;\n}", "Length of string is too large", "4:5"),
    ("let s = \"x\"; s.pad(1000000, \"x\");\ns.replace(\"x\", \"yy\");", "Length of string is too large", "3:3"),
    ("let s = \"x\"; s.pad(600000, \"x\");\nlet t = `a${s}`;\n`${t}${s}`", "Length of string is too large", "4:8"),
    ("let a = [1];\nloop {\n  a = [a, a];\n}", "Size of array/BLOB is too large", "4:11"),
    ("let a = [];\nloop {\n  a.push(1);\n}", "Size of array/BLOB is too large", "4:5"),
    ("\nblob(1000000000000)", "Size of array/BLOB is too large", "3:1"),
    ("let m = #{};\nfor i in 0..30000 {\n  m[`k${i}`] = i; m.len();\n}", "Size of object map is too large", "4:"),
    ("\nlet h = hash(); for i in 0..30000 { h[`k${i}`] = i; }", "than 20000 entries", "3:"),
    (
        "let h = hash(); h.x = 1;\nfor i in 0..60 { h.a = h; h.b = h; }\nh.to_string()",
        "more than 1000000 elements, including those of nested values",
        "3:",
    ),
    (
        "let s = \"x\"; s.pad(500000, \"x\"); let a = []; a.pad(20, 0);\nfor i in 0..20 { a[i] = s; }\nthrow `${a}`",
        "a string of the script is longer than 1048576 bytes",
        "4:10",
    ),
    (
        "let s = \"x\"; s.pad(500000, \"x\"); let a = []; a.pad(20, 0);\nfor i in 0..20 { a[i] = s; }\nlet x = a.to_string();",
        "a string of the script is longer than 1048576 bytes",
        "4:11",
    ),
    ("\ng()", "the script calls itself too deep (48 levels)", "3:1"),
    ("let d = |x| g();\n[1].map(d)", "the script calls itself too deep (48 levels)", "3:5"),
    ("try {\n  g();\n} catch { 1 }", "the script calls itself too deep (48 levels)", "3:3"),
    ("try {\n  let s = \"x\"; loop { s += s; }\n} catch (e) { 1 }", "Length of string is too large", "3:25"),
    // Functions of Rhai hide the errors of the closures that they call from it.
    (
        "try {\n  [1].map(|x| { let s = \"x\"; loop { s += s; } });\n} catch { 1 }",
        "Length of string is too large",
        "3:39",
    ),
    (
        "let r = [2, 1, 3].filter(|x| {\n  let s = \"x\"; loop { s += s; }\n});\nr",
        "Length of string is too large",
        "3:25",
    ),
    ("\nlet p = |n| { let s = \"x\"; loop { s += s; } };\np.call(1)", "Length of string is too large", "3:37"),
    ("\ncall_function(\"map\", [1], |n| { let s = \"x\"; loop { s += s; } })", "Length of string is too large", "3:55"),
];

/// Limits that take their time; a busy machine comes to that of time before that of steps.
const SLOW: &[(&str, &str, &str)] = &[
    ("\nloop { }", "takes too many steps|time limit of the script is over", "3:6"),
    ("\ntry { loop { } } catch { 1 }", "takes too many steps|time limit of the script is over", "3:12"),
];

/// Writes a script in which `f`, with these parameters, calls `h` and that calls `g`.
fn script(entry: &str, body: &str) -> String {
    format!("fn g() {{ {body}\n}}\nfn h() {{\n  g()\n}}\nfn {entry} {{\n  h()\n}}\n")
}

/// Compares what a run of a script in `file` has printed.
fn check(stderr: &str, file: &str, entry: &str, (body, message, at): (&str, &str, &str)) {
    let lines = body.matches('\n').count();
    let shown = || format!("{file}, fn {entry}: {body}\nwanted {message} at {at}, got {stderr}");
    assert!(message.split('|').any(|message| stderr.contains(message)), "{}", shown());
    // The body begins in the line of `fn g()`: the first line of the script.
    let (line, column) = at.split_once(':').unwrap();
    let at = format!("{file}:{}:{column}", line.parse::<usize>().unwrap() - 1);
    assert!(stderr.contains(&at), "{}", shown());
    let calls = [
        format!("in script function 'g', from {file}:{}:3", lines + 4),
        format!("in script function 'h', from {file}:{}:3", lines + 7),
    ];
    for call in calls {
        assert!(stderr.contains(&call), "{call}\n{}", shown());
    }
}

#[test]
fn functions_name_where_they_reached_a_limit() {
    let site = Site::new(&[("site.pp", "notice(\n  m::f())"), ("nodes/n.json", "{}")]);
    let file = "modules/m/scripts/functions/f.rhai";
    for case in LIMITS.iter().chain(SLOW) {
        site.write(file, script("f()", case.0));
        for options in [&[][..], &["--isolate-scripts"]] {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat()).expect(1, "error[SCRIPT_LIMIT]");
            check(&run.stderr, file, "f()", *case);
            assert!(run.stderr.contains("in function m::f, from site.pp:2:3"), "{}", run.stderr);
        }
    }
}

/// One limit of each kind, to test with each kind of script.
fn sample_limits() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    LIMITS.iter().step_by(4).copied()
}

#[test]
fn classifiers_name_where_they_reached_a_limit() {
    let toml = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"scripts/enc.rhai\"\n";
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}"), ("catwalk.toml", toml)]);
    for case in sample_limits().filter(|(body, ..)| !body.contains("call_function")) {
        site.write("scripts/enc.rhai", script("classify(node)", case.0));
        for options in [&[][..], &["--isolate-scripts"]] {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat()).expect(1, "error[SCRIPT_LIMIT]");
            check(&run.stderr, "scripts/enc.rhai", "classify(node)", case);
        }
    }
}

#[test]
fn backends_name_where_they_reached_a_limit() {
    let hiera = "version: 5\nhierarchy:\n  - name: own\n    lookup_key: m::b\n";
    let site = Site::new(&[("site.pp", "notice(lookup('a'))"), ("nodes/n.json", "{}"), ("hiera.yaml", hiera)]);
    let file = "modules/m/scripts/hiera/b.rhai";
    for case in sample_limits() {
        site.write(file, script("lookup_key(key, options, context)", case.0));
        for options in [&[][..], &["--isolate-scripts"]] {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat()).expect(1, "error[SCRIPT_LIMIT]");
            check(&run.stderr, file, "lookup_key(key, options, context)", case);
        }
    }
}

#[test]
fn policies_name_where_they_reached_a_limit() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let file = "scripts/policies/p.rhai";
    for case in sample_limits() {
        site.write(file, script("check(catalog)", case.0));
        for options in [&[][..], &["--isolate-scripts"]] {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat()).expect(1, "error[SCRIPT_LIMIT]");
            check(&run.stderr, file, "check(catalog)", case);
        }
    }
}

#[test]
fn tests_of_scripts_name_where_they_reached_a_limit() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let file = "scripts/tests/a_test.rhai";
    for case in sample_limits() {
        site.write(file, script("test_a()", case.0));
        let run = site.run(&["script", "test"]).expect(1, "");
        check(&run.stderr, file, "test_a()", case);
    }
}

#[test]
fn imported_scripts_name_where_they_reached_a_limit() {
    let site = Site::new(&[("site.pp", "notice(m::f())"), ("nodes/n.json", "{}")]);
    let library = "modules/m/scripts/lib/l.rhai";
    for (lib, at) in [
        ("fn g() {\n  let s = \"x\"; loop { s += s; }\n}", "lib/l.rhai:2:25"),
        ("let s = \"x\";\nloop { s += s; }\nfn g() { 1 }", "lib/l.rhai:2:10"),
        ("fn g() {\n  g()\n}", "lib/l.rhai:2:3"),
    ] {
        site.write(library, lib);
        site.write("modules/m/scripts/functions/f.rhai", "import \"l\" as l;\nfn f() {\n  l::g()\n}");
        for options in [&[][..], &["--isolate-scripts"]] {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat()).expect(1, "error[SCRIPT_LIMIT]");
            assert!(run.stderr.contains(at), "{lib}: {}", run.stderr);
        }
    }
}

#[test]
fn a_limit_in_a_block_that_a_test_expects_to_fail_ends_the_test() {
    let test = "fn test_a() {\n  assert_error(|| { let s = \"x\"; loop { s += s; } }, \".\");\n}\n";
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}"), ("scripts/tests/a_test.rhai", test)]);
    let run = site.run(&["script", "test"]).expect(1, "");
    assert!(
        run.stderr.contains("Length of string is too large") && run.stderr.contains("a_test.rhai:2:43"),
        "{run:#?}"
    );
}
