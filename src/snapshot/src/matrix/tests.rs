//! Test files and the cases that they define.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use catwalk_node::facts::Agent;
use catwalk_value::json::to_json;
use catwalk_world::Memory;

use super::*;
use crate::case::Subject;

fn read_with(text: &str, other_files: &[(&str, &str)]) -> Result<TestFile, String> {
    let mut world = Memory::new(other_files.iter().copied());
    world.write("/m/tests/t.yaml", text);
    let around = ReadContext {
        root: Path::new("/m"),
        sets: &FactSets::built_in(Agent::default()),
        overrides: &[],
        world: &world,
    };
    read(Path::new("/m/tests/t.yaml"), &around).map_err(|reason| reason.message.into_owned())
}

fn list_cases(text: &str) -> String {
    let mut out = String::new();
    for case in read_with(text, &[]).unwrap().cases {
        let Subject::TestNode(test_node) = &case.subject else { continue };
        let code = test_node.code.as_deref().unwrap_or_default().trim_end().replace('\n', " ");
        let data = test_node.data.as_ref().map(|data| format!(" {}", to_json(&Value::Hash(data.clone()))));
        let suffix = if case.snapshot { "" } else { " (no snapshot)" };
        out.push_str(&format!("{}: {}: {code}{}{suffix}\n", case.name, test_node.certname, data.unwrap_or_default()));
    }
    out
}

