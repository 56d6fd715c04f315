//! The strings that the code of one compile reports as secret.
//!
//! A compile has its collection in its world: all code that makes or unwraps a secret is handed that world, in whichever thread it runs.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

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

    /// Adds other strings.
    pub fn add(&mut self, other: ReportedSecrets) {
        self.0.extend(other.0);
    }

    /// The strings, sorted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }
}

/// Collects the strings that code reports as secret. Threads may share it.
#[derive(Default)]
pub struct SecretCollection {
    strings: Mutex<BTreeSet<Arc<str>>>,
    /// Whether it belongs to no compile.
    is_outside: bool,
}

/// Shows no secrets.
impl fmt::Debug for SecretCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretCollection({})", self.strings.lock().len())
    }
}

/// A collection that already has the secrets of an earlier step for the same node.
impl From<&ReportedSecrets> for SecretCollection {
    fn from(earlier: &ReportedSecrets) -> SecretCollection {
        SecretCollection { strings: Mutex::new(earlier.0.clone()), is_outside: false }
    }
}

impl SecretCollection {
    /// The collection of a machine: it receives what is reported outside of all compiles. That is a fault, which ends a program with
    /// debug assertions; others hide these strings in the output of every compile.
    #[must_use]
    pub fn outside_of_compiles() -> SecretCollection {
        SecretCollection { strings: Mutex::default(), is_outside: true }
    }

    /// Reports a secret string. The empty string and words of the language are ignored.
    pub fn report(&self, string: &str) {
        let trimmed = string.trim_end_matches(['\n', '\r']);
        let length = trimmed.len();
        if !(1..=MAX_LENGTH).contains(&length) || NEVER_SECRET.iter().any(|word| word.eq_ignore_ascii_case(trimmed)) {
            return;
        }
        debug_assert!(!self.is_outside, "a secret is reported outside of a compile");
        let mut strings = self.strings.lock();
        if strings.len() < MAX_STRINGS && !strings.contains(string) {
            strings.insert(Arc::from(string));
        }
    }

    /// Adds the secrets of a compile within this one: a test that compiles a catalog has the secrets of both.
    pub fn add(&self, reported: &ReportedSecrets) {
        self.strings.lock().extend(reported.0.iter().cloned());
    }

    /// The strings that were reported so far.
    #[must_use]
    pub fn reported(&self) -> ReportedSecrets {
        ReportedSecrets(self.strings.lock().clone())
    }

    /// Takes the strings that were reported since the last call.
    #[must_use]
    pub fn take(&self) -> ReportedSecrets {
        ReportedSecrets(std::mem::take(&mut self.strings.lock()))
    }

    /// The reported strings that are not among these.
    pub(super) fn reported_beyond(&self, known: &ReportedSecrets) -> Vec<Arc<str>> {
        self.strings.lock().difference(&known.0).cloned().collect()
    }
}
