//! Hints of errors: what a mistyped name may mean, where a classifier gives what is wrong.

use crate::support::Site;

const FACTS: &str = r#"{"os": {"family": "Debian"}, "processors": {"count": 4}}"#;

/// Code, and what its error says besides Puppet's message.
const MISTYPED: [(&str, &str); 11] = [
    ("include rol", "did you mean 'role'?"),
    ("contain role::iner", "did you mean 'role::inner'?"),
    ("class { 'roel': }", "did you mean 'role'?"),
    ("role::thingy { 'a': }", "did you mean 'role::thing'?"),
    ("pakage { 'x': }", "did you mean 'package'?"),
    ("inclde('x')", "did you mean 'include'?"),
    ("role::helpr()", "did you mean 'role::helper'?"),
    ("lookup('role::mtod')", "did you mean 'role::motd'?"),
    ("class { 'role': motdd => 'x' }", "did you mean 'motd'?"),
    ("role::thing { 'a': sise => 1 }", "did you mean 'size'?"),
    ("file { '/x': contnet => 'x' }", "did you mean 'content'?"),
];

fn site() -> Site {
    Site::new(&[
        ("nodes/web1.json", FACTS),
        ("site.pp", "\n"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
        ("data/common.yaml", "role::motd: hello\n"),
        ("modules/role/manifests/init.pp", "class role(String $motd = 'x') { }\n"),
        ("modules/role/manifests/inner.pp", "class role::inner { }\n"),
        ("modules/role/manifests/thing.pp", "define role::thing($size = 1) { }\n"),
        ("modules/role/functions/helper.pp", "function role::helper() { 1 }\n"),
    ])
}

#[test]
fn a_mistyped_name_gets_the_nearest_one() {
    let site = site();
    for (code, hint) in MISTYPED {
        let run = site.run(&["compile", "web1", "-e", code]).expect(1, "error[");
        assert!(run.stderr.contains(hint), "{code}: {}", run.stderr);
    }
    let run = site.run(&["compile", "web1", "-e", "include nothing::like::it"]).expect(1, "Could not find class");
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
}

/// Code, the line that Puppet names (none for arrows), what is marked in the code, and the hint.
const MISSING_TARGETS: [(&str, Option<u64>, &str, &str); 7] = [
    (
        "file { '/etc/motd': }\nnotify { 'a': require => File['/etc/mot'] }",
        Some(2),
        "File['/etc/mot']",
        "did you mean File[/etc/motd]?",
    ),
    (
        "file { '/x': alias => 'the motd' }\nnotify { 'a':\n  before => [\n    File['/x'],\n    File['the mtod'],\n  ],\n}",
        Some(3),
        "File['the mtod']",
        "did you mean File[the motd]?",
    ),
    (
        "service { 'nginx': }\nnotify { 'a': subscribe => Package['nginx'] }",
        Some(2),
        "Package['nginx']",
        "did you mean Service[nginx]?",
    ),
    ("$f = '/x/y'\nnotify { 'a': notify => Exec[\"${f}/z\"] }", Some(2), "Exec[\"${f}/z\"]", ""),
    ("$all = [File['/x']]\nnotify { 'a': require => $all }", Some(2), "require => $all", ""),
    (
        "notify { ['a', 'other']: }\nNotify['a'] -> Notify['othr']",
        None,
        "Notify['othr']",
        "did you mean Notify[other]?",
    ),
    (
        "notify { ['a', 'other']: }\nNotify['othr'] ~> Notify['a']",
        None,
        "Notify['othr']",
        "did you mean Notify[other]?",
    ),
];

#[test]
fn a_missing_target_is_marked_where_it_is_written() {
    let site = site();
    for (code, line, marked, hint) in MISSING_TARGETS {
        site.write("site.pp", code);
        let run = site.run(&["compile", "web1"]).expect(1, "Could not find resource '");
        assert!(
            run.stderr.contains(hint) && (!hint.is_empty() || !run.stderr.contains("did you mean")),
            "{}",
            run.stderr
        );
        // As many signs below as the reference has characters.
        let lines: Vec<&str> = run.stderr.lines().collect();
        let is_mark = |pair: &[&str]| {
            let below = pair[1].split_once("| ").map_or("", |(_, below)| below);
            let start = below.find(['^', '-']);
            let row = pair[0].split_once("| ").map_or("", |(_, row)| row);
            start.is_some_and(|start| row.get(start..start + below[start..].trim_end().len()) == Some(marked))
        };
        assert!(lines.windows(2).any(is_mark), "{marked}: {}", run.stderr);
        let json = site.run(&["compile", "web1", "--log-format", "json"]).stderr;
        let json: serde_json::Value = serde_json::from_str(json.lines().next_back().unwrap()).unwrap();
        assert_eq!(json["line"].as_u64(), line, "{json}");
    }
}

#[test]
fn a_missing_module_is_named_only_where_it_explains_the_failure() {
    let site = site();
    site.write("Puppetfile", "mod 'puppetlabs-ntp', '9.0.0'\nmod 'puppetlabs-apt', '9.0.0'\n");
    let run = site.run(&["compile", "web1", "-e", "include ntp::server"]).expect(1, "MISSING_MODULES");
    assert!(run.stderr.contains("the Puppetfile names the module ntp, which is not installed"), "{}", run.stderr);
    assert!(!run.stderr.contains("apt"), "{}", run.stderr);
    let run = site.run(&["compile", "web1", "-e", "fail('no')"]).expect(1, "no");
    assert!(!run.stderr.contains("MISSING_MODULES"), "{}", run.stderr);
}

/// The classifier in `catwalk.toml`, its file, what `compile` and `script check` print.
const CLASSIFIERS: [(&str, &str, &str, &[&str]); 8] = [
    (
        "enc = \"enc.rhai\"\n",
        "enc.rhai",
        "fn classify(node) {\n  let c = classification();\n  c.include(\"roel\");\n  c\n}\n",
        &[
            "Could not find class roel for web1",
            "enc.rhai:3:5",
            "class roel comes from script enc.rhai",
            "did you mean 'role'?",
        ],
    ),
    (
        "enc = \"enc.rhai\"\n",
        "enc.rhai",
        "fn classify(node) {\n  let c = classification();\n  c.include(\"role\", #{ motdd: 1 });\n  c\n}\n",
        &[
            "has no parameter named 'motdd'",
            "enc.rhai:3:5",
            "parameter 'motdd' of class role comes from script enc.rhai",
        ],
    ),
    (
        "[classifier]\ngroups = \"groups\"\n",
        "groups/web.yaml",
        "- name: Web\n  rule: [\"~\", name, \"^web\"]\n  classes:\n    roel: {}\n",
        &[
            "Could not find class roel for web1",
            "groups/web.yaml:4:5",
            "class roel comes from groups groups: group 'Web'",
        ],
    ),
    (
        "[classifier]\ngroups = \"groups\"\n",
        "groups/web.yaml",
        "groups:\n  - name: Web\n    rule: [\"~\", name, \"^web\"]\n    classes:\n      role: {motdd: 1}\n",
        &["has no parameter named 'motdd'", "groups/web.yaml:5:14", "did you mean 'motd'?"],
    ),
    (
        "[classifier]\ngroups = \"groups\"\n",
        "groups/web.rhai",
        "let x = 1;\ngroup(\"Web\", #{ rule: |node| true, classes: #{ roel: #{} } });\n",
        &["Could not find class roel for web1", "groups/web.rhai:2:1"],
    ),
    // The last line of the function is missing.
    (
        "enc = \"enc.rhai\"\n",
        "enc.rhai",
        "fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n}\n",
        &["warning[SCRIPT_NO_CLASSIFICATION]", "does not return it", "enc.rhai:1:1"],
    ),
    // A fact that does not exist.
    (
        "enc = \"enc.rhai\"\n",
        "enc.rhai",
        "fn classify(node) {\n  let workers = node.facts.processors.cout * 2;\n  ()\n}\n",
        &["Function not found: * ((), i64)", "there is no key 'cout' in the hash", "did you mean 'count'?"],
    ),
    (
        "enc = \"enc.rhai\"\n",
        "enc.rhai",
        "fn classify(node) {\n  let workers = 2;\n  let c = classification();\n  c.param(\"x\", wrokers);\n  c\n}\n",
        &["wrokers", "did you mean 'workers'?"],
    ),
];

#[test]
fn a_mistake_of_a_classifier_points_into_the_classifier() {
    for (toml, file, text, wanted) in CLASSIFIERS {
        let site = site();
        site.write(
            "catwalk.toml",
            format!("modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n{toml}"),
        );
        site.write(file, text);
        let run = site.run(&["compile", "web1", "--output", "out.json"]);
        for wanted in wanted {
            assert!(run.stderr.contains(wanted), "{file}: '{wanted}' is not in\n{}", run.stderr);
        }
    }
}

#[test]
fn script_check_finds_a_classification_that_is_not_returned_and_a_mistyped_variable() {
    for (text, wanted) in [
        ("fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n}\n", "does not return it"),
        ("fn classify(node) {\n  let workers = 1;\n  wrokers\n}\n", "did you mean 'workers'?"),
    ] {
        let site = site();
        site.write("enc.rhai", text);
        let run = site.run(&["script", "check", "enc.rhai"]);
        assert!(run.stderr.contains(wanted), "{run:#?}");
    }
    let site = site();
    site.write("enc.rhai", "fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n  c\n}\n");
    let run = site.run(&["script", "check", "enc.rhai"]).expect(0, "");
    assert!(run.stderr.is_empty(), "{run:#?}");
}
