//! Secrets of a compile: values that must not appear in snapshots, differences, messages or any output except the catalog.
//!
//! In: strings, reported with [`report`] when a compile decrypts, marks as `Sensitive` or unwraps them; output to be redacted.
//! Out: [`Secrets`], which replaces secrets by tokens. Must not: know values of the language or files.
//!
//! | module | content |
//! |---|---|
//! | `collect` | collection of reported strings, per thread |
//! | `key` | the key of a site; tokens; comparison of tokens with different keys |
//! | `document` | redaction of catalogs as JSON documents |

mod collect;
mod document;
mod key;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::PoisonError;

use aho_corasick::AhoCorasick;
use aho_corasick::AhoCorasickBuilder;
use aho_corasick::AhoCorasickKind;
use aho_corasick::MatchKind;

pub use collect::ReportedSecrets;
pub use collect::collect;
pub use collect::report;
pub use collect::reported;
pub use document::Redacted;
pub use document::SubmissionRedactor;
pub use key::Key;
pub use key::comparable;

/// The shortest secret that is replaced within strings. Shorter ones, which are part of too many words, are replaced only as whole
/// values.
pub(crate) const MIN_LENGTH: usize = 4;

/// The shortest line of a multi-line secret that is also replaced by itself, if it has no space: a line of a private key, but not a
/// comment in a secret configuration file.
const MIN_LINE_LENGTH: usize = 16;

/// The secrets of a compile, and the key of the tokens that replace them.
#[derive(Clone, Default)]
pub struct Secrets {
    key: Key,
    /// Sorted and unique.
    strings: Vec<Arc<str>>,
    matcher: OnceLock<Option<Arc<Matcher>>>,
}

/// Finds spellings of secrets in strings.
struct Matcher {
    automaton: AhoCorasick,
    secrets: Vec<Arc<str>>,
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
        Secrets { key, strings: reported.into_strings(), matcher: OnceLock::new() }
    }

    /// The secrets of two compiles, with the key for tokens: a value that is secret in one of them is redacted in both.
    #[must_use]
    pub fn union(&self, other: &Secrets, key: &Key) -> Secrets {
        let mut strings: Vec<Arc<str>> = self.strings.iter().chain(&other.strings).cloned().collect();
        strings.sort_unstable();
        strings.dedup();
        Secrets { key: key.clone(), strings, matcher: OnceLock::new() }
    }

    /// The secrets that are long enough to be replaced within strings.
    #[must_use]
    pub(crate) fn without_short(&self) -> Secrets {
        let strings = self.strings.iter().filter(|secret| secret.len() >= MIN_LENGTH).cloned().collect();
        Secrets { key: self.key.clone(), strings, matcher: OnceLock::new() }
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
        let matcher = self.matcher.get_or_init(|| Matcher::cached(&self.strings)).as_ref()?;
        let mut found = matcher.automaton.find_iter(text).peekable();
        found.peek()?;
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for part in found {
            out.push_str(text.get(end..part.start()).unwrap_or_default());
            let secret = matcher.secrets.get(part.pattern().as_usize()).map_or("", AsRef::as_ref);
            out.push_str(&self.key.token(&serde_json::Value::from(secret)));
            end = part.end();
        }
        out.push_str(text.get(end..).unwrap_or_default());
        Some(out)
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
        let Some(matcher) = self.matcher.get_or_init(|| Matcher::cached(&self.strings)).as_ref() else {
            return Vec::new();
        };
        let found = matcher.automaton.find_iter(text);
        found.filter_map(|part| matcher.secrets.get(part.pattern().as_usize()).cloned()).collect()
    }

    /// The string with tokens in place of secrets.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replace(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// A cache of matchers. Many nodes have the same secrets, and building a matcher takes longer than searching a few messages.
static MATCHERS: Mutex<Vec<(Vec<Arc<str>>, Arc<Matcher>)>> = Mutex::new(Vec::new());

/// The number of cached matchers.
const MAX_CACHED: usize = 32;

impl Matcher {
    fn cached(strings: &[Arc<str>]) -> Option<Arc<Matcher>> {
        let cache = || MATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, matcher)) = cache().iter().find(|(cached, _)| cached == strings) {
            return Some(matcher.clone());
        }
        let matcher = Arc::new(Matcher::new(strings)?);
        let mut cache = cache();
        if cache.len() >= MAX_CACHED {
            cache.remove(0);
        }
        cache.push((strings.to_vec(), matcher.clone()));
        Some(matcher)
    }

    fn new(strings: &[Arc<str>]) -> Option<Matcher> {
        let (mut patterns, mut secrets) = (Vec::new(), Vec::new());
        for secret in strings {
            for spelling in spellings(secret) {
                patterns.push(spelling);
                secrets.push(secret.clone());
            }
        }
        let mut builder = AhoCorasickBuilder::new();
        builder.match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(true);
        // This automaton is faster to build than the one that the library would choose.
        builder.kind(Some(AhoCorasickKind::ContiguousNFA));
        builder.build(&patterns).ok().map(|automaton| Matcher { automaton, secrets })
    }
}

/// The spellings of a secret: verbatim, without the final newline, escaped in a JSON string, escaped in single quotes of Puppet.
fn spellings(secret: &str) -> Vec<String> {
    let trimmed = secret.trim_end_matches(['\n', '\r']);
    let json = serde_json::Value::from(trimmed).to_string();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    let quoted = trimmed.replace('\\', "\\\\").replace('\'', "\\'");
    let mut all: Vec<String> = vec![secret.to_owned(), trimmed.to_owned(), json.to_owned(), quoted];
    // Templates indent and join the lines of strings.
    let is_key = |line: &&str| line.len() >= MIN_LINE_LENGTH && !line.contains(char::is_whitespace) && *line != trimmed;
    all.extend(trimmed.lines().map(str::trim).filter(is_key).map(str::to_owned));
    all.retain(|spelling| spelling.len() >= MIN_LENGTH);
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(strings: &[&str]) -> Secrets {
        let (_, reported) = collect(|| strings.iter().for_each(|string| report(string)));
        Secrets::new(Key::from_bytes(b"0123456789abcdef"), reported)
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
        ] {
            let shown = secrets.redact(text);
            assert!(shown.contains("<Sensitive "), "{text} => {shown}");
            assert!(!shown.to_lowercase().contains("hunter2") && !shown.contains("lines-of"), "{shown}");
        }
        for text in ["pinned", "true", "hunter", ""] {
            assert_eq!(secrets.replace(text), None);
        }
        assert!(secrets.redact("pin").starts_with("<Sensitive "));
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
