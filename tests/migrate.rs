//! `catwalk migrate`: what changes on each node, why, and where.

use serde_json::Value;
use serde_json::json;

use crate::support::Site;

/// A case: a name, the main manifest, the versions, and what the JSON document has at these paths.
type Case = (&'static str, &'static str, [&'static str; 2], &'static [(&'static str, &'static str)]);

const FACTS: &str = r#"{"osfamily": "Debian", "os": {"family": "Debian"}, "ipaddress_eth0": "192.0.2.1", "network_zone": "dmz",
    "networking": {"interfaces": {"eth0": {"ip": "192.0.2.1"}}}}"#;

const CASES: &[Case] = &[
    ("nothing", "notify { 'x': }", ["7", "8"], &[("/same", "true"), ("/legacy_facts", "[]"), ("/failures", "[]")]),
    (
        "a legacy fact in the hash of facts",
        "notify { \"x ${facts['osfamily']}\": }",
        ["7", "8"],
        &[
            ("/same", "false"),
            ("/legacy_facts/0/name", "\"osfamily\""),
            ("/legacy_facts/0/structured", "\"os.family\""),
            ("/legacy_facts/0/places/0/line", "1"),
            ("/legacy_facts/0/nodes", "[\"web1\",\"web2\"]"),
            ("/groups/0/remedy/kind", "\"legacy_facts\""),
        ],
    ),
    (
        "a legacy fact as a variable",
        "notify { \"x ${::ipaddress_eth0} ${network_zone}\": }",
        ["7.37", "8.28"],
        &[
            ("/legacy_facts/0/structured", "\"networking.interfaces.eth0.ip\""),
            ("/legacy_facts/1", "null"),
            ("/failures/0/which", "\"new\""),
            ("/failures/0/remedy/kind", "\"legacy_facts\""),
        ],
    ),
    (
        "a problem that becomes an error",
        "$x = { a => 1, a => 2 }\nnotify { 'x': }",
        ["7", "8"],
        &[("/failures/0/remedy/kind", "\"strict\""), ("/failures/0/nodes", "[\"web1\",\"web2\"]")],
    ),
    (
        "an unknown variable",
        "if $nope { notify { 'x': } }",
        ["7", "8"],
        &[("/failures/0/remedy/kind", "\"strict_and_strict_variables\"")],
    ),
    (
        "an error with both versions",
        "fail('always')",
        ["7", "8"],
        &[("/failures/0/which", "\"both\""), ("/failures/0/remedy", "null")],
    ),
    (
        "an argument that is gone",
        "notify { regsubst('abc', 'b', 'x', 'G', 'N'): }",
        ["8", "9"],
        &[("/failures/0/which", "\"new\""), ("/failures/0/remedy", "null")],
    ),
    (
        "a content that looks like a checksum",
        "file { '/x': content => '{md5}d41d8cd98f00b204e9800998ecf8427e' }\nfile { '/y': content => '{md5} of' }",
        ["8", "9"],
        &[
            ("/same", "false"),
            ("/groups", "[]"),
            ("/checksum_contents/0/text", "\"File[/x]\""),
            ("/checksum_contents/0/nodes", "[\"web1\",\"web2\"]"),
            ("/checksum_contents/1", "null"),
        ],
    ),
    (
        "legacy facts do not differ between 8 and 9",
        "notify { \"${facts['osfamily']}\": }",
        ["8", "9"],
        &[("/same", "true")],
    ),
];

