//! Values as keys of hashes: equality and hash numbers.

use std::hash::Hash;
use std::hash::Hasher;
use std::rc::Rc;

use super::PairWalk;
use super::Rv;
use catwalk_base::meter;

/// A value as the key of a hash (`eql?`); a string that becomes a key is copied.
#[derive(Clone)]
pub struct Key(pub Rv);

/// A borrowed value for looking up a key.
pub(crate) struct Lookup<'a>(pub &'a Rv);

impl Key {
    pub fn from_value(value: &Rv) -> Key {
        match value {
            Rv::Str(text) => Key(Rv::str(text.borrow().as_str())),
            Rv::Bytes(bytes) => Key(Rv::from_bytes(bytes.borrow().clone())),
            other => Key(other.clone()),
        }
    }
}

impl indexmap::Equivalent<Key> for Lookup<'_> {
    #[inline]
    fn equivalent(&self, key: &Key) -> bool {
        match (self.0, &key.0) {
            (Rv::Int(a), Rv::Int(b)) => a == b,
            (Rv::Str(a), Rv::Str(b)) => Rc::ptr_eq(a, b) || *a.borrow() == *b.borrow(),
            (a, b) => eql(a, b),
        }
    }
}

/// A borrowed string for looking up a string key.
pub(crate) struct LookupStr<'a>(pub &'a str);

impl indexmap::Equivalent<Key> for LookupStr<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(&key.0, Rv::Str(text) if *text.borrow() == *self.0)
    }
}

impl Hash for LookupStr<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Hash for Lookup<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            // As `hash_value` computes it, but without a call for most keys.
            Rv::Int(n) => n.hash(state),
            Rv::Str(text) => text.borrow().hash(state),
            other => hash_value(other, state, 0),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        eql(&self.0, &other.0)
    }
}
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(&self.0, state, 0);
    }
}

/// The hash number of a key (`hash`), equal for equal keys. In Ruby it differs between processes.
pub(crate) fn key_number(value: &Rv) -> i64 {
    let mut state = rustc_hash::FxHasher::default();
    hash_value(value, &mut state, 0);
    state.finish().cast_signed() >> 2
}

/// Ruby's `eql?`: `1` and `1.0` differ.
pub(crate) fn eql(a: &Rv, b: &Rv) -> bool {
    eql_in(a, b, &PairWalk::default())
}

fn eql_in(a: &Rv, b: &Rv, walk: &PairWalk) -> bool {
    match (a, b) {
        (Rv::Int(a), Rv::Int(b)) => a == b,
        (Rv::Int(_) | Rv::Big(_), Rv::Float(_)) | (Rv::Float(_), Rv::Int(_) | Rv::Big(_)) => false,
        (Rv::Array(a), Rv::Array(b)) => {
            Rc::ptr_eq(a, b) || {
                let (Ok(left), Ok(right)) = (a.try_borrow(), b.try_borrow()) else { return false };
                let eql = || left.iter().zip(right.iter()).all(|(a, b)| eql_in(a, b, walk));
                left.len() == right.len() && walk.enter(&**a, &**b, true, eql)
            }
        }
        (Rv::Object(x), Rv::Object(y)) => match (&*x.key.borrow(), &*y.key.borrow()) {
            (Some(left), Some(right)) => walk.enter(&**x, &**y, true, || eql_in(left, right, walk)),
            _ => walk.equal(a, b),
        },
        (a, b) => walk.equal(a, b),
    }
}

/// A borrowed value for looking up a key while two values are compared.
pub(crate) struct WalkLookup<'a>(pub &'a Rv, pub &'a PairWalk);

impl indexmap::Equivalent<Key> for WalkLookup<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        eql_in(self.0, &key.0, self.1)
    }
}

impl Hash for WalkLookup<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(self.0, state, 0);
    }
}

fn hash_value<H: Hasher>(value: &Rv, state: &mut H, depth: u32) {
    match value {
        Rv::Str(text) => text.borrow().hash(state),
        Rv::Sym(text) => {
            state.write_u8(1);
            text.hash(state);
        }
        Rv::Int(n) => n.hash(state),
        Rv::Big(n) => n.hash(state),
        Rv::Float(f) => f.get().to_bits().hash(state),
        Rv::True => true.hash(state),
        Rv::False => false.hash(state),
        Rv::Array(items) if depth < 4 => {
            if let Ok(items) = items.try_borrow() {
                meter::tick(items.len());
                items.iter().for_each(|item| hash_value(item, state, depth + 1));
            }
        }
        Rv::Class(name) => name.hash(state),
        Rv::Version(text) => text.hash(state),
        Rv::Bytes(bytes) => bytes.borrow().hash(state),
        Rv::Object(object) if object.key.borrow().is_some() && depth < 4 => {
            if let Some(key) = &*object.key.borrow() {
                hash_value(key, state, depth + 1);
            }
        }
        // A hash that has changed since it became a key is not found. Its entries are distinguished by comparison.
        Rv::Hash(hash) => hash.map.try_borrow().map_or(0, |map| map.len()).hash(state),
        Rv::Set(set) => set.try_borrow().map_or(0, |map| map.len()).hash(state),
        // Other values are distinguished by comparison.
        other => other.class().hash(state),
    }
}
