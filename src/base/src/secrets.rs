//! Secrets of a compile: values that must not appear in snapshots, differences, messages or any output except the catalog.
//!
//! In: strings, reported to a [`SecretCollection`] when a compile decrypts, marks as `Sensitive` or unwraps them; output to be redacted.
//! Out: [`Secrets`], which replaces secrets by tokens. Must not: know values of the language or files.
//!
//! | module | content |
//! |---|---|
//! | `collection` | the collection of reported strings |
//! | `matcher` | finds the spellings of secrets in strings; the matchers that a session shares |
//! | `run` | the secrets of a run, which become known while it prints |
//! | `key` | the key of a site; tokens; comparison of tokens with different keys |
//! | `document` | redaction of catalogs as JSON documents |

mod collection;
mod document;
mod key;
mod matcher;
mod run;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::Weak;

use matcher::Matcher;

pub use collection::ReportedSecrets;
pub use collection::SecretCollection;
pub use document::Redacted;
pub use document::SubmissionRedactor;
pub use key::Key;
pub use key::comparable;
pub use matcher::Matchers;
pub use run::RunSecrets;

/// The shortest secret that is replaced within strings. Shorter ones, which are part of too many words, are replaced only as whole
/// values.
pub(crate) const MIN_LENGTH: usize = 4;

/// The secrets of a compile, and the key of the tokens that replace them.
#[derive(Clone, Default)]
pub struct Secrets {
    key: Key,
    /// Sorted and unique.
    strings: Vec<Arc<str>>,
    matcher: OnceLock<Option<Arc<Matcher>>>,
    /// The matchers of the session, as long as it is open.
    matchers: Weak<Matchers>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.strings.len())
    }
}

impl PartialEq for Secrets {
    fn eq(&self, other: &Secrets) -> bool {
        self.strings == other.strings
    }
}

impl Eq for Secrets {}

impl Secrets {
    /// The secrets that a compile reported, with the key for tokens.
    #[must_use]
    pub fn new(key: Key, reported: ReportedSecrets) -> Secrets {
        Secrets { key, strings: reported.into_strings(), matcher: OnceLock::new(), matchers: Weak::new() }
    }

    /// The secrets that a compile of a session reported; compiles with equal secrets share a matcher.
    #[must_use]
    pub fn sharing(key: Key, reported: ReportedSecrets, matchers: &Arc<Matchers>) -> Secrets {
        Secrets { matchers: Arc::downgrade(matchers), ..Secrets::new(key, reported) }
    }

    /// The secrets of two compiles, with the key for tokens: a value that is secret in one of them is redacted in both.
    #[must_use]
    pub fn union(&self, other: &Secrets, key: &Key) -> Secrets {
        let mut strings: Vec<Arc<str>> = self.strings.iter().chain(&other.strings).cloned().collect();
        strings.sort_unstable();
        strings.dedup();
        Secrets { key: key.clone(), strings, matcher: OnceLock::new(), matchers: self.matchers.clone() }
    }

    /// The secrets that are long enough to be replaced within strings.
    #[must_use]
    pub(crate) fn without_short(&self) -> Secrets {
        let strings = self.strings.iter().filter(|secret| secret.len() >= MIN_LENGTH).cloned().collect();
        Secrets { key: self.key.clone(), strings, matcher: OnceLock::new(), matchers: self.matchers.clone() }
    }

