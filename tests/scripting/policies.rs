//! Policies.

use crate::support::Site;

const MANIFEST: &str = "file { '/etc/a':\n  mode    => '0666',\n  content => Sensitive('x'),\n}\nclass k {\n  notify { 'n': message => 'm' }\n}\ninclude k\n";

fn site(policies: &[(&str, &str)]) -> Site {
    let mut files = vec![("site.pp", MANIFEST), ("nodes/n.json", "{\"role\": \"web\"}")];
    files.extend(policies);
    Site::new(&files)
}

#[test]
fn a_denied_catalog_fails_at_the_position_of_the_resource() {
    let policy = "fn check(catalog) {\n  for file in catalog.resources(\"file\") {\n    let mode = parse_int(file[\"mode\"], 8);\n    if (mode & 2) != 0 { deny(file, `world-writable mode ${file[\"mode\"]}`); }\n  }\n}\n";
    let site = site(&[("scripts/policies/modes.rhai", policy)]);
    let run = site.run(&["compile", "n"]).expect(1, "error[POLICY_DENIED]: File[/etc/a]: world-writable mode 0666");
    assert!(run.stderr.contains("site.pp:1"), "{}", run.stderr);
    assert!(run.stderr.contains("the policy scripts/policies/modes.rhai"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn all_denials_are_reported_and_warnings_do_not_fail() {
    let policy =
        "fn check(catalog) { for r in catalog.resources() { warn(r, \"seen\"); } deny(\"one\"); deny(\"two\"); }";
    let site = site(&[("scripts/policies/p.rhai", policy)]);
    let run = site.run(&["compile", "n"]).expect(1, "policies refuse the catalog for 2 reasons");
    for text in ["]: one", "]: two", "warning[POLICY_WARNING]: File[/etc/a]: seen", "Class[K]: seen"] {
        assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
    }
    site.write("scripts/policies/p.rhai", "fn check(catalog) { warn(catalog.resource(\"notify\", \"n\"), \"hm\") }");
    let run = site.run(&["compile", "n"]).expect(0, "warning[POLICY_WARNING]: Notify[n]: hm");
    assert!(run.stdout.contains("\"Notify\""), "{}", run.stdout);
}

#[test]
fn policies_see_the_catalog() {
    let policy = r#"
        fn check(catalog) {
            let n = catalog.resource("Notify", "n");
            let f = catalog.resource("File", "/etc/a");
            let facts = [
                catalog.name, catalog.environment, catalog.contains("k"), catalog.classes, n.type, n.title, n.reference,
                n.containers, n["message"], n["nope"] == (), n.tags.contains("k"), f.is_sensitive("content"), f["content"].to_string(),
                f.parameters.keys(), f.line, n.exported, catalog.resources("Nope").len(), fact("role"), `${f}`,
            ];
            notice(facts.to_string());
        }"#;
    let site = site(&[("scripts/policies/p.rhai", policy)]);
    let run = site.run(&["compile", "n"]).expect(0, "");
    let expected = r#"["n", "production", true, ["settings", "k"], "Notify", "n", "Notify[n]", ["Class[K]", "Stage[main]"], "m", true, true, true, "Sensitive [value redacted]", ["path", "mode", "content"], 1, false, 0, "web", "File[/etc/a]"]"#;
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn a_policy_that_fails_fails_the_node() {
    for (policy, expected) in [
        ("fn check(catalog) { throw \"oh\" }", "oh"),
        ("fn check(catalog) { loop {} }", "error[SCRIPT_LIMIT]"),
        ("fn chek(catalog) { }", "p.rhai has no function check(catalog)"),
        ("fn check(catalog) { deny(7) }", "Function not found: deny (i64)"),
    ] {
        site(&[("scripts/policies/p.rhai", policy)]).run(&["compile", "n"]).expect(1, expected);
    }
    let outside = "fn f() { deny(\"x\") }";
    let site = site(&[("modules/m/scripts/functions/f.rhai", outside)]);
    site.run(&["compile", "n", "-e", "m::f()"]).expect(1, "deny() is only available in policies");
}
