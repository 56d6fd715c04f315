//! Interned identifiers: variables, classes, types, parameters.
//!
//! In: text. Out: [`Name`], `Copy`, compared and hashed by address. Must not: hold data strings (Hiera values, facts),
//! whose number is not bounded by the source; be ordered by anything but its text.

mod table;

use std::fmt;
use std::hash::BuildHasher;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::RwLock;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

pub use table::Table;

/// An interned identifier. Two names are equal exactly when their texts are.
#[derive(Clone, Copy)]
pub struct Name(&'static str);

type Interned = RwLock<HashTable<&'static str>>;

fn table() -> &'static Interned {
    static TABLE: OnceLock<Interned> = OnceLock::new();
    TABLE.get_or_init(|| RwLock::new(HashTable::with_capacity(4096)))
}

impl Name {
    /// The name with this text.
    #[must_use]
    pub fn new(text: &str) -> Name {
        let hash = FxBuildHasher.hash_one(text);
        let known = |table: &HashTable<&'static str>| table.find(hash, |entry| *entry == text).copied();
        if let Some(entry) = known(&table().read().unwrap_or_else(PoisonError::into_inner)) {
            return Name(entry);
        }
        let mut names = table().write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known(&names) {
            return Name(entry);
        }
        // Identifiers live as long as the process: they are few and every tree refers to them.
        let entry: &'static str = Box::leak(text.to_owned().into_boxed_str());
        names.insert_unique(hash, entry, |entry| FxBuildHasher.hash_one(*entry));
        Name(entry)
    }

    /// The text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// The name without a leading `::`, in lower case: how classes, types and functions are keyed.
    #[must_use]
    pub fn normalized(self) -> Name {
        let text = self.0.strip_prefix("::").unwrap_or(self.0);
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Name::new(&text.to_ascii_lowercase());
        }
        if text.len() == self.0.len() { self } else { Name::new(text) }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Name {}
impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().addr().hash(state);
    }
}
impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.0.cmp(other.0)
    }
}
impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}
impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}
impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0
    }
}
impl std::ops::Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        self.0
    }
}
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// A hash map keyed by names. Iterate it only where order does not reach the output.
pub type NameMap<V> = std::collections::HashMap<Name, V, FxBuildHasher>;

/// A name that is written in the code: looked up once, not at each use.
#[macro_export]
macro_rules! name {
    ($text:literal) => {{
        static NAME: std::sync::OnceLock<$crate::names::Name> = std::sync::OnceLock::new();
        *NAME.get_or_init(|| $crate::names::Name::new($text))
    }};
}