#[test]
fn changes_have_their_cause() {
    let mut wrong = Vec::new();
    for (name, manifest, [from, to], members) in CASES {
        let site = Site::new(&[("site.pp", manifest), ("nodes/web1.json", FACTS), ("nodes/web2.json", FACTS)]);
        let run = site.run(&["migrate", from, to, "--format", "json"]);
        let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{name}: {why}: {run:?}"));
        for (path, expected) in *members {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let found = document.pointer(path).cloned().unwrap_or(json!(null));
            if found != expected {
                wrong.push(format!("{name}: {path} is {found}, not {expected}:\n{document:#}"));
            }
        }
        let code = match (
            document["same"] == true,
            document["summary"]["failing"] == 2 && *name == "an error with both versions",
        ) {
            (_, true) => 2,
            (true, _) => 0,
            (false, _) => 1,
        };
        if run.code != Some(code) {
            wrong.push(format!("{name}: exit code {:?}, not {code}", run.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn legacy_facts_stay_on_request_and_secrets_are_not_shown() {
    let manifest = "file { '/x': content => Sensitive(\"hunter2-${facts['osfamily']}\") }";
    let site = Site::new(&[("site.pp", manifest), ("nodes/a.json", FACTS)]);
    site.run(&["migrate", "7", "8", "--legacy-facts"]).expect(0, "");
    for format in ["human", "json"] {
        let run = site.run(&["migrate", "7", "8", "--format", format]).expect(1, "");
        assert!(run.stdout.contains("osfamily") && !run.stdout.contains("hunter2"), "{run:?}");
    }
}

#[test]
fn wrong_arguments_are_errors() {
    let site = Site::new(&[("site.pp", ""), ("nodes/a.json", "{}")]);
    site.run(&["migrate", "7"]).expect(2, "<TO>");
    site.run(&["migrate", "7", "12"]).expect(2, "7, 8, 9, or a release");
    site.run(&["migrate", "7", "8", "--puppet", "9"]).expect(2, "the versions are the first two arguments");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n[settings]\npluginsync = false\n");
    site.run(&["migrate", "8", "9"]).expect(2, "Puppet 8 has it");
}

/// A site that names another version than that of its catalogs.
#[test]
fn another_version_in_a_file_gets_a_note() {
    let metadata = |name: &str, requirement: &str| {
        json!({"name": "a-b", "version": "1.0.0", "author": "a", "license": "x", "summary": "x", "source": "x", "dependencies": [],
            "requirements": [{"name": name, "version_requirement": requirement}]})
        .to_string()
    };
    for (path, text, note) in [
        ("metadata.json", metadata("puppet", ">= 7.0.0 < 8.0.0"), Some("`puppet = \"7\"`")),
        ("metadata.json", metadata("openvox", ">= 9.0.0 < 10.0.0"), Some("`puppet = \"9\"`")),
        ("metadata.json", metadata("puppet", ">= 7.24.0 < 8.0.0"), Some("`puppet = \"7.37\"`")),
        ("metadata.json", metadata("puppet", ">= 7.0.0 < 9.0.0"), None),
        ("metadata.json", metadata("pe", ">= 2019"), None),
        (
            ".fixtures.yml",
            "fixtures:\n  repositories:\n    x: {repo: y, puppet_version: '< 8.0.0'}\n".to_owned(),
            Some("`puppet = \"7\"`"),
        ),
        ("nodes/a.json", r#"{"puppetversion": "7.30.0"}"#.to_owned(), Some("`puppet = \"7.30\"`")),
        ("nodes/a.json", r#"{"puppetversion": "8.10.0"}"#.to_owned(), None),
    ] {
        let site = Site::new(&[("site.pp", "notify { 'x': }"), ("nodes/a.json", "{}"), ("environment.conf", "")]);
        site.write(path, &text);
        let run = site.run(&["compile", "a"]).expect(0, "");
        match note {
            Some(note) => assert!(
                run.stderr.contains(note) && run.stderr.starts_with("note: catalogs are those of Puppet 8"),
                "{text}: {run:?}"
            ),
            None => assert!(!run.stderr.contains("note:"), "{text}: {run:?}"),
        }
        // Who names a version knows.
        let named = site.run(&["compile", "a", "--puppet", "8"]).expect(0, "");
        assert!(!named.stderr.contains("note:"), "{text}: {named:?}");
    }
}

/// What `catwalk.toml` says about the server's Ruby.
#[test]
fn the_servers_ruby_is_configured() {
    let site = Site::new(&[("nodes/a.json", "{}")]);
    let stdlib = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;
    site.write("modules/stdlib/metadata.json", stdlib);
    site.write("x.json", "{\"a\": 1}");
    let path = site.path().join("x.json");
    let json = format!("notice(loadjson('{}'))", path.display());
    let hash = "notice(inline_template('<%= {\"a\" => 1, :b => nil, :\"c d\" => {}, :e? => :f, :+ => 2}.inspect %>'))";
    let old = "{\"a\"=>1, :b=>nil, :\"c d\"=>{}, :e?=>:f, :+=>2}";
    // As in the source of Ruby 3.4: `symbol_key_needs_quote` of hash.c.
    let new = "{\"a\" => 1, b: nil, \"c d\": {}, e?: :f, \"+\": 2}";
    let no_pson = "uninitialized constant Puppet::Parser::Functions::PSON";
    for (version, ruby, code, printed) in [
        ("8", "", json.as_str(), no_pson),
        ("8", "gems = [\"pson\"]", &json, "{a => 1}"),
        ("7", "", &json, "{a => 1}"),
        ("8", "", hash, old),
        ("8", "version = \"3.2.8\"", hash, old),
        ("8", "version = \"3.4\"", hash, new),
        ("9", "version = \"4.0.1\"", hash, new),
    ] {
        site.write("site.pp", code);
        site.write(
            "catwalk.toml",
            format!("modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n[ruby]\n{ruby}\n"),
        );
        let run = site.run(&["compile", "a", "--puppet", version]);
        assert!(run.stderr.contains(printed), "{version} {ruby} {code}: {run:?}");
    }
    for (ruby, message) in [("gems = [\"json\"]", "`gems` of [ruby]"), ("version = \"new\"", "`version` of [ruby]")] {
        site.write("catwalk.toml", format!("[ruby]\n{ruby}\n"));
        site.run(&["compile", "a"]).expect(2, message);
    }
}
