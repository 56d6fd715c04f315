//! The last lookup of a missing key by a script: often the reason for the error that follows, since its result is `()`.
//!
//! In: keys and hashes of facts and data. Out: a hint for an error. Must not: hold values.

use std::cell::RefCell;
use std::sync::Arc;

use catwalk_base::names::did_you_mean;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// The number of keys that a hint names.
const MAX_NAMES: usize = 8;

thread_local! {
    static LAST_MISSING: RefCell<Option<(String, Arc<Hash>)>> = const { RefCell::new(None) };
}

/// Discards the recorded key when a new call begins.
pub(super) fn clear() {
    LAST_MISSING.set(None);
}

/// Records a missing key.
pub(super) fn record(key: &str, hash: &Arc<Hash>) {
    LAST_MISSING.set(Some((key.to_owned(), hash.clone())));
}

/// The hint for an error about a `()`: the missing key and the keys that the hash has.
pub(super) fn hint() -> Option<String> {
    let (key, hash) = LAST_MISSING.take()?;
    let keys: Vec<&str> = hash.keys().filter_map(Value::as_str).collect();
    let alternatives = match did_you_mean(&key, keys.iter().copied()) {
        Some(near) => near,
        None if keys.is_empty() => "it is empty".to_owned(),
        None => format!("it has {}", catwalk_base::names::abbreviate(&keys, MAX_NAMES)),
    };
    Some(format!("there is no key '{key}' in the hash, which is (); {alternatives}"))
}
