//! Every example of every function, and the registry itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use super::ALL;
use super::all;
use super::find;
use super::probe;
use super::stdlib;
use crate::names::Name;
use crate::version::Version;
use crate::world::Disk;

#[test]
fn sorted_and_each_once() {
    for pair in ALL.windows(2).chain(stdlib::ALL.windows(2)) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn signatures_parse() {
    for function in all() {
        for version in [Version::SEVEN, Version::EIGHT] {
            if let Err(reason) = find(Name::new(function.name), version).unwrap().signatures() {
                panic!("{}: {}", function.name, reason.message);
            }
        }
    }
}

/// Evaluates in the environment that examples speak of.
fn evaluate(code: &str) -> probe::Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples");
    let world = Arc::new(Disk::new());
    let facts = crate::node::facts::read(&root.join("facts.json"), world.as_ref()).unwrap();
    probe::evaluate_at(code, &root, facts, world)
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for function in all() {
        for (code, expected) in function.examples {
            let got = evaluate(code);
            let holds = match expected.split_once(": ") {
                Some(("error", text)) => got.result.as_ref().is_err_and(|message| message.contains(text)),
                Some((level @ ("notice" | "warning" | "err" | "alert" | "crit" | "emerg"), text)) => {
                    got.logs.iter().any(|line| line.starts_with(level) && line.contains(text))
                }
                _ => got.result.is_ok() && got.result == evaluate(expected).result,
            };
            if !holds {
                wrong.push(format!("{code}\n  gives {:?} {:?}\n  not {expected}", got.result, got.logs));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_is_documented() {
    for function in all().filter(|function| function.name != "scanf") {
        assert!(function.examples.len() >= 2, "{}: two examples at least", function.name);
        assert!(function.doc.len() > 20 && function.doc.ends_with('.'), "{}: {}", function.name, function.doc);
    }
}
