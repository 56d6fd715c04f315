//! `catwalk script check` and `catwalk script definitions`.

use crate::support::Site;

/// What is said of a script at this path.
fn check(path: &str, script: &str) -> String {
    let site = Site::new(&[
        (path, script),
        ("modules/m/metadata.json", "{}"),
        ("modules/m/scripts/lib/sums.rhai", "export const K = 1;\nfn add(a, b) { a + b }\nprivate fn hidden() { 1 }\n"),
        ("nodes/n.json", "{}"),
        ("site.pp", ""),
    ]);
    let run = site.run(&["script", "check", path]);
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    run.stderr + run.stdout.as_str()
}

#[test]
fn sensitive_values_at_the_top_level_stay_secret() {
    for script in [
        "const A = sensitive(\"s3cr3t-value\");\nfn classify(node) { #{} }\n",
        "const A = sensitive(\"s3cr3t-value\");\nthrow \"s3cr3t-value\";\nfn classify(node) { #{} }\n",
    ] {
        let said = check("scripts/enc.rhai", script);
        assert!(!said.contains("s3cr3t-value\"") || said.contains("sensitive(\"s3cr3t-value\")"), "{said}");
        assert!(said.contains("[redacted]") || said.contains("no mistakes"), "{said}");
    }
}

#[test]
fn valid_scripts_have_no_findings() {
    let cases = [
        (
            "scripts/enc.rhai",
            "import \"m::sums\" as sums;\nconst A = 1;\ngroup(\"a\", #{ rule: |node| node.name == \"x\" });\nfn classify(node) { let c = classification(); c.include(\"x\", #{ y: sums::add(1, sums::K) }); c.param(\"p\", global::A); for x in [1] { print(x); } let f = |q| q + c.classes.len(); f.call(1); helper(node); c }\nprivate fn helper(n) { n.facts.os.family }\n",
        ),
        (
            "modules/m/scripts/functions/f.rhai",
            "import \"sums\" as s;\ndispatch(\"(Integer $a) >> Integer\", run);\nfn run(a) { call_function(\"map\", [a], |x| s::add(x, a)); lookup(\"k\", #{ default_value: 1 }); try { throw 1 } catch(e) { e } }\n",
        ),
        (
            "modules/m/scripts/hiera/b.rhai",
            "fn lookup_key(key, options, context) { context.explain(|| `no ${key}`); if options.path == () { context.not_found(); } context.cache(1, 2) }\n",
        ),
        (
            "scripts/policies/p.rhai",
            "fn check(catalog) { for r in catalog.resources(\"File\") { if r.is_sensitive(\"x\") { deny(r, r.title); } let m = r[\"mode\"]; if m.matches(\"x\") { warn(m); } } }\n",
        ),
        (
            "modules/m/scripts/lib/loops.rhai",
            "fn sums(list) { let all = []; for x in list { all += list.map(|y| x + y); let own = x; all.push(|| own); } all }\n",
        ),
        (
            "modules/m/scripts/lib/changed.rhai",
            "fn kept(rows) { let out = []; for r in rows { r.x = 1; out.push(r); } for r in rows { while r.n < 3 { r.n += 1; } } for r in rows { r.y = 1; out.push(r.y); } for r in rows { let f = || r.x; r.x = f.call(); } out }\n",
        ),
        ("modules/m/scripts/lib/l.rhai", "fn any(x) { switch x { 1 => 2, 3 if x > 3 => 4, _ => `${x}` } }\n"),
    ];
    for (path, script) in cases {
        assert_eq!(check(path, script), "no mistakes in 1 script\n", "{path}");
    }
}