    /// Whether no string is secret.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// The key for tokens.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Whether a whole string is a secret.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.strings.binary_search_by(|secret| secret.as_ref().cmp(text)).is_ok()
    }

    /// The matcher of these secrets; `None` if all are too short to be replaced within strings.
    fn matcher(&self) -> Option<&Arc<Matcher>> {
        let find = || match self.matchers.upgrade() {
            Some(shared) => shared.find_or_build(&self.strings),
            None => Matcher::new(&self.strings).map(Arc::new),
        };
        self.matcher.get_or_init(find).as_ref()
    }

    /// Replaces every secret in a string by its token, also in different ASCII case and with the escapes of JSON, Ruby or Puppet.
    /// Returns `None` if the string contains no secret.
    #[must_use]
    pub fn replace(&self, text: &str) -> Option<String> {
        if self.strings.is_empty() {
            return None;
        }
        if text.len() < MIN_LENGTH {
            return self.contains(text).then(|| self.key.token(&serde_json::Value::from(text)));
        }
        self.matcher()?.replace(text, |secret| self.key.token(&serde_json::Value::from(secret)))
    }

    /// The secrets that a string contains.
    #[must_use]
    pub fn find_in(&self, text: &str) -> Vec<Arc<str>> {
        if self.strings.is_empty() {
            return Vec::new();
        }
        if text.len() < MIN_LENGTH {
            return if self.contains(text) { vec![Arc::from(text)] } else { Vec::new() };
        }
        self.matcher().map(|matcher| matcher.find_in(text)).unwrap_or_default()
    }

    /// The string with tokens in place of secrets.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replace(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(strings: &[&str]) -> ReportedSecrets {
        let collection = SecretCollection::default();
        strings.iter().for_each(|string| collection.report(string));
        collection.reported()
    }

    fn secrets(strings: &[&str]) -> Secrets {
        Secrets::new(Key::from_bytes(b"0123456789abcdef"), reported(strings))
    }

    #[test]
    fn secrets_are_found_however_they_are_written() {
        let secrets = secrets(&["hunter2", "two\nlines-of-key-material", "q\"u'o\\te", "pin", "true"]);
        for text in [
            "password=hunter2;",
            "HUNTER2",
            "two\nlines-of-key-material",
            "  lines-of-key-material",
            r#"{"a":"two\nlines-of-key-material"}"#,
            r#"q\"u'o\\te"#,
            r#"'q"u\'o\\te'"#,
            r#"sh -c 'q"u'\''o\te'"#,
            r#"sh -c q\"u\'o\\te"#,
        ] {
            let shown = secrets.redact(text);
            assert!(shown.contains("<Sensitive "), "{text} => {shown}");
            assert!(!shown.to_lowercase().contains("hunter2") && !shown.contains("lines-of"), "{shown}");
            assert!(!shown.contains("o\\te") && !shown.contains("o\\\\te"), "{shown}");
        }
        for text in ["pinned", "true", "hunter", ""] {
            assert_eq!(secrets.replace(text), None);
        }
        assert!(secrets.redact("pin").starts_with("<Sensitive "));
    }

    #[test]
    fn secrets_of_a_session_share_a_matcher_as_long_as_it_is_open() {
        let matchers = Arc::new(Matchers::default());
        let secrets = |strings: &[&str]| Secrets::sharing(Key::default(), reported(strings), &matchers);
        let (one, same, other) = (secrets(&["hunter2"]), secrets(&["hunter2"]), secrets(&["hunter3"]));
        let address = |secrets: &Secrets| secrets.matcher().map(Arc::as_ptr);
        assert_eq!(address(&one), address(&same));
        assert_ne!(address(&one), address(&other));
        let late = secrets(&["hunter4"]);
        drop(matchers);
        assert_eq!(late.redact("hunter4 and hunter2"), "<Sensitive> and hunter2");
    }

    #[test]
    fn a_run_hides_what_was_reported_before_it_prints() {
        let mut run = RunSecrets::default();
        let collection = Arc::new(SecretCollection::default());
        run.follow(&collection);
        assert_eq!(run.current().redact("hunter2 hunter3"), "hunter2 hunter3");
        collection.report("hunter2");
        assert_eq!(run.current().redact("hunter2 hunter3"), "<Sensitive> hunter3");
        // Whichever thread reports it.
        std::thread::scope(|scope| drop(scope.spawn(|| collection.report("hunter3"))));
        assert_eq!(run.current().redact("hunter2 hunter3"), "<Sensitive> <Sensitive>");
        run.add(&secrets(&["other-pw"]));
        assert!(run.current().redact("other-pw").starts_with("<Sensitive "), "the key of the added secrets is used");
    }

    #[test]
    #[should_panic(expected = "outside of a compile")]
    fn a_secret_outside_of_all_compiles_is_a_fault() {
        SecretCollection::outside_of_compiles().report("hunter2");
    }

    #[test]
    fn equal_secrets_have_equal_tokens() {
        let token = |strings: &[&str], text: &str| secrets(strings).redact(text).into_owned();
        assert_eq!(token(&["hunter2"], "hunter2"), token(&["hunter2", "more"], "hunter2"));
        assert_ne!(token(&["hunter2"], "hunter2"), token(&["hunter3"], "hunter3"));
        let without = Secrets { key: Key::default(), ..secrets(&["hunter2"]) };
        assert_eq!(without.redact("a hunter2 b"), "a <Sensitive> b");
    }
}
