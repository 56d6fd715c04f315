//! Finds the spellings of secrets in strings.
//!
//! In: secrets, a string. Out: the string with replacements, or the secrets in it. Must not: know keys or tokens.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use aho_corasick::AhoCorasickBuilder;
use aho_corasick::AhoCorasickKind;
use aho_corasick::MatchKind;

use super::MIN_LENGTH;

/// The shortest line of a multi-line secret that is also replaced by itself, if it has no space: a line of a private key, but not a
/// comment in a secret configuration file.
const MIN_LINE_LENGTH: usize = 16;

/// The number of matchers that a session keeps.
const MAX_CACHED: usize = 32;

/// Finds spellings of secrets in strings.
pub(super) struct Matcher {
    automaton: AhoCorasick,
    /// The secret of each pattern.
    secrets: Vec<Arc<str>>,
}

impl Matcher {
    /// A matcher of these secrets; `None` if they are too many for an automaton.
    pub(super) fn new(strings: &[Arc<str>]) -> Option<Matcher> {
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

    /// Replaces each secret by the token that `token` returns for it. `None`: there is no secret in the string.
    pub(super) fn replace(&self, text: &str, token: impl Fn(&str) -> String) -> Option<String> {
        let mut found = self.automaton.find_iter(text).peekable();
        found.peek()?;
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for part in found {
            out.push_str(text.get(end..part.start()).unwrap_or_default());
            out.push_str(&token(self.secrets.get(part.pattern().as_usize()).map_or("", AsRef::as_ref)));
            end = part.end();
        }
        out.push_str(text.get(end..).unwrap_or_default());
        Some(out)
    }

    /// The secrets in a string.
    pub(super) fn find_in(&self, text: &str) -> Vec<Arc<str>> {
        let found = self.automaton.find_iter(text);
        found.filter_map(|part| self.secrets.get(part.pattern().as_usize()).cloned()).collect()
    }
}

/// The matchers of a session: many nodes have the same secrets, and building a matcher takes longer than searching a few messages.
#[derive(Default)]
pub struct Matchers {
    /// The last matchers, each with its secrets.
    recent: Mutex<Vec<(Vec<Arc<str>>, Arc<Matcher>)>>,
}

impl fmt::Debug for Matchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Matchers")
    }
}

impl Matchers {
    pub(super) fn find_or_build(&self, strings: &[Arc<str>]) -> Option<Arc<Matcher>> {
        let recent = || self.recent.lock();
        if let Some((_, matcher)) = recent().iter().find(|(cached, _)| cached == strings) {
            return Some(matcher.clone());
        }
        let matcher = Arc::new(Matcher::new(strings)?);
        let mut recent = recent();
        if recent.len() >= MAX_CACHED {
            recent.remove(0);
        }
        recent.push((strings.to_vec(), matcher.clone()));
        Some(matcher)
    }
}

/// The spellings of a secret: verbatim, without the final newline, escaped in a JSON string, in single quotes of Puppet, in single
/// and double quotes of a shell, and for a shell without quotes (Shellwords.escape).
fn spellings(secret: &str) -> Vec<String> {
    let trimmed = secret.trim_end_matches(['\n', '\r']);
    let json = serde_json::Value::from(trimmed).to_string();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    let puppet_quoted = trimmed.replace('\\', "\\\\").replace('\'', "\\'");
    let shell_quoted = trimmed.replace('\'', "'\\''");
    let double_quoted = trimmed.chars().fold(String::new(), |mut quoted, c| {
        quoted.extend("\\\"$`".contains(c).then_some('\\'));
        quoted.push(c);
        quoted
    });
    let mut all: Vec<String> = vec![
        secret.to_owned(),
        trimmed.to_owned(),
        json.to_owned(),
        puppet_quoted,
        shell_quoted,
        double_quoted,
        shell_escaped(trimmed),
    ];
    // Templates indent and join the lines of strings.
    let is_key = |line: &&str| line.len() >= MIN_LINE_LENGTH && !line.contains(char::is_whitespace) && *line != trimmed;
    all.extend(trimmed.lines().map(str::trim).filter(is_key).map(str::to_owned));
    all.retain(|spelling| spelling.len() >= MIN_LENGTH);
    all.sort_unstable();
    all.dedup();
    all
}

/// The string with a backslash before each character that a shell could interpret.
fn shell_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) || !c.is_ascii() => escaped.push(c),
            c => escaped.extend(['\\', c]),
        }
    }
    escaped
}
