//! Stand-ins in a worker process for values that stay with the compile: types of the site, objects, contexts of lookups.
//!
//! In: a number, and the printed form of the value. Out: an object that no manifest can create. Must not: serialize it
//! (`worker` does).

use std::borrow::Cow;
use std::sync::Arc;

use catwalk_value::Hash;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;
use catwalk_value::to_puppet_string;

/// The attribute with the number; no attribute of a manifest begins with a space.
const NUMBER: &str = " number";

/// A stand-in for a value, with the printed form of the value.
pub(super) fn new(number: u64, text: &str) -> Value {
    object(number, Arc::new(ObjectType { name: Some(Arc::from(text)), ..ObjectType::default() }), Hash::new())
}

/// A stand-in for the context of a lookup.
pub(super) fn new_context(number: u64, environment: Value, module: Value) -> Value {
    let mut attributes = Hash::new();
    attributes.set("environment_name", environment);
    attributes.set("module_name", module);
    object(number, ObjectType::lookup_context(), attributes)
}

fn object(number: u64, object_type: Arc<ObjectType>, mut attributes: Hash) -> Value {
    attributes.set(NUMBER, Value::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    Value::Object(Arc::new(Object { object_type, attributes }))
}

/// The number of the value that a stand-in represents; `None` for other values.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Object(object) => match object.attributes.get(NUMBER) {
            Some(Value::Int(number)) => u64::try_from(*number).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value is a stand-in or contains one.
pub(super) fn is_in(value: &Value) -> bool {
    match value {
        Value::Object(_) => number(value).is_some(),
        Value::Array(items) => items.iter().any(is_in),
        Value::Hash(entries) => entries.iter().any(|(key, item)| is_in(key) || is_in(item)),
        Value::Sensitive(secret) => is_in(secret),
        _ => false,
    }
}

/// A value as Puppet prints it; a stand-in is printed as the value that it represents.
pub(super) fn display_value(value: &Value) -> String {
    to_puppet_string(&*if is_in(value) { Cow::Owned(printed(value)) } else { Cow::Borrowed(value) }).to_string()
}

fn printed(value: &Value) -> Value {
    match value {
        Value::Object(object) if number(value).is_some() => {
            Value::str(object.object_type.name.as_deref().unwrap_or(""))
        }
        Value::Array(items) => Value::array(items.iter().map(printed).collect()),
        Value::Hash(entries) => Value::hash(entries.iter().map(|(key, item)| (printed(key), printed(item))).collect()),
        other => other.clone(),
    }
}
