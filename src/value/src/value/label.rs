//! Labels of values and types in messages: `a String`, `an Integer`, `Integer[1]-Type`.

use crate::types::Type;
use crate::value::Value;

/// Puppet's label of a value.
#[must_use]
pub fn label(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".to_owned(),
        Value::Bool(_) => "Boolean".to_owned(),
        Value::Int(_) | Value::BigInt(_) => "Integer".to_owned(),
        Value::Float(_) => "Float".to_owned(),
        Value::Str(_) => "String".to_owned(),
        Value::Array(_) => "Array".to_owned(),
        Value::Hash(_) => "Hash".to_owned(),
        Value::Regexp(_) => "Regexp".to_owned(),
        Value::Type(t) => type_label(t),
        Value::Sensitive(_) => "Sensitive".to_owned(),
        Value::Timestamp(_) => "Timestamp".to_owned(),
        Value::Timespan(_) => "Timespan".to_owned(),
        Value::SemVer(_) => "Semver".to_owned(),
        Value::SemVerRange(_) => "SemverRange".to_owned(),
        Value::Binary(_) => "Binary".to_owned(),
        Value::Default | Value::Symbol(_) | Value::Uri(_) | Value::Iterator(_) | Value::Object(_) | Value::Ruby(_) => {
            "Object".to_owned()
        }
    }
}

/// Puppet's label of a type: `Integer-Type`, `File['/x'] Resource-Reference`.
#[must_use]
pub fn type_label(t: &Type) -> String {
    match t {
        Type::Resource(resource) if resource.title.is_some() => format!("{t} Resource-Reference"),
        _ => format!("{t}-Type"),
    }
}

/// The string with `a` or `an` before it, by its first letter; `y` is a vowel. (`LabelProvider#a_an`)
#[must_use]
pub fn a_an(text: &str) -> String {
    let first = text.chars().find(|c| !matches!(c, '"' | '\'')).unwrap_or(' ');
    let article = if matches!(first.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y') { "an" } else { "a" };
    format!("{article} {text}")
}
