//! Tests of the registry of functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::ALL;
use super::LIBRARY;
use super::all;
use super::stdlib;
use catwalk_base::names::Name;
use catwalk_base::version::Version;

#[test]
fn names_are_sorted_and_unique() {
    for pair in ALL.windows(2).chain(stdlib::ALL.windows(2)) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn signatures_are_valid() {
    for function in all() {
        for version in [Version::SEVEN, Version::EIGHT] {
            if let Err(reason) = LIBRARY.find(Name::new(function.name), version).unwrap().signatures() {
                panic!("{}: {}", function.name, reason.message);
            }
        }
    }
}

#[test]
fn every_function_is_documented() {
    for function in all() {
        assert!(function.examples.len() >= 2, "{}: two examples at least", function.name);
        assert!(function.doc.len() > 20 && function.doc.ends_with('.'), "{}: {}", function.name, function.doc);
    }
}
