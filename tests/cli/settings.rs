//! Settings of Puppet and of the site: the language version, `config_version`, limits, dependency cycles and Hiera 3.

use super::site;

#[test]
fn the_language_version_is_an_option_or_a_setting_of_the_site() {
    let code =
        "notify { \"${serverversion} ${settings::strict} ${settings::runinterval}\": }\nif false { notice($nope) }\n";
    let toml = "manifest = \"site.pp\"\nnodes = \"nodes\"\npuppet = 8\n[settings]\nruninterval = \"1h\"\n";
    let site = site(&[("catwalk.toml", toml), ("site.pp", code)]);
    let said = |args: &[&str]| site.run(args).expect(0, "").stdout;
    assert!(said(&["compile"]).contains("8.28.1 error 3600"));
    assert!(said(&["compile", "--puppet", "7"]).contains("7.23.0 warning 3600"));
    assert!(said(&["compile", "--set", "strict=off", "--set", "runinterval=5"]).contains("8.28.1 off 5"));
    site.run(&["compile", "-e", "notice($nope)"]).expect(1, "Unknown variable: 'nope'.");
    site.run(&["check", "--puppet", "7", "-e", "notice({ a => 1, a => 2 })"]).expect(0, "warning");
    site.run(&["check", "-e", "notice({ a => 1, a => 2 })"]).expect(1, "error");
}

#[test]
fn a_catalog_with_too_many_resources_is_an_error() {
    let root = site(&[("site.pp", "Integer[1, 1000000].each |$i| { notify { \"n${i}\": } }\n")]);
    let options = catwalk_session::Options {
        root: Some(root.path().to_path_buf()),
        limits: vec![("resources".to_owned(), "1000".to_owned())],
        ..catwalk_session::Options::default()
    };
    let session = catwalk_session::Session::open(options, std::sync::Arc::new(catwalk_world::Disk::new())).unwrap();
    let compiled = session.compile("web1.example.com");
    let error = compiled.result.unwrap_err();
    assert_eq!(error.code.as_str(), "CATALOG_TOO_LARGE");
    assert!(error.message.ends_with("the catalog has more than 1000 resources"), "{}", error.message);
    assert!(error.puppet_text(session.sources()).contains("site.pp, line: 1"), "{error:?}");
}

#[test]
fn config_version_runs_once_until_the_site_is_reloaded() {
    let script = "#!/bin/sh\necho x >> \"$1/count\"\nwc -l < \"$1/count\"\n";
    let conf = "manifest = site.pp\nconfig_version = '/bin/sh $environmentpath/$environment/version.sh $environmentpath/$environment'\n";
    let root = site(&[("site.pp", "notice('x')\n"), ("version.sh", script)]);
    let conf = conf.replace("$environmentpath/$environment", &root.path().to_string_lossy());
    std::fs::write(root.path().join("environment.conf"), conf).unwrap();
    let options =
        catwalk_session::Options { root: Some(root.path().to_path_buf()), ..catwalk_session::Options::default() };
    let session = catwalk_session::Session::open(options, std::sync::Arc::new(catwalk_world::Disk::new())).unwrap();
    let version = || {
        let catalog = session.compile("web1.example.com").result.unwrap();
        let text = catwalk_formats::wire::native::write(&catalog).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["version"].clone()
    };
    assert_eq!([version(), version()], ["1", "1"]);
    session.drop_cached_data();
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

/// A Hiera 3 configuration names the eyaml keys next to the data; relative paths start at the working directory.
#[test]
fn a_hiera_3_configuration_decrypts_eyaml() {
    let hiera = ":backends: [eyaml, yaml]\n:hierarchy: ['%{module_name}secrets', common]\n:eyaml:\n  :datadir: ./old\n  \
                 :pkcs7_private_key: ./keys/private_key.pkcs7.pem\n  :pkcs7_public_key: ./keys/public_key.pkcs7.pem\n:yaml:\n  \
                 :datadir: old\n";
    let code = "notify { 'password': message => hiera('password') }\nnotify { 'nested': message => hiera_hash('nested') }\n\
                notify { 'other': message => hiera('other') }\n\
                notify { 'loaded': message => inline_template(\"<%= scope.compiler.loaders.private_environment_loader.load(\
                :function, 'hiera').call(scope, 'password') %>\") }\n";
    let files = [
        ("global.yaml", hiera),
        ("old/secrets.eyaml", include_str!("../cases/hiera-eyaml/data/secrets.eyaml")),
        ("old/common.yaml", "other: plain\n"),
        ("keys/private_key.pkcs7.pem", include_str!("../cases/hiera-eyaml/keys/private_key.pkcs7.pem")),
        ("keys/public_key.pkcs7.pem", include_str!("../cases/hiera-eyaml/keys/public_key.pkcs7.pem")),
        ("site.pp", code),
    ];
    let run = site(&files).run(&["compile", "--puppet", "7", "--hiera", "global.yaml"]).expect(0, "");
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
