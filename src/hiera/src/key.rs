//! Lookup keys: `a.b.0."x.y"` split into the root key and the steps below it.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;

use catwalk_value::Hash;
use catwalk_value::Value;

/// One step of a dotted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Key(String),
    Index(i64),
    /// A number larger than the index of any array.
    HugeIndex(Arc<BigInt>),
}

impl Segment {
    /// The step as the key of a hash, if it can be one.
    pub(super) fn hash_key(&self) -> Option<&str> {
        match self {
            Segment::Key(text) => Some(text),
            Segment::Index(_) | Segment::HugeIndex(_) => None,
        }
    }

    /// The step as a value, for hash keys and functions.
    pub(super) fn value(&self) -> Value {
        match self {
            Segment::Key(text) => Value::str(text),
            Segment::Index(number) => Value::Int(*number),
            Segment::HugeIndex(number) => Value::BigInt(number.clone()),
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Key(text) => f.write_str(text),
            Segment::Index(number) => write!(f, "{number}"),
            Segment::HugeIndex(number) => write!(f, "{number}"),
        }
    }
}

/// A key, split into its root and steps.
#[derive(Clone, Debug)]
pub(super) struct LookupKey {
    /// The key as written.
    pub(super) name: Arc<str>,
    /// The key in the data.
    pub(super) root: Arc<str>,
    /// The steps into the value of the root.
    pub(super) segments: Vec<Segment>,
    /// The module whose data may have it.
    pub(super) module: Option<Arc<str>>,
}

/// Why a string is not a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InvalidKey {
    /// Puppet's message.
    Lookup(String),
    /// Ruby raises an exception instead.
    Ruby(String),
}

impl LookupKey {
    /// Splits a key; the error has Puppet's message (`Syntax error`).
    pub(super) fn new(text: &str) -> Result<LookupKey, InvalidKey> {
        let mut segments = split(text).map_err(|problem| InvalidKey::Lookup(format!("{problem} in key: '{text}'")))?;
        let root = segments.remove(0);
        let Segment::Key(root) = root else {
            return Err(InvalidKey::Ruby(format!("undefined method `index' for {root}:Integer")));
        };
        // For a key that starts with `::` the module's name is the key itself, as in Puppet.
        let module = root.find("::").map(|at| Arc::from(if at == 0 { &root } else { root.get(..at).unwrap_or("") }));
        let text: Arc<str> = Arc::from(text);
        let root = if root == *text { text.clone() } else { Arc::from(root) };
        Ok(LookupKey { name: text, root, segments, module })
    }

    /// The reserved key.
    pub(super) fn lookup_options() -> LookupKey {
        let root: Arc<str> = Arc::from(super::LOOKUP_OPTIONS);
        LookupKey { name: root.clone(), root, segments: Vec::new(), module: None }
    }

    /// Wraps a value so that it can be dug out with this key's steps.
    pub(super) fn undig(&self, value: Value) -> Value {
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Segment::Index(at @ 0..=65535) => {
                let mut items = vec![Value::Undef; usize::try_from(*at).unwrap_or(0)];
                items.push(inner);
                Value::array(items)
            }
            other => Value::hash(Hash::from_iter([(other.value(), inner)])),
        })
    }

    /// Root and steps as values.
    pub(super) fn path(&self) -> Value {
        let steps = self.segments.iter().map(Segment::value);
        Value::array(std::iter::once(Value::from(self.root.clone())).chain(steps).collect())
    }
}

/// Splits at dots outside quotes (SubLookup#split_key). At least one segment comes out.
pub(super) fn split(key: &str) -> Result<Vec<Segment>, &'static str> {
    const PROBLEM: &str = "Syntax error";
    if memchr::memchr2(b'\'', b'"', key.as_bytes()).is_none() {
        if memchr::memchr(b'.', key.as_bytes()).is_none() {
            return Ok(vec![Segment::Key(key.to_owned())]);
        }
        let parts = key.split('.').map(|text| if text.is_empty() { Err(PROBLEM) } else { Ok(parse_segment(text)) });
        return parts.collect();
    }
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let length = token_length(rest).ok_or(PROBLEM)?;
        let (text, after) = rest.split_at(length);
        segments.push(parse_segment(text));
        if after.is_empty() {
            return Ok(segments);
        }
        rest = after.strip_prefix('.').ok_or(PROBLEM)?;
    }
}

/// The length of the quoted or plain token at the start.
fn token_length(text: &str) -> Option<usize> {
    let space = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '\r', '\n', '\u{b}', '\u{c}']).len();
    let before = space(text);
    let inner = text.get(before..)?;
    if let Some(quote @ ('"' | '\'')) = inner.chars().next()
        && let Some(end) = inner.get(1..)?.find(quote)
        && end > 0
    {
        let close = before + 1 + end + 1;
        return Some(close + space(text.get(close..)?));
    }
    let plain = text.find(['\'', '"', '.']).unwrap_or(text.len());
    (plain > 0).then_some(plain)
}

fn parse_segment(text: &str) -> Segment {
    let text = text.trim();
    if text.starts_with(['"', '\'']) {
        return Segment::Key(text.get(1..text.len().saturating_sub(1)).unwrap_or("").to_owned());
    }
    let digits = text.strip_prefix(':').unwrap_or(text);
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        // Ruby's to_i returns 0 for a string that starts with a colon.
        let number = text.strip_prefix('+').unwrap_or(text);
        return match (number.parse(), number.parse()) {
            (Ok(index), _) => Segment::Index(index),
            (_, Ok(huge)) => Segment::HugeIndex(Arc::new(huge)),
            _ => Segment::Index(0),
        };
    }
    Segment::Key(text.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn keys_split_at_dots_outside_quotes() {
        let show = |key: &str| match split(key) {
            Ok(segments) => segments.iter().map(|s| format!("<{s}>")).collect::<String>(),
            Err(problem) => problem.to_owned(),
        };
        // Answers of SubLookup#split_key.
        for (key, expected) in [
            ("a", "<a>"),
            ("a b", "<a b>"),
            ("a.b.c", "<a><b><c>"),
            ("a.0.-1", "<a><0><-1>"),
            ("'a.b'.c", "<a.b><c>"),
            ("a.\"b.c\" . d", "<a><b.c><d>"),
            ("a..b", "Syntax error"),
            ("a.", "Syntax error"),
            (".a", "Syntax error"),
            ("'a", "Syntax error"),
            ("a'b'", "Syntax error"),
            ("a.'b'c", "Syntax error"),
            ("''.a", "Syntax error"),
        ] {
            assert_eq!(show(key), expected, "{key}");
        }
        assert_eq!(LookupKey::new("ntp::servers.0").unwrap().module.as_deref(), Some("ntp"));
    }
}