#[test]
fn cases_are_multiplied_by_the_matrix_and_by_fact_sets() {
    let text = "
class: ntp
fact_sets: debian-1[12]-*
parameters: {servers: [a]}
matrix:
  tls:
    plain:
    secure: {parameters: {tls: true}, data: {ntp::key: k}}
cases:
  defaults:
  Own title/x: {parameters: {servers: [b], level: 7}, node: Web1.example.com}
";
    insta::assert_snapshot!(list_cases(text), @r#"
    t/defaults+plain@debian-11-x86_64: test.example.com: class { 'ntp':   servers => ['a'], }
    t/defaults+plain@debian-12-x86_64: test.example.com: class { 'ntp':   servers => ['a'], }
    t/defaults+secure@debian-11-x86_64: test.example.com: class { 'ntp':   servers => ['a'],   tls => true, } {"ntp::key":"k"}
    t/defaults+secure@debian-12-x86_64: test.example.com: class { 'ntp':   servers => ['a'],   tls => true, } {"ntp::key":"k"}
    t/Own_title_x+plain@debian-11-x86_64: web1.example.com: class { 'ntp':   servers => ['b'],   level => 7, }
    t/Own_title_x+plain@debian-12-x86_64: web1.example.com: class { 'ntp':   servers => ['b'],   level => 7, }
    t/Own_title_x+secure@debian-11-x86_64: web1.example.com: class { 'ntp':   servers => ['b'],   tls => true,   level => 7, } {"ntp::key":"k"}
    t/Own_title_x+secure@debian-12-x86_64: web1.example.com: class { 'ntp':   servers => ['b'],   tls => true,   level => 7, } {"ntp::key":"k"}
    "#);
}

#[test]
fn code_is_generated_from_classes_and_defines() {
    let text = "
cases:
  class: {class: ntp}
  define: {define: 'apache::vhost', title: \"it's\", parameters: {port: 80, name: ~}}
  code: {code: \"notify { 'x': }\", before: '$x = 1'}
  fails: {class: ntp, expect: {fails: 'no'}}
  unkept: {class: ntp, snapshot: false}
";
    insta::assert_snapshot!(list_cases(text), @r"
    t/class: test.example.com: include ntp
    t/define: test.example.com: apache::vhost { 'it\'s':   port => 80,   name => undef, }
    t/code: test.example.com: $x = 1 notify { 'x': }
    t/fails: test.example.com: include ntp (no snapshot)
    t/unkept: test.example.com: include ntp (no snapshot)
    ");
}

#[test]
fn a_file_without_cases_is_a_single_case() {
    assert_eq!(list_cases("class: ntp\n"), "t/default: test.example.com: include ntp\n");
    assert_eq!(
        list_cases("class: ntp\nfact_sets: sles-15-x86_64\n"),
        "t/sles-15-x86_64: test.example.com: include ntp\n"
    );
}

#[test]
fn facts_are_merged_deep_and_by_dotted_names() {
    let text = "class: a\nfact_sets: debian-12-x86_64\nfacts: {os.family: Foo, os: {name: Bar}, role: web}\ntrusted: {extensions: {pp_role: web}}\n";
    let file = read_with(text, &[]).unwrap();
    let Subject::TestNode(test_node) = &file.cases[0].subject else { panic!() };
    let fact = |name: &str| crate::facts::fact(&test_node.facts, name).and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(
        [fact("os.family"), fact("os.name"), fact("os.release.major"), fact("role")],
        ["Foo", "Bar", "12", "web"]
    );
    let trusted = to_json(&Value::hash(test_node.trusted.clone().unwrap()));
    assert_eq!(trusted["extensions"]["pp_role"], "web");
    assert_eq!(trusted["certname"], "test.example.com");
}

#[test]
fn systems_without_fact_sets_are_skipped() {
    let metadata = |systems: &str| format!("{{\"name\": \"a-b\", \"operatingsystem_support\": {systems}}}");
    let read = |systems: &str, text: &str| read_with(text, &[("/m/metadata.json", metadata(systems).as_str())]);
    let names = |file: TestFile| file.cases.into_iter().map(|case| case.name).collect::<Vec<_>>().join(" ");
    let both = r#"[{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}, {"operatingsystem": "Solaris"}]"#;
    let text = "class: ntp\nfact_sets: metadata\n";
    let file = read(both, text).unwrap();
    assert_eq!(file.without_facts, ["Solaris"]);
    assert_eq!(names(file), "t/debian-12-x86_64");
    let none = r#"[{"operatingsystem": "Solaris", "operatingsystemrelease": ["11"]}]"#;
    let error = read(none, text).unwrap_err();
    assert_eq!(error, "no system that metadata.json names has a fact set: Solaris 11");
    assert_eq!(names(read(both, &format!("{text}except: Solaris\n")).unwrap()), "t/debian-12-x86_64");
    assert!(read("[]", text).is_err());
    assert!(read_with(text, &[]).unwrap_err().contains("`fact_sets: metadata`"));
}

#[test]
fn mistakes_are_reported() {
    for (text, why) in [
        ("cases: {a: {clas: x}}", "case 'a': a case has no key `clas`; did you mean 'class'?"),
        ("cases: {a: {}}", "case 'a': it needs one of `class`, `define` and `code`"),
        ("class: a\ncode: b", "only one of `class`, `define` and `code` can be given"),
        ("class: a\nfact_sets: beos", "no fact set is called 'beos'; there are "),
        ("class: a\nfact_sets: []", "`fact_sets` is empty: nothing would be tested"),
        ("class: a\nfact_sets: [{os.family: BeOS}]", "no fact set has {\"os.family\":\"BeOS\"}; there are "),
        ("class: a\nfacts_from: nowhere", "cannot read facts: /m/nowhere: it does not exist"),
        ("class: a\nexpect: {contains: File}", "a resource is written Type[title], got 'File'"),
        ("class: a\nexpect: {order: 'File[a]'}", "`order` needs two resources or more"),
        ("class: a\nexpect: {fails: x, count: {File: 1}}", "a case that `fails` has no catalog"),
        ("class: a\nexpect: {contain: x}", "expect has no key `contain`; did you mean 'contains'?"),
        (
            "class: a\nmatrix: {default: {}}",
            "the axis 'default' of its matrix has no variants: list them below it, by name",
        ),
        ("class: [a", "did not find expected"),
        ("- a", "`a test file` must be a hash"),
    ] {
        let error = read_with(text, &[]).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}
