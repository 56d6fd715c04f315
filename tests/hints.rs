//! Hints of errors: what a mistyped name may mean, where a classifier gives what is wrong.

use crate::support::Site;
use crate::support::running::Terminal;

const FACTS: &str = r#"{"os": {"family": "Debian"}, "processors": {"count": 4}}"#;

/// Code, and what its error says besides Puppet's message.
const MISTYPED: [(&str, &str); 15] = [
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
    ("Nottify['a'] -> Notify['b']", "did you mean 'Notify'?"),
    ("Role::Thingy { size => 2 }", "did you mean 'Role::Thing'?"),
    ("class a(Role::Prot $x = 1) { }\ninclude a", "did you mean 'Role::Port'?"),
    ("function a(Intger $x) { $x }\na(1)", "did you mean 'Integer'?"),
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
        ("modules/role/types/port.pp", "type Role::Port = Integer[1, 65535]\n"),
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

/// Code that reads a variable or a fact that does not exist, and the hint.
const MISSING_VALUES: [(&str, &str); 11] = [
    ("$workers = 4\nnotice($wrokers)", "did you mean 'workers'?"),
    ("class a { $limit = 1 [1].each |$x| { notice($limt) } }\ninclude a", "did you mean 'limit'?"),
    ("class a { $limit = 1 }\ninclude a\nnotice($a::limt)", "did you mean 'a::limit'?"),
    ("class a { $limit = 1 }\nclass b inherits a { }\ninclude b\nnotice($b::limt)", "did you mean 'b::limit'?"),
    ("class apache { $limit = 1 }\ninclude apache\nnotice($apahce::limit)", "did you mean 'apache::limit'?"),
    ("notice($role::motd)", "class role is not evaluated yet: include it before this line"),
    ("notice($procesors)", "did you mean 'processors'?"),
    ("notice($osfamily)", "'osfamily' is a legacy fact that this node does not have: use $facts['os']['family']"),
    ("notice($facts['oss']['family'])", "this node has no fact 'oss'; did you mean 'os'?"),
    (
        "notify { 'a': message => $facts['os']['famly']['x'] }",
        "this node has no fact 'os.famly'; did you mean 'family'?",
    ),
    ("class { 'role': motd => $facts['osfamily'] + 1 }", "use $facts['os']['family']"),
];

#[test]
fn a_mistyped_variable_or_fact_gets_the_nearest_one() {
    let site = site();
    for (code, hint) in MISSING_VALUES {
        let run = site.run(&["compile", "web1", "--set", "strict=error", "-e", code]).expect(1, "error[");
        assert!(run.stderr.contains(hint), "{code}: {}", run.stderr);
    }
    // A warning has the hint, too; what has no similar name has none.
    let run = site
        .run(&["compile", "web1", "-e", "$workers = 4\nnotice($wrokers)", "--puppet", "7"])
        .expect(0, "warning[UNKNOWN_VARIABLE]");
    assert!(run.stderr.contains("did you mean 'workers'?"), "{}", run.stderr);
    let run = site
        .run(&["compile", "web1", "-e", "notice($nothing_like_it)", "--puppet", "7"])
        .expect(0, "warning[UNKNOWN_VARIABLE]");
    assert!(!run.stderr.contains("help:"), "{}", run.stderr);
}

/// Arguments, and the command that the error names as the next one.
const NEXT_COMMANDS: [(&[&str], &str); 10] = [
    (&["compile", "wbe1"], "did you mean 'web1'? `catwalk node list` lists the nodes"),
    (&["node", "show", "elsewhere"], "`catwalk node list` lists the nodes"),
    (&["compile", "web1", "-e", "include nothing::like::it"], "`catwalk docs classes` lists the classes of the site"),
    (&["compile", "web1", "-e", "nothing_like_it()"], "`catwalk docs functions` lists all functions"),
    (&["compile", "web1", "-e", "nothing_like_it { 'a': }"], "`catwalk docs types` lists all resource types"),
    (&["compile", "web1", "-e", "file { '/a': xyzzy => 1 }"], "`catwalk docs types file` lists its attributes"),
    (&["compile", "web1", "-e", "class { 'role': xyzzy => 1 }"], "`catwalk docs classes role` lists its parameters"),
    (
        &["compile", "web1", "-e", "lookup('xyzzy')"],
        "`catwalk lookup xyzzy --node web1 --explain` shows where it was searched",
    ),
    (&["eval", "notice(1)"], "catwalk eval -e 'CODE'"),
    (&["docs", "errors", "UNKNOWN_VARIBLE"], "did you mean 'UNKNOWN_VARIABLE'"),
];

#[test]
fn an_error_names_the_next_command() {
    let site = site();
    for (args, next) in NEXT_COMMANDS {
        let run = site.run(args);
        assert!(run.code != Some(0) && run.stderr.contains(next), "{next}: {run:#?}");
    }
    assert_eq!(site.run(&["node", "list"]).expect(0, "").stdout, "web1\n");
}

#[test]
fn the_last_line_on_a_terminal_names_the_explanation_of_the_error() {
    let site = site();
    let terminal = Terminal::start(&site, &["compile", "web1", "-e", "nothing_like_it()"], (92, 22));
    terminal.wait_for_text("`catwalk docs errors UNKNOWN_FUNCTION` explains the error");
    let run = site.run(&["compile", "web1", "-e", "nothing_like_it()"]).expect(1, "error[UNKNOWN_FUNCTION]");
    assert!(!run.stderr.contains("explains the error"), "{run:#?}");
}

#[test]
fn a_lookup_without_compile_names_the_option_where_a_classifier_exists() {
    let site = site();
    site.write("hiera.yaml", "version: 5\nhierarchy:\n  - name: tier\n    path: \"%{tier}.yaml\"\n");
    let args = ["lookup", "role::motd", "--node", "web1", "--default", "x", "--set", "strict=warning"];
    let run = site.run(&args);
    assert!(!run.stderr.contains("--compile"), "{run:#?}");
    site.write(
        "catwalk.toml",
        "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"enc.rhai\"\n",
    );
    site.write("enc.rhai", "fn classify(node) { #{ parameters: #{ tier: \"web\" } } }");
    site.run(&args).expect(0, "--compile classifies the node first");
    let run = site.run(&[&args[..], &["--compile"]].concat());
    assert!(!run.stderr.contains("--compile"), "{run:#?}");
}

/// What a program prints for web1, what the error says, and where in the output the mistake is.
const OUTPUTS: [(&str, &str, &str); 3] = [
    ("classes: [base, roel]\n", "Could not find class roel for web1", "bin/enc web1:1:17"),
    ("parameters: {}\nclasses:\n  roel: {}\n", "Could not find class roel for web1", "bin/enc web1:3:3"),
    ("classes:\n  role:\n    motdd: 1\n", "has no parameter named 'motdd'", "bin/enc web1:3:5"),
];

#[test]
fn a_mistake_in_the_output_of_a_program_is_shown_there() {
    use std::os::unix::fs::PermissionsExt;
    for (output, message, location) in OUTPUTS {
        let site = site();
        site.write("modules/base/manifests/init.pp", "class base { }\n");
        site.write(
            "catwalk.toml",
            "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\nexec = \"bin/enc\"\n",
        );
        site.write("bin/enc", format!("#!/bin/sh\nprintf '{}'\n", output.replace('\n', "\\n")));
        std::fs::set_permissions(site.path().join("bin/enc"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let run = site.run(&["compile", "web1"]).expect(1, message);
        assert!(run.stderr.contains(location), "{location}: {run:#?}");
        // Several nodes with the mistake share the message.
        site.write("nodes/web2.json", FACTS);
        site.run(&["compile", "--output", "out"]).expect(1, "on 2 nodes: web1, web2");
        let line = location.rsplit(':').nth(1).unwrap();
        let output = site.run(&["node", "show", "web1", "--explain"]).expect(0, "").stdout;
        assert!(output.contains(&format!("line {line} of its output")), "{output}");
    }
}

#[test]
fn an_isolated_classifier_points_into_its_script() {
    for (text, expected) in [
        ("fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n}\n", "SCRIPT_NO_CLASSIFICATION"),
        ("fn classify(node) {\n  let c = classification();\n  c.include(\"roel\");\n  c\n}\n", "enc.rhai:3:5"),
    ] {
        let site = site();
        site.write("enc.rhai", text);
        site.write(
            "catwalk.toml",
            "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"enc.rhai\"\n[scripts]\nisolation = \"process\"\n",
        );
        let run = site.run(&["compile", "web1"]);
        assert!(run.stderr.contains(expected), "{run:#?}");
    }
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
    assert!(run.stderr.contains("and neither is apt;"), "all are named at once: {}", run.stderr);
    for code in ["Ntp::Server { port => 1 }", "class a(Ntp::Port $x = 1) { }\ninclude a"] {
        let run = site.run(&["compile", "web1", "-e", code]).expect(1, "MISSING_MODULES");
        assert!(run.stderr.contains("the Puppetfile names the module ntp"), "{code}: {}", run.stderr);
    }
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
        &["Function not found: * ((), i64)", "there is no entry `cout`; the map has count", "did you mean 'count'?"],
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
    for (toml, file, text, expected) in CLASSIFIERS {
        let site = site();
        site.write(
            "catwalk.toml",
            format!("modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n{toml}"),
        );
        site.write(file, text);
        let run = site.run(&["compile", "web1", "--output", "out.json"]);
        for part in expected {
            assert!(run.stderr.contains(part), "{file}: '{part}' is not in\n{}", run.stderr);
        }
    }
}

#[test]
fn script_check_finds_a_classification_that_is_not_returned_and_a_mistyped_variable() {
    for (text, expected) in [
        ("fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n}\n", "does not return it"),
        ("fn classify(node) {\n  let workers = 1;\n  wrokers\n}\n", "did you mean 'workers'?"),
    ] {
        let site = site();
        site.write("enc.rhai", text);
        let run = site.run(&["script", "check", "enc.rhai"]);
        assert!(run.stderr.contains(expected), "{run:#?}");
    }
    let site = site();
    site.write("enc.rhai", "fn classify(node) {\n  let c = classification();\n  c.include(\"role\");\n  c\n}\n");
    let run = site.run(&["script", "check", "enc.rhai"]).expect(0, "");
    assert!(run.stderr.is_empty(), "{run:#?}");
}

#[test]
fn a_host_name_alone_gets_the_node_of_that_name() {
    let site = Site::new(&[("nodes/web1.example.com.json", FACTS), ("nodes/web2.json", FACTS), ("site.pp", "\n")]);
    let run = site.run(&["compile", "web1", "--output", "out.json"]).expect(1, "no facts of node 'web1'");
    assert!(run.stderr.contains("did you mean 'web1.example.com'?"), "{run:#?}");
}
