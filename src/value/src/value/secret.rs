//! Reports the strings of values that become `Sensitive` or are unwrapped to the compile's collection of secrets.
//!
//! In: a value. Out: calls of [`catwalk_base::secrets::report`]; a value without the secrets of a compile. Must not: decide which outputs
//! show secrets.

use crate::value::Hash;
use crate::value::Value;
use catwalk_base::secrets;
use catwalk_base::secrets::Secrets;

/// Strings inside of a secret array or hash that are shorter are not reported when it becomes secret: `present` or `root` in a
/// hash of options is not a secret wherever else it is used. Unwrapping the hash reports them all.
const SHORTEST_INSIDE: usize = 8;

/// Reports a value that becomes `Sensitive`.
pub fn conceal(value: &Value) {
    match value {
        Value::Array(_) | Value::Hash(_) => walk(value, &|text| {
            if text.len() >= SHORTEST_INSIDE {
                secrets::report(text);
            }
        }),
        scalar => reveal(scalar),
    }
}

/// Reports a value that is unwrapped or decrypted, since its strings may be used anywhere.
pub fn reveal(value: &Value) {
    walk(value, &secrets::report);
}

fn walk(value: &Value, note: &dyn Fn(&str)) {
    match value {
        Value::Str(text) => note(text),
        Value::Symbol(name) => note(name),
        Value::Int(number) => note(&number.to_string()),
        Value::BigInt(number) => note(&number.to_string()),
        Value::Float(number) => note(&number.to_string()),
        Value::Binary(bytes) => {
            if let Ok(text) = std::str::from_utf8(bytes) {
                note(text);
            }
            note(&crate::value::to_puppet_string(value));
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, note)),
        Value::Hash(entries) => entries.iter().for_each(|(_, item)| walk(item, note)),
        Value::Sensitive(inner) => walk(inner, note),
        Value::Object(object) => object.attributes.values().for_each(|item| walk(item, note)),
        _ => {}
    }
}

/// Replaces every secret in the strings of a value for output. A `Sensitive` is unchanged, since it prints as a placeholder.
#[must_use]
pub fn redacted(value: &Value, secrets: &Secrets) -> Value {
    match value {
        Value::Str(text) => secrets.replace(text).map_or_else(|| value.clone(), Value::from),
        Value::Symbol(text) => secrets.replace(text).map_or_else(|| value.clone(), |text| Value::Symbol(text.into())),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Binary(_) => {
            let text = crate::value::to_puppet_string(value);
            if secrets.contains(&text) { Value::from(secrets.redact(&text).into_owned()) } else { value.clone() }
        }
        Value::Array(items) => Value::array(items.iter().map(|item| redacted(item, secrets)).collect()),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(key, item)| (redacted(key, secrets), redacted(item, secrets)));
            Value::hash(entries.collect::<Hash>())
        }
        other => other.clone(),
    }
}