#[test]
fn mistakes_are_reported_with_their_positions() {
    let enc = "scripts/enc.rhai";
    let function = "modules/m/scripts/functions/f.rhai";
    let cases = [
        (
            function,
            "/// Says.\ndispatch(\"()\", f);\nfn f() { 1 }",
            "help: `///` is written directly above a function; documentation of the whole file begins with `//!`",
            "f.rhai:1:1",
        ),
        (enc, "fn classify(node) {\n  nope\n}", "there is no variable 'nope'", "enc.rhai:2:3"),
        (
            enc,
            "const A = 1;\nfn classify(node) { A }",
            "inside a function a constant of the file is written global::A",
            "enc.rhai:2:21",
        ),
        (enc, "fn classify(node) { global::B }", "the file has no constant 'B'", "enc.rhai:1:29"),
        (enc, "fn classify(node) { let f = |x| x + nope; f }", "there is no variable 'nope'", "enc.rhai:1:37"),
        (
            "scripts/providers/p.rhai",
            "fn get(context) { [] }\nfn set(context, changes) { }\nfn canonicalize(context, resources) {\n  for r in resources { if r.x == () { r.x = r.y; } }\n  resources\n}",
            "the change of 'r' is lost: the loop has a copy of each element",
            "p.rhai:4:39",
        ),
        (
            "modules/m/scripts/lib/l.rhai",
            "fn f(list) {\n  for s in list { s.trim(); }\n}",
            "the change of 's' is lost",
            "l.rhai:2:19",
        ),
        (
            "modules/m/scripts/lib/l.rhai",
            "fn f(list) {\n  for (n, i) in list { n[\"a\"] += i; }\n}",
            "the change of 'n' is lost",
            "l.rhai:2:24",
        ),
        (
            "modules/m/scripts/lib/l.rhai",
            "fn f(list) {\n  for n in list { n = n + 1; }\n}",
            "the change of 'n' is lost",
            "l.rhai:2:19",
        ),
        (
            enc,
            "import \"m::sums\" as sums;\nconst A = 1;\nfn classify(node) { sums::add(1, |x| x + global::A) }",
            "the block reads global::A, which in a call by sums::add() is a constant of that file",
            "enc.rhai:3:",
        ),
        (
            enc,
            "import \"m::sums\" as sums;\nconst A = 1;\nfn classify(node) { let b = 2; sums::add(|x| x + b + global::A, 1) }",
            "help: copy it before: `let own = global::A;`, and use the copy in the block",
            "enc.rhai:3:",
        ),
        (enc, "fn classify(node) { nope(1) }", "there is no function 'nope'", "enc.rhai:1:21"),
        (enc, "fn classify(node) { h(1) }\nfn h() { 1 }", "h() takes 0 arguments, got 1", "enc.rhai:1:21"),
        (enc, "fn classify(node) { let f = |x| x; f(1) }", "there is no function 'f'", "enc.rhai:1:36"),
        (enc, "fn classify(node) { node.nope }", "a Node has no property 'nope'", "enc.rhai:1:26"),
        (enc, "fn classify(node) { node.fact() }", "fact() takes 1 or 2 arguments, got 0", "enc.rhai:1:26"),
        (
            enc,
            "fn classify(node) { let c = classification(); c.add(\"x\") }",
            "a Classification has no method 'add'",
            "enc.rhai:1:49",
        ),
        (enc, "fn classify(node) { [].frobnicate() }", "no value has a method 'frobnicate'", "enc.rhai:1:24"),
        (
            enc,
            "fn classify(node) { call_function(\"upcase\", \"x\") }",
            "call_function() is not available here: it is for function, Hiera backend, policy, test",
            "enc.rhai:1:21",
        ),
        (enc, "fn classify(node) { group(\"x\", #{}) }", "call it at the top of the file", "enc.rhai:1:21"),
        (enc, "fn clasify(node) { () }", "there is no function classify(node), and no group()", "enc.rhai:1:1"),
        (
            enc,
            "fn classify(node) { let l = [1]; l.map(|x| l.len()) }",
            "the block captures 'l', whose method 'map' takes it",
            "enc.rhai:1:36",
        ),
        (
            enc,
            "fn classify(node) { let all = []; for x in [1, 2] { all.push(|| x); } all[0].call() }",
            "the block keeps 'x', the variable of the loop",
            "enc.rhai:1",
        ),
        (
            enc,
            "fn classify(node) { let all = #{}; for (x, i) in [1, 2] { all[`k${x}`] = #{ f: |y| y + i }; } all }",
            "copy it in the loop, `let own = i;`",
            "enc.rhai:1",
        ),
        (enc, "fn classify(node) { let nil = 1; nil }", "Rhai keeps the word 'nil' for itself", "enc.rhai:1"),
        (
            enc,
            "import \"m::sums\" as s;\nfn classify(node) { s::sub(1) }",
            "'s' has no function 'sub'",
            "enc.rhai:2:24",
        ),
        (
            enc,
            "import \"m::sums\" as s;\nfn classify(node) { s::add(1) }",
            "s::add() takes 2 arguments, got 1",
            "enc.rhai:2:24",
        ),
        (
            enc,
            "import \"m::sums\" as s;\nfn classify(node) { s::hidden() }",
            "'s' has no function 'hidden'",
            "enc.rhai:2:24",
        ),
        (enc, "import \"m::none\" as s;\nfn classify(node) { 1 }", "cannot import \"m::none\"", "enc.rhai:1:1"),
        (enc, "fn classify(node) { t::add(1) }", "nothing is imported as 't'", "enc.rhai:1:24"),
        (enc, "fn classify(node) {", "Expecting", "enc.rhai:1"),
        (function, "fn g() { 1 }", "there is no function f(), and no dispatch()", "f.rhai:1:1"),
        (
            function,
            "dispatch(\"(Integr $a)\", run);\nfn run(a) { deny(\"x\") }",
            "deny() is not available here: it is for policy",
            "f.rhai:2:13",
        ),
        (function, "dispatch(\"(Integer[ $a)\", f);\nfn f(a) { 1 }", "dispatch", "f.rhai:1"),
        (function, "dispatch(\"(Integer $a)\", g);\nfn f(a) { 1 }", "there is no variable 'g'", "f.rhai:1:26"),
        (
            "modules/m/scripts/hiera/b.rhai",
            "fn lookup(key) { 1 }",
            "there is no function data_hash(options, context)",
            "b.rhai:1:1",
        ),
        (
            "modules/m/scripts/hiera/b.rhai",
            "fn data_hash(o, c) { c.cache_it(1) }",
            "a Context has no method 'cache_it'",
            "b.rhai:1:24",
        ),
        (
            "scripts/policies/p.rhai",
            "fn check(catalog) { for r in catalog.resources() { r.sensitive } }",
            "a Resource has no property 'sensitive'",
            "p.rhai:1:54",
        ),
    ];
    for (path, script, expected, place) in cases {
        let message = check(path, script);
        assert!(
            message.contains(expected) && message.contains(place),
            "{script}\nwanted {expected} at {place}\n   got {message}"
        );
        assert!(!message.contains("no mistakes"), "{script}: {message}");
    }
}

#[test]
fn the_sample_site_has_no_mistakes() {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"))
        .args(["script", "check"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
}

#[test]
fn the_reference_page_is_up_to_date() {
    let page = catwalk_scripting::reference_page();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/script-api.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let help = "run with UPDATE_DOCS=1, or `catwalk script definitions --format markdown > docs/script-api.md`";
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == page, "{help}");
    let definitions = catwalk_scripting::definitions();
    assert!(definitions.contains("fn call_function(name: String, ...) -> Any;"), "{definitions}");
    assert!(definitions.contains("fn fact(this: Node, path: String) -> Any;"), "{definitions}");
}
