//! Plans: a noop run records its changes, a later run makes exactly these.

use catwalk_base::secrets::Key;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_system::FakeMachine;

use crate::Options;
use crate::Plan;
use crate::State;
use crate::tests::catalog::Manifest;
use crate::tests::kinds::kinds;
use crate::tests::recorded;
use crate::tests::recorded::apply;
use crate::tests::recorded::put;

fn key() -> Key {
    Key::from_bytes(&[7; 32])
}

fn secrets() -> Secrets {
    Secrets::new(key(), ReportedSecrets::default())
}

fn catalog() -> Catalog {
    let file = r#"{"content": "x", "notify": "Exec[reload]"}"#;
    let exec = r#"{"command": "/bin/true", "refreshonly": true}"#;
    Manifest::new().with("File", "DIR/f", file).with("Exec", "reload", exec).catalog()
}

/// The plan for the machine as it is, written to a file and read again.
fn plan(machine: &mut FakeMachine) -> Plan {
    let options = Options { noop: true, record_plan: Some(key()), ..Options::default() };
    let (outcome, _) = apply(&catalog(), &kinds(), machine, &mut State::default(), &options);
    let plan = Plan::new("web1", "digest".to_owned(), &outcome, secrets());
    Plan::parse(&plan.to_json(), key()).unwrap()
}

#[test]
fn a_plan_has_the_changes_and_refreshes_of_a_noop_run() {
    let plan = plan(&mut recorded::machine());
    let changes: Vec<String> = plan.changes.iter().map(ToString::to_string).collect();
    assert_eq!(changes, [r#"File[DIR/f]/ensure: "absent" to "file""#]);
    assert_eq!(plan.refreshes, ["Exec[reload]"]);
}

#[test]
fn a_planned_run_makes_the_planned_changes() {
    let mut machine = recorded::machine();
    let plan = plan(&mut machine);
    assert!(machine.changes.is_empty());
    let options = Options { plan: Some(plan), ..Options::default() };
    let (outcome, _) = apply(&catalog(), &kinds(), &mut machine, &mut State::default(), &options);
    assert_eq!(machine.changes, ["write /DIR/f"]);
    assert!(outcome.resources.iter().all(|resource| !resource.status.blocks_dependents()));
}

#[test]
fn a_change_that_is_not_planned_fails() {
    let mut machine = recorded::machine();
    let plan = plan(&mut machine);
    put(&mut machine, "f", "old");
    let options = Options { plan: Some(plan), ..Options::default() };
    let (outcome, _) = apply(&catalog(), &kinds(), &mut machine, &mut State::default(), &options);
    assert!(outcome.resources[0].status.failed);
    assert_eq!((machine.changes.len(), machine.runs.len()), (0, 0));
}

#[test]
fn plans_differ_if_the_machine_has_changed() {
    let mut machine = recorded::machine();
    let before = plan(&mut machine);
    assert!(before.differences(&plan(&mut machine)).is_empty());
    put(&mut machine, "f", "old");
    assert!(!before.differences(&plan(&mut machine)).is_empty());
}
