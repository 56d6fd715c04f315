//! Interned identifiers: variables, classes, types, parameters.
//!
//! In: strings. Out: [`Name`], `Copy`, compared and hashed by address, ordered by string. Must not: contain data (Hiera values,
//! facts), whose number is not bounded by the source code.

mod abbreviate;
mod nearest;
mod table;
mod title;

use parking_lot::RwLock;
use std::cell::Cell;
use std::fmt;
use std::hash::BuildHasher;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::OnceLock;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

pub use abbreviate::abbreviate;
pub use nearest::did_you_mean;
pub use nearest::nearest;
pub use nearest::similarity;
pub use table::Table;
pub use title::titlecase;

/// An interned identifier. Two names are equal if their strings are.
#[derive(Clone, Copy)]
pub struct Name(&'static Entry);

/// A string with frequently used derived values.
struct Entry {
    text: &'static str,
    /// Whether the name contains `::`.
    qualified: bool,
    /// Whether the name is that of a match variable.
    numeric: bool,
    /// Whether the name has no ASCII capital.
    lower: bool,
    normalized: OnceLock<Name>,
    capitalized: OnceLock<Name>,
    parts: OnceLock<Option<(Name, Name)>>,
    shared: OnceLock<Arc<str>>,
}

type Interned = RwLock<HashTable<&'static Entry>>;

fn table() -> &'static Interned {
    static TABLE: OnceLock<Interned> = OnceLock::new();
    TABLE.get_or_init(|| RwLock::new(HashTable::with_capacity(4096)))
}

thread_local! {
    /// A cache of this thread's last names, by hash. Reading the shared table writes to its lock, which is slow with many
    /// threads.
    static RECENT: [Cell<Option<&'static Entry>>; RECENT_NAMES] = const { [const { Cell::new(None) }; RECENT_NAMES] };
}

/// The size of a thread's cache: a power of two.
const RECENT_NAMES: usize = 1024;

impl Name {
    /// Interns a string.
    #[must_use]
    pub fn new(text: &str) -> Name {
        let hash = FxBuildHasher.hash_one(text);
        RECENT.with(|recent| {
            let Some(recent) = recent.get(hash as usize & (RECENT_NAMES - 1)) else {
                return Name::intern(hash, text);
            };
            match recent.get() {
                Some(entry) if entry.text == text => Name(entry),
                _ => {
                    let name = Name::intern(hash, text);
                    recent.set(Some(name.0));
                    name
                }
            }
        })
    }

    fn intern(hash: u64, text: &str) -> Name {
        let known = |table: &HashTable<&'static Entry>| table.find(hash, |entry| entry.text == text).copied();
        if let Some(entry) = known(&table().read()) {
            return Name(entry);
        }
        let mut names = table().write();
        if let Some(entry) = known(&names) {
            return Name(entry);
        }
        // Identifiers are never freed: they are few, and every syntax tree refers to them.
        let entry: &'static Entry = Box::leak(Box::new(Entry {
            text: Box::leak(text.to_owned().into_boxed_str()),
            qualified: text.contains("::"),
            numeric: !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
            lower: !text.bytes().any(|byte| byte.is_ascii_uppercase()),
            normalized: OnceLock::new(),
            capitalized: OnceLock::new(),
            parts: OnceLock::new(),
            shared: OnceLock::new(),
        }));
        names.insert_unique(hash, entry, |entry| FxBuildHasher.hash_one(entry.text));
        Name(entry)
    }

    /// The string.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.text
    }

    /// The name in lower case without a leading `::`: the key of classes, types and functions.
    #[must_use]
    pub fn normalized(self) -> Name {
        *self.0.normalized.get_or_init(|| {
            let text = self.0.text.strip_prefix("::").unwrap_or(self.0.text);
            if !self.0.lower {
                return Name::new(&text.to_ascii_lowercase());
            }
            if text.len() == self.0.text.len() { self } else { Name::new(text) }
        })
    }

    /// `file` → `File`, `apache::vhost` → `Apache::Vhost`; segments that begin with a capital are unchanged
    /// (`TypeFormatter#capitalize_segments`).
    #[must_use]
    pub fn capitalized(self) -> Name {
        *self.0.capitalized.get_or_init(|| {
            if self.0.text.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
                return self;
            }
            let segment = |text: &str| {
                let mut chars = text.chars();
                chars.next().map_or_else(String::new, |first| {
                    first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect::<String>()
                })
            };
            Name::new(&self.0.text.split("::").map(segment).collect::<Vec<_>>().join("::"))
        })
    }

    /// The string as a shared pointer.
    #[must_use]
    pub fn shared(self) -> Arc<str> {
        self.0.shared.get_or_init(|| Arc::from(self.0.text)).clone()
    }

    /// The parts before and after the last `::`; `None` without one.
    #[must_use]
    pub fn parts(self) -> Option<(Name, Name)> {
        if !self.0.qualified {
            return None;
        }
        let split = || self.0.text.rsplit_once("::").map(|(before, last)| (Name::new(before), Name::new(last)));
        *self.0.parts.get_or_init(split)
    }

    /// Whether the name contains `::`.
    #[must_use]
    pub fn is_qualified(self) -> bool {
        self.0.qualified
    }

    /// Whether the name has no ASCII capital.
    #[must_use]
    pub fn is_lower(self) -> bool {
        self.0.lower
    }

    /// Whether the name is that of a match variable: only digits.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        self.0.numeric
    }
}

/// Whether a string is the name of a type: capitalized words of ASCII letters, digits and `_`, joined by `::`.
#[must_use]
pub fn is_type_name(name: &str) -> bool {
    name.split("::").all(|word| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Name {}
impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).addr().hash(state);
    }
}
impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.0.text.cmp(other.0.text)
    }
}
impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.0.text == other
    }
}
impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.0.text == *other
    }
}
impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0.text
    }
}
impl std::ops::Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        self.0.text
    }
}
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.text)
    }
}
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.text)
    }
}

/// A hash map with names as keys. Iterate over it only where the order does not reach the output.
pub type NameMap<V> = std::collections::HashMap<Name, V, FxBuildHasher>;

/// A name that is constant in the code, interned on first use.
#[macro_export]
macro_rules! name {
    ($text:literal) => {{
        static NAME: std::sync::OnceLock<$crate::names::Name> = std::sync::OnceLock::new();
        *NAME.get_or_init(|| $crate::names::Name::new($text))
    }};
}
