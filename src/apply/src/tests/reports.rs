//! Reports: with the clock of the machine in memory, two runs write the same bytes.

use std::time::Duration;

use serde_json::Value as Json;

use catwalk_system::Clock;

use crate::Options;
use crate::State;
use crate::report;
use crate::report::Subject;
use crate::report::Times;
use crate::tests::catalog::Manifest;
use crate::tests::kinds::kinds;
use crate::tests::recorded;
use crate::tests::recorded::apply;

/// The report of a run in which something is changed, refreshed, skipped and fails. The clock advances whenever it is read.
fn report() -> Json {
    let catalog = Manifest::new()
        .with("File", "DIR/f", r#"{"content": "x", "notify": "Exec[reload]"}"#)
        .with("Exec", "reload", r#"{"command": "/bin/true", "refreshonly": true}"#)
        .with("Exec", "/bin/false", r#"{"before": "Notify[after]"}"#)
        .with("Notify", "after", "{}")
        .with("Notify", "noop", r#"{"noop": true}"#)
        .catalog();
    let mut machine = recorded::machine();
    machine.clock.tick();
    let (started, begun) = (machine.clock.now(), machine.clock.elapsed());
    let (outcome, _) = apply(&catalog, &kinds(), &mut machine, &mut State::default(), &Options::default());
    let total = machine.clock.elapsed() - begun;
    let times = Times { started, total, retrieval: Some(Duration::from_millis(250)), application: Some(total) };
    report::build_report(&outcome, &Subject::from(&catalog), &Options::default(), &times)
}

#[test]
fn reports_of_two_runs_are_identical() {
    let (first, second) = (report(), report());
    assert_eq!(first.to_string(), second.to_string());
    assert_eq!(report::to_yaml(&first), report::to_yaml(&second));
    let store = |report: &Json| report::store_report(report, "web1").to_string();
    assert_eq!(store(&first), store(&second));
}

#[test]
fn times_of_reports_are_those_of_the_machine() {
    let report = report();
    assert_eq!(report["time"], "2001-09-09T01:46:40.000000000+00:00");
    let statuses = report["resource_statuses"].as_object().unwrap();
    let mut events: Vec<&str> = statuses
        .values()
        .flat_map(|status| status["events"].as_array().unwrap())
        .map(|event| event["time"].as_str().unwrap())
        .collect();
    assert_eq!(events.len(), 4);
    let sorted = events.clone();
    events.sort_unstable();
    assert_eq!(events, sorted);
    assert!(events.iter().all(|time| time.starts_with("2001-09-09T01:46:40.")), "{events:?}");
    let logged = report["logs"].as_array().unwrap();
    assert!(logged.iter().all(|line| line["time"].as_str().unwrap().starts_with("2001-09-09T01:46:40.")));
}

#[test]
fn durations_of_reports_are_those_of_the_machine() {
    let report = report();
    let file = &report["resource_statuses"]["File[DIR/f]"];
    let seconds = file["evaluation_time"].as_f64().unwrap();
    assert!(seconds > 0.0 && seconds < 0.1, "{seconds}");
    assert_eq!(report["resource_statuses"]["Notify[after]"]["evaluation_time"], Json::Null);
    let times = report["metrics"]["time"]["values"].as_array().unwrap();
    let time = |name: &str| times.iter().find(|time| time[0] == name).unwrap()[2].as_f64().unwrap();
    assert!(time("transaction_evaluation") < time("total"));
    assert_eq!(time("config_retrieval"), 0.25);
}

#[test]
fn statuses_of_reports_count_what_happened() {
    let report = report();
    assert_eq!(report["status"], "failed");
    assert_eq!(report["noop_pending"], true);
    let counts = report["metrics"]["resources"]["values"].as_array().unwrap();
    let count = |name: &str| counts.iter().find(|count| count[0] == name).unwrap()[2].as_u64().unwrap();
    let counted = ["failed", "skipped", "restarted", "changed", "out_of_sync"].map(count);
    assert_eq!(counted, [1, 1, 1, 2, 4]);
}
