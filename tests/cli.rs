//! The program from outside: what users get for good and for bad input.

use crate::support::Site;

const FACTS: &str = r#"{"os": {"family": "Debian"}, "networking": {"fqdn": "web1.example.com"}}"#;

fn site(files: &[(&str, &str)]) -> Site {
    let mut all = vec![("nodes/web1.example.com.json", FACTS), ("site.pp", "notify { 'hello': }\n")];
    all.retain(|(path, _)| !files.iter().any(|(other, _)| other == path));
    all.extend_from_slice(files);
    Site::new(&all)
}

#[test]
fn a_node_of_the_site_compiles_to_stdout() {
    let run = site(&[]).run(&["compile"]).expect(0, "");
    let catalog: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(catalog["name"], "web1.example.com");
    assert_eq!(catalog["catalog_format"], 2);
    let titles: Vec<&str> =
        catalog["resources"].as_array().unwrap().iter().map(|resource| resource["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["main", "Settings", "main", "hello"]);
}

#[test]
fn several_nodes_are_written_to_a_directory_and_a_failing_one_does_not_stop_them() {
    let site = site(&[
        ("nodes/db1.example.com.yaml", "os:\n  family: RedHat\n"),
        ("site.pp", "if $facts['os']['family'] == 'RedHat' { fail('no red hats') }\nnotify { 'hello': }\n"),
    ]);
    let run = site.run(&["compile", "--output", "out/"]).expect(1, "no red hats");
    assert!(run.stdout.contains("1 of 2 catalogs written"), "{run:#?}");
    assert!(site.path().join("out/web1.example.com.json").is_file());
    assert!(!site.path().join("out/db1.example.com.json").exists());
}

#[test]
fn a_file_that_cannot_be_written_does_not_stop_the_others() {
    let site = site(&[("nodes/db1.example.com.yaml", "os:\n  family: RedHat\n"), ("out/db1.example.com.json/in", "")]);
    site.run(&["compile", "--output", "out/"]).expect(1, "cannot write out/db1.example.com.json: ");
    assert!(site.path().join("out/web1.example.com.json").is_file());
    let left = std::fs::read_dir(site.path().join("out")).unwrap().count();
    assert_eq!(left, 2, "no temporary file stays");
}

#[test]
fn a_catalog_that_puppetdb_would_refuse_does_not_stop_the_others() {
    let site = site(&[
        ("nodes/db1.example.com.yaml", "os:\n  family: RedHat\n"),
        (
            "site.pp",
            "file { '/x': }\nnode 'db1.example.com' { notify { 'n': require => 'file[/x]' } }\nnode default { }\n",
        ),
    ]);
    let refused =
        "Invalid relationship: Notify[n] { require => file[/x] }, because file[/x] doesn't seem to be in the correct";
    let run = site.run(&["compile", "--format", "wire4", "--output", "out/"]).expect(1, refused);
    assert!(run.stderr.contains("node: db1.example.com"), "{run:#?}");
    assert!(run.stdout.contains("1 of 2 catalogs written"), "{run:#?}");
    assert!(site.path().join("out/web1.example.com.json").is_file());
    assert!(!site.path().join("out/db1.example.com.json").exists());
}

#[test]
fn code_and_facts_can_be_given_without_a_site() {
    let empty = Site::empty();
    empty.write("facts.json", r#"{"name": "x", "values": {"role": "web", "fqdn": "n1.example.com"}}"#);
    let run = empty.run(&["compile", "-e", "notify { $facts['role']: }", "--facts", "facts.json"]).expect(0, "");
    let catalog: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(catalog["name"], "n1.example.com");
    assert!(run.stdout.contains("\"title\": \"web\""), "{run:#?}");
}

#[test]
fn a_directory_with_manifests_beside_modules_is_a_site() {
    let old = Site::empty();
    old.write("manifests/site.pp", "include here\n");
    old.write("modules/here/manifests/init.pp", "class here { notify { 'found': } }\n");
    let compile = |at: &str| {
        let output = old.command(&["compile", "n", "--facts", "debian-12"]).current_dir(old.path().join(at)).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for at in ["", "modules/here/manifests"] {
        let (code, stdout, stderr) = compile(at);
        assert_eq!(code, Some(0), "{at}: {stderr}");
        assert!(stdout.contains("\"title\": \"found\""), "{at}: {stdout}");
    }
    // In a module it is the module.
    old.write("modules/here/metadata.json", r#"{"name": "me-here", "version": "1.0.0", "dependencies": []}"#);
    let (code, _, stderr) = compile("modules/here/manifests");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("no site: this is the module here"), "{stderr}");
}

#[test]
fn facts_can_be_those_of_a_set_that_is_built_in() {
    let site = Site::new(&[(
        "site.pp",
        "notify { \"${facts['os']['name']} ${facts['fqdn']} ${facts['networking']['hostname']}\": }\n",
    )]);
    let title = |stdout: &str| {
        let catalog: serde_json::Value = serde_json::from_str(stdout).unwrap();
        catalog["resources"].as_array().unwrap().last().unwrap()["title"].as_str().unwrap().to_owned()
    };
    let named = site.run(&["compile", "db7.example.org", "--facts", "centos-9"]).expect(0, "");
    assert_eq!(title(&named.stdout), "CentOS db7.example.org db7");
    let unnamed = site.run(&["compile", "--facts", "debian-12-x86_64"]).expect(0, "");
    assert_eq!(title(&unnamed.stdout), "Debian test.example.com test");
    // A file of that name wins.
    site.write("debian-12", r#"{"os": {"name": "Mine"}, "fqdn": "f", "networking": {"hostname": "h"}}"#);
    let file = site.run(&["compile", "db7.example.org", "--facts", "debian-12"]).expect(0, "");
    assert_eq!(title(&file.stdout), "Mine f h");
    let unknown = site.run(&["compile", "db7.example.org", "--facts", "debian-21"]);
    let unknown = unknown.expect(2, "there is neither a file nor a fact set 'debian-21'");
    assert!(unknown.stderr.contains("did you mean 'debian-1"), "{unknown:#?}");
    site.run(&["compile", "db7.example.org", "--facts", "no.json"]).expect(1, "cannot read facts: ");
    // Sets that the site brings are named as well, before those that are built in.
    site.write("catwalk.toml", "manifest = \"site.pp\"\nfacts = \"lab\"\n");
    let facts =
        |name: &str| format!(r#"{{"os": {{"name": "{name}"}}, "fqdn": "x", "networking": {{"hostname": "x"}}}}"#);
    site.write("lab/special.json", facts("Special"));
    site.write("lab/centos-9-x86_64.json", facts("Own"));
    let special = site.run(&["compile", "db7.example.org", "--facts", "special"]).expect(0, "");
    assert_eq!(title(&special.stdout), "Special db7.example.org db7");
    let own = site.run(&["compile", "db7.example.org", "--facts", "centos-9"]).expect(0, "");
    assert_eq!(title(&own.stdout), "Own db7.example.org db7");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nfacts = \"nowhere\"\n");
    site.run(&["compile", "db7.example.org", "--facts", "special"]).expect(2, "nowhere: it does not exist");
}

#[test]
fn a_main_manifest_beside_a_hierarchy_is_a_site() {
    let site = Site::empty();
    site.write("hiera.yaml", "version: 5\n");
    site.write("data/common.yaml", "a: found\n");
    site.write("manifests/init.pp", "notify { lookup('a'): }\n");
    let compile = ["compile", "n.example.org", "--facts", "debian-12"];
    site.run(&compile).expect(2, "a control repository or an environment");
    std::fs::rename(site.path().join("manifests/init.pp"), site.path().join("manifests/site.pp")).unwrap();
    assert!(site.run(&compile).expect(0, "").stdout.contains("\"title\": \"found\""));
}

#[test]
fn modules_of_the_puppetfile_that_are_not_installed_are_named_where_a_node_fails() {
    let site = site(&[
        ("Puppetfile", "mod 'puppetlabs-ntp', '9.0.0'\nmod 'here', local: true\nmod 'saz/ssh'\n"),
        ("modules/here/manifests/init.pp", "class here { }\n"),
    ]);
    assert!(!site.run(&["compile"]).expect(0, "").stderr.contains("Puppetfile"));
    site.write("site.pp", "include ntp\n");
    let run = site.run(&["compile"]).expect(1, "modules that the Puppetfile names are not installed: ntp\n");
    assert!(!run.stderr.contains("ssh"), "it does not explain the failure: {run:#?}");
}

#[test]
fn json_messages_are_one_object_a_line() {
    let run = site(&[("site.pp", "\n  fail('bad news')\n")]).run(&["compile", "--log-format", "json"]).expect(1, "");
    let last = run.stderr.lines().last().unwrap();
    let message: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(message["level"], "err");
    assert_eq!(message["file"], "SITE/site.pp");
    assert_eq!((&message["line"], &message["pos"]), (&2.into(), &3.into()));
    assert_eq!(message["message"], "Evaluation Error: Error while evaluating a Function Call, bad news");
    assert_eq!(message["node"], "web1.example.com");
    assert_eq!(message["code"], "RUNTIME_ERROR");

    let run = site(&[(
        "site.pp",
        "notice('hello')
",
    )])
    .run(&["compile", "--log-format", "json"])
    .expect(0, "");
    let message: serde_json::Value = serde_json::from_str(run.stderr.lines().next().unwrap()).unwrap();
    assert_eq!((&message["level"], &message["message"]), (&"notice".into(), &"hello".into()));
    assert_eq!(message["code"], serde_json::Value::Null);
}

/// What Hiera's configuration has wrong names that file, not the place of the lookup.
#[test]
fn places_in_the_configuration_of_hiera() {
    let hiera = "version: 5\nhierarchy:\n  - name: Web\n    lookup_key: from_the_web\n    uri: http://localhost/\n";
    let run = site(&[("hiera.yaml", hiera), ("site.pp", "lookup('a')\n")]).run(&["compile", "--log-format", "json"]);
    let run = run.expect(1, "");
    let message: serde_json::Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(message["file"], "SITE/hiera.yaml");
    assert_eq!(message["message"], "Unable to find 'lookup_key' function named 'from_the_web'");
}

/// Bad input, what is said of it, and the exit code. Every row is a complaint with a place, none a panic.
#[test]
fn bad_input_gives_one_clear_error() {
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str], i32, &'a str);
    let cases: &[Case<'_>] = &[
        ("no site", &[], &["compile", "--site", "/nowhere/at/all"], 2, "/nowhere/at/all"),
        ("bad toml", &[("catwalk.toml", "modulepath = [\nmanifest = 1\n")], &["compile"], 2, "SITE/catwalk.toml:"),
        (
            "unknown key",
            &[("catwalk.toml", "nodes = \"nodes\"\nmanifets = \"x\"\n")],
            &["compile"],
            2,
            "SITE/catwalk.toml:2",
        ),
        ("no such node", &[], &["compile", "web2.example.com"], 1, "did you mean 'web1.example.com'?"),
        ("no manifest", &[], &["compile", "--manifest", "other.pp"], 1, "SITE/other.pp"),
        ("facts not there", &[], &["compile", "--facts", "none.json"], 2, "SITE/none.json"),
        (
            "facts not JSON",
            &[("nodes/web1.example.com.json", "{\"a\": }")],
            &["compile"],
            1,
            "SITE/nodes/web1.example.com.json:1",
        ),
        ("facts no hash", &[("nodes/web1.example.com.json", "[1]")], &["compile"], 1, "it must hold a hash"),
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
        ("setting of another version", &[], &["compile", "--set", "ca_refresh_interval=1d"], 2, "Puppet 8 has it"),
        ("bad version", &[("catwalk.toml", "puppet = 6\n")], &["compile"], 2, "`puppet` must be 7 or 8, got 6"),
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
fn text_that_is_not_utf8_is_refused_with_its_place() {
    let site = site(&[]);
    site.write("site.pp", b"# caf\xe9\nnotify { 'x': }\n");
    site.run(&["compile"]).expect(1, "site.pp is not UTF-8 text: invalid byte at offset 5 (line 1)");
}

#[cfg(unix)]
#[test]
fn outputs_are_files_like_any_other_and_devices_stay_devices() {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::fs::PermissionsExt;
    let site = site(&[]);
    // A pipe stands for all that is no regular file: a test must not risk the machine's devices.
    let pipe = site.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).unwrap()
    });
    site.run(&["compile", "--output", "pipe"]).expect(0, "");
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(reader.join().unwrap().contains("web1.example.com"));

    site.write("plain", "");
    site.run(&["compile", "--output", "new.json"]).expect(0, "");
    let mode = |name: &str| std::fs::metadata(site.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("new.json"), 0o600, "a catalog may hold secrets");
    site.run(&["test", "--markdown", "new.md"]);
    assert_eq!(mode("new.md"), mode("plain"), "the process's mask decides");

    site.write("real.json", "old");
    std::os::unix::fs::symlink("real.json", site.path().join("link.json")).unwrap();
    site.run(&["compile", "--output", "link.json"]).expect(0, "");
    assert!(std::fs::symlink_metadata(site.path().join("link.json")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(site.path().join("real.json")).unwrap().contains("web1.example.com"));
}

#[test]
fn what_is_not_collected_is_said() {
    let site = site(&[("site.pp", "@@notify { 'mine': }\n\nNotify <<| |>>\n")]);
    let run = site.run(&["compile", "--set", "storeconfigs=true"]);
    let run = run.expect(0, "exported resources of other nodes are not known: only this node's are collected");
    assert!(run.stderr.contains("site.pp:3:1"), "{run:#?}");
}

#[test]
fn the_version_of_the_language_is_an_option_or_said_by_the_site() {
    let code =
        "notify { \"${serverversion} ${settings::strict} ${settings::runinterval}\": }\nif false { notice($nope) }\n";
    let toml = "manifest = \"site.pp\"\nnodes = \"nodes\"\npuppet = 8\n[settings]\nruninterval = \"1h\"\n";
    let site = site(&[("catwalk.toml", toml), ("site.pp", code)]);
    let said = |args: &[&str]| site.run(args).expect(0, "").stdout;
    assert!(said(&["compile"]).contains("8.11.0 error 3600"));
    assert!(said(&["compile", "--puppet", "7"]).contains("7.23.0 warning 3600"));
    assert!(said(&["compile", "--set", "strict=off", "--set", "runinterval=5"]).contains("8.11.0 off 5"));
    site.run(&["compile", "-e", "notice($nope)"]).expect(1, "Unknown variable: 'nope'.");
    site.run(&["check", "-e", "notice({ a => 1, a => 2 })"]).expect(0, "warning");
    site.run(&["check", "--puppet", "8", "-e", "notice({ a => 1, a => 2 })"]).expect(1, "error");
}

#[test]
fn check_knows_the_modules_of_a_site() {
    let class = |name: &str| format!("class {name} {{\n}}\n");
    let run = |files: &[(&str, &str)], args: &[&str]| site(files).run(&[&["check"], args].concat());
    // Which directories hold modules `environment.conf` says.
    let conf = ("environment.conf", "modulepath = modules/own:modules/public:site:$basemodulepath\n");
    let own = ("modules/own/web/manifests/init.pp", &*class("web"));
    run(&[conf, own, ("site/role/manifests/web.pp", &class("role::web"))], &[]).expect(0, "");
    let misplaced = ("site/role/manifests/web.pp", &*class("role::other"));
    run(&[conf, own, misplaced], &[]).expect(1, "");
    // Without it a directory of that name, if modules lie in it.
    run(&[own], &["."]).expect(0, "");
    run(&[("modules/web/manifests/init.pp", &class("other"))], &[]).expect(1, "");
    let path = ("environment.conf", "modulepath = $codedir/nowhere\n");
    run(&[path, own], &[]).expect(0, "");
    // What modules are not loaded from.
    let example = ("modules/web/examples/init.pp", "include web\n");
    run(&[("modules/web/manifests/init.pp", &class("web")), example], &[]).expect(0, "");
    run(&[example], &["--modulepath", "modules", "modules"]).expect(1, "");
    // Plans are not manifests.
    let plan = ("modules/web/plans/init.pp", "plan web(TargetSpec $nodes) {\n}\n");
    run(&[plan, ("modules/web/metadata.json", "{}")], &[]).expect(0, "");
    run(&[plan], &["modules/web/plans/init.pp"]).expect(1, "");
}

#[test]
fn a_catalog_without_end_is_stopped() {
    let root = site(&[("site.pp", "Integer[1, 1000000].each |$i| { notify { \"n${i}\": } }\n")]);
    let options = catwalk::session::Options {
        root: Some(root.path().to_path_buf()),
        limits: vec![("resources".to_owned(), "1000".to_owned())],
        ..catwalk::session::Options::default()
    };
    let session = catwalk::session::Session::open(options, std::sync::Arc::new(catwalk::world::Disk::new())).unwrap();
    let compiled = session.compile("web1.example.com");
    let error = compiled.result.unwrap_err();
    assert_eq!(error.code.as_str(), "CATALOG_TOO_LARGE");
    assert!(error.message.ends_with("the catalog has more than 1000 resources"), "{}", error.message);
    assert!(error.puppet_text(session.sources()).contains("site.pp, line: 1"), "{error:?}");
}

#[test]
fn config_version_runs_once_for_what_is_loaded() {
    let script = "#!/bin/sh\necho x >> \"$1/count\"\nwc -l < \"$1/count\"\n";
    let conf = "manifest = site.pp\nconfig_version = '/bin/sh $environmentpath/$environment/version.sh $environmentpath/$environment'\n";
    let root = site(&[("site.pp", "notice('x')\n"), ("version.sh", script)]);
    let conf = conf.replace("$environmentpath/$environment", &root.path().to_string_lossy());
    std::fs::write(root.path().join("environment.conf"), conf).unwrap();
    let options =
        catwalk::session::Options { root: Some(root.path().to_path_buf()), ..catwalk::session::Options::default() };
    let session = catwalk::session::Session::open(options, std::sync::Arc::new(catwalk::world::Disk::new())).unwrap();
    let version = || {
        let catalog = session.compile("web1.example.com").result.unwrap();
        let text = catwalk::wire::native::write(&catalog).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["version"].clone()
    };
    assert_eq!([version(), version()], ["1", "1"]);
    session.forget();
    assert_eq!(version(), "2");
}

#[test]
fn a_config_version_that_fails_is_run_and_reported_once() {
    let conf = "manifest = site.pp\nmodulepath = modules\nconfig_version = '/bin/sh ROOT/version.sh'\n";
    let script = "echo x >> ROOT/count\nexit 1\n";
    let toml = "nodes = \"nodes\"\n";
    for args in [&["compile", "--output", "out"][..], &["compile"], &["test"], &["data", "unused"]] {
        let root = site(&[
            ("site.pp", "notice('x')\n"),
            ("catwalk.toml", toml),
            ("nodes/a.json", "{}"),
            ("nodes/b.json", "{}"),
        ]);
        for (file, text) in [("environment.conf", conf), ("version.sh", script)] {
            root.write(file, text.replace("ROOT", &root.path().to_string_lossy()));
        }
        let run = root.run(args);
        let reported = run.stderr.matches("CONFIG_VERSION").count();
        assert!(reported == usize::from(args[0] == "compile"), "{args:?}: {run:#?}");
        assert_eq!(std::fs::read_to_string(root.path().join("count")).unwrap(), "x\n", "{args:?}");
    }
}

#[test]
fn limits_are_set_on_the_command_line_and_in_the_site() {
    let endless = "notice('begun')\n$x = Integer[1, 9223372036854775807].each |$x| {\n  $y = $x\n}\n";
    let toml = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n[limits]\n";
    let stopped = |toml: &str, code: &str, args: &[&str], said: &[&str]| {
        let site = site(&[("catwalk.toml", toml), ("site.pp", code)]);
        let run = site.run(&[&["compile"], args].concat()).expect(1, said[0]);
        said.iter().for_each(|said| assert!(run.stderr.contains(said), "'{said}' is not in {run:#?}"));
        assert!(run.stderr.contains("raise the limit with "), "{run:#?}");
    };
    let text = "evaluation takes longer than 0.3 seconds";
    stopped(toml, endless, &["--time-limit", "0.3"], &[text, "site.pp:2:", "--time-limit SECONDS", "[limits]"]);
    stopped(&format!("{toml}time = 0.3\n"), endless, &[], &[text, "site.pp:2:"]);
    let calls = "evaluation makes more than 5000 calls of functions and blocks";
    stopped(
        &format!("{toml}time = 60\n"),
        endless,
        &["--limit", "iterations=5_000"],
        &[calls, "site.pp:2:", "--limit iterations=N"],
    );
    let many = "Integer[1, 100].each |$i| {\n  notify { \"n${i}\": }\n}\n";
    stopped(&format!("{toml}resources = 50\n"), many, &[], &["the catalog has more than 50 resources", "site.pp:2:"]);
    let double = "$s = Integer[1, 64].reduce('x') |$memo, $i| {\n  \"${memo}${memo}\"\n}\n";
    stopped(toml, double, &[], &["a string is longer than 268435456 bytes", "site.pp:2:"]);
    let deep = "function f($x) { if $x == 0 { 0 } else { f($x - 1) } }\nnotice(f(100))\n";
    stopped(toml, deep, &["--limit", "depth=50"], &["stack level too deep", "calls are nested more than 50 deep"]);

    let usage = |args: &[&str], said: &str| drop(site(&[]).run(&[&["compile"], args].concat()).expect(2, said));
    usage(&["--limit", "depht=1"], "there is no limit 'depht'");
    usage(&["--limit", "depth=1000000"], "the limit 'depth' must be at most");
    usage(&["--limit", "depth"], "--limit needs NAME=N");
    usage(&["--time-limit", "soon"], "must be a number of seconds, got 'soon'");
    let wrong = site(&[("catwalk.toml", &format!("{toml}text = -1\n"))]);
    wrong.run(&["compile"]).expect(2, "catwalk.toml: the limit 'text' must be a whole number above 0, got '-1'");
}

#[test]
fn a_dependency_cycle_is_a_warning_or_an_error_with_the_origin_of_each_edge() {
    let code = "notify { 'a':\n  before => Notify['b'],\n}\nclass c {\n  notify { 'b': }\n}\ninclude c\n\nClass['c'] -> Notify['a']\n";
    let edges = [
        "Found 1 dependency cycle: (Notify[a] => Notify[b] => Class[C] => Notify[a])",
        "Notify[a] before Notify[b]: 'before' of Notify[a] (SITE/site.pp:2)",
        "Notify[b] before Class[C]: Notify[b] is declared in Class[C] (SITE/site.pp:5)",
        "Class[C] before Notify[a]: an arrow (SITE/site.pp:9)",
    ];
    let all =
        |stderr: &str| edges.iter().for_each(|edge| assert!(stderr.contains(edge), "'{edge}' is not in {stderr}"));
    let root = site(&[("site.pp", code)]);
    let run = root.run(&["compile"]).expect(0, "warning[DEPENDENCY_CYCLE]");
    all(&run.stderr);
    let run = root.run(&["compile", "--cycles", "error"]).expect(1, "error[DEPENDENCY_CYCLE]");
    all(&run.stderr);
    assert_eq!(run.stdout, "");
    let run = root.run(&["compile", "--cycles", "ignore"]).expect(0, "");
    assert_eq!(run.stderr, "");
    root.run(&["eval", "--compiled", "-e", "1", "--cycles", "error"]).expect(1, "error[DEPENDENCY_CYCLE]");
    let toml = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\ncycles = \"error\"\n";
    let strict = site(&[("catwalk.toml", toml), ("site.pp", code)]);
    strict.run(&["compile"]).expect(1, "error[DEPENDENCY_CYCLE]");
    strict.run(&["compile", "--cycles", "warning"]).expect(0, "warning[DEPENDENCY_CYCLE]");
    let wrong = site(&[("catwalk.toml", &toml.replace("error", "fatal"))]);
    wrong.run(&["compile"]).expect(2, "`cycles` must be ignore, warning or error, got fatal");
}

/// A configuration of Hiera 3 says the keys of eyaml beside its data, and means the working directory.
#[test]
fn eyaml_in_a_configuration_of_hiera_3() {
    let hiera = ":backends: [eyaml, yaml]\n:hierarchy: ['%{module_name}secrets', common]\n:eyaml:\n  :datadir: ./old\n  \
                 :pkcs7_private_key: ./keys/private_key.pkcs7.pem\n  :pkcs7_public_key: ./keys/public_key.pkcs7.pem\n:yaml:\n  \
                 :datadir: old\n";
    let code = "notify { 'password': message => hiera('password') }\nnotify { 'nested': message => hiera_hash('nested') }\n\
                notify { 'other': message => hiera('other') }\n\
                notify { 'loaded': message => inline_template(\"<%= scope.compiler.loaders.private_environment_loader.load(\
                :function, 'hiera').call(scope, 'password') %>\") }\n";
    let files = [
        ("global.yaml", hiera),
        ("old/secrets.eyaml", include_str!("cases/hiera-eyaml/data/secrets.eyaml")),
        ("old/common.yaml", "other: plain\n"),
        ("keys/private_key.pkcs7.pem", include_str!("cases/hiera-eyaml/keys/private_key.pkcs7.pem")),
        ("keys/public_key.pkcs7.pem", include_str!("cases/hiera-eyaml/keys/public_key.pkcs7.pem")),
        ("site.pp", code),
    ];
    let run = site(&files).run(&["compile", "--hiera", "global.yaml"]).expect(0, "");
    let catalog: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let message = |title: &str| {
        let resources = catalog["resources"].as_array().unwrap();
        resources.iter().find(|resource| resource["title"] == title).unwrap()["parameters"]["message"].clone()
    };
    assert_eq!(message("password"), "hunter2");
    assert_eq!(message("nested")["a"], "hunter2");
    assert_eq!(message("other"), "plain");
    assert_eq!(message("loaded"), "hunter2");
}
