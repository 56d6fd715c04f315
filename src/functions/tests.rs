//! Every example of every function, and the registry itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::ALL;
use super::all;
use super::find;
use super::probe;
use super::stdlib;
use crate::names::Name;

#[test]
fn sorted_and_each_once() {
    for pair in ALL.windows(2).chain(stdlib::ALL.windows(2)) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn signatures_parse() {
    for function in all() {
        if let Err(reason) = find(Name::new(function.name)).unwrap().signatures() {
            panic!("{}: {}", function.name, reason.message);
        }
    }
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for function in all() {
        for (code, expected) in function.examples {
            let (got, wanted) = (probe::value(code), probe::value(expected));
            if got != wanted || got.is_err() {
                wrong.push(format!("{code}\n  gives {got:?}\n  not {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
