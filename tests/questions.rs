//! Every question about a node is asked once: classifiers, commands, PuppetDB and the main manifest, counted for each command.

use std::os::unix::fs::PermissionsExt;

use catwalk_node::facts::overrides::FactOverride;
use catwalk_session::ExportedFrom;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::update::Outcome;
use catwalk_world::Disk;

use crate::incremental::Following;
use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

/// Files that count in `counts/NAME`: a line for each time that they are run or evaluated.
const COUNTED: [&str; 4] = ["enc", "trusted", "main", "version"];

/// How often each command runs the classifier, runs `trusted_external_command`, evaluates the main manifest, runs `config_version` and
/// queries PuppetDB. The site has the nodes a and b.
const COMMANDS: [(&str, [usize; 5]); 23] = [
    ("compile a", [1, 1, 1, 1, 1]),
    // Both nodes have the version of the one run of the command.
    ("compile a b", [2, 2, 2, 1, 2]),
    ("compile", [2, 2, 2, 1, 2]),
    // Node b collects what a exports: it is compiled twice, and classified once.
    ("compile --exported site", [2, 2, 3, 1, 3]),
    // All nodes are compiled first, and b again with what a exports; then the shown node, prepared once.
    ("show a --exported site", [2, 2, 4, 1, 4]),
    ("eval --node a --compiled -e 1 --exported site", [2, 2, 4, 1, 4]),
    ("lookup key --node a --compile --exported site", [2, 2, 4, 1, 4]),
    ("data unused --exported site", [2, 2, 5, 1, 5]),
    ("show a", [1, 1, 1, 0, 1]),
    ("node show a", [1, 1, 0, 0, 0]),
    ("node show a --explain", [1, 1, 0, 0, 0]),
    ("eval --node a -e 1", [1, 1, 0, 0, 0]),
    ("eval --node a --compiled -e 1", [1, 1, 1, 0, 1]),
    // As in Puppet, a lookup does not classify.
    ("lookup key --node a", [0, 1, 0, 0, 0]),
    ("lookup key --node a --compile", [1, 1, 1, 0, 1]),
    ("lookup key --node a --explain", [0, 1, 0, 0, 0]),
    ("data unused", [2, 2, 2, 1, 2]),
    ("apply --site . --noop --certname a", [1, 1, 1, 1, 1]),
    ("apply --site . --noop --certname a --plan plan.json", [1, 1, 1, 1, 1]),
    ("apply --site . --noop --certname a --catalog a.json", [1, 1, 0, 0, 0]),
    ("resource --site . notify x", [0, 1, 0, 0, 0]),
    ("test --accept", [2, 2, 2, 1, 2]),
    ("test", [2, 2, 2, 1, 2]),
];

