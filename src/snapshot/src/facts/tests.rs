//! Forms of facts, patterns, bundles.

#![allow(clippy::unwrap_used, reason = "tests")]

use catwalk_node::facts::Agent;
use catwalk_world::Memory;

use super::*;

fn loaded(files: &[(&str, &str)]) -> Result<FactSets, Reason> {
    let mut sets = FactSets::default();
    sets.load(Path::new("/f"), &Memory::new(files.iter().copied()))?;
    Ok(sets)
}

fn print_sets(sets: &FactSets) -> Vec<String> {
    let certname = |set: &FactSet| set.certname.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    sets.iter()
        .map(|set| format!("{}{}: {}", set.name, certname(set), to_json(&Value::Hash(set.facts.clone()))))
        .collect()
}

/// Facts by name of the set; their order is ignored.
fn documents(sets: &FactSets) -> Vec<(String, Json)> {
    sets.iter().map(|set| (set.name.to_string(), to_json(&Value::Hash(set.facts.clone())))).collect()
}

#[test]
fn facts_are_read_in_all_forms() {
    let sets = loaded(&[
        ("/f/a.json", r#"{"kernel": "Linux"}"#),
        ("/f/b.yaml", "---\nkernel: Linux\n"),
        ("/f/c.yaml", "--- !ruby/object:Puppet::Node::Facts\nname: c.example.com\nvalues:\n  kernel: Linux\n"),
        (
            "/f/d.json",
            r#"[{"certname": "d1", "name": "a", "value": 1}, {"certname": "d2", "name": "a", "value": {"x": 2}},
            {"certname": "d1", "name": "b", "value": true}]"#,
        ),
        ("/f/e.json", r#"[{"certname": "e", "facts": {"href": "/x", "data": [{"name": "a", "value": 1}]}}]"#),
        ("/f/g.json", r#"[{"certname": "g", "facts": {"a": 1}, "trusted": {"extensions": {"pp_role": "x"}}}]"#),
        ("/f/ignored.txt", "?"),
    ]);
    insta::assert_snapshot!(print_sets(&sets.unwrap()).join("\n"), @r#"
    a: {"kernel":"Linux"}
    b: {"kernel":"Linux"}
    c of c.example.com: {"kernel":"Linux"}
    d1 of d1: {"a":1,"b":true}
    d2 of d2: {"a":{"x":2}}
    e of e: {"a":1}
    g of g: {"a":1}
    "#);
}

#[test]
fn the_last_version_of_facter_wins() {
    let sets = loaded(&[
        ("/f/4.10/debian-12-x86_64.facts", r#"{"facterversion": "4.10.0"}"#),
        ("/f/4.2/debian-12-x86_64.facts", r#"{"facterversion": "4.2.0"}"#),
    ]);
    assert_eq!(print_sets(&sets.unwrap()), [r#"debian-12-x86_64: {"facterversion":"4.10.0"}"#]);
}

#[test]
fn invalid_fact_sets_are_errors() {
    for (text, why) in [
        ("[1]", "row 1: it must be a hash"),
        ("[{}]", "row 1: it has no certname"),
        ("{", "unexpected token"),
        ("- a", "row 1"),
        (r#"{"catwalk_facts": 2}"#, "not supported yet: bundles of version 2"),
        (r#"{"catwalk_facts": 1, "sets": [{"name": "a", "like": "b", "patch": {}}]}"#, "`like` names no set before it"),
    ] {
        let failure = loaded(&[("/f/x.json", text)]).unwrap_err();
        assert!(failure.message.contains(why), "{text}: {}", failure.message);
    }
    assert!(FactSets::default().load(Path::new("/g"), &Memory::default()).is_err());
}

#[test]
fn a_bundle_is_lossless_and_smaller() {
    let sets = FactSets::built_in(Agent::default());
    assert!(sets.iter().count() > 20);
    let bundle = sets.bundle().to_string();
    let again = loaded(&[("/f/bundle.json", &bundle)]).unwrap();
    assert!(documents(&again) == documents(&sets));
    let whole: usize = print_sets(&sets).iter().map(String::len).sum();
    assert!(bundle.len() * 4 < whole, "{} of {whole}", bundle.len());
    let odd = [("/f/a.json", r#"{"a": {"b": 1}, "c": 1}"#), ("/f/b.json", r#"{"a": {"b": null}, "c": [null]}"#)];
    let odd = loaded(&odd).unwrap();
    let again = loaded(&[("/f/bundle.json", &odd.bundle().to_string())]).unwrap();
    assert_eq!(documents(&again), documents(&odd));
}

#[test]
fn fact_sets_are_selected_by_name_and_by_facts() {
    let sets = FactSets::built_in(Agent::default());
    let names = |found: Vec<&FactSet>| found.iter().map(|set| set.name.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(sets.named("ubuntu-2[24]*").unwrap()), "ubuntu-22.04-x86_64 ubuntu-24.04-x86_64");
    let criteria = |text: &str| match json::parse(text.as_bytes()).unwrap() {
        Value::Hash(hash) => sets.having(&hash).map(names),
        _ => unreachable!(),
    };
    assert_eq!(
        criteria(r#"{"os.family": "Suse"}"#).unwrap(),
        "opensuse-15-x86_64 opensuse-16-x86_64 sles-11-x86_64 sles-12-x86_64 sles-15-x86_64"
    );
    assert_eq!(criteria(r#"{"os.name": "De*", "os.release.major": "12"}"#).unwrap(), "debian-12-x86_64");
    assert!(criteria(r#"{"os.family": "Solaris"}"#).unwrap_err().contains("no fact set has"));
    for (usual, name) in [
        ("debian-12", "debian-12-x86_64"),
        ("Ubuntu 18.04", "ubuntu-18.04-x86_64"),
        ("RHEL 7", "redhat-7-x86_64"),
        ("CentOS 7.9", "centos-7-x86_64"),
        ("SLES 15 SP1", "sles-15-x86_64"),
        ("Windows 2012 R2", "windows-2012-r2-x86_64"),
        ("macOS 10.15", "darwin-19-x86_64"),
    ] {
        assert_eq!(sets.named(usual).map(names).as_deref(), Ok(name), "{usual}");
    }
    let missing = sets.named("solaris-11").unwrap_err();
    assert!(missing.contains("no fact set is called 'solaris-11'; "), "{missing}");
    assert!(missing.contains("there are almalinux-8-x86_64, "), "{missing}");
}
