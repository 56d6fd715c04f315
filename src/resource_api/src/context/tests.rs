//! Checks what each method of the context logs and which calls it refuses.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use super::Action;
use super::Context;
use super::Operation;
use crate::Failure;
use crate::Level;
use crate::Log;
use crate::read_type;
use catwalk_system::FakeMachine;
use catwalk_value::Value;
use catwalk_value::data::json;

#[derive(Default)]
struct Lines(Vec<String>);

impl Log for Lines {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        assert_eq!(source, None);
        self.0.push(format!("{}: {}", level.name(), message.replace("0.000000", "N")));
    }

    fn wants(&self, _: Level) -> bool {
        true
    }
}

const THING: &str = r#"{"name": "thing", "desc": "x", "attributes": {
    "name": {"type": "String", "desc": "x", "behaviour": "namevar"}}}"#;

fn value(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

type Call = fn(&mut Context<'_>) -> Result<(), Failure>;

/// Calls a method in a `set` for the titles `a`, `b` and a hash of namevars. Returns the log lines, whether the provider
/// failed, and the result.
fn run(call: Call) -> (String, bool, Result<(), Failure>) {
    let definition = Arc::new(read_type(&value(THING), "thing.rhai").definition.unwrap());
    let (mut lines, mut system) = (Lines::default(), FakeMachine::new());
    let mut context = Context::new(definition, &mut lines, &mut system);
    context.requested = Some(vec![Value::str("a"), Value::str("b"), value(r#"{"package": "p", "manager": "m"}"#)]);
    let result = call(&mut context);
    let failed = context.take_failed();
    assert!(!context.take_failed());
    (lines.0.join("\n"), failed, result)
}

#[test]
fn messages_have_the_prefixes_and_texts_of_puppet() {
    let cases: [(Call, &str); 19] = [
        (
            |c| {
                c.log_message(Level::Info, "x");
                Ok(())
            },
            "info: thing: x",
        ),
        (|c| c.log_message_for(Level::Warning, &value("\"a\""), "x"), "warning: thing[a]: x"),
        (|c| c.log_message_for(Level::Err, &value(r#"["a", "b"]"#), "x"), "err: thing[a, b]: x"),
        (|c| c.log_message_for(Level::Debug, &value("[]"), "x"), "debug: thing: x"),
        (
            |c| c.log_message_for(Level::Notice, &value(r#"{"package": "p", "manager": "m"}"#), "x"),
            r#"notice: thing[{:package=>"p", :manager=>"m"}]: x"#,
        ),
        (
            |c| {
                c.log_without_prefix(Level::Notice, "x");
                Ok(())
            },
            "notice: x",
        ),
        (
            |c| {
                c.run_block(Operation::Creating, &value("\"a\""), |c| {
                    c.log_message(Level::Info, "x");
                    Ok(())
                })
            },
            "debug: thing[a]: Creating: Start\ninfo: thing[a]: Creating: x\nnotice: thing[a]: Creating: Finished in N seconds",
        ),
        (
            |c| {
                c.run_block(Operation::Updating, &value(r#"["a", "b"]"#), |c| {
                    c.log_message_for(Level::Info, &value("\"b\""), "x")
                })
            },
            "debug: thing[a, b]: Updating: Start\ninfo: thing[b]: x\nnotice: thing[a, b]: Updating: Finished in N seconds",
        ),
        (
            |c| c.run_block(Operation::Deleting, &value("\"a\""), |_| Ok(())),
            "debug: thing[a]: Deleting: Start\nnotice: thing[a]: Deleting: Finished in N seconds",
        ),
        (
            |c| c.run_block(Operation::Failing, &value("\"a\""), |_| Ok(())),
            "debug: thing[a]: Failing: Start\nwarning: thing[a]: Failing: Finished failing in N seconds",
        ),
        (
            |c| {
                let block = c.begin_block(Operation::Creating, &value("\"a\""), Some("Building"))?;
                c.end_block(block, Ok(()))
            },
            "debug: thing[a]: Building: Start\nnotice: thing[a]: Building: Finished in N seconds",
        ),
        (
            |c| {
                let block = c.begin_processing(&value("\"a\""), &value("1"), &value("\"y\""), None)?;
                c.end_block(block, Ok(()))
            },
            "debug: thing[a]: Processing: Starting processing of a from 1 to y\nnotice: thing[a]: Processing: Finished processing a in N seconds: y",
        ),
        (|c| c.log_action(Action::Created, &value("\"a\""), None), "notice: thing: Created: a"),
        (|c| c.log_action(Action::Updated, &value(r#"["a", "b"]"#), None), r#"notice: thing: Updated: ["a", "b"]"#),
        (|c| c.log_action(Action::Deleted, &value("\"a\""), Some("Gone")), "notice: thing: Gone: a"),
        (|c| c.processed(&value("\"a\""), &value("null"), &value("[1]")), "notice: thing: Processed a from  to [1]"),
        (|c| c.failed(&value("\"a\""), None), "err: thing[a]: Updating has failed"),
        (|c| c.failed(&value(r#"["a", "b"]"#), Some("x")), "err: thing[a, b]: x"),
        (|c| c.unchanged(&value("\"a\"")), "debug: thing: Unchanged: a"),
    ];
    for (call, expected) in cases {
        assert_eq!(run(call), (expected.to_owned(), false, Ok(())), "{expected}");
    }
}

#[test]
fn changes_of_attributes_show_values_as_ruby_does() {
    for (is, should, message, expected) in [
        ("\"x\"", "null", None, "'x' to nil"),
        ("false", "true", None, "nil to 'true'"),
        ("1", "2.5", None, "1 to 2.5"),
        ("[1, \"x\"]", "\"y\"", Some("why"), r#"'[1, "x"]' to 'y': why"#),
    ] {
        let definition = Arc::new(read_type(&value(THING), "thing.rhai").definition.unwrap());
        let (mut lines, mut system) = (Lines::default(), FakeMachine::new());
        let mut context = Context::new(definition, &mut lines, &mut system);
        context.attribute_changed(&Value::str("a"), "v", (&value(is), &value(should)), message).unwrap();
        assert_eq!(lines.0, [format!("notice: thing: a: attribute 'v' changed from {expected}")]);
    }
}

#[test]
fn failures_are_logged_and_remembered_but_fatal_ones_returned() {
    let (lines, failed, result) =
        run(|c| c.run_block(Operation::Updating, &Value::str("a"), |_| Err(Failure::new("boom"))));
    let expected = "debug: thing[a]: Updating: Start\nerr: thing[a]: Updating: Failed after N seconds: boom";
    assert_eq!((lines.as_str(), failed, result), (expected, true, Ok(())));
    let (lines, failed, result) = run(|c| {
        let block = c.begin_processing(&Value::str("a"), &Value::Int(1), &Value::Int(2), None)?;
        c.end_block(block, Err(Failure::new("boom")))
    });
    assert!(lines.ends_with("err: thing[a]: Processing: Failed processing a after N seconds: boom"), "{lines}");
    assert_eq!((failed, result), (true, Ok(())));
    let fatal = || Failure { is_fatal: true, ..Failure::new("limit") };
    let (lines, failed, result) = run(|c| {
        c.run_block(Operation::Creating, &Value::str("a"), |_| Err(Failure { is_fatal: true, ..Failure::new("limit") }))
    });
    assert_eq!((lines.as_str(), failed, result), ("debug: thing[a]: Creating: Start", false, Err(fatal())));
}

#[test]
fn other_titles_and_several_in_one_are_refused() {
    let foreign: [Call; 9] = [
        |c| c.log_message_for(Level::Info, &value("\"z\""), "x"),
        |c| c.log_message_for(Level::Info, &value(r#"["a", "z"]"#), "x"),
        |c| c.run_block(Operation::Creating, &value("\"z\""), |_| Ok(())),
        |c| c.begin_processing(&value("\"z\""), &value("1"), &value("2"), None).map(drop),
        |c| c.log_action(Action::Created, &value("\"z\""), None),
        |c| c.processed(&value("\"z\""), &value("1"), &value("2")),
        |c| c.failed(&value("\"z\""), None),
        |c| c.unchanged(&value("\"z\"")),
        |c| c.attribute_changed(&value("\"z\""), "v", (&value("1"), &value("2")), None),
    ];
    for (at, call) in foreign.into_iter().enumerate() {
        let refused = Err(Failure::new("Managing resource outside of requested set: z"));
        assert_eq!(run(call), (String::new(), false, refused), "{at}");
    }
    let single: [(Call, &str); 3] = [
        (|c| c.processed(&value("[\"a\"]"), &value("1"), &value("2")), "processed"),
        (|c| c.begin_processing(&value("[\"a\"]"), &value("1"), &value("2"), None).map(drop), "processing"),
        (|c| c.attribute_changed(&value("[\"a\"]"), "v", (&value("1"), &value("2")), None), "attribute_changed"),
    ];
    for (call, method) in single {
        let refused = Err(Failure::new(format!("{method} only accepts a single resource title")));
        assert_eq!(run(call), (String::new(), false, refused));
    }
}

#[test]
fn changes_are_counted_and_cut() {
    let definition = Arc::new(read_type(&value(THING), "thing.rhai").definition.unwrap());
    let (mut lines, mut system) = (Lines::default(), FakeMachine::new());
    let mut context = Context::new(definition, &mut lines, &mut system);
    context.note_command("ran x".to_owned());
    context.note_change("ä".repeat(1000));
    assert_eq!(context.take_writes(), [format!("{}…", "ä".repeat(500))]);
    for _ in 0..5000 {
        context.note_change("wrote /x".to_owned());
    }
    let noted = context.take_changes();
    assert_eq!((noted.len(), noted.last().map(String::as_str)), (1001, Some("more than 1000 changes")));
}