fn program(site: &Site, path: &str, text: &str) {
    site.write(path, format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(site.path().join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A site whose programs and main manifest count their runs.
fn site(server: &FakePuppetDb) -> Site {
    let site = Site::new(&[("nodes/a.json", "{}"), ("nodes/b.json", "{}"), ("data/common.yaml", "key: value\n")]);
    let root = site.path().display().to_string();
    site.write("counts/none", "");
    for (name, prints) in [("enc", "classes: {}"), ("trusted", "{}"), ("version", "v1")] {
        program(&site, name, &format!("echo x >> {root}/counts/{name}\necho '{prints}'"));
    }
    let deferred = "Deferred('join', [['a', Deferred('upcase', ['b'])], '-'])";
    let code = format!(
        "generate('/bin/sh', '-c', 'echo x >> {root}/counts/main')\nlookup('key')\n\
         notify {{ 'rows': message => puppetdb_query('nodes[certname] {{ }}').length.convert_to(String) }}\n\
         if $trusted['certname'] == 'a' {{ @@notify {{ 'exported': }} }} else {{ Notify <<| |>> }}\n\
         notify {{ ['d1', 'd2', 'd3']: message => {deferred} }}\n"
    );
    site.write("site.pp", code);
    site.write("hiera.yaml", "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n");
    site.write("environment.conf", format!("config_version = {root}/version\n"));
    let toml = format!(
        "nodes = \"nodes\"\nmanifest = \"site.pp\"\nenc = \"enc\"\n[settings]\ntrusted_external_command = \"{root}/trusted\"\n\
         [puppetdb]\nurl = \"{}\"\n",
        server.url
    );
    site.write("catwalk.toml", toml);
    site
}

fn count(site: &Site, name: &str) -> usize {
    std::fs::read_to_string(site.path().join("counts").join(name)).unwrap_or_default().lines().count()
}

#[test]
fn each_command_asks_every_question_once() {
    let server = FakePuppetDb::start(|_| Reply::Answer(200, "[]".to_owned()));
    let site = site(&server);
    let compiled = site.run(&["compile", "a"]).expect(0, "").stdout.replace("SITE", &site.path().to_string_lossy());
    site.write("a.json", compiled);
    let mut wrong = Vec::new();
    for (command, expected) in COMMANDS {
        COUNTED.iter().for_each(|name| drop(std::fs::remove_file(site.path().join("counts").join(name))));
        server.drain();
        let arguments: Vec<&str> = command.split(' ').collect();
        let run = site.run(&arguments);
        let queries = server.drain().iter().filter(|request| request.path.contains("/query/")).count();
        let [enc, trusted, main, version] = COUNTED.map(|name| count(&site, name));
        let counts = [enc, trusted, main, version, queries];
        if counts != expected {
            wrong.push(format!("{command}: {counts:?} instead of {expected:?}: {run:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A classifier's answer changes: the question whether it has changed is the one that the next compile uses.
#[test]
fn an_update_asks_a_classifier_once() {
    for exported in [None, Some(ExportedFrom::Site)] {
        let server = FakePuppetDb::start(|_| Reply::Answer(200, "[]".to_owned()));
        let site = site(&server);
        let world = std::sync::Arc::new(Disk::new());
        let options =
            Options { root: Some(site.path().to_path_buf()), exported: exported.clone(), ..Options::default() };
        let session = Session::open(options, world.clone()).unwrap();
        let mut following = Following { session, state: Default::default(), world };
        let names = ["a", "b"].map(std::sync::Arc::from);
        following.state.compile(&following.session, &names).unwrap();
        assert!(following.results().iter().all(|result| !result.contains("rror")), "{:?}", following.results());
        following.state.prepare();
        let root = site.path().display().to_string();
        for (space, compiled) in [("", 2), (" ", 0)] {
            let answer = format!("{space}classes: {{}}\\n{space}parameters: {{x: 1}}");
            program(&site, "enc", &format!("echo x >> {root}/counts/enc\nprintf '{answer}'"));
            COUNTED.iter().for_each(|name| drop(std::fs::remove_file(site.path().join("counts").join(name))));
            let updates = following.update(Some(&[site.path().join("enc")]));
            let counts = (updates.len(), count(&site, "enc"), count(&site, "trusted"));
            assert_eq!(counts, (compiled, 2, 2), "{exported:?} {:?}", following.results());
            following.state.prepare();
        }
    }
}

/// A named pipe can be read once.
#[test]
fn inputs_that_can_be_read_once_are_read_once() {
    let facts = r#"{"clientcert": "a", "x": "from a pipe"}"#;
    let hiera = "version: 5\nhierarchy:\n  - {name: common, path: common.yaml, datadir: data}\n";
    let inputs = [
        ("--facts", facts),
        ("--trusted", r#"{"certname": "a", "extensions": {"x": "from a pipe"}}"#),
        ("--server-facts", r#"{"servername": "from a pipe"}"#),
    ];
    let site = Site::new(&[
        (
            "site.pp",
            "notify { 'x': message => \"${facts['x']} ${trusted['extensions']['x']} ${server_facts['servername']}\" }",
        ),
        ("catwalk.toml", "manifest = \"site.pp\"\n"),
        ("data/common.yaml", "key: value\n"),
        ("facts.json", facts),
        ("hiera/hiera.yaml", hiera),
    ]);
    for command in ["compile a", "show a", "node show a", "eval --node a -e 1", "apply --site . --noop --certname a"] {
        for (option, text) in inputs {
            let arguments: Vec<&str> = command.split(' ').collect();
            let (program, rest) = arguments.split_first().unwrap();
            let facts = if option == "--facts" { "" } else { "--facts facts.json" };
            let shell =
                format!("printf '%s' '{text}' | exec \"$0\" {program} {} {facts} {option} /dev/stdin", rest.join(" "));
            let mut command = std::process::Command::new("/bin/sh");
            command.args(["-c", &shell, env!("CARGO_BIN_EXE_catwalk")]).current_dir(site.path()).env("NO_COLOR", "1");
            let output = command.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!errors.contains("cannot read") && output.status.code() != Some(1), "{shell}: {errors}");
        }
    }
}

/// Facts that options set for all nodes are not changes of a file.
#[test]
fn an_edit_of_an_unused_fact_recompiles_nothing_despite_overrides() {
    let site = Site::new(&[
        ("site.pp", "notify { \"${facts['used']} ${facts['set']}\": }"),
        ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\n"),
        ("nodes/a.json", r#"{"used": 1, "unused": 1, "set": "file"}"#),
    ]);
    let world = std::sync::Arc::new(Disk::new());
    let set = FactOverride::parse("set=option").unwrap();
    let options = Options { root: Some(site.path().to_path_buf()), fact_overrides: vec![set], ..Options::default() };
    let session = Session::open(options, world.clone()).unwrap();
    let mut following = Following { session, state: Default::default(), world };
    let names = [std::sync::Arc::from("a")];
    following.state.compile(&following.session, &names).unwrap();
    following.state.prepare();
    for (text, recompiled) in [
        (r#"{"used": 1, "unused": 2, "set": "file"}"#, false),
        (r#"{"used": 1, "unused": 2, "set": "changed"}"#, false),
        (r#"{"used": 2, "unused": 2, "set": "changed"}"#, true),
    ] {
        site.write("nodes/a.json", text);
        let updates = following.update(Some(&[site.path().join("nodes/a.json")]));
        assert_eq!(updates.iter().any(|update| matches!(update.outcome, Outcome::Changed(_))), recompiled, "{text}");
        assert_eq!(updates.len(), usize::from(recompiled), "{text}");
        following.state.prepare();
    }
}

/// Each world has its own limit: opening one site does not change that of another.
#[test]
fn the_limit_of_files_belongs_to_a_session() {
    let site = Site::new(&[("big.txt", "x".repeat(2000).as_str()), ("catwalk.toml", "")]);
    let open = |limit: &str| {
        let limits = vec![("file".to_owned(), limit.to_owned())];
        let world = std::sync::Arc::new(Disk::new());
        let options = Options { root: Some(site.path().to_path_buf()), limits, ..Options::default() };
        (Session::open(options, world.clone()).unwrap(), world)
    };
    let read = |world: &Disk| catwalk_world::World::read(world, &site.path().join("big.txt")).is_ok();
    let ((_small, small), (_large, large)) = (open("1000"), open("3000"));
    assert_eq!((read(&small), read(&large)), (false, true));
    let (_other, other) = open("1000");
    large.forget_all();
    assert_eq!((read(&small), read(&large), read(&other)), (false, true, false));
}
