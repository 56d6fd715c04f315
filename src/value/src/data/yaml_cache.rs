//! A cache of YAML documents: the compiles of a fleet read the same files.
//!
//! In: bytes. Out: documents that share no collections with each other, as if the bytes were parsed each time. Must not: know
//! files. The key of an entry is its complete input.

use parking_lot::Mutex;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::yaml;
use super::yaml::AllowedClasses;
use super::yaml::Document;
use super::yaml::YamlError;
use crate::value::Hash;
use crate::value::Value;
use catwalk_base::meter;

/// The shortest cached input in bytes: parsing shorter ones is as fast as finding them in the cache.
const SHORTEST: usize = 256;

/// The most bytes of all cached inputs. Beyond it the cache is cleared.
const MOST: usize = 32 << 20;

/// The key of the cache: the input and the options of parsing.
type CacheKey = (Arc<[u8]>, AllowedClasses);

/// The documents that the compiles of a session have read. They may contain secrets, so they end with the session.
#[derive(Debug, Default)]
pub struct YamlCache(Mutex<Documents>);

#[derive(Debug, Default)]
struct Documents {
    documents: FxHashMap<CacheKey, Document>,
    bytes: usize,
}

impl YamlCache {
    /// Reads the first document as [`yaml::parse_allowing`] does.
    ///
    /// # Errors
    ///
    /// As [`yaml::parse_allowing`]. Errors are not cached.
    pub fn parse(&self, bytes: &[u8], allowed: AllowedClasses) -> Result<Document, YamlError> {
        if bytes.len() < SHORTEST {
            return yaml::parse_allowing(bytes, allowed);
        }
        let key = (Arc::from(bytes), allowed);
        let lock = || self.0.lock();
        let cached = lock().documents.get(&key).cloned();
        let document = match cached {
            Some(document) => document,
            None => {
                let document = yaml::parse_allowing(bytes, allowed)?;
                let mut cache = lock();
                if cache.bytes + bytes.len() > MOST {
                    *cache = Documents::default();
                }
                cache.bytes += bytes.len();
                cache.documents.insert(key, document.clone());
                document
            }
        };
        meter::charge(bytes.len());
        let value = unshare(&document.value, &mut FxHashMap::default());
        Ok(Document { value, ..document })
    }
}

/// Copies lists and hashes, which Ruby code may change. Collections that YAML aliases share remain shared in the copy.
fn unshare(value: &Value, aliased: &mut FxHashMap<usize, Value>) -> Value {
    let (address, holders) = match value {
        Value::Array(items) => (Arc::as_ptr(items).addr(), Arc::strong_count(items)),
        Value::Hash(entries) => (Arc::as_ptr(entries).addr(), Arc::strong_count(entries)),
        other => return other.clone(),
    };
    if let Some(copy) = aliased.get(&address) {
        return copy.clone();
    }
    let copy = match value {
        Value::Array(items) => Value::array(items.iter().map(|item| unshare(item, aliased)).collect()),
        Value::Hash(entries) => Value::hash(
            entries.iter().map(|(key, value)| (unshare(key, aliased), unshare(value, aliased))).collect::<Hash>(),
        ),
        other => other.clone(),
    };
    if holders > 1 {
        aliased.insert(address, copy.clone());
    }
    copy
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    fn items(value: &Value) -> Vec<Value> {
        match value {
            Value::Array(items) => items.to_vec(),
            other => panic!("{other:?}"),
        }
    }

    fn same(one: &Value, other: &Value) -> bool {
        matches!((one, other), (Value::Array(one), Value::Array(other)) if Arc::ptr_eq(one, other))
    }

    #[test]
    fn each_caller_gets_new_collections_shared_only_where_the_document_has_aliases() {
        let text = format!("- &list [a, [b]]\n- *list\n- [a, [b]]\n# {}\n", "-".repeat(SHORTEST));
        let cache = YamlCache::default();
        let read = || cache.parse(text.as_bytes(), AllowedClasses::default()).unwrap().value;
        let (first, second) = (read(), read());
        assert_eq!(first, second);
        assert_eq!(first, yaml::parse(text.as_bytes()).unwrap());
        let (first, second) = (items(&first), items(&second));
        assert!(!same(&first[0], &second[0]) && !same(&items(&first[0])[1], &items(&second[0])[1]));
        assert!(same(&second[0], &second[1]) && !same(&second[0], &second[2]));
        let strict = AllowedClasses { no_aliases: true, ..AllowedClasses::default() };
        assert!(cache.parse(text.as_bytes(), strict).is_err(), "the options are part of the key");
    }
}
