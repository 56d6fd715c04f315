//! Results of a run as text: for people, JUnit for build servers, JSON for programs, Markdown for pull requests.
//!
//! In: a [`Report`]. Out: text. Must not: compile, read files.

pub mod document;
pub mod human;
pub mod junit;
pub mod markdown;

use indexmap::IndexMap;

use catwalk_base::diag::Severity;
use catwalk_base::diag::visible;
pub use catwalk_base::names::abbreviate;

use crate::run::CaseResult;
use crate::run::Report;
use crate::run::State;

/// The maximum number of names that are shown for a shared change or message.
pub const NAMES: usize = 4;

/// The number of results of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cases that pass.
    pub passed: usize,
    /// Cases whose catalogs differ.
    pub changed: usize,
    /// Cases without an accepted snapshot.
    pub new: usize,
    /// Cases whose changes were accepted.
    pub accepted: usize,
    /// Cases that do not meet expectations.
    pub failed: usize,
}

impl Counts {
    /// The counts of a report.
    #[must_use]
    pub fn of(report: &Report) -> Counts {
        let mut counts = Counts::default();
        for result in &report.results {
            let count = match state_name(result) {
                "changed" => &mut counts.changed,
                "new" => &mut counts.new,
                "accepted" => &mut counts.accepted,
                "failed" => &mut counts.failed,
                _ => &mut counts.passed,
            };
            *count += 1;
        }
        for case in &report.classified {
            *(if case.verdict.failures.is_empty() { &mut counts.passed } else { &mut counts.failed }) += 1;
        }
        counts
    }

    /// The number of all results.
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
        let counts = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        let text = counts.collect::<Vec<_>>().join(", ");
        if text.is_empty() { "nothing to test".to_owned() } else { text }
    }
}

/// The name of a result's state, as in reports.
#[must_use]
pub fn state_name(result: &CaseResult) -> &'static str {
    match &result.state {
        _ if !result.failures.is_empty() => "failed",
        State::Changed(_) => "changed",
        State::New(_) => "new",
        State::Accepted(_) => "accepted",
        State::Same | State::WithoutSnapshot => "passed",
    }
}

/// Groups results with equal messages: the messages of the first result, and the names of all. Names of cases in messages are
/// ignored in the comparison.
#[must_use]
pub fn group_by_messages<'r>(
    results: impl IntoIterator<Item = (&'r str, Vec<String>)>,
) -> Vec<(Vec<String>, Vec<&'r str>)> {
    let mut groups: IndexMap<Vec<String>, (Vec<String>, Vec<&'r str>)> = IndexMap::new();
    for (name, messages) in results {
        let nameless = messages.iter().map(|message| message.replace(name, "\0")).collect();
        groups.entry(nameless).or_insert_with(|| (messages, Vec::new())).1.push(name);
    }
    groups.into_values().collect()
}

/// The problems of a case: expectations that are not met, errors logged before the failure, which are often its reason, and the
/// error of a case without a snapshot.
#[must_use]
pub fn messages(result: &CaseResult) -> Vec<String> {
    let mut messages = result.failures.clone();
    if messages.is_empty() {
        messages.extend(result.error.clone().filter(|_| matches!(result.state, State::New(_))));
    } else if result.error.is_some() {
        let errors = result.logs.iter().filter(|line| line.severity >= Severity::Error);
        messages.extend(errors.map(|line| format!("logged: {}", line.message_with_source())));
    }
    messages
}

/// `web1`; `304 cases: web1, web2, web3, web4 and 300 more`.
#[must_use]
pub fn cases(names: &[&str]) -> String {
    match names {
        [one] => visible::line(one).into_owned(),
        several => format!("{} cases: {}", several.len(), abbreviate(several, NAMES)),
    }
}

/// Indents each line.
#[must_use]
pub fn indented(text: &str, by: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{by}{line}\n") };
    text.lines().map(line).collect()
}
