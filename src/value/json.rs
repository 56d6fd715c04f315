//! Plain JSON to values: facts, trusted data, answers of services.

use std::sync::Arc;

use crate::value::Hash;
use crate::value::Value;

/// The value of a JSON document. Numbers beyond 64 bits become floats.
#[must_use]
pub fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match n.as_i64() {
            Some(n) => Value::Int(n),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Str(Arc::from(text.as_str())),
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
