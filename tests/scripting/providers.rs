//! Providers: `script check` and `script test` of them, hostile ones applied, words, reports.

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;

use crate::support::Site;

/// The type `thing` with these features.
fn rhai_type(features: &str) -> String {
    format!(
        "register_type(#{{ name: \"thing\", desc: \"x\", features: [{features}], attributes: #{{
            ensure: #{{ type: \"Enum[present, absent]\", desc: \"x\", default: \"present\" }},
            name: #{{ type: \"String\", desc: \"x\", behaviour: \"namevar\" }},
            value: #{{ type: \"Optional[String]\", desc: \"x\" }},
            port: #{{ type: \"Integer[1, 9]\", desc: \"x\" }} }} }});\n"
    )
}

fn ruby_type(features: &str) -> String {
    format!(
        "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(name: 'thing', desc: 'x', features: [{features}], attributes: {{
            ensure: {{ type: 'Enum[present, absent]', desc: 'x', default: 'present' }},
            name: {{ type: 'String', desc: 'x', behaviour: :namevar }},
            value: {{ type: 'Optional[String]', desc: 'x' }},
            port: {{ type: 'Integer[1, 9]', desc: 'x' }} }})\n"
    )
}

/// A site with a provider of `thing`, whose type is in Rhai or Ruby.
fn site(features: &str, is_ruby: bool, provider: &str) -> Site {
    let (path, text) = match is_ruby {
        true => ("modules/m/lib/puppet/type/thing.rb", ruby_type(&features.replace('"', "'"))),
        false => ("modules/m/scripts/types/thing.rhai", rhai_type(features)),
    };
    Site::new(&[
        (path, &text),
        ("modules/m/scripts/providers/thing.rhai", provider),
        ("modules/m/metadata.json", "{}"),
        ("site.pp", ""),
    ])
}

