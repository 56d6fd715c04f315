//! Plain JSON to values and back: facts, trusted data, answers of services, documents.

mod pretty;

use std::sync::Arc;

use crate::value::Hash;
use crate::value::Value;
use crate::value::big::to_float;

pub use pretty::Items;
pub use pretty::compact;
pub use pretty::pretty;
pub use pretty::pretty_items;
pub use pretty::pretty_with_capacity;

/// The value of a JSON document. Numbers beyond 64 bits become floats.
#[must_use]
pub fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match n.as_i64() {
            Some(n) => Value::Int(n),
            // A number that does not fit was read as a float.
            None if n.is_u64() => Value::integer(n.as_u64().unwrap_or_default()),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::from(Arc::<str>::from(text.as_str())),
        serde_json::Value::Array(items) => Value::array(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            let mut hash = Hash::with_capacity(entries.len());
            for (key, value) in entries {
                hash.insert(Value::str(key), from_json(value));
            }
            Value::hash(hash)
        }
    }
}

/// The JSON of a value that is data: strings, numbers, booleans, arrays, hashes. Keys that are not strings become their JSON;
/// values that JSON cannot express become null.
#[must_use]
pub fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(b) => (*b).into(),
        Value::Int(n) => (*n).into(),
        // Beyond 64 bits a document in memory has the nearest float.
        Value::BigInt(n) => match u64::try_from(&**n) {
            Ok(n) => n.into(),
            Err(_) => to_float(n).into(),
        },
        Value::Float(f) => (*f).into(),
        Value::Str(text) => text.as_ref().into(),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Hash(hash) => {
            let text = |key: &Value| key.as_str().map_or_else(|| to_json(key).to_string(), str::to_owned);
            serde_json::Value::Object(hash.iter().map(|(key, item)| (text(key), to_json(item))).collect())
        }
        _ => serde_json::Value::Null,
    }
}
