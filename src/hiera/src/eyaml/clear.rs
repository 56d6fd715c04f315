//! Values in clear that `lookup_options` convert to `Sensitive`.
//!
//! In: the data of files. Out: the keys. Must not: guess from names of keys what is secret.

use super::is_encrypted;
use crate::LOOKUP_OPTIONS;
use crate::key_options::Options;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The `lookup_options` of several files.
#[derive(Debug, Default)]
pub struct SensitiveKeys(Vec<Options>);

impl SensitiveKeys {
    /// Adds the options of a file. Invalid ones are left to lookups, which report them.
    pub fn add(&mut self, data: &Hash) {
        if let Some(Value::Hash(options)) = data.get(LOOKUP_OPTIONS) {
            self.0.extend(Options::new(options));
        }
    }

    /// Whether lookups convert the value of a key to `Sensitive`.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.0.iter().any(|options| options.find(key).is_some_and(converts_to_sensitive))
    }

    /// The keys of a file that are converted to `Sensitive` and whose values are in clear.
    #[must_use]
    pub fn in_clear<'d>(&self, data: &'d Hash) -> Vec<&'d str> {
        let named = data.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
        let clear = named.filter(|(key, value)| *key != LOOKUP_OPTIONS && self.contains(key) && is_clear(value));
        clear.map(|(key, _)| key).collect()
    }
}

/// Whether options have `convert_to: Sensitive`, or the same with a further argument.
fn converts_to_sensitive(options: &Value) -> bool {
    let Value::Hash(options) = options else { return false };
    let name = match options.get("convert_to") {
        Some(Value::Array(items)) => items.iter().next(),
        other => other,
    };
    name.and_then(Value::as_str).is_some_and(|name| name == "Sensitive" || name.starts_with("Sensitive["))
}

/// Whether a value holds something and no part of it is encrypted or comes from elsewhere.
fn is_clear(value: &Value) -> bool {
    let mut holds = false;
    !is_protected(value, &mut holds) && holds
}

/// Whether a part of a value is encrypted or interpolated. `holds` becomes true if there is a string or number.
fn is_protected(value: &Value, holds: &mut bool) -> bool {
    match value {
        Value::Str(text) => {
            *holds |= !text.is_empty();
            is_encrypted(text) || text.contains("%{")
        }
        Value::Int(_) | Value::Float(_) => {
            *holds = true;
            false
        }
        Value::Array(items) => items.iter().any(|item| is_protected(item, holds)),
        Value::Hash(hash) => hash.iter().any(|(_, value)| is_protected(value, holds)),
        _ => false,
    }
}
