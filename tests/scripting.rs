//! Functions in Rhai, called from manifests: values both ways, blocks both ways, signatures, failures, limits.

mod backends;
mod check;
mod hostile;
mod hostile_workers;
mod isolation;
mod limit_chains;
mod policies;
mod powers;
mod providers;
mod reload;
mod tests;
mod types;

use std::sync::Arc;

use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;

use crate::support::Site;

/// Compiles `code` with these files of module `m`: what was logged, or the failure.
fn compile(files: &[(&str, &str)], code: &str) -> Result<Vec<String>, String> {
    let mut all: Vec<(String, &str)> = files.iter().map(|(path, text)| (format!("modules/m/{path}"), *text)).collect();
    all.push(("data/common.yaml".to_owned(), "colour: green\n"));
    all.push(("hiera.yaml".to_owned(), "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"));
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    compile_site(&all, code)
}

/// Compiles `code` with these files of the site, with scripts in this process and isolated: both results must be equal.
pub fn compile_site(files: &[(&str, &str)], code: &str) -> Result<Vec<String>, String> {
    let inside = compile_one(files, code, false);
    assert_eq!(compile_one(files, code, true), inside, "{files:#?}");
    inside
}

fn compile_one(files: &[(&str, &str)], code: &str, isolate: bool) -> Result<Vec<String>, String> {
    let mut all = files.to_vec();
    all.push(("site.pp", code));
    all.push(("nodes/n.json", "{\"role\": \"web\"}"));
    let site = Site::new(&all);
    let root = site.path().to_path_buf();
    let run = move || {
        let options = Options {
            root: Some(root.clone()),
            isolate_scripts: Some(isolate),
            worker: Some(env!("CARGO_BIN_EXE_catwalk").into()),
            ..Options::default()
        };
        let session = Session::open(options, Arc::new(Disk::new())).unwrap();
        let compiled = session.compile("n");
        let shown = |text: String| text.replace(&*root.to_string_lossy(), "SITE");
        match compiled.result {
            Ok(_) => Ok(compiled.logs.iter().map(|line| shown(line.message.to_string())).collect()),
            Err(error) => Err(shown(error.puppet_text(session.sources()))),
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

fn function(text: &str) -> [(&str, &str); 1] {
    [("scripts/functions/f.rhai", text)]
}

#[test]
fn values_cross_both_ways() {
    let cases = [
        ("fn f(x) { x }", "m::f(undef) =~ Undef", "true"),
        ("fn f(x) { x }", "m::f([1, 2.5, 'a', true, undef])", "[1, 2.5, a, true, ]"),
        ("fn f(x) { x }", "m::f({'b' => 1, 'a' => {2 => 'two'}})", "{b => 1, a => {2 => two}}"),
        ("fn f(x) { x }", "m::f(/a.b/) =~ Regexp", "true"),
        ("fn f(x) { x }", "m::f(Integer[1, 2])", "Integer[1, 2]"),
        ("fn f(x) { x }", "m::f(File['/x'])", "File['/x']"),
        ("fn f(h) { h.b.c }", "m::f({'b' => {'c' => 7}})", "7"),
        ("fn f(h) { h.nothing }", "m::f({'b' => 1}) =~ Undef", "true"),
        ("fn f(h) { h.x = 1; h }", "m::f({'b' => 2})", "{b => 2, x => 1}"),
        ("fn f() { let h = hash(); h[\"z\"] = 1; h[\"a\"] = 2; h }", "m::f()", "{z => 1, a => 2}"),
        ("fn f(h) { h.get(\"os.name\", \"none\") }", "m::f({'os' => {'name' => 'x'}})", "x"),
        ("fn f(h) { h.get(\"os.nope\", \"none\") }", "m::f({'os' => {'name' => 'x'}})", "none"),
        ("fn f(h) { let n = 0; for e in h.entries() { n += e[1]; } n }", "m::f({'a' => 1, 'b' => 2})", "3"),
        ("fn f(a) { a.filter(|x| x > 1) }", "m::f([1, 2, 3])", "[2, 3]"),
        ("fn f(a) { 1 } fn f(a, b) { 2 }", "[m::f(0), m::f(0, 0)]", "[1, 2]"),
        ("const K = 3; fn f() { global::K }", "m::f()", "3"),
        ("fn f(t) { t.matches(\"^a+$\") }", "m::f('aaa')", "true"),
        ("fn f(x) { x }", "m::f(Sensitive('s')) =~ Sensitive", "true"),
    ];
    for (script, call, expected) in cases {
        let logs = compile(&function(script), &format!("notice({call})")).unwrap_or_else(|error| vec![error]);
        assert_eq!(logs, [expected.to_string()], "{script} {call}");
    }
}

#[test]
fn blocks_and_functions_cross_both_ways() {
    let cases = [
        ("fn f(list, block) { list.map(|x| block.call(x)) }", "m::f([1, 2]) |$x| { $x * 10 }", "[10, 20]"),
        ("fn f(list) { call_function(\"map\", list, |x| x + 1) }", "m::f([1, 2])", "[2, 3]"),
        ("fn f(list) { call_function(\"reduce\", list, |a, b| a + b) }", "m::f([1, 2, 3])", "6"),
        ("fn f(h) { call_function(\"map\", h, |k, v| k + v) }", "m::f({'a' => 'b'})", "[ab]"),
        (
            "fn f(n, block) { if n == 0 { 0 } else { block.call(n) } }",
            "m::f(3) |$n| { m::f($n - 1) |$x| { $x + 100 } }",
            "102",
        ),
        ("fn f(key) { lookup(key) }", "m::f('colour')", "green"),
        ("fn f() { call_function(\"fqdn_rand\", 1) }", "m::f()", "0"),
    ];
    for (script, call, expected) in cases {
        let logs = compile(&function(script), &format!("notice({call})")).unwrap_or_else(|error| vec![error]);
        assert_eq!(logs, [expected.to_string()], "{script} {call}");
    }
}

#[test]
fn dispatch_checks_arguments_and_results() {
    let script = "dispatch(\"(Integer[1] $n) >> Integer\", twice);\n\
                  dispatch(\"(String $t, Optional[Integer] $n = 1) >> String\", repeat);\n\
                  dispatch(\"(Boolean $b) >> Integer\", wrong);\n\
                  fn twice(n) { n * 2 }\nfn repeat(t) { t }\nfn repeat(t, n) { let r = \"\"; for i in 0..n { r += t; } r }\n\
                  fn wrong(b) { \"no number\" }\n";
    let notice = |call: &str| compile(&function(script), &format!("notice({call})"));
    assert_eq!(notice("m::f(4)").unwrap(), ["8"]);
    assert_eq!(notice("m::f('ab', 2)").unwrap(), ["abab"]);
    let error = notice("m::f([])").unwrap_err();
    assert!(
        error.contains(
            "The function 'm::f' was called with arguments it does not accept. It expects one of:\n  (Integer[1] n)"
        ),
        "{error}"
    );
    let error = notice("m::f(true)").unwrap_err();
    assert!(
        error.contains("value returned from function 'm::f' has wrong type, expects an Integer value, got String"),
        "{error}"
    );
}

#[test]
fn dispatch_accepts_types_of_the_site() {
    let files = [
        (
            "scripts/functions/f.rhai",
            "dispatch(\"(M::Port $p) >> M::Port\", next);\ndispatch(\"(M::Nope $n)\", next);\nfn next(p) { p + 1 }\n",
        ),
        ("types/port.pp", "type M::Port = Integer[1, 10]\n"),
    ];
    let notice = |call: &str| compile(&files, &format!("notice({call})"));
    assert_eq!(notice("[m::f(4), m::f(5)]").unwrap(), ["[5, 6]"]);
    let error = notice("m::f(11)").unwrap_err();
    assert!(
        error.contains(
            "(M::Port = Integer[1, 10] p)\n    rejected: parameter 'p' expects a M::Port = Integer[1, 10] value, got Integer[11, 11]"
        ),
        "{error}"
    );
    assert!(error.contains("parameter 'n' references an unresolved type 'M::Nope'"), "{error}");
    let error = notice("m::f(10)").unwrap_err();
    assert!(error.contains("has wrong type, expects a M::Port = Integer[1, 10] value, got Integer[11, 11]"), "{error}");
}

#[test]
fn failures_name_script_and_line() {
    let place = "(file: SITE/modules/m/scripts/functions/f.rhai, line: 2, column: 3)";
    let cases = [
        ("fn f() {\n  throw \"no\"\n}", format!("no {place}")),
        ("fn f() {\n  fail(\"no\")\n}", format!("no {place}")),
        ("fn f() {\n  call_function(\"fail\", \"said by Puppet\")\n}", format!("said by Puppet {place}")),
        ("fn f() {\n  call_function(\"nope\")\n}", "Evaluation Error: Unknown function: 'nope'. (file: SITE/modules/m/scripts/functions/f.rhai, line: 2, column: 3)".to_string()),
        ("fn f() {\n  1 + ", "Script is incomplete (file: SITE/modules/m/scripts/functions/f.rhai, line: 2, column: 7)".to_owned()),
        ("fn g() { 1 }", "SITE/modules/m/scripts/functions/f.rhai has no function f() (file: SITE/modules/m/scripts/functions/f.rhai, line: 1, column: 1)".to_owned()),
        ("fn f(a) { 1 }", "Evaluation Error: Error while evaluating a Function Call, 'm::f' expects 1 argument, got 0 (file: SITE/site.pp, line: 1, column: 8)".to_owned()),
        ("import \"x\" as x;\nfn f() { 1 }", "cannot import \"x\"".to_owned()),
    ];
    for (script, expected) in cases {
        let error = compile(&function(script), "notice(m::f())").unwrap_err();
        assert!(error.contains(&expected), "{script}\nwanted: {expected}\n   got: {error}");
    }
}

#[test]
fn imports_come_from_the_library_of_a_module() {
    let files = [
        (
            "scripts/functions/f.rhai",
            "import \"sums\" as sums;\nimport \"m::deep/er\" as er;\nfn f(a) { sums::add(a, er::two()) }",
        ),
        ("scripts/lib/sums.rhai", "fn add(a, b) { a + b }"),
        ("scripts/lib/deep/er.rhai", "fn two() { 2 }"),
    ];
    assert_eq!(compile(&files, "notice(m::f(40))").unwrap(), ["42"]);
    let circle = [
        ("scripts/functions/f.rhai", "import \"a\" as a;\nfn f() { 1 }"),
        ("scripts/lib/a.rhai", "import \"b\" as b;"),
        ("scripts/lib/b.rhai", "import \"a\" as a;"),
    ];
    let error = compile(&circle, "notice(m::f())").unwrap_err();
    assert!(error.contains("it imports itself"), "{error}");
    for name in ["../../../../etc/passwd", "/etc/passwd", "m::../x", "x.rhai", "X"] {
        let script = format!("import \"{name}\" as x;\nfn f() {{ 1 }}");
        let error = compile(&function(&script), "notice(m::f())").unwrap_err();
        assert!(error.contains("a name is \"x\" or \"module::x\""), "{name}: {error}");
    }
}

#[test]
fn an_import_in_a_block_that_does_not_use_it_is_done() {
    for (body, expected) in [
        ("let found = true; try { import \"none\" as x; } catch { found = false; } found", "false"),
        ("let f = || { if true { import \"none\" as x; } true }; try { return f.call(); } catch { } false", "false"),
        ("let found = true; try { import \"some\" as x; } catch { found = false; } found", "true"),
    ] {
        let files =
            [("scripts/functions/f.rhai", &*format!("fn f() {{ {body} }}")), ("scripts/lib/some.rhai", "fn g() { 1 }")];
        assert_eq!(compile(&files, "notice(m::f())"), Ok(vec![expected.to_owned()]), "{body}");
    }
}

#[test]
fn types_of_the_site_are_types() {
    let files = |script| {
        [
            ("scripts/functions/f.rhai", script),
            ("types/port.pp", "type M::Port = Integer[1, 10]\n"),
            ("types/thing.pp", "type M::Thing = Object[attributes => {size => Integer}]\n"),
        ]
    };
    let cases = [
        ("fn f(x) { is_a(x, \"M::Port\") }", "[m::f(4), m::f(11), m::f('a')]", "[true, false, false]"),
        ("fn f(x) { let t = puppet_type(\"M::Port\"); [x].filter(|n| is_a(n, t)) }", "m::f(4)", "[4]"),
        ("fn f(x) { puppet_type(\"M::Port\") == puppet_type(\"M::Port\") }", "m::f(1)", "true"),
        ("fn f(x) { puppet_type(\"M::Port\") == puppet_type(\"Integer[1, 10]\") }", "m::f(1)", "false"),
        ("fn f(x) { puppet_type(\"M::Port\") == x }", "m::f(M::Port)", "true"),
        ("fn f(x) { puppet_type(\"Array[M::Port]\") }", "[5] =~ m::f(1)", "true"),
        ("fn f(x) { `${puppet_type(\"Optional[M::Port]\")}` }", "m::f(1)", "Optional[M::Port]"),
        ("fn f(x) { lookup(\"port\", #{ value_type: \"M::Port\" }) }", "m::f(1)", "7"),
        ("fn f(x) { call_function(\"assert_type\", puppet_type(\"M::Port\"), x) }", "m::f(7)", "7"),
        (
            "fn f(x) { [is_a(x, \"M::Thing\"), is_a([x], \"Array[Object]\"), x] }",
            "m::f(M::Thing(3))[0, 2]",
            "[true, true]",
        ),
        (
            "fn f(x) { `${type_of_puppet(x)} ${x}` }",
            "m::f(M::Thing(3))",
            "Object[{name => 'M::Thing', attributes => {'size' => Integer}}] M::Thing({'size' => 3})",
        ),
        ("fn f(x) { `${type_of_puppet([1, x])}` }", "m::f(M::Port)", "Tuple[Integer[1, 1], Type[M::Port]]"),
        ("fn f(x) { `${x} ${type_of_puppet(x)}` }", "m::f(File['/x'])", "File['/x'] Type[File['/x']]"),
        ("fn f(a, b, c) { [a == b, a == c] }", "m::f(M::Thing(3), M::Thing(3), M::Thing(4))", "[true, false]"),
        ("fn f(h) { `${h}` }", "m::f({'a' => [M::Port]})", "{a => [M::Port = Integer[1, 10]]}"),
    ];
    let mut wrong = Vec::new();
    for (script, call, expected) in cases {
        let mut all: Vec<(String, &str)> =
            files(script).iter().map(|(path, text)| (format!("modules/m/{path}"), *text)).collect();
        all.push(("data/common.yaml".to_owned(), "port: 7\n"));
        all.push(("hiera.yaml".to_owned(), "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"));
        let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let code = format!("notice({call})");
        let inside = compile_one(&all, &code, false).unwrap_or_else(|error| vec![error]);
        let isolated = compile_one(&all, &code, true).unwrap_or_else(|error| vec![error]);
        if inside != [expected.to_owned()] || isolated != inside {
            wrong.push(format!("{script} {call}: {inside:?}, isolated {isolated:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
