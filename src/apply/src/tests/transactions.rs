//! Order, relationships, refreshes, failures, noop, tags, schedules.

use catwalk_base::name;
use catwalk_base::secrets::SecretCollection;
use catwalk_system::System;
use catwalk_value::Value;

use crate::Environment;
use crate::Options;
use crate::State;
use crate::tests::catalog::Manifest;
use crate::tests::kinds::kinds;
use crate::tests::recorded;
use crate::tests::recorded::Lines;
use crate::tests::recorded::NoFunctions;
use crate::tests::recorded::apply;
use crate::tests::recorded::check;
use crate::tests::recorded::put;

fn transaction(heading: &str, manifest: Manifest) {
    check("transaction.md", heading, &manifest.catalog(), &[]);
}

fn options(heading: &str, manifest: Manifest) {
    check("options.md", heading, &manifest.catalog(), &[]);
}

const RELOAD: &str = r#"{"command": "/bin/true", "refreshonly": true}"#;

#[test]
fn resources_are_applied_in_order_of_the_manifest_and_relationships_before_it() {
    transaction(
        "the order of the manifest, and relationships before it",
        Manifest::new()
            .with("Notify", "c", r#"{"require": "Notify[e]"}"#)
            .with("Notify", "d", r#"{"before": "Notify[b]"}"#)
            .with("Notify", "b", r#"{"before": ["Notify[e]"]}"#)
            .with("Notify", "e", "{}"),
    );
}

#[test]
fn a_class_is_applied_as_a_whole() {
    transaction(
        "a class is applied as a whole",
        Manifest::new()
            .class("one")
            .with("Notify", "one a", "{}")
            .with("Notify", "one b", "{}")
            .class("two")
            .with("Notify", "two", "{}")
            .also("Class[two]", r#"{"before": "Class[one]"}"#),
    );
}

#[test]
fn changes_refresh_subscribers() {
    transaction(
        "refreshes",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "notify": "Exec[reload]"}"#)
            .with("Exec", "reload", RELOAD)
            .with("Exec", "other", r#"{"command": "/bin/true", "refreshonly": true, "subscribe": "File[DIR/f]"}"#)
            .with("Exec", "twice", r#"{"command": "/bin/true", "subscribe": "File[DIR/f]"}"#),
    );
}

#[test]
fn classes_pass_refreshes_to_their_resources() {
    transaction(
        "a refresh through a class",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "notify": "Class[service]"}"#)
            .class("service")
            .with("Exec", "restart", RELOAD),
    );
}

#[test]
fn dependents_of_failed_resources_are_skipped() {
    transaction(
        "failed dependencies",
        Manifest::new()
            .with("Exec", "/bin/false", r#"{"before": ["File[DIR/a]", "Class[later]"]}"#)
            .with("File", "DIR/a", r#"{"content": "a", "before": "File[DIR/b]"}"#)
            .with("File", "DIR/b", r#"{"content": "b"}"#)
            .with("File", "DIR/c", r#"{"content": "c"}"#)
            .class("later")
            .with("Notify", "later", "{}"),
    );
}

#[test]
fn dependents_of_failed_refreshes_are_skipped() {
    transaction(
        "a failed refresh",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "notify": "Exec[reload]"}"#)
            .with("Exec", "reload", r#"{"command": "/bin/false", "refreshonly": true, "before": "Notify[after]"}"#)
            .with("Notify", "after", "{}"),
    );
}

#[test]
fn a_noop_run_reports_changes_and_refreshes() {
    transaction(
        "noop of the whole run",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "notify": "Exec[reload]"}"#)
            .with("Exec", "reload", RELOAD)
            .with("Notify", "n", "{}"),
    );
}

#[test]
fn a_noop_resource_changes_nothing_in_a_run_that_changes_others() {
    transaction(
        "noop of single resources",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "noop": true, "notify": "Exec[reload]"}"#)
            .with("Exec", "reload", RELOAD)
            .with("File", "DIR/g", r#"{"content": "x"}"#),
    );
}

#[test]
fn stages_order_their_classes() {
    transaction(
        "stages",
        Manifest::new()
            .class("middle")
            .with("Notify", "middle", "{}")
            .main()
            .with("Stage", "before", r#"{"before": "Stage[main]"}"#)
            .class_of_last_stage("first")
            .with("Notify", "first", "{}"),
    );
}

#[test]
fn resources_have_log_levels() {
    transaction(
        "log levels",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "loglevel": "warning"}"#)
            .with("Notify", "debug", r#"{"loglevel": "debug"}"#)
            .with("Notify", "err", r#"{"loglevel": "err"}"#)
            .with("Notify", "crit", r#"{"loglevel": "crit"}"#),
    );
}

#[test]
fn a_cycle_refuses_the_run() {
    transaction(
        "a cycle",
        Manifest::new()
            .with("Notify", "a", r#"{"require": "Notify[b]"}"#)
            .with("Notify", "b", r#"{"require": "Notify[c]"}"#)
            .with("Notify", "c", r#"{"require": "Notify[a]"}"#)
            .with("Notify", "d", "{}"),
    );
}

#[test]
fn a_cycle_through_a_class_refuses_the_run() {
    transaction(
        "a cycle through a class",
        Manifest::new().class("one").with("Notify", "in", r#"{"require": "Notify[out]"}"#).main().with(
            "Notify",
            "out",
            r#"{"require": "Class[one]"}"#,
        ),
    );
}

#[test]
fn secrets_are_not_shown() {
    let manifest = Manifest::new()
        .with("File", "DIR/f", r#"{"content": "secret"}"#)
        .secret(&["content"])
        .with("Exec", "e", r#"{"command": "/bin/echo secret"}"#)
        .secret(&["command"])
        .with("Notify", "n", r#"{"message": "secret"}"#)
        .secret(&["message"]);
    check("transaction.md", "secrets are not shown", &manifest.catalog(), &[|machine| put(machine, "f", "old")]);
}

#[test]
fn a_schedule_that_never_permits_skips_resources() {
    transaction(
        "schedules that never permit",
        Manifest::new().with("Schedule", "s", r#"{"period": "never"}"#).with(
            "File",
            "DIR/f",
            r#"{"content": "x", "schedule": "s"}"#,
        ),
    );
}

#[test]
fn only_tagged_resources_are_applied() {
    options(
        "only tagged resources",
        Manifest::new()
            .class("web")
            .with("Notify", "in the class", "{}")
            .with("File", "DIR/f", r#"{"content": "x"}"#)
            .main()
            .with("Notify", "not tagged", "{}")
            .with("Notify", "tagged", r#"{"tag": ["first", "second"]}"#)
            .with("Notify", "type", "{}")
            .defined("Thing", "second")
            .with("Notify", "in second", "{}")
            .defined("Thing", "third")
            .with("Notify", "in third", "{}"),
    );
}

#[test]
fn types_and_parts_of_classes_are_tags() {
    options(
        "a tag of a type and one with capitals",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x"}"#)
            .with("Notify", "a", "{}")
            .with("Notify", "b", r#"{"tag": "thing::deep"}"#)
            .class("thing::deep")
            .with("Notify", "c", "{}"),
    );
}

#[test]
fn resources_with_skipped_tags_are_not_applied() {
    options(
        "skipped tags",
        Manifest::new()
            .class("web")
            .with("Notify", "in the class", "{}")
            .with("File", "DIR/f", r#"{"content": "x"}"#)
            .main()
            .with("Notify", "kept", "{}")
            .with("Notify", "late", r#"{"tag": "late"}"#)
            .with("Notify", "requires one that is skipped", r#"{"require": "File[DIR/f]"}"#),
    );
}

#[test]
fn skipped_tags_win_over_tags() {
    options(
        "tags and skipped tags together",
        Manifest::new()
            .with("Notify", "a", r#"{"tag": ["web", "secret"]}"#)
            .with("Notify", "b", r#"{"tag": "web"}"#)
            .with("Notify", "c", r#"{"tag": "secret"}"#),
    );
}

#[test]
fn skipped_resources_are_not_refreshed() {
    options(
        "a refresh of an untagged resource",
        Manifest::new()
            .with("File", "DIR/f", r#"{"content": "x", "tag": "conf", "notify": "Exec[reload]"}"#)
            .with("Exec", "reload", r#"{"command": "/bin/true", "refreshonly": true, "notify": "Exec[tagged]"}"#)
            .with("Exec", "tagged", r#"{"command": "/bin/true", "refreshonly": true, "tag": "conf"}"#),
    );
}

#[test]
fn a_skipped_resource_does_not_fail() {
    options(
        "a failure of an untagged resource",
        Manifest::new().with("Exec", "/bin/false", r#"{"before": "File[DIR/f]"}"#).with(
            "File",
            "DIR/f",
            r#"{"content": "x", "tag": "conf"}"#,
        ),
    );
}

#[test]
fn all_invalid_resources_are_reported_before_anything_is_applied() {
    let manifest = Manifest::new()
        .with("File", "DIR/f", r#"{"content": "x"}"#)
        .with("Notify", "a", r#"{"message": "invalid"}"#)
        .with("Notify", "b", r#"{"message": "invalid"}"#);
    let mut machine = recorded::machine();
    let (outcome, lines) =
        apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let message = |title: &str| format!("Parameter message failed on Notify[{title}]: invalid");
    assert_eq!(lines, [format!("Error: {}\n{}", message("a"), message("b"))]);
    assert!(!outcome.is_prepared && machine.changes.is_empty());
}

#[test]
fn a_missing_dependency_refuses_the_run() {
    let manifest = Manifest::new().with("Notify", "a", r#"{"require": "Notify[none]"}"#);
    let mut machine = recorded::machine();
    let (outcome, lines) =
        apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    assert_eq!(lines, ["Error: Could not find dependency Notify[none] for Notify[a]"]);
    assert!(outcome.is_prepared && !outcome.is_complete && outcome.resources.is_empty());
}

#[test]
fn a_type_without_a_provider_fails_only_its_resources() {
    let manifest = Manifest::new().with("Thing", "a", "{}").with("Notify", "b", "{}");
    let mut machine = recorded::machine();
    let (outcome, _) = apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let failed: Vec<(&str, bool)> =
        outcome.resources.iter().map(|resource| (&*resource.reference, resource.status.failed)).collect();
    assert_eq!(failed, [("Thing[a]", true), ("Notify[b]", false)]);
    assert!(outcome.is_complete);
}

#[test]
fn an_interrupted_run_skips_the_remaining_resources() {
    let manifest = Manifest::new().with("Notify", "a", "{}").with("Notify", "b", "{}").with("Notify", "c", "{}");
    let mut machine = recorded::machine();
    let applied = std::cell::Cell::new(0);
    let mut lines = Lines::default();
    let mut environment = Environment {
        system: &mut machine,
        log: &mut lines,
        secrets: &SecretCollection::default(),
        resolver: &mut NoFunctions,
        state: &mut State::default(),
        is_interrupted: &|| applied.get() == 2,
        progress: &mut |number, all| {
            assert_eq!(all, 5);
            applied.set(number);
        },
    };
    let outcome = crate::apply(&manifest.catalog(), &kinds(), &mut environment, &Options::default());
    let skipped: Vec<bool> = outcome.resources.iter().map(|resource| resource.status.skipped).collect();
    assert_eq!(skipped, [false, false, true]);
    assert!(!outcome.is_complete && outcome.failure.is_none() && outcome.evaluation_time.is_some());
}

#[test]
fn a_fatal_failure_ends_the_run() {
    let manifest = Manifest::new().with("Exec", "/bin/unknown", "{}").with("Notify", "after", "{}");
    let mut machine = recorded::machine();
    let (outcome, lines) =
        apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let why = "running '/bin/unknown': there is no prepared answer for it";
    assert_eq!(outcome.failure.as_deref(), Some(format!("Could not run: {why}").as_str()));
    assert!(!outcome.is_complete && outcome.evaluation_time.is_none());
    assert!(!lines.iter().any(|line| line.contains("after")), "{lines:?}");
}

#[test]
fn purged_instances_are_removed_right_after_their_generator() {
    let manifest = Manifest::new()
        .with("Resources", "file", r#"{"purge": true}"#)
        .with("File", "DIR/.keep", r#"{"content": ""}"#)
        .with("Notify", "after", "{}");
    let mut machine = recorded::machine();
    put(&mut machine, "old", "x");
    let (outcome, lines) =
        apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let references: Vec<&str> = outcome.resources.iter().map(|resource| &*resource.reference).collect();
    assert_eq!(references, ["Resources[file]", "File[DIR/old]", "File[DIR/.keep]", "Notify[after]"]);
    assert_eq!(lines[0], "Notice: /Stage[main]/Main/File[DIR/old]/ensure: removed");
    assert_eq!(machine.list("/DIR".as_ref()).unwrap(), [".keep"]);
}

#[test]
fn a_type_that_cannot_be_listed_is_not_purged() {
    let manifest = Manifest::new().with("Resources", "exec", r#"{"purge": true}"#);
    let mut machine = recorded::machine();
    let (outcome, _) = apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let why = "Parameter purge failed on Resources[exec]: Purging is only supported on types that accept 'ensure' \
               (file: /site/manifests/site.pp, line: 2)";
    assert_eq!(outcome.failure.as_deref(), Some(why));
}

#[test]
fn resources_of_this_machine_are_skipped_for_a_device() {
    let manifest = Manifest::new().with("Notify", "a", "{}");
    let mut machine = recorded::machine();
    let options = Options { is_device: true, ..Options::default() };
    let (outcome, _) = apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &options);
    assert!(outcome.resources[0].status.skipped);
    assert_eq!(outcome.resources[0].status.events, []);
}

#[test]
fn changes_of_the_machine_are_recorded_for_their_resource() {
    let manifest = Manifest::new().with("Exec", "/bin/echo a", "{}").with("Exec", "/bin/echo b", "{}");
    let mut machine = recorded::machine();
    let (outcome, _) = apply(&manifest.catalog(), &kinds(), &mut machine, &mut State::default(), &Options::default());
    let changes: Vec<&[String]> = outcome.resources.iter().map(|resource| &*resource.status.machine_changes).collect();
    assert_eq!(changes, [["ran /bin/echo a"], ["ran /bin/echo b"]]);
    let event = &outcome.resources[0].status.events[0];
    assert_eq!(event.name, "executed_command");
    assert_eq!(event.previous, Some(Value::str("notrun")));
    assert_eq!(event.property.as_deref(), Some(name!("returns").as_str()));
}
