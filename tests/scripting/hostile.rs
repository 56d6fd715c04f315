//! Scripts that would hang or end the process: each ends with an error within its deadline, and the next node compiles.

use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

/// Bodies of a function `f`, and what is said of them.
const CASES: &[(&str, &str)] = &[
    ("import \"../outside\" as x; 1", "a name is \"x\" or \"module::x\""),
    ("import \"/etc/passwd\" as x; 1", "a name is \"x\" or \"module::x\""),
    ("import \"circle\" as x; 1", "it imports itself"),
    ("let a = []; a.pad(100000000000, 1); a", "too large"),
    ("blob(1000000000000)", "too large"),
    ("let s = \"x\"; loop { s += s; }", "too large"),
    ("let s = \"x\"; s.pad(100000000000, \"x\"); s", "too large"),
    ("let s = \"x\"; while s.len < 500000 { s += s; } let m = []; loop { m.push(s + m.len); }", "error[SCRIPT_LIMIT]"),
    (
        "let s = \"x\"; while s.len < 500000 { s += s; } let m = #{}; let i = 0; loop { i += 1; m[`k${i}`] = s + i; }",
        "error[SCRIPT_LIMIT]",
    ),
    ("let a = []; loop { a.push(1); }", "too large"),
    ("let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }", "error[SCRIPT_LIMIT]"),
    ("let m = #{}; for i in 0..25000 { m[`k${i}`] = i; } m", "than 20000 entries"),
    ("let h = hash(); for i in 0..25000 { h[`k${i}`] = i; } h", "than 20000 entries"),
    ("let f = || 1; loop { let g = f; f = || g.call(); }", "error[SCRIPT_LIMIT]"),
    ("let a = [1]; loop { a = [a, a]; }", "error[SCRIPT_LIMIT]"),
    ("let a = [1]; loop { a = [a]; }", "error[SCRIPT_LIMIT]"),
    ("let m = #{}; let f = || m.a; m.f = f; m.to_json()", "no counterpart in Puppet"),
    ("let m = #{}; let f = || m.a; m.f = f; m", "no counterpart in Puppet"),
    ("let m = #{}; let f = || m.a; m.f = f; print(m.to_string()); throw \"printed\"", "printed"),
    ("sleep(100)", "sleep() is not available in scripts"),
    ("exit(1)", "exit() is not available in scripts"),
    ("eval(\"1\")", "reserved"),
    ("let a = []; for i in 0..19000 { a.push(19000 - i); } loop { a.sort(); }", "error[SCRIPT_LIMIT]"),
    ("let a = []; for i in 0..19000 { a.push(i); } loop { a.contains(-1); }", "the time limit of the script is over"),
    // Steps or time, as the machine is.
    ("loop { }", "error[SCRIPT_LIMIT]"),
    ("f()", "the script calls itself too deep"),
    // With a process for each call a slow machine comes to the end of the time first.
    ("call_function(\"m::f\")", "too deep|the time limit of the script is over"),
    ("throw \"x\".matches(\"(a{1000}){1000}\")", "bad regular expression"),
];

#[test]
fn no_script_ends_the_process() {
    told_in_time(&[]);
}

#[test]
fn no_script_ends_the_process_that_has_it_apart() {
    told_in_time(&["--isolate-scripts"]);
}

fn told_in_time(options: &[&str]) {
    let mut slowest = (Duration::ZERO, "");
    let mut wrong = Vec::new();
    let site = Site::new(&[
        ("site.pp", "if $facts['bad'] { notice(m::f()) } else { notify { 'fine': } }"),
        ("nodes/a-bad.json", "{\"bad\": true}"),
        ("nodes/b-good.json", "{\"bad\": false}"),
        ("modules/m/scripts/lib/circle.rhai", "import \"back\" as b;"),
        ("modules/m/scripts/lib/back.rhai", "import \"circle\" as c;"),
    ]);
    for (body, expected) in CASES {
        site.write("modules/m/scripts/functions/f.rhai", format!("fn f() {{ {body} }}"));
        let started = Instant::now();
        let run = site.run(&[&["compile", "a-bad", "b-good", "-o", "out/"], options].concat());
        let took = started.elapsed();
        let said =
            expected.split('|').any(|expected| run.stderr.contains(expected)) && !run.stderr.contains("panicked");
        if run.code != Some(1) || !said || !run.stdout.contains("1 of 2 catalogs written") {
            wrong.push(format!("{body}: wanted {expected}: {run:#?}"));
        }
        // 5 s are a function's; the rest is for a busy machine.
        assert!(took < Duration::from_secs(20), "{body}: {took:?}");
        if took > slowest.0 {
            slowest = (took, body);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("slowest: {:?} for {}", slowest.0, slowest.1);
}

#[test]
fn text_that_nests_deep_is_refused() {
    let site = Site::new(&[("site.pp", "notice(m::f())"), ("nodes/n.json", "{}")]);
    for (open, close) in
        [("(", ")"), ("[", "]"), ("#{a:", "}"), ("!", ""), ("if true {", "}"), ("|| ", ""), ("`${", "}`"), ("1 + ", "")]
    {
        let nested = format!("fn f() {{ {}1{} }}", open.repeat(100_000), close.repeat(100_000));
        site.write("modules/m/scripts/functions/f.rhai", nested);
        site.run(&["compile", "n"]).expect(1, "error");
    }
}
