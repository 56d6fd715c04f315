//! `catwalk compile` and `catwalk check` as commands: sites, facts, nodes and outputs.

mod bad_input;
mod settings;

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
    // In a module the module is not part of a site.
    old.write("modules/here/metadata.json", r#"{"name": "me-here", "version": "1.0.0", "dependencies": []}"#);
    let (code, _, stderr) = compile("modules/here/manifests");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("no site: this is the module here"), "{stderr}");
}

#[test]
fn facts_can_be_those_of_a_set_that_is_built_in() {
    let site = Site::new(&[(
        "site.pp",
        "notify { \"${facts['os']['name']} ${facts['networking']['fqdn']} ${facts['networking']['hostname']}\": }\n",
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
    site.write("debian-12", r#"{"os": {"name": "Mine"}, "networking": {"hostname": "h", "fqdn": "f"}}"#);
    let file = site.run(&["compile", "db7.example.org", "--facts", "debian-12"]).expect(0, "");
    assert_eq!(title(&file.stdout), "Mine f h");
    let unknown = site.run(&["compile", "db7.example.org", "--facts", "debian-21"]);
    let unknown = unknown.expect(2, "there is neither a file nor a fact set 'debian-21'");
    assert!(unknown.stderr.contains("did you mean 'debian-1"), "{unknown:#?}");
    site.run(&["compile", "db7.example.org", "--facts", "no.json"]).expect(1, "cannot read facts: ");
    // Sets that the site brings are named as well, before those that are built in.
    site.write("catwalk.toml", "manifest = \"site.pp\"\nfacts = \"lab\"\n");
    let facts =
        |name: &str| format!(r#"{{"os": {{"name": "{name}"}}, "networking": {{"fqdn": "x", "hostname": "x"}}}}"#);
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
    assert!(run.stderr.contains("not installed, and neither is ssh; "), "all are named at once: {run:#?}");
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

#[cfg(unix)]
#[test]
fn outputs_are_files_like_any_other_and_devices_stay_devices() {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::fs::PermissionsExt;
    let site = site(&[]);
    // A pipe represents everything except regular files: a test must not risk the machine's devices.
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
fn resources_of_other_nodes_that_are_not_collected_are_warned_about() {
    let site = site(&[("site.pp", "@@notify { 'mine': }\n\nNotify <<| |>>\n")]);
    let run = site.run(&["compile", "--set", "storeconfigs=true"]);
    let run = run.expect(0, "exported resources of other nodes are not known: only this node's are collected");
    assert!(run.stderr.contains("site.pp:3:1"), "{run:#?}");
}

#[test]
fn check_knows_the_modules_of_a_site() {
    let class = |name: &str| format!("class {name} {{\n}}\n");
    let run = |files: &[(&str, &str)], args: &[&str]| site(files).run(&[&["check"], args].concat());
    // `environment.conf` lists the directories of modules.
    let conf = ("environment.conf", "modulepath = modules/own:modules/public:site:$basemodulepath\n");
    let own = ("modules/own/web/manifests/init.pp", &*class("web"));
    run(&[conf, own, ("site/role/manifests/web.pp", &class("role::web"))], &[]).expect(0, "");
    let misplaced = ("site/role/manifests/web.pp", &*class("role::other"));
    run(&[conf, own, misplaced], &[]).expect(1, "");
    // Without `environment.conf`, `modules` is one if it contains modules.
    run(&[own], &["."]).expect(0, "");
    run(&[("modules/web/manifests/init.pp", &class("other"))], &[]).expect(1, "");
    let path = ("environment.conf", "modulepath = $codedir/nowhere\n");
    run(&[path, own], &[]).expect(0, "");
    // Modules are not loaded from `examples`.
    let example = ("modules/web/examples/init.pp", "include web\n");
    run(&[("modules/web/manifests/init.pp", &class("web")), example], &[]).expect(0, "");
    run(&[example], &["--modulepath", "modules", "modules"]).expect(1, "");
    // Plans are not manifests, but are checked.
    let plan = ("modules/web/plans/init.pp", "plan web(TargetSpec $nodes) {\n}\n");
    run(&[plan, ("modules/web/metadata.json", "{}")], &[]).expect(0, "");
    run(&[plan], &["modules/web/plans/init.pp"]).expect(0, "");
    run(&[("modules/web/plans/init.pp", "plan web { notify { 'x': } }\n")], &[]).expect(1, "");
}