/// Resources are files of `/things`.
const GOOD: &str = "
fn get(context) {
    if !file_exists(\"/things\") { return []; }
    dir_list(\"/things\").map(|n| #{ name: n, ensure: \"present\", port: file_read(`/things/${n}`).parse_int() })
}
fn create(context, name, should) { dir_create(\"/things\", #{ parents: true }); file_write(`/things/${name}`, `${should.port}`); }
fn update(context, name, should) { create(context, name, should); }
fn delete(context, name) { file_delete(`/things/${name}`); }
";

#[test]
fn functions_and_features_are_compared_with_positions() {
    let change = "\nfn set(context, changes) { }\n";
    let cases = [
        ("\"simple_get_filter\"", "fn get(context) { [] }", "the provider needs get(context, names)", "1:17"),
        ("", "fn get(context, names) { [] }", "needs the feature simple_get_filter of the type", "1:24"),
        ("\"supports_noop\"", "fn get(context) { [] }", "the provider needs set(context, changes, noop)", "2:26"),
        ("\"canonicalize\"", "fn get(context) { [] }", "the provider needs canonicalize(context, resources)", "1:1"),
        (
            "",
            "fn get(context) { [] }\n\n\nfn canonicalize(context, all) { all }",
            "needs the feature canonicalize of the type",
            "4:31",
        ),
    ];
    for (features, script, text, place) in cases {
        for is_ruby in [false, true] {
            let site = site(features, is_ruby, &format!("{script}{change}"));
            let run = site.run(&["script", "check"]);
            let message = format!("{}{}", run.stderr, run.stdout);
            assert!(run.code == Some(1) && message.contains("error[SCRIPT_ENTRY]"), "{features} {is_ruby}: {run:#?}");
            assert!(
                message.contains(text) && message.contains(&format!("thing.rhai:{place}")),
                "{features} {script}: {message}"
            );
        }
    }
    // All of a provider at once; and one without a type.
    let all = site(
        "\"supports_noop\", \"canonicalize\", \"simple_get_filter\"",
        false,
        &format!("fn get(c) {{ [] }}{change}"),
    );
    assert!(all.run(&["script", "check"]).stdout.contains("3 mistakes in 2 scripts"));
    let alone = Site::new(&[("scripts/providers/thing.rhai", GOOD), ("site.pp", "")]);
    let run = alone.run(&["script", "check"]).expect(0, "");
    assert!(run.stderr.contains("there is no type 'thing' for this provider"), "{run:#?}");
}

#[test]
fn properties_hold_for_every_provider_without_a_test() {
    for is_ruby in [false, true] {
        let run = site("", is_ruby, GOOD).run(&["script", "test"]).expect(0, "");
        for line in [
            "ok     modules/m/scripts/providers/thing.rhai properties",
            "not checked: rows of get are of the type and canonical (get returns nothing on an empty machine)",
            "not checked: canonicalize twice is canonicalize once (the type has no feature canonicalize)",
            "holds: after set, get returns what should be (on an empty machine)",
            "holds: a second run changes nothing (on an empty machine)",
            "not checked: set with noop changes nothing (the type has no feature supports_noop)",
            "holds: set logs only for given titles (on an empty machine)",
            "holds: messages about a title are in order (on an empty machine)",
            "1 passed, 0 failed",
        ] {
            assert!(run.stdout.contains(line), "{line}: {run:#?}");
        }
    }
    // What a test has found is not asked again.
    let tested = site("", true, GOOD);
    tested.write(
        "modules/m/scripts/tests/a_test.rhai",
        "fn test_a() { fake_file(\"/things/a\", \"1\"); assert_eq(provider(\"thing\").get().len(), 1); }\n",
    );
    let run = tested.run(&["script", "test"]).expect(0, "");
    assert!(run.stdout.contains("2 passed, 0 failed"), "{run:#?}");
    assert!(run.stdout.contains("holds: rows of get are of the type and canonical (in 1 call of tests)"), "{run:#?}");
    assert!(!tested.run(&["script", "test", "--only", "test_a"]).stdout.contains("properties"));
    for format in ["tap", "junit"] {
        let run = tested.run(&["script", "test", "--format", format]).expect(0, "");
        assert!(run.stdout.contains("holds: a second run changes nothing"), "{run:#?}");
    }
}

#[test]
fn a_violated_provider_property_is_a_failure() {
    let set = |body: &str| {
        format!("fn get(context) {{ [] }}\nfn set(context, changes) {{ for name in changes.keys() {{ {body} }} }}\n")
    };
    let canonicalize = "fn canonicalize(context, all) { all.map(|row| { row.value = `${row.value}x`; row }) }\n";
    let cases = [
        (
            "",
            "fn get(context) { [#{ name: 1 }] }\nfn set(context, changes) {}".to_owned(),
            "rows of get are of the type",
        ),
        ("\"canonicalize\"", format!("{}{canonicalize}", set("")), "canonicalize() changes what it returned"),
        ("", set(""), "after set, get does not return 'sample'"),
        ("", set(""), "a second run changes something again: Thing[sample]: defined 'ensure' as 'present'"),
        ("", set("context.created(\"other\");"), "Managing resource outside of requested set: other"),
        ("", set("context.updating(name, || context.notice(\"other\", \"x\"));"), "outside of requested set: other"),
        (
            "",
            set("context.created(name); context.attribute_changed(name, \"value\", 1, 2);"),
            "attribute_changed('sample', …) is called after the action was logged",
        ),
        (
            "",
            set("context.notice(name, \"x\"); context.updating(name, || ());"),
            "the block of 'sample' begins after other messages about it",
        ),
        (
            "\"supports_noop\"",
            "fn get(context) { [] }\nfn set(context, changes, noop) { file_write(\"/x\", \"\"); }\n".to_owned(),
            "set with noop changed /x",
        ),
    ];
    for (features, script, text) in cases {
        let run = site(features, false, &script).run(&["script", "test"]);
        let message = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == Some(1) && message.contains("0 passed, 1 failed"), "{text}: {run:#?}");
        assert!(message.contains("BROKEN: ") && message.contains("error[SCRIPT_PROPERTY]"), "{text}: {run:#?}");
        assert!(message.contains(text), "{text}: {run:#?}");
    }
}

#[test]
fn keys_of_maps_may_be_debug_and_print() {
    let script = "fn test_a() {
        let m = #{ debug: 1, print: #{ print: 2, debug: [debug(3)] }, /* a key */ debug2: 4 };
        assert_eq(m.debug + m.print.print, 3);
        assert_eq(#{ a: [1, 2], debug: \"x\" }.debug, \"x\");
        let text = `${#{ debug: 1 }.debug}`;
        assert_eq([text, 2].len(), 2);
        print(debug(1));
    }\n";
    let site = Site::new(&[("scripts/tests/a_test.rhai", script), ("site.pp", "")]);
    let run = site.run(&["script", "test"]).expect(0, "");
    assert!(run.stdout.contains("1 passed, 0 failed"), "{run:#?}");
    let broken = Site::new(&[
        ("scripts/lib/a.rhai", "fn f() { #{ debug: [ }"),
        ("scripts/lib/b.rhai", "fn f() { debug(1) }"),
        ("site.pp", ""),
    ]);
    let run = broken.run(&["script", "check"]);
    assert!(run.stdout.contains("1 mistake in 2 scripts"), "{run:#?}");
}

/// Applies one `thing`: the whole output, and the exit code.
fn apply(provider: &str, options: &[&str]) -> (String, Option<i32>) {
    let site = site("", false, provider);
    let code = "thing { 'a': port => 1 } thing { 'b': port => 2 }";
    let run = site.run(&[&["apply", "-e", code, "--certname", "n.example.com"], options].concat());
    (format!("{}{}", run.stdout, run.stderr), run.code)
}

#[test]
fn hostile_providers_end_with_errors() {
    let get = |body: &str| {
        format!("fn get(context) {{ {body} }}\nfn set(context, changes) {{ }}\nprivate fn deep(n) {{ deep(n + 1) }}\n")
    };
    let set = |body: &str| {
        format!(
            "fn get(context) {{ [] }}\nfn set(context, changes) {{ {body} }}\nprivate fn deep(n) {{ deep(n + 1) }}\n"
        )
    };
    // Those that end the run: exit code 1.
    for (script, text) in [
        (get("loop { }"), "get() of the provider of 'thing' took longer than 0.2 s (--timeout-provider)"),
        (set("loop { }"), "set() of the provider of 'thing' took longer than 0.2 s (--timeout-provider)"),
        (set("context.updating(\"a\", || { loop { try { loop { } } catch { } } });"), "took longer than 0.2 s"),
        (get("run([\"sleep\", \"30\"]); []"), "took longer than 0.2 s"),
        (get("let all = []; loop { all.push(1); }"), "took longer than 0.2 s"),
    ] {
        let started = Instant::now();
        let (message, code) = apply(&script, &["--timeout-provider", "0.2"]);
        assert!(started.elapsed() < Duration::from_secs(10), "{script}");
        assert!(message.contains(text) && code == Some(1), "{script}: {code:?} {message}");
        assert!(!message.contains("panicked") && !message.contains("internal error"), "{script}: {message}");
    }
    for (script, text) in [
        (get("deep(1)"), "the script calls itself too deep"),
        (get("exit(1)"), "exit() is not available in scripts"),
        (get("let text = \"x\"; loop { text += text; }"), "Length of string is too large"),
    ] {
        let (message, code) = apply(&script, &[]);
        assert!(message.contains(text) && code == Some(1), "{script}: {code:?} {message}");
        assert!(!message.contains("panicked") && !message.contains("internal error"), "{script}: {message}");
    }
    // Rows of 10 MB: neither a panic nor a hang.
    let rows = "let row = \"x\"; row.pad(1000000, \"x\"); let all = []; for n in 0..10 { all.push(row); } all";
    let (message, code) = apply(&get(rows), &[]);
    assert!(message.contains("Error: ") && matches!(code, Some(1 | 4)) && message.len() < 10_000, "{code:?} {message}");
    // Those that fail the resources: exit code 4.
    for (script, text) in [
        (get("[#{ name: \"a\", port: \"x\" }]"), "Provider returned data that does not match the Type Schema"),
        (get("#{}"), "get() must return an array of hashes"),
        (get("throw #{ a: 1 }"), "Could not evaluate"),
        (set("file_write(\"x\", \"\");"), "file_write(): the path must be absolute, got 'x'"),
        (set("run([\"sh\", \"-c\", \"yes | head -c 3000000\"]);"), "has more than 1048576 bytes"),
        (set("run([\"no-such-program-here\"]);"), "no-such-program-here"),
        (set("context.updating(\"z\", || ());"), "Managing resource outside of requested set: z"),
    ] {
        let (message, code) = apply(&script, &["--timeout-provider", "9"]);
        assert!(message.contains(text), "{script}: {code:?} {message}");
        assert!(matches!(code, Some(4 | 6 | 2)), "{script}: {code:?} {message}");
        assert!(!message.contains("panicked") && !message.contains("internal error"), "{script}: {message}");
    }
    for wrong in ["0", "-1", "x", "NaN", "1e30"] {
        let (message, code) = apply(&get("[]"), &[&format!("--timeout-provider={wrong}")]);
        assert!(code == Some(2) && message.contains("a positive number of seconds is needed"), "{wrong}: {message}");
    }
}

#[test]
fn canonicalize_that_calls_itself_ends() {
    let script = "fn get(context) { [] }\nfn set(context, changes) { }\nfn canonicalize(context, all) { canonicalize(context, all) }\n";
    let site = site("\"canonicalize\"", false, script);
    let run = site.run(&["apply", "-e", "thing { 'a': port => 1 }", "--certname", "n.example.com"]);
    let message = format!("{}{}", run.stdout, run.stderr);
    assert!(message.contains("the script calls itself too deep"), "{run:#?}");
    assert!(run.code == Some(1) && !message.contains("panicked"), "{run:#?}");
}

#[test]
fn changes_of_the_machine_are_in_the_report() {
    let place = tempfile::TempDir::new().unwrap();
    let file = place.path().join("x").display().to_string();
    let script = format!(
        "fn get(context) {{ run([\"true\", \"read\"]); [] }}
        fn set(context, changes) {{
            for name in changes.keys() {{
                context.updating(name, || {{ file_write(`{file}-${{name}}`, name); run([\"true\", changes[name].should.value]); }});
            }}
        }}"
    );
    let site = site("", false, &script);
    let code = "thing { 'a': port => 1, value => 'one' } thing { 'b': port => 2, value => 'two' } notify { 'c': }";
    let args = ["apply", "-e", code, "--certname", "n.example.com", "--report", "report.json"];
    site.run(&args).expect(2, "");
    let report: Value = serde_json::from_slice(&std::fs::read(site.path().join("report.json")).unwrap()).unwrap();
    let of = |name: &str| report["resource_statuses"][name]["machine_changes"].clone();
    let expected =
        |name: &str, word: &str| serde_json::json!([format!("wrote {file}-{name}"), format!("ran true {word}")]);
    assert_eq!(of("Thing[a]"), expected("a", "one"), "{report:#}");
    assert_eq!(of("Thing[b]"), expected("b", "two"));
    assert_eq!(of("Notify[c]"), Value::Null);
    let noop = site.run(&[&args[..], &["--noop"]].concat());
    let report = std::fs::read_to_string(site.path().join("report.json")).unwrap();
    assert!(noop.code == Some(0) && !report.contains("machine_changes"), "{noop:#?}");
}
