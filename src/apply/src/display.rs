//! Values in messages, as Puppet prints them (Puppet::Parameter.format_value_for_display).

use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::convert;
use catwalk_value::puppet_quote;
use catwalk_value::to_puppet_string;

/// The replacement of a printed secret.
pub(crate) const REDACTED: &str = "Sensitive [value redacted]";

/// A value in a message: strings quoted, numbers bare, collections as Puppet source, secrets redacted.
#[must_use]
pub fn display(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Str(text) => puppet_quote(text),
        Value::Symbol(name) => puppet_quote(name),
        Value::Sensitive(_) => REDACTED.to_owned(),
        Value::Float(number) if number.is_finite() => format!("{number:.6}"),
        Value::Array(_) | Value::Hash(_) | Value::Object(_) => {
            let mut formats = Hash::new();
            for collection in [Type::any_array(), Type::any_hash()] {
                formats.insert(Value::Type(collection), Value::str("%#p"));
            }
            convert(&redacted(value), &Value::hash(formats)).unwrap_or_else(|_| to_puppet_string(value).to_string())
        }
        other => to_puppet_string(other).to_string(),
    }
}

/// Replaces all secrets in a value.
#[must_use]
pub fn redacted(value: &Value) -> Value {
    match value {
        Value::Sensitive(_) => Value::str(REDACTED),
        Value::Array(items) => Value::array(items.iter().map(redacted).collect()),
        Value::Hash(entries) => {
            let mut hash = Hash::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                hash.insert(redacted(key), redacted(value));
            }
            Value::hash(hash)
        }
        other => other.clone(),
    }
}
