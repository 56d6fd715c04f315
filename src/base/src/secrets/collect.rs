//! Collects strings that a compile reports as secret.
//!
//! A compile runs in one thread, so the strings are collected per thread while [`collect`] runs. The outer of two nested collections
//! contains the strings of the inner one: a test that compiles a catalog has the secrets of both.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Words that are never secret: redacting them would make all output unreadable.
const NEVER_SECRET: [&str; 5] = ["true", "false", "undef", "null", "default"];

/// The longest string in bytes that is searched for. A `Sensitive` value of any length is replaced as a whole.
const MAX_LENGTH: usize = 1 << 20;

/// The most strings of one collection; a site has a few hundred.
const MAX_STRINGS: usize = 100_000;

/// The strings that a compile reported as secret.
#[derive(Clone, Debug, Default)]
pub struct ReportedSecrets(BTreeSet<Arc<str>>);

impl ReportedSecrets {
    pub(super) fn into_strings(self) -> Vec<Arc<str>> {
        self.0.into_iter().collect()
    }

    pub(super) fn extend(&mut self, strings: impl IntoIterator<Item = Arc<str>>) {
        self.0.extend(strings);
    }

    /// The strings, sorted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }
}

thread_local! {
    static REPORTED: RefCell<Option<BTreeSet<Arc<str>>>> = const { RefCell::new(None) };
}

/// Restores the outer collection on drop, also when a limit of the compile unwinds.
struct Outer(Option<BTreeSet<Arc<str>>>);

impl Drop for Outer {
    fn drop(&mut self) {
        let outer = self.0.take();
        REPORTED.with(|reported| {
            let inner = std::mem::replace(&mut *reported.borrow_mut(), outer);
            if let (Some(all), Some(inner)) = (reported.borrow_mut().as_mut(), inner) {
                all.extend(inner);
            }
        });
    }
}

/// Runs `body`; returns its result and the strings reported during the call.
pub fn collect<T>(body: impl FnOnce() -> T) -> (T, ReportedSecrets) {
    let outer = Outer(REPORTED.with(|reported| reported.borrow_mut().replace(BTreeSet::new())));
    let result = body();
    let reported = reported();
    drop(outer);
    (result, reported)
}

/// The strings that were reported to the current collection.
#[must_use]
pub fn reported() -> ReportedSecrets {
    ReportedSecrets(REPORTED.with(|reported| reported.borrow().clone()).unwrap_or_default())
}

/// The strings of the current collection that are not among these.
pub(super) fn reported_beyond(known: &ReportedSecrets) -> Vec<Arc<str>> {
    REPORTED.with(|reported| {
        let reported = reported.borrow();
        let strings = reported.iter().flatten();
        strings.filter(|string| !known.0.contains(*string)).cloned().collect()
    })
}

/// Reports a secret string. The empty string and words of the language are ignored.
pub fn report(string: &str) {
    let trimmed = string.trim_end_matches(['\n', '\r']);
    let length = trimmed.len();
    if !(1..=MAX_LENGTH).contains(&length) || NEVER_SECRET.iter().any(|word| word.eq_ignore_ascii_case(trimmed)) {
        return;
    }
    REPORTED.with(|reported| {
        let mut reported = reported.borrow_mut();
        // A secret that nobody collects would be printed: all code that may meet one runs within a collection, on its thread.
        debug_assert!(reported.is_some(), "a secret is reported outside of a collection");
        if let Some(all) = reported.as_mut().filter(|all| all.len() < MAX_STRINGS && !all.contains(string)) {
            all.insert(Arc::from(string));
        }
    });
}
