//! Reports the strings of values that become `Sensitive` or are unwrapped to the compile's collection of secrets.
//!
//! In: a value, the [`SecretCollection`] of the compile. Out: reports; a value without the secrets of a compile. Must not: decide which
//! outputs show secrets.

use crate::value::Hash;
use crate::value::Value;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;

/// Shorter strings inside a secret array or hash are not reported when it becomes `Sensitive`: `present` or `root` in a hash of
/// options is not a secret elsewhere. Unwrapping the hash reports all its strings.
const SHORTEST_INSIDE: usize = 8;

/// Reports a value that becomes `Sensitive`.
pub fn conceal(value: &Value, secrets: &SecretCollection) {
    match value {
        Value::Array(_) | Value::Hash(_) => visit_strings(value, &|text| {
            if text.len() >= SHORTEST_INSIDE {
                secrets.report(text);
            }
        }),
        scalar => reveal(scalar, secrets),
    }
}

/// Reports the parts of a value that are `Sensitive`, such as those of a catalog or of a provider's state.
pub fn conceal_marked(value: &Value, secrets: &SecretCollection) {
    match value {
        Value::Sensitive(inner) => conceal(inner, secrets),
        Value::Array(items) => items.iter().for_each(|item| conceal_marked(item, secrets)),
        Value::Hash(entries) => {
            entries.iter().flat_map(<[&Value; 2]>::from).for_each(|item| conceal_marked(item, secrets));
        }
        Value::Object(object) => object.attributes.values().for_each(|item| conceal_marked(item, secrets)),
        _ => {}
    }
}

/// Reports a value that is unwrapped or decrypted, since its strings may be used anywhere.
pub fn reveal(value: &Value, secrets: &SecretCollection) {
    visit_strings(value, &|text| secrets.report(text));
}

fn visit_strings(value: &Value, report: &dyn Fn(&str)) {
    match value {
        Value::Str(text) => report(text),
        Value::Symbol(name) => report(name),
        Value::Int(number) => report(&number.to_string()),
        Value::BigInt(number) => report(&number.to_string()),
        Value::Float(number) => report(&number.to_string()),
        Value::Binary(bytes) => {
            if let Ok(text) = std::str::from_utf8(bytes) {
                report(text);
            }
            report(&crate::value::to_puppet_string(value));
        }
        Value::Array(items) => items.iter().for_each(|item| visit_strings(item, report)),
        Value::Hash(entries) => entries.iter().for_each(|(_, item)| visit_strings(item, report)),
        Value::Sensitive(inner) => visit_strings(inner, report),
        Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred") => {
            // The name of the function is not a secret.
            object.attributes.get("arguments").into_iter().for_each(|item| visit_strings(item, report));
        }
        Value::Object(object) => object.attributes.values().for_each(|item| visit_strings(item, report)),
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
