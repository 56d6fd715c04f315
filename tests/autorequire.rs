//! Relationships that resource types imply and the cycles that they close, compared with those of Puppet's agent:
//! `autorequire/cases.json`, recorded by `tests/reference/record-autorequire`.

use std::path::Path;
use std::sync::Arc;

use catwalk_catalog::Catalog;
use catwalk_catalog::dependency_cycles;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_world::Disk;

use crate::support::Site;

/// The catalog of code with the types of the test module, and the warnings of its compile.
fn compile(code: &str) -> (Catalog, Vec<String>) {
    let options = Options {
        code: Some(code.to_owned()),
        modulepath: Some(vec![Path::new("tests/autorequire/modules").canonicalize().unwrap()]),
        autorequire: Some(true),
        ..Options::default()
    };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let compiled = session.compile("web1.example.com");
    let warnings = compiled.logs.iter().map(|line| line.message.to_string()).collect();
    (compiled.result.unwrap_or_else(|failure| panic!("{code}: {}", failure.message)), warnings)
}

#[test]
fn relationships_are_those_of_the_agent() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("autorequire/cases.json")).unwrap();
    let mut problems = Vec::new();
    for case in cases.as_array().unwrap() {
        let (catalog, warnings) = compile(case["code"].as_str().unwrap());
        let reference = |at: usize| catalog.resources[at].reference();
        let mut found: Vec<[String; 2]> =
            catalog.automatic.iter().map(|one| [reference(one.first), reference(one.then)]).collect();
        found.sort();
        let expected: Vec<[String; 2]> = serde_json::from_value(case["automatic"].clone()).unwrap();
        if found != expected {
            problems.push(format!("{}: expected {expected:?}, found {found:?} {warnings:?}", case["name"]));
        }
        let cycles = crate::cycles::members(&catalog, &dependency_cycles(&catalog));
        let expected: Vec<Vec<String>> = serde_json::from_value(case["cycles"].clone()).unwrap();
        if cycles != expected {
            problems.push(format!("{}: expected the cycles {expected:?}, found {cycles:?}", case["name"]));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A class is applied after another one, but contains the directory of a file in that one.
const CYCLE: &str = "class c {\n  file { '/srv': ensure => directory }\n}\nclass e {\n  file { '/srv/x': ensure => file }\n}\n\
                     include c\ninclude e\nClass['e'] -> Class['c']\n";

#[test]
fn commands_include_implied_relationships_on_request() {
    let site = Site::new(&[("nodes/web1.json", "{}"), ("site.pp", CYCLE)]);
    site.run(&["compile", "web1", "-o", "native.json"]).expect(0, "");
    let found = site.run(&["compile", "web1", "-o", "native.json", "--autorequire"]).expect(0, "DEPENDENCY_CYCLE");
    let step = "File[/srv] before File[/srv/x]: autorequire of File[/srv/x] (SITE/site.pp:5)";
    assert!(found.stderr.contains(step), "{}", found.stderr);
    site.run(&["compile", "web1", "-o", "native.json", "--autorequire", "--cycles", "error"])
        .expect(1, "DEPENDENCY_CYCLE");
    site.write("site.pp", CYCLE.replace("Class['e'] -> Class['c']", ""));
    let why = ["catalog", "why", "File[/srv]", "File[/srv/x]"];
    assert_eq!(site.run(&why).code, Some(1));
    let printed = site.run(&[&why[..], &["--autorequire"]].concat()).expect(0, "").stdout;
    assert_eq!(printed, "File[/srv] before File[/srv/x]: autorequire of File[/srv/x] (site.pp:5)\n");
    site.run(&["compile", "web1", "-o", "native.json"]).expect(0, "");
    let from_file = site.run(&[&why[..], &["--autorequire", "--catalog", "native.json"]].concat()).expect(0, "").stdout;
    assert!(from_file.contains("autorequire of File[/srv/x]"), "{from_file}");
    let graph = site.run(&["catalog", "graph", "--format", "dot", "--autorequire"]).expect(0, "").stdout;
    assert!(graph.contains("label=\"autorequire\""), "{graph}");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\nautorequire = true\n");
    assert_eq!(site.run(&why).code, Some(0));
}

#[test]
fn types_that_cannot_be_read_are_named() {
    let site = Site::new(&[
        ("nodes/web1.json", "{}"),
        ("site.pp", "odd { 'a': }\n"),
        (
            "modules/m/lib/puppet/type/odd.rb",
            "Puppet::Type.newtype(:odd) do\n  newparam(:name, namevar: true)\n  autorequire(:file) { nothing_of_this_name }\nend\n",
        ),
    ]);
    let warning = "the automatic relationships of type 'odd' cannot be read: ";
    site.run(&["compile", "web1", "-o", "a.json", "--autorequire"]).expect(0, warning);
    assert!(!site.run(&["compile", "web1", "-o", "a.json"]).stderr.contains("odd"));
}
