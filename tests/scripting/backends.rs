//! Hiera backends in Rhai.

use crate::scripting::compile_site;

const HIERA: &str =
    "version: 5\nhierarchy:\n  - name: own\n    KIND: m::b\n    path: d.env\n  - name: common\n    path: common.yaml\n";

fn compile_with_backend(kind: &str, script: &str, code: &str) -> Result<Vec<String>, String> {
    compile_site(
        &[
            ("hiera.yaml", &HIERA.replace("KIND", kind)),
            ("data/d.env", "A=1\nB=two %{facts.role}\n"),
            ("data/common.yaml", "a: common\nonly: here\nb: from b\n"),
            ("modules/m/scripts/hiera/b.rhai", script),
        ],
        code,
    )
}

#[test]
fn each_kind_of_backend_answers() {
    let cases = [
        (
            "data_hash",
            "fn data_hash(options, context) { #{ a: 1, \"x.y\": [1, 2], h: #{ k: \"v\" } } }",
            "lookup('a')",
            "1",
        ),
        ("data_hash", "fn data_hash(options, context) { #{ h: #{ k: \"v\" } } }", "lookup('h.k')", "v"),
        ("data_hash", "fn data_hash(options, context) { #{} }", "lookup('only')", "here"),
        ("lookup_key", "fn lookup_key(key, options, context) { key + \"!\" }", "lookup('a')", "a!"),
        ("lookup_key", "fn lookup_key(key, options, context) { context.not_found() }", "lookup('a')", "common"),
        (
            "lookup_key",
            "fn lookup_key(key, options, context) { try { context.not_found() } catch { 7 } }",
            "lookup('a')",
            "common",
        ),
        // A block may use the context whose function takes it, if that is called as a function.
        (
            "lookup_key",
            "fn lookup_key(key, options, context) { explain(context, || context.interpolate(\"x\")); key + \"?\" }",
            "lookup('a')",
            "a?",
        ),
        (
            "data_dig",
            "fn data_dig(segments, options, context) { if segments[0] == \"lookup_options\" { context.not_found(); } segments }",
            "lookup('a.b.0')",
            "[a, b, 0]",
        ),
        (
            "lookup_key",
            "fn lookup_key(key, options, context) { context.interpolate(\"%{facts.role}-%{lookup('b')}\") }",
            "lookup('a')",
            "web-from b",
        ),
        (
            "lookup_key",
            "fn lookup_key(key, options, context) { if key == \"only\" { context.not_found(); } `${context.environment_name} ${context.module_name} ${options.keys()}` }",
            "lookup('a')",
            "production  [\"path\"]",
        ),
        ("lookup_key", "fn lookup_key(key, options, context) { sensitive(\"s\") }", "lookup('a') =~ Sensitive", "true"),
        (
            "lookup_key",
            "fn lookup_key(key, options, context) { if key == \"only\" { context.not_found(); } #{ f: fact(\"role\"), l: lookup(\"only\") } }",
            "lookup('a')['f']",
            "web",
        ),
    ];
    for (kind, script, code, expected) in cases {
        // A backend is also called with the key lookup_options.
        let head = "fn lookup_key(key, options, context) {";
        let script = script.replace(head, &format!("{head} if !(key in [\"a\", \"only\"]) {{ context.not_found(); }}"));
        let logs = compile_with_backend(kind, &script, &format!("notice({code})")).unwrap_or_else(|error| vec![error]);
        assert_eq!(logs, [expected.to_owned()], "{script}");
    }
}

#[test]
fn the_context_caches_parsed_values() {
    let script = r#"
        fn lookup_key(key, options, context) {
            if !context.cache_has_key("data") {
                notice("parsing");
                context.cache("data", parse(context.cached_file_data(options.path)));
                context.cache_all(#{ x: 1, y: 2 });
            }
            let entries = 0;
            context.cached_entries(|k, v| entries += 1);
            if key == "count" { return [entries, context.cached_entries().len()]; }
            let data = context.cached_value("data");
            let name = key.to_upper();
            if !(name in data) { context.not_found(); }
            context.interpolate(data[name])
        }
        private fn parse(text) {
            let out = #{};
            for line in text.split("\n") {
                let at = line.index_of("=");
                if at > 0 { out[line.sub_string(0, at)] = line.sub_string(at + 1); }
            }
            out
        }"#;
    let code = "notice(lookup('a')) notice(lookup('b')) notice(lookup('only')) notice(lookup('count'))";
    assert_eq!(
        compile_with_backend("lookup_key", script, code).unwrap(),
        ["parsing", "1", "two web", "here", "[3, 3]"]
    );
}

#[test]
fn failures_name_the_script() {
    let cases = [
        (
            "lookup_key",
            "fn data_hash(o, c) { #{} }",
            "modules/m/scripts/hiera/b.rhai has no function lookup_key(key, options, context)",
        ),
        (
            "data_hash",
            "fn data_hash(o, c) {\n throw \"broken\" }",
            "broken (file: SITE/modules/m/scripts/hiera/b.rhai, line: 2, column: 2)",
        ),
        (
            "data_hash",
            "fn data_hash(o, c) { 7 }",
            "Value returned from data_hash function 'm::b', when using location 'SITE/data/d.env', has wrong type, expects a Hash value, got Integer (file: SITE/modules/m/scripts/hiera/b.rhai, line: 1, column: 20)",
        ),
        (
            "data_hash",
            "fn data_hash(o, c) { #{ t: c.cached_file_data(\"/etc/passwd\") } }",
            "scripts may not read '/etc/passwd'",
        ),
        (
            "data_hash",
            "fn data_hash(o, c) { #{ t: c.cached_file_data(o.path + \"/../../../etc/passwd\") } }",
            "scripts may not read",
        ),
    ];
    for (kind, script, expected) in cases {
        let error = compile_with_backend(kind, script, "notice(lookup('a'))").unwrap_err();
        assert!(error.contains(expected), "{script}\nwanted {expected}\n   got {error}");
    }
}
