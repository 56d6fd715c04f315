//! The key of a site, and the tokens that replace secrets: `<Sensitive ID.DIGEST>`, or `<Sensitive>` without a key.
//!
//! A digest without a key would reveal weak passwords to a dictionary attack. With the key of the site, which is not under version
//! control, equal secrets have equal tokens, so that changes are visible, but nobody without the key can test a guess.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::OnceLock;

use hmac::Hmac;
use hmac::KeyInit;
use hmac::Mac;
use regex::Captures;
use regex::Regex;
use sha2::Sha256;

/// The shortest key in bytes. Shorter keys could be guessed and are ignored.
const MIN_KEY_LENGTH: usize = 16;
/// The number of bytes of the digest in a token.
const DIGEST_LENGTH: usize = 6;
/// The number of bytes of the digest that identifies the key.
const ID_LENGTH: usize = 2;

/// The source of a key.
type Source = dyn Fn() -> Option<Vec<u8>> + Send + Sync;

/// The key for digests of secrets, loaded when the first token is created. The default is no key.
#[derive(Clone, Default)]
pub struct Key {
    inner: Option<Arc<LazyKey>>,
}

struct LazyKey {
    source: Box<Source>,
    bytes: OnceLock<Option<LoadedKey>>,
}

struct LoadedKey {
    id: String,
    bytes: Vec<u8>,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.inner.is_some() { "Key(…)" } else { "Key(none)" })
    }
}

impl Key {
    /// A key that is loaded from `source` on first use. There is no key if `source` returns `None` or fewer than 16 bytes.
    pub fn new(source: impl Fn() -> Option<Vec<u8>> + Send + Sync + 'static) -> Key {
        Key { inner: Some(Arc::new(LazyKey { source: Box::new(source), bytes: OnceLock::new() })) }
    }

    /// A key of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Key {
        let bytes = bytes.to_vec();
        Key::new(move || Some(bytes.clone()))
    }

    fn load(&self) -> Option<&LoadedKey> {
        let inner = self.inner.as_ref()?;
        let loaded = inner.bytes.get_or_init(|| {
            let bytes = (inner.source)().filter(|bytes| bytes.len() >= MIN_KEY_LENGTH)?;
            let id = digest(&bytes, b"key of catwalk", ID_LENGTH)?;
            Some(LoadedKey { id, bytes })
        });
        loaded.as_ref()
    }

    /// Whether there is a key. If so, tokens contain digests.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.load().is_some()
    }

    /// The token that replaces a value.
    #[must_use]
    pub fn token(&self, value: &serde_json::Value) -> String {
        match self.digest_with_id(&value.to_string()) {
            Some(digest) => format!("<Sensitive {digest}>"),
            None => "<Sensitive>".to_owned(),
        }
    }

    /// The identifier of the key and the digest of a string, `ID.DIGEST`; zeros without a key.
    #[must_use]
    pub fn digest(&self, text: &str) -> String {
        self.digest_with_id(text).unwrap_or_else(|| "0000.000000000000".to_owned())
    }

    fn digest_with_id(&self, text: &str) -> Option<String> {
        let loaded = self.load()?;
        let digest = digest(&loaded.bytes, text.as_bytes(), DIGEST_LENGTH)?;
        Some(format!("{}.{digest}", loaded.id))
    }
}

/// The first bytes of an HMAC-SHA-256 in hexadecimal digits.
fn digest(key: &[u8], data: &[u8], length: usize) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(data);
    let bytes = mac.finalize().into_bytes();
    Some(bytes.iter().take(length).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// Matches a digest with the identifier of its key, in a token or by itself. Tokens with eight digits and no identifier were written
/// by earlier versions.
static DIGEST_PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?<token><Sensitive )(?:(?<key_of_token>[0-9a-f]{4})\.[0-9a-f]{12}|[0-9a-f]{8})>|\b(?<key>[0-9a-f]{4})\.[0-9a-f]{12}\b",
    )
    .ok()
});

/// Whether a string is a single token.
pub(super) fn is_token(text: &str) -> bool {
    let whole =
        |found: Captures<'_>| found.name("token").is_some() && found.get(0).is_some_and(|all| all.len() == text.len());
    text == "<Sensitive>" || DIGEST_PATTERN.as_ref().and_then(|pattern| pattern.captures(text)).is_some_and(whole)
}

/// Makes two strings comparable: digests with different keys differ for equal secrets, so they are removed.
#[must_use]
pub fn comparable<'t>(one: &'t str, two: &'t str) -> (Cow<'t, str>, Cow<'t, str>) {
    let Some(pattern) = DIGEST_PATTERN.as_ref() else { return (Cow::Borrowed(one), Cow::Borrowed(two)) };
    let (first, second) = (keys(one, pattern), keys(two, pattern));
    let same = first.is_empty() || second.is_empty() || (first.len() == 1 && first == second && !first.contains(""));
    if same {
        return (Cow::Borrowed(one), Cow::Borrowed(two));
    }
    (pattern.replace_all(one, without_digest), pattern.replace_all(two, without_digest))
}

fn without_digest(found: &Captures<'_>) -> String {
    if found.name("token").is_some() { "<Sensitive>" } else { "?" }.to_owned()
}

/// Replaces tokens with digests by `<Sensitive>`.
pub(super) fn without_digests(text: &str) -> String {
    DIGEST_PATTERN
        .as_ref()
        .map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, without_digest).into_owned())
}

/// The identifiers of the keys of all digests in a string: `none` for tokens without a digest, an empty string for tokens of earlier
/// versions.
fn keys<'t>(text: &'t str, pattern: &Regex) -> BTreeSet<&'t str> {
    let named = |found: Captures<'t>| found.name("key_of_token").or(found.name("key")).map_or("", |key| key.as_str());
    let without = text.contains("<Sensitive>").then_some("none");
    pattern.captures_iter(text).map(named).chain(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_different_keys_are_compared_without_their_digests() {
        let (a, b) = (Key::from_bytes(&[1; 32]), Key::from_bytes(&[2; 32]));
        let text = |key: &Key, secret: &str| format!("password: {}", key.token(&serde_json::Value::from(secret)));
        let same = |one: &str, two: &str| {
            let (one, two) = comparable(one, two);
            one == two
        };
        assert!(same(&text(&a, "x"), &text(&a, "x")));
        assert!(!same(&text(&a, "x"), &text(&a, "y")));
        assert!(same(&text(&a, "x"), &text(&b, "y")));
        assert!(same(&text(&a, "x"), &text(&Key::default(), "x")));
        assert!(same(&text(&a, "x"), "password: <Sensitive 0a1b2c3d>"));
        assert!(same("password: <Sensitive 0a1b2c3d>", "password: <Sensitive 0a1b2c3e>"));
        assert!(!same(&text(&a, "x"), "password: x"));
        assert_eq!(Key::from_bytes(b"short").token(&serde_json::Value::Null), "<Sensitive>");
    }
}
