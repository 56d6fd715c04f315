//! Audits, corrective changes, and the state that one run saves for the next.

use catwalk_system::FakeMachine;

use crate::Options;
use crate::State;
use crate::tests::catalog::Manifest;
use crate::tests::kinds::kinds;
use crate::tests::recorded;
use crate::tests::recorded::apply;
use crate::tests::recorded::check;
use crate::tests::recorded::chmod;
use crate::tests::recorded::delete;
use crate::tests::recorded::put;

fn state(heading: &str, manifest: Manifest, before: &[fn(&mut FakeMachine)]) {
    check("state.md", heading, &manifest.catalog(), before);
}

fn beside(heading: &str, manifest: Manifest, before: &[fn(&mut FakeMachine)]) {
    check("beside.md", heading, &manifest.catalog(), before);
}

const REFRESHED: &str = r#"{"refreshonly": true, "logoutput": true}"#;

#[test]
fn an_audited_property_may_be_managed_too() {
    state(
        "an audited attribute that is managed, too",
        Manifest::new().with("File", "DIR/f", r#"{"content": "x", "mode": "0644", "audit": ["mode", "content"]}"#),
        &[
            |_| {},
            |machine| chmod(machine, "f", 0o600),
            |machine| {
                put(machine, "f", "changed\n");
                chmod(machine, "f", 0o640);
            },
        ],
    );
}

#[test]
fn a_noop_run_audits() {
    state(
        "audit with noop",
        Manifest::new().with("File", "DIR/f", r#"{"content": "three\n", "audit": ["content", "mode"]}"#),
        &[
            |machine| put(machine, "f", "one\n"),
            |machine| {
                put(machine, "f", "two\n");
                chmod(machine, "f", 0o600);
            },
        ],
    );
}

#[test]
fn changes_that_noop_left_out_are_corrective_later() {
    state(
        "changes that noop left out are corrective later",
        Manifest::new().with("File", "DIR/f", r#"{"content": "wanted\n"}"#),
        &[
            |machine| put(machine, "f", "one\n"),
            |machine| put(machine, "f", "two\n"),
            |machine| put(machine, "f", "three\n"),
        ],
    );
}

#[test]
fn corrective_changes_are_recognised_beside_noop_resources() {
    state(
        "a corrective change that fails, is skipped, and succeeds",
        Manifest::new().with("File", "DIR/d/f", r#"{"content": "x", "noop": true}"#).with(
            "File",
            "DIR/d/g",
            r#"{"content": "x"}"#,
        ),
        &[|machine| put(machine, "d/.keep", ""), |machine| delete(machine, "d/g"), |machine| delete(machine, "d/g")],
    );
}

#[test]
fn newly_recorded_values_have_the_level_notice() {
    beside(
        "audits have the level notice",
        Manifest::new()
            .with("File", "DIR/a", r#"{"audit": ["content", "mode", "owner"], "loglevel": "warning"}"#)
            .with(
                "File",
                "DIR/b",
                r#"{"ensure": "file", "content": "b\n", "audit": ["mode", "content"], "loglevel": "info"}"#,
            ),
        &[
            |machine| {
                put(machine, "a", "a\n");
                chmod(machine, "a", 0o640);
            },
            |machine| {
                put(machine, "a", "changed\n");
                chmod(machine, "a", 0o600);
                chmod(machine, "b", 0o600);
            },
        ],
    );
}

#[test]
fn an_audited_change_refreshes() {
    beside(
        "a refresh from an audit",
        Manifest::new().with("File", "DIR/a", r#"{"audit": ["content"], "notify": "Exec[/bin/echo refreshed]"}"#).with(
            "Exec",
            "/bin/echo refreshed",
            REFRESHED,
        ),
        &[|machine| put(machine, "a", "old\n"), |machine| put(machine, "a", "new\n")],
    );
}

#[test]
fn an_audited_change_does_not_refresh_in_noop_mode() {
    beside(
        "a refresh from an audit in noop mode",
        Manifest::new()
            .with(
                "File",
                "DIR/a",
                r#"{"audit": ["content", "owner"], "mode": "0644", "notify": "Exec[/bin/echo refreshed]"}"#,
            )
            .with("Exec", "/bin/echo refreshed", REFRESHED),
        &[
            |machine| {
                put(machine, "a", "old\n");
                chmod(machine, "a", 0o600);
            },
            |machine| {
                put(machine, "a", "new\n");
                chmod(machine, "a", 0o600);
            },
        ],
    );
}

fn audited_class() -> Manifest {
    Manifest::new().class("c").with("File", "DIR/a", r#"{"content": "new\n", "noop": true}"#).with(
        "File",
        "DIR/b",
        r#"{"audit": ["content"]}"#,
    )
}

const AUDITED_CLASS: &[fn(&mut FakeMachine)] = &[
    |machine| {
        put(machine, "a", "old\n");
        put(machine, "b", "old\n");
    },
    |machine| put(machine, "b", "new\n"),
];

#[test]
fn a_class_with_noop_events_and_an_audit_refreshes() {
    beside(
        "a class with noop events and an audit",
        audited_class().main().with(
            "Exec",
            "/bin/echo refreshed",
            r#"{"refreshonly": true, "logoutput": true, "subscribe": "Class[c]"}"#,
        ),
        AUDITED_CLASS,
    );
}

#[test]
fn a_noop_event_beside_an_audited_change_is_not_reported_for_the_class() {
    beside("a noop event beside an audited change", audited_class(), AUDITED_CLASS);
}

#[test]
fn a_noop_resource_may_be_audited() {
    beside(
        "a noop resource with an audited change",
        Manifest::new()
            .with("File", "DIR/a", r#"{"audit": ["content"], "noop": true, "notify": "Exec[/bin/echo refreshed]"}"#)
            .with("Exec", "/bin/echo refreshed", REFRESHED)
            .with("File", "DIR/b", r#"{"audit": ["content"], "notify": "Exec[/bin/echo noop]"}"#)
            .with("Exec", "/bin/echo noop", r#"{"refreshonly": true, "logoutput": true, "noop": true}"#),
        &[
            |machine| {
                put(machine, "a", "old\n");
                put(machine, "b", "old\n");
            },
            |machine| {
                put(machine, "a", "new\n");
                put(machine, "b", "new\n");
            },
        ],
    );
}

#[test]
fn a_noop_run_may_have_nothing_but_an_audited_change() {
    beside(
        "a noop run with nothing but an audited change",
        Manifest::new().class("c").with("File", "DIR/a", r#"{"audit": ["content"]}"#).main().with(
            "Exec",
            "/bin/echo refreshed",
            r#"{"refreshonly": true, "logoutput": true, "subscribe": "Class[c]"}"#,
        ),
        &[|machine| put(machine, "a", "old\n"), |machine| put(machine, "a", "new\n")],
    );
}

#[test]
fn the_state_survives_its_file() {
    let manifest = Manifest::new().with("File", "DIR/f", r#"{"content": "x", "audit": ["mode"]}"#).catalog();
    let (mut machine, mut state) = (recorded::machine(), State::default());
    apply(&manifest, &kinds(), &mut machine, &mut state, &Options::default());
    let read = State::parse(&state.to_json()).unwrap();
    assert_eq!(read, state);
    assert!(state.to_json().contains("File[DIR/f]"));
}
