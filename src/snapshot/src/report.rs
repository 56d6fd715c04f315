//! Results of a run as text: for people, JUnit for build servers, JSON for programs, Markdown for pull requests.
//!
//! In: a [`Report`]. Out: text. Must not: compile, read files.

pub mod document;
pub mod human;
pub mod junit;
pub mod markdown;

use crate::run::CaseResult;
use crate::run::Report;
use crate::run::State;

/// The number of results of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Everything as expected.
    pub passed: usize,
    /// Their catalogs differ.
    pub changed: usize,
    /// They have no accepted snapshot.
    pub new: usize,
    /// What changed was accepted.
    pub accepted: usize,
    /// They do not meet expectations.
    pub failed: usize,
}

impl Counts {
    /// Counts.
    #[must_use]
    pub fn of(report: &Report) -> Counts {
        let mut counts = Counts::default();
        for result in &report.results {
            let count = match word(result) {
                "changed" => &mut counts.changed,
                "new" => &mut counts.new,
                "accepted" => &mut counts.accepted,
                "failed" => &mut counts.failed,
                _ => &mut counts.passed,
            };
            *count += 1;
        }
        for verdict in &report.classified {
            *(if verdict.failures.is_empty() { &mut counts.passed } else { &mut counts.failed }) += 1;
        }
        counts
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> usize {
        self.passed + self.changed + self.new + self.accepted + self.failed
    }

    /// `5 passed, 1 changed`
    #[must_use]
    pub fn text(self) -> String {
        let kinds = [
            (self.passed, "passed"),
            (self.changed, "changed"),
            (self.new, "new"),
            (self.accepted, "accepted"),
            (self.failed, "failed"),
        ];
        let shown = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        let text = shown.collect::<Vec<_>>().join(", ");
        if text.is_empty() { "nothing to test".to_owned() } else { text }
    }
}

/// A result in one word.
#[must_use]
pub fn word(result: &CaseResult) -> &'static str {
    match &result.state {
        _ if !result.failures.is_empty() => "failed",
        State::Changed(_) => "changed",
        State::New(_) => "new",
        State::Accepted(_) => "accepted",
        State::Same | State::Unkept => "passed",
    }
}

/// Names in a line: the first few, and how many there are more.
#[must_use]
pub fn some(names: &[String], most: usize) -> String {
    let shown = names.get(..most.min(names.len())).unwrap_or_default().join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Indents each line.
#[must_use]
pub fn indented(text: &str, by: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{by}{line}\n") };
    text.lines().map(line).collect()
}
