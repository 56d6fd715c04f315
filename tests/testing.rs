//! `catwalk test` and `catwalk snapshot` on the command line: when files are written, exit codes, formats of results.

use crate::support::Run;
use crate::support::Site;

const FACTS: &str = "{\"role\": \"web\"}";

fn site(more: &[(&str, &str)]) -> Site {
    let mut files = vec![
        ("nodes/a.example.com.json", FACTS),
        ("nodes/b.example.com.json", FACTS),
        ("site.pp", "file { '/a': mode => '0644' }\n"),
    ];
    files.extend(more);
    Site::new(&files)
}

/// The files below `snapshots/`, sorted.
fn snapshots(site: &Site) -> String {
    fn collect(folder: &std::path::Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                collect(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    collect(&site.path().join("snapshots"), "", &mut found);
    found.sort();
    found.join(" ")
}

fn run(site: &Site, args: &str, code: i32) -> Run {
    let args: Vec<&str> = args.split_whitespace().collect();
    site.run(&args).expect(code, "")
}

#[test]
fn nothing_is_written_in_ci() {
    let site = site(&[("snapshots/old.snap", "---\nsource: site.pp\ndescription: Catalog of old\n---\n{\n}\n")]);
    for args in ["test --ci", "test --ci --unreferenced delete"] {
        run(&site, args, 1);
        assert_eq!(snapshots(&site), "old.snap", "{args}");
    }
    for (args, code) in [
        (vec!["test"], 1),
        (vec!["test", "--accept"], 2),
        (vec!["snapshot", "accept", "--all"], 2),
        (vec!["snapshot", "reject", "--all"], 2),
        (vec!["snapshot", "clean"], 2),
        (vec!["snapshot", "review"], 2),
    ] {
        let output = site.command(&args).env("CI", "true").output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert_eq!(snapshots(&site), "old.snap", "{args:?}");
    }
}

#[test]
fn proposed_snapshots_follow_the_code() {
    let site = site(&[]);
    run(&site, "test", 1);
    assert_eq!(snapshots(&site), "a.example.com.snap.new b.example.com.snap.new");
    run(&site, "test --accept", 0);
    assert_eq!(snapshots(&site), "a.example.com.snap b.example.com.snap");
    site.write("site.pp", "\n# moved\n\nfile { '/a': mode => '0600' }\n");
    run(&site, "test a.*", 1);
    assert_eq!(snapshots(&site), "a.example.com.snap a.example.com.snap.new b.example.com.snap");
    site.write("site.pp", "\n\n\nfile { '/a': mode => '0644' }\n");
    run(&site, "test", 0);
    assert_eq!(snapshots(&site), "a.example.com.snap b.example.com.snap");
}

#[test]
fn an_error_is_accepted_by_name_only() {
    let site = site(&[]);
    run(&site, "test --accept", 0);
    site.write("site.pp", "fail(\"no role for ${facts['clientcert']}\")\n");
    let output = run(&site, "test --accept", 1).stdout;
    assert!(output.contains("no role for a.example.com"), "{output}");
    run(&site, "snapshot accept a.example.com", 0);
    let text = std::fs::read_to_string(site.path().join("snapshots/a.example.com.snap")).unwrap();
    assert!(text.ends_with("no role for a.example.com (file: site.pp, line: 1, column: 1)\n"), "{text}");
    run(&site, "test a.example.com", 0);
    run(&site, "test b.example.com", 1);
}

#[test]
fn orphans_are_found_and_removed() {
    let gone = "---\nsource: site.pp\ndescription: Catalog of gone\n---\n{\n}\n";
    let site = site(&[("snapshots/gone.snap", gone), ("snapshots/tests/gone.snap.new", gone)]);
    run(&site, "test --accept", 0);
    let output = run(&site, "test", 0).stdout;
    assert!(output.contains("(they belong to no case): gone, tests/gone"), "{output}");
    run(&site, "test --unreferenced reject", 1);
    run(&site, "test --unreferenced delete a.example.com", 0);
    let output = run(&site, "snapshot clean --dry-run", 0).stdout;
    assert_eq!(output, "would remove gone\nwould remove tests/gone\n");
    assert!(snapshots(&site).contains("gone"));
    run(&site, "test --unreferenced delete", 0);
    assert_eq!(snapshots(&site), "a.example.com.snap b.example.com.snap");
    assert!(!site.path().join("snapshots/tests").exists());
}

#[test]
fn rules_leave_out_what_differs_from_run_to_run() {
    let config = "manifest = \"site.pp\"\nnodes = \"nodes\"\n\
        [[redact]]\nparameter = \"content\"\npattern = \"at \\\\d+\"\nwith = \"at some time\"\n\
        [[ignore]]\ntype = \"Notify\"\n[[ignore]]\ntype = \"Exec\"\n";
    let site = site(&[("catwalk.toml", config), ("site.pp", "file { '/a': content => 'at 12' }\nnotify { 'x': }\n")]);
    run(&site, "test --accept", 0);
    site.write("site.pp", "file { '/a': content => 'at 13' }\nnotify { 'y': }\n");
    let output = run(&site, "test", 0).stdout;
    assert_eq!(output, "rule: no change matches ignore type = \"Exec\"\n2 cases: 2 passed\n");
}

#[test]
fn a_module_is_tested_by_itself() {
    let metadata = "{\"name\": \"me-ntp\", \"version\": \"1.0.0\", \"author\": \"me\", \"license\": \"Apache-2.0\", \
        \"source\": \"https://example.com\", \"summary\": \"x\", \"dependencies\": [], \
        \"operatingsystem_support\": [{\"operatingsystem\": \"Debian\", \"operatingsystemrelease\": [\"12\"]}]}";
    let site = Site::new(&[
        ("metadata.json", metadata),
        ("manifests/init.pp", "class ntp($x = 1) { notify { \"${module_name} ${x} ${other::f()}\": } }\n"),
        ("spec/fixtures/modules/other/functions/f.pp", "function other::f() { $facts['os']['name'] }\n"),
        (
            "tests/ntp.yaml",
            "class: ntp\nfact_sets: metadata\ndata: {ntp::x: 7}\nexpect: {contains: 'Notify[ntp 7 Debian]'}\n",
        ),
    ]);
    site.remove("catwalk.toml");
    let run = run(&site, "test --accept --coverage --lcov lcov.info", 0);
    assert!(run.stdout.contains("manifests/init.pp  1/1 100 %         -  1/1 100 %"), "{}", run.stdout);
    assert_eq!(snapshots(&site), "ntp/debian-12-x86_64.snap");
    let lcov = std::fs::read_to_string(site.path().join("lcov.info")).unwrap();
    assert!(lcov.ends_with("/manifests/init.pp\nBRF:0\nBRH:0\nDA:1,1\nLF:1\nLH:1\nend_of_record\n"), "{lcov}");
}

#[test]
fn coverage_is_consistent() {
    // genhtml requires a count for each line with branches, above 0 exactly if a branch was reached.
    let code = "class a(\n  String $s = $facts['os']['family'] ? { 'Debian' => 'x', default => 'y' },\n) {\n  \
        file { '/x':\n    content => $s ? {\n      'x' => 'a',\n      default => 'b',\n    },\n  }\n  \
        [].each |$i| { if $i { notify { 'none': } } }\n  if $s == 'z' {\n    if true {\n      notify { 'z': }\n    }\n  \
        } elsif $s == 'y' {\n    notify { 'y': }\n  }\n  $t = false and ($s ? { 'x' => true })\n}\n";
    let site = site(&[
        ("environment.conf", "modulepath = modules\n"),
        ("modules/a/manifests/init.pp", code),
        ("tests/a.yaml", "class: a\nsnapshot: false\nfact_sets: debian-12-x86_64\nexpect: {compiles: true}\n"),
    ]);
    run(&site, "test --lcov lcov.info a/*", 0);
    let lcov = std::fs::read_to_string(site.path().join("lcov.info")).unwrap();
    let (_, of_class) = lcov.split_once("/modules/a/manifests/init.pp\n").unwrap();
    let mut branches = std::collections::BTreeMap::<u32, Vec<String>>::new();
    let mut lines = std::collections::BTreeMap::<u32, u32>::new();
    for record in of_class.split("end_of_record").next().unwrap().lines() {
        let numbers: Vec<&str> = record.split([':', ',']).skip(1).collect();
        match record.split(':').next().unwrap() {
            "BRDA" => branches.entry(numbers[0].parse().unwrap()).or_default().push(numbers[3].to_owned()),
            "DA" => drop(lines.insert(numbers[0].parse().unwrap(), numbers[1].parse().unwrap())),
            _ => {}
        }
    }
    assert_eq!(branches.keys().copied().collect::<Vec<u32>>(), [2, 5, 10, 11, 12, 15, 18], "{lcov}");
    for (line, branches) in branches {
        let reached = branches.iter().any(|count| count != "-");
        assert_eq!(lines.get(&line).map(|count| *count > 0), Some(reached), "line {line}: {lcov}");
    }
    assert_eq!((lines[&2], lines[&5], lines[&12]), (1, 1, 0), "{lcov}");
}

#[test]
fn a_module_in_a_modulepath_uses_its_neighbours() {
    let metadata = |name: &str| {
        format!(
            "{{\"name\": \"me-{name}\", \"version\": \"1.0.0\", \"author\": \"me\", \"license\": \"x\", \
             \"source\": \"x\", \"summary\": \"x\", \"dependencies\": []}}"
        )
    };
    let site = Site::new(&[
        ("modules/a/metadata.json", &metadata("a")),
        ("modules/a/manifests/init.pp", "class a { include b }\n"),
        ("modules/a/tests/a.yaml", "class: a\nsnapshot: false\nexpect: {contains: 'Class[b]'}\n"),
        ("modules/b/manifests/init.pp", "class b { }\n"),
    ]);
    site.remove("catwalk.toml");
    let output = run(&site, "test --site modules/a", 0).stdout;
    assert_eq!(output, "1 case: 1 passed\n");
}

#[test]
fn classification_is_tested_too() {
    let groups = "- {name: All Nodes, id: 00000000-0000-4000-8000-000000000000, parent: 00000000-0000-4000-8000-000000000000, \
        rule: [and, ['~', name, '.*']], classes: {}}\n\
        - {name: Web, id: 11111111-0000-4000-8000-000000000000, parent: 00000000-0000-4000-8000-000000000000, \
        rule: ['=', [fact, role], web], classes: {web: {}}}\n";
    let tests = "groups: groups.yaml\nclassify:\n- {node: a.example.com, groups: [Web]}\n\
        - {name: db, node: b.example.com, facts: {role: db}, groups: [Web]}\n";
    let site = site(&[("groups.yaml", groups), ("tests/groups.yaml", tests)]);
    let output = run(&site, "test --accept", 1).stdout;
    assert!(output.contains("FAIL db (b.example.com)\n"), "{output}");
    assert!(output.ends_with("4 cases: 1 passed, 2 accepted, 1 failed\n"), "{output}");
}

#[test]
fn results_are_available_as_json_junit_and_markdown() {
    let site = site(&[("tests/t.yaml", "code: \"notify { 'a<b>&\\\"`': }\"\nexpect: {lacks: 'Notify[a<b>&\"`]'}\n")]);
    let run = run(&site, "test --format json --junit out/report.xml --markdown summary.md", 1);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["ok"], false);
    assert_eq!(document["counts"]["new"], 2);
    assert_eq!(document["counts"]["failed"], 1);
    assert_eq!(document["cases"][0]["changes"][0]["kind"], "whole");
    let junit = std::fs::read_to_string(site.path().join("out/report.xml")).unwrap();
    assert!(junit.contains("tests=\"3\"") && junit.contains("failures=\"3\""), "{junit}");
    assert!(junit.contains("message=\"Notify[a&lt;b&gt;&amp;&quot;`] is in the catalog\""), "{junit}");
    let markdown = std::fs::read_to_string(site.path().join("summary.md")).unwrap();
    assert!(markdown.starts_with("### Catalogs: 2 new, 1 failed\n"), "{markdown}");
    assert!(markdown.contains("```\nt/default: Notify[a<b>&\"`] is in the catalog\n```"), "{markdown}");
}

#[test]
fn invalid_arguments_and_test_files_are_usage_errors() {
    for (files, args, message) in [
        (vec![], "test nope.*", "no case is called 'nope.*'"),
        (
            vec![("tests/t.yaml", "clas: a\n")],
            "test",
            "a test file has no key `clas`; did you mean 'class'?\n --> tests/t.yaml:1:1",
        ),
        (
            vec![("tests/t.yaml", "class: a\nfact_sets: beos\n")],
            "test",
            "no fact set is called 'beos'; there are almalinux-8",
        ),
        (
            vec![("tests/t.yaml", "class: a\nfact_sets: debain-12-x86_64\n")],
            "test",
            "no fact set is called 'debain-12-x86_64'; did you mean 'debian-12'? there are almalinux-8",
        ),
        (
            vec![("tests/t.yaml", "class: a\nfact_sets: [{os.famly: Debian}]\n")],
            "test",
            "no fact set has a fact 'os.famly'",
        ),
        (
            vec![("tests/t.yaml", "class: a\nexpect: {contains: {File[/a]: {mode: '0644'}}}\n")],
            "test",
            "inside { }, quote keys that have brackets",
        ),
        (
            vec![("tests/t.yaml", "cases: {a/b: {class: a}, a b: {class: a}}\n")],
            "test",
            "two cases have the snapshot t/a_b",
        ),
        (vec![], "snapshot accept", "no changes: give patterns"),
        (vec![], "snapshot accept File[a", "a pattern is Type[title]"),
        (vec![], "facts show beos", "no fact set is called 'beos'"),
        (vec![("f/x.json", "{\"os\": {}}")], "facts show y f", "no fact set is called 'y'; there are x"),
        (vec![("f/x.json", "[1]")], "facts bundle f", "row 1: it must be a hash"),
    ] {
        let site = site(&files);
        let args: Vec<&str> = args.split_whitespace().collect();
        site.run(&args).expect(2, message);
    }
    Site::empty().run(&["test"]).expect(2, "nothing to test");
}

#[test]
fn the_sample_site_passes() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"))
        .args(["test", "--ci", "--unreferenced", "reject"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "11 cases: 11 passed\n");
    assert_eq!(output.status.code(), Some(0));
}

const POLICY: &str = "fn check(catalog) {\n  for file in catalog.resources(\"File\") {\n    \
    if file[\"mode\"] == \"0666\" { deny(file, `${fact(\"role\")}: everybody writes`); }\n  }\n}\n";

#[test]
fn policies_check_the_catalogs_of_cases() {
    let site = site(&[
        ("scripts/policies/modes.rhai", POLICY),
        (
            "tests/modes.yaml",
            "facts: {role: web}\ncases:\n  good: {code: \"file { '/x': mode => '0644' }\"}\n  \
             bad: {code: \"file { '/x': mode => '0666' }\", expect: {fails: 'web: everybody writes'}}\n  \
             worse: {code: \"file { '/x': mode => '0666' }\"}\n",
        ),
    ]);
    run(&site, "test --accept modes/good modes/bad", 0);
    let output = run(&site, "test modes/worse", 1);
    assert!(output.stdout.contains("web: everybody writes"), "{output:#?}");
    run(&site, "test --accept modes/worse", 1);
    assert_eq!(snapshots(&site), "modes/good.snap modes/worse.snap.new");
}

#[test]
fn a_case_with_failed_expectations_is_not_accepted() {
    let case = |mode: &str| {
        format!("code: \"file {{ '/x': mode => '{mode}' }}\"\nexpect: {{contains: {{'File[/x]': {{mode: '0644'}}}}}}\n")
    };
    let site = site(&[("tests/x.yaml", &case("0644"))]);
    run(&site, "test --accept x/default", 0);
    let before = std::fs::read_to_string(site.path().join("snapshots/x/default.snap")).unwrap();
    site.write("tests/x.yaml", case("0600"));
    let output = run(&site, "test --accept x/default", 1);
    assert!(output.stdout.contains("mode is \"0600\", expected \"0644\""), "{output:#?}");
    assert_eq!(std::fs::read_to_string(site.path().join("snapshots/x/default.snap")).unwrap(), before);
    // It can be accepted by name, which is a decision about this snapshot alone.
    run(&site, "snapshot accept x/default", 0);
    run(&site, "test --accept x/default", 1);
}

#[test]
fn errors_of_an_incomplete_site_name_the_next_step() {
    let empty = Site::empty();
    empty.run(&["watch"]).expect(2, "go to a control repository");
    empty.run(&["test"]).expect(2, "go to a control repository or a module");
    // A module without a site.
    let module = Site::empty();
    let metadata = r#"{"name": "me-web", "version": "0.1.0", "author": "me", "license": "Apache-2.0", "summary": "x",
        "source": "x", "dependencies": [],
        "operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}"#;
    module.write("metadata.json", metadata);
    module.write("manifests/init.pp", "class web { file { '/w': ensure => file } }\n");
    module.run(&["compile"]).expect(2, "this is the module web");
    module.run(&["test"]).expect(0, "write cases to tests/*.yaml");
    let review = module.run(&["snapshot", "review"]).expect(0, "");
    assert!(review.stdout.contains("`catwalk test` compiles, and proposes"), "{review:#?}");
    let compiled = module.run(&["compile", "-e", "include web"]).expect(0, "");
    assert!(compiled.stdout.contains("\"/w\""), "{compiled:#?}");
    module.write("tests/default.yaml", "class: web\nfact_sets: metadata\n");
    module.run(&["test", "--accept"]).expect(0, "");
    // A control repository without nodes.
    let control = Site::empty();
    control.write("environment.conf", "modulepath = site-modules:modules\n");
    control.write("manifests/site.pp", "node default { file { '/c': ensure => file } }\n");
    control.run(&["watch"]).expect(2, "nodes/CERTNAME.json, as `puppet facts` prints them");
    control.run(&["test"]).expect(0, "nodes/CERTNAME.json");
    control.write("catwalk.toml", "nodes = \"nodes\"\n");
    control.write("nodes/web1.json", "{}");
    control.run(&["test", "--accept"]).expect(0, "");
    control.run(&["test", "--ci"]).expect(0, "");
    // An empty directory becomes a site.
    empty.write("catwalk.toml", "");
    empty.write("manifests/site.pp", "file { '/e': ensure => file }\n");
    empty.run(&["compile", "web1"]).expect(0, "");
}
