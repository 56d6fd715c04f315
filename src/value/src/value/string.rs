//! Strings with the encoding that Ruby code sees.
//!
//! In: characters, from literals, data and functions. Out: [`Str`], 16 bytes, cheap to clone.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::ops::Deref;
use std::sync::Arc;

/// A string: its characters, and whether its encoding in Ruby is that of bytes (ASCII-8BIT, also called BINARY).
///
/// Most strings are UTF-8. Some Ruby methods (`String#crypt`, `Base64.decode64` …) return binary strings, which are `Binary` values in
/// the catalog (Puppet::Pops::Serialization::ToDataConverter#to_data). Strings with equal characters are equal regardless of their
/// encodings. A string whose bytes are not UTF-8 is a [`super::Value::Binary`].
#[derive(Clone)]
pub struct Str(Repr);

#[derive(Clone)]
enum Repr {
    Utf8(Arc<str>),
    /// Rare. The second pointer keeps both variants within 16 bytes.
    Binary(Arc<Arc<str>>),
}

const _: () = assert!(size_of::<Str>() == size_of::<Arc<str>>(), "a value holds a string in 16 bytes");

impl Str {
    /// A binary string.
    #[must_use]
    pub fn binary(characters: impl Into<Arc<str>>) -> Str {
        Str(Repr::Binary(Arc::new(characters.into())))
    }

    /// Whether the string is binary.
    #[inline]
    #[must_use]
    pub fn is_binary(&self) -> bool {
        matches!(self.0, Repr::Binary(_))
    }

    /// A string with new characters and the encoding of this one, as most methods of Ruby's `String` return it.
    #[must_use]
    pub fn with_characters(&self, characters: impl Into<Arc<str>>) -> Str {
        if self.is_binary() { Str::binary(characters) } else { Str(Repr::Utf8(characters.into())) }
    }

    /// The characters.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.characters()
    }

    /// The characters, in memory shared with this string.
    #[inline]
    #[must_use]
    pub fn characters(&self) -> &Arc<str> {
        match &self.0 {
            Repr::Utf8(characters) => characters,
            Repr::Binary(characters) => characters,
        }
    }

    /// A new reference to the characters.
    #[inline]
    #[must_use]
    pub fn to_shared(&self) -> Arc<str> {
        self.characters().clone()
    }
}

impl Deref for Str {
    type Target = str;
    #[inline]
    fn deref(&self) -> &str {
        self.characters()
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self.characters()
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self.characters()
    }
}

impl From<Arc<str>> for Str {
    #[inline]
    fn from(characters: Arc<str>) -> Str {
        Str(Repr::Utf8(characters))
    }
}

impl From<&str> for Str {
    fn from(characters: &str) -> Str {
        Str(Repr::Utf8(Arc::from(characters)))
    }
}

impl From<String> for Str {
    fn from(characters: String) -> Str {
        Str(Repr::Utf8(Arc::from(characters)))
    }
}

impl From<Str> for Arc<str> {
    fn from(string: Str) -> Arc<str> {
        match string.0 {
            Repr::Utf8(characters) => characters,
            Repr::Binary(characters) => Arc::unwrap_or_clone(characters),
        }
    }
}

impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Str) -> bool {
        **self == **other
    }
}
impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<Arc<str>> for Str {
    fn eq(&self, other: &Arc<str>) -> bool {
        **self == **other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Str) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn an_encoding_belongs_to_a_string_and_its_copies() {
        let binary = Str::binary("abc");
        assert!(binary.is_binary() && binary.clone().is_binary() && binary.with_characters("b").is_binary());
        let shared = binary.to_shared();
        assert!(!Str::from(shared).is_binary() && !Str::from("abc").with_characters("b").is_binary());
    }

    #[test]
    fn strings_are_compared_by_their_characters() {
        let (binary, text) = (Value::Str(Str::binary("abc")), Value::str("abc"));
        assert_eq!(binary, text);
        let hash: crate::value::Hash = [(binary.clone(), Value::Int(1))].into_iter().collect();
        assert_eq!(hash.get_value(&text), Some(&Value::Int(1)));
        assert_eq!(hash.get("abc"), Some(&Value::Int(1)));
        assert_eq!(Str::binary("a").cmp(&Str::from("b")), Ordering::Less);
        assert_eq!(format!("{binary:?}"), format!("{text:?}"));
    }
}
