//! Binary strings in parameters (Puppet::Pops::Serialization::ToDataConverter#to_data).
//!
//! In: a finished catalog with rich data. Out: the catalog with a `Binary` in place of each binary string. Keys of hashes stay
//! strings.

use std::sync::Arc;

use crate::Catalog;
use catwalk_value::Hash;
use catwalk_value::Object;
use catwalk_value::Value;

impl Catalog {
    /// Replaces binary strings in parameters by `Binary`.
    pub fn convert_binary_strings(&mut self) {
        for resource in &mut self.resources {
            for (_, value) in &mut resource.parameters {
                if holds_binary(value) {
                    *value = convert(value);
                }
            }
        }
    }
}

/// Whether a value is a binary string, or contains one outside of keys.
fn holds_binary(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.is_binary(),
        Value::Sensitive(inner) => holds_binary(inner),
        Value::Array(items) => items.iter().any(holds_binary),
        Value::Hash(entries) => entries.values().any(holds_binary),
        Value::Object(object) => object.attributes.values().any(holds_binary),
        _ => false,
    }
}

fn convert(value: &Value) -> Value {
    let convert_hash =
        |entries: &Hash| entries.iter().map(|(key, value)| (key.clone(), convert(value))).collect::<Hash>();
    match value {
        Value::Str(text) if text.is_binary() => Value::Binary(Arc::from(text.as_bytes())),
        Value::Sensitive(inner) => Value::Sensitive(Arc::new(convert(inner))),
        Value::Array(items) => Value::array(items.iter().map(convert).collect()),
        Value::Hash(entries) => Value::hash(convert_hash(entries)),
        Value::Object(object) => {
            let attributes = convert_hash(&object.attributes);
            Value::Object(Arc::new(Object { object_type: object.object_type.clone(), attributes }))
        }
        other => other.clone(),
    }
}
