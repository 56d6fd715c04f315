//! `catwalk script test`.

use crate::support::Site;

const ENC: &str = "fn classify(node) {\n  let c = classification();\n  if node.fact(\"os.family\") == \"Debian\" {\n    c.include(\"apt\");\n  } else {\n    c.include(\"yum\", #{ proxy: 1 });\n  }\n  c.param(\"tier\", \"web\");\n  c\n}\n";
const POLICY: &str = "fn check(catalog) {\n  for r in catalog.resources(\"Notify\") { deny(r, \"no notify\"); }\n  for r in catalog.resources(\"Exec\") { warn(r, \"exec\"); }\n}\n";
const FUNCTION: &str =
    "fn f(key) {\n  if key == \"\" { throw \"no key\"; }\n  lookup(key) + fact(\"role\", \"none\")\n}\n";
const BACKEND: &str = "fn lookup_key(key, options, context) {\n  if key == \"gone\" { context.not_found(); }\n  context.cache(1, options.path);\n  key + context.cached_value(1)\n}\n";

const TESTS: &str = r#"
fn test_classifier() {
    let c = classify("scripts/enc.rhai", fake_node(#{ name: "web1", facts: #{ os: #{ family: "Debian" } } }));
    assert_eq(c.classes.keys(), ["apt"]);
    assert_eq(c.parameters, #{ tier: "web" });
    assert(c.environment == ());
}
fn test_function() {
    stub_function("lookup", |key| `<${key}>`);
    assert_eq(call_function("m::f", "a"), "<a>none");
    stub_fact("role", "web");
    assert_eq(call_function("m::f", "a"), "<a>web", "with a fact");
    let text = assert_error(|| call_function("m::f", ""), "^no k");
    assert_eq(text, "no key");
    assert_ne(text, "other");
}
fn test_stubs_are_gone() {
    assert_eq(call_function("m::f", "real"), "datanone");
}
fn test_policy() {
    let bad = compile_catalog("notify { $facts['who']: } exec { '/bin/true': }", #{ who: "me" });
    assert_eq(bad.resource("Notify", "me").title, "me");
    assert_eq(check_policy("scripts/policies/p.rhai", bad), ["deny: Notify[me]: no notify", "warn: Exec[/bin/true]: exec"]);
    assert_eq(check_policy("scripts/policies/p.rhai", compile_catalog("")), []);
    assert_error(|| compile_catalog("include nope"), "Could not find class ::nope");
}
fn test_backend() {
    assert_eq(backend("m::b", ["k", #{ path: "/p" }]), "k/p");
    assert(backend("m::b", ["gone", #{}]) == ());
}
fn test_command() {
    stub_command("/bin/date +%Y", #{ stdout: "1999" });
    assert_eq(compile_catalog("notify { generate('/bin/date', '+%Y'): }").resources("Notify")[0].title, "1999");
    assert_error(|| compile_catalog("notify { generate('/bin/date'): }"), "the test has no stub_command");
}
"#;

fn site(tests: &str) -> Site {
    Site::new(&[
        ("site.pp", ""),
        ("nodes/n.json", "{}"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
        ("data/common.yaml", "real: data\n"),
        ("scripts/enc.rhai", ENC),
        ("scripts/policies/p.rhai", POLICY),
        ("modules/m/scripts/functions/f.rhai", FUNCTION),
        ("modules/m/scripts/hiera/b.rhai", BACKEND),
        ("scripts/tests/all_test.rhai", tests),
    ])
}

#[test]
fn classifiers_functions_policies_and_backends_can_be_tested() {
    let site = site(TESTS);
    let run = site.run(&["script", "test", "--coverage"]).expect(0, "");
    for name in ["classifier", "function", "stubs_are_gone", "policy", "backend", "command"] {
        assert!(run.stdout.contains(&format!("ok     scripts/tests/all_test.rhai test_{name} (")), "{}", run.stdout);
    }
    assert!(run.stdout.contains("6 passed, 0 failed"), "{}", run.stdout);
    assert!(run.stdout.contains("% of scripts/enc.rhai; not run: 6\n"), "{}", run.stdout);
    assert!(run.stdout.contains("100 % of modules/m/scripts/functions/f.rhai\n"), "{}", run.stdout);
    site.run(&["script", "check"]).expect(0, "");
}

#[test]
fn failures_are_reported_in_each_format() {
    let site = site(
        "fn test_b() { }\nfn test_a() {\n  assert_eq(1 + 1, \"<3>\");\n}\nfn test_c() { assert_error(|| 1, \"x\") }\nfn test_d() { notice(\"heard\"); nope() }\n",
    );
    let run = site.run(&["script", "test"]).expect(1, "error[SCRIPT_FAILED]: got 2, expected \"<3>\"");
    assert!(run.stderr.contains("scripts/tests/all_test.rhai:3:3"), "{}", run.stderr);
    assert!(run.stderr.contains("the block was expected to fail"), "{}", run.stderr);
    assert!(run.stderr.contains("notice: heard"), "{}", run.stderr);
    let at = |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("{text}: {}", run.stdout));
    assert!(at("ok     scripts/tests/all_test.rhai test_b") < at("FAILED scripts/tests/all_test.rhai test_a"));
    let run = site.run(&["script", "test", "--format", "tap", "--only", "test_a"]).expect(1, "");
    let expected = "TAP version 13\n1..1\nnot ok 1 - scripts/tests/all_test.rhai test_a\n  ---\n  message: \"got 2, expected \\\"<3>\\\" (file: SITE/scripts/tests/all_test.rhai, line: 3, column: 3)\"\n  ...\n";
    assert_eq!(run.stdout, expected);
    let run = site.run(&["script", "test", "--format", "junit"]).expect(1, "");
    assert!(run.stdout.contains("tests=\"4\"") && run.stdout.contains("failures=\"3\""), "{}", run.stdout);
    assert!(run.stdout.contains("<failure message=\"got 2, expected &quot;&lt;3&gt;&quot;\">"), "{}", run.stdout);
}

#[test]
fn a_broken_file_of_tests_is_a_failure() {
    let run = site("fn test_a( {").run(&["script", "test"]).expect(1, "error[SCRIPT_SYNTAX]");
    assert!(run.stdout.contains("0 passed, 1 failed"), "{}", run.stdout);
}
