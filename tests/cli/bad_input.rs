//! Errors for wrong input: one message with its location, an exit code, and no panic.

use super::site;

/// An error in Hiera's configuration names that file, not the location of the lookup.
#[test]
fn errors_in_the_hiera_configuration_name_its_file() {
    let hiera = "version: 5\nhierarchy:\n  - name: Web\n    lookup_key: from_the_web\n    uri: http://localhost/\n";
    let run = site(&[("hiera.yaml", hiera), ("site.pp", "lookup('a')\n")]).run(&["compile", "--log-format", "json"]);
    let run = run.expect(1, "");
    let message: serde_json::Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(message["file"], "SITE/hiera.yaml");
    assert_eq!(message["message"], "Unable to find 'lookup_key' function named 'from_the_web'");
}

/// Wrong input with the exit code and a part of the message. Each is an error, never a panic.
#[test]
fn bad_input_gives_one_clear_error() {
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str], i32, &'a str);
    let cases: &[Case<'_>] = &[
        ("no site", &[], &["compile", "--site", "/nowhere/at/all"], 2, "/nowhere/at/all"),
        ("bad toml", &[("catwalk.toml", "modulepath = [\nmanifest = 1\n")], &["compile"], 2, " --> catwalk.toml:"),
        (
            "unknown key",
            &[("catwalk.toml", "nodes = \"nodes\"\nmanifets = \"x\"\n")],
            &["compile"],
            2,
            " --> catwalk.toml:2",
        ),
        ("no such node", &[], &["compile", "web2.example.com"], 1, "did you mean 'web1.example.com'?"),
        ("no manifest", &[], &["compile", "--manifest", "other.pp"], 1, "SITE/other.pp"),
        ("facts not there", &[], &["compile", "--facts", "none.json"], 2, "SITE/none.json"),
        (
            "facts not JSON",
            &[("nodes/web1.example.com.json", "{\"a\": }")],
            &["compile"],
            1,
            " --> nodes/web1.example.com.json:1",
        ),
        ("facts no hash", &[("nodes/web1.example.com.json", "[1]")], &["compile"], 1, "it must contain a hash"),
        ("syntax", &[("site.pp", "file { 'x' ensure => present }\n")], &["compile"], 1, "site.pp:1"),
        (
            "unknown class",
            &[("site.pp", "\ninclude nope\n")],
            &["compile"],
            1,
            "Could not find class ::nope for web1.example.com",
        ),
        ("unknown type", &[("site.pp", "nope { 'x': }\n")], &["compile"], 1, "Unknown resource type: 'nope'"),
        (
            "recursive define",
            &[("site.pp", "define a { a { \"${title}x\": } }\na { 'x': }\n")],
            &["compile"],
            1,
            "error",
        ),
        (
            "recursive function",
            &[("site.pp", "function f($x) { f($x + 1) }\nf(0)\n")],
            &["compile"],
            1,
            "stack level too deep",
        ),
        (
            "broken yaml",
            &[
                (
                    "catwalk.toml",
                    "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nhiera = \"hiera.yaml\"\n",
                ),
                ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
                ("data/common.yaml", "a: [1, 2\nb: }\n"),
                ("site.pp", "notify { lookup('a'): }\n"),
            ],
            &["compile"],
            1,
            "SITE/data/common.yaml",
        ),
        (
            "bad hiera.yaml",
            &[
                (
                    "catwalk.toml",
                    "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nhiera = \"hiera.yaml\"\n",
                ),
                ("hiera.yaml", "version: 5\nhierarchie: []\n"),
                ("site.pp", "notify { lookup('a'): }\n"),
            ],
            &["compile"],
            1,
            "unrecognized key 'hierarchie'",
        ),
        (
            "endless script",
            &[("enc.rhai", "fn classify(node) {\n  loop { }\n}\n")],
            &["compile", "--enc", "enc.rhai"],
            1,
            "enc.rhai:",
        ),
        (
            "throwing script",
            &[("enc.rhai", "fn classify(node) {\n  throw \"no idea\"\n}\n")],
            &["compile", "--enc", "enc.rhai"],
            1,
            "enc.rhai:2:3",
        ),
        (
            "script with bad syntax",
            &[("enc.rhai", "fn classify(node) {\n  1 +\n}\n")],
            &["compile", "--enc", "enc.rhai"],
            1,
            "enc.rhai:3",
        ),
        ("no classifier", &[], &["compile", "--enc", "enc.sh"], 1, "enc.sh"),
        ("bad setting", &[], &["compile", "--set", "strict=maybe"], 2, "Allowed values are"),
        ("unknown setting", &[], &["compile", "--set", "strict_variable=true"], 2, "did you mean 'strict_variables'?"),
        (
            "setting of another version",
            &[],
            &["compile", "--puppet", "7", "--set", "ca_refresh_interval=1d"],
            2,
            "Puppet 8 has it",
        ),
        (
            "bad version",
            &[("catwalk.toml", "puppet = 6\n")],
            &["compile"],
            2,
            "`puppet` must be 7, 8, 9, or a release: 7.23 to 7.37, 8.0 to 8.28, 9.0, got 6",
        ),
        ("bad option", &[], &["compile", "--formt", "native"], 2, "--format"),
        ("not built yet", &[("site.pp", "inline_template('<%= fork %>')\n")], &["compile"], 1, "not supported yet"),
    ];
    for (name, files, args, code, said) in cases {
        println!("case: {name}");
        let run = site(files).run(args).expect(*code, said);
        assert_eq!(run.stdout, "", "{name}");
    }
}

#[test]
fn a_manifest_that_is_not_utf8_is_refused_with_its_location() {
    let site = site(&[]);
    site.write("site.pp", b"# caf\xe9\nnotify { 'x': }\n");
    site.run(&["compile"]).expect(1, "site.pp is not UTF-8 text: invalid byte at offset 5 (line 1)");
}
