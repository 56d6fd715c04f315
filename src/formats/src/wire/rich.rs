//! Converts values of parameters to JSON.

use serde::Serialize;
use serde::Serializer;
use serde::ser::Error;
use serde::ser::SerializeMap;
use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::catalog_reference;
use catwalk_value::rich;
use catwalk_value::rich::Mode;
use catwalk_value::ruby::inspect;
use catwalk_value::to_puppet_string;

/// A value as rich data: with `__ptype` if JSON cannot represent it.
///
/// # Errors
/// The value contains a type that cannot be written.
pub(crate) fn to_json(value: &Value, mode: Mode) -> Result<Json, Reason> {
    rich::to_json(value, mode).map_err(Reason::runtime)
}

/// A value without `__ptype`: values that JSON cannot represent become strings
/// (Puppet::Pops::Serialization::ToStringifiedConverter). A Sensitive value becomes a token; the terminus writes a number that changes from
/// run to run.
///
/// # Errors
/// As [`to_json`].
pub(crate) fn to_plain_json(value: &Value, key: &Key) -> Result<Json, Reason> {
    Ok(match value {
        Value::Array(items) => {
            Json::Array(items.iter().map(|item| to_plain_json(item, key)).collect::<Result<_, _>>()?)
        }
        Value::Hash(entries) => {
            let mut map = serde_json::Map::with_capacity(entries.len());
            for (name, value) in entries.iter() {
                map.insert(plain_key(name, key), to_plain_json(value, key)?);
            }
            Json::Object(map)
        }
        Value::Sensitive(inner) => Json::from(token(inner, key)),
        // Only the name of an object type: its string would be the whole definition.
        Value::Type(Type::Object(object)) => object.name.as_deref().map_or(Json::Null, Json::from),
        other => rich::to_json(other, Mode::CATALOG_PLAIN).map_err(Reason::runtime)?,
    })
}

/// Serializes a value like [`to_plain_json`], but in most cases without converting it first.
pub(crate) struct Plain<'a>(pub(crate) &'a Value, pub(crate) &'a Key);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Plain(value, key) = *self;
        match value {
            Value::Undef => serializer.serialize_unit(),
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::Str(string) => serializer.serialize_str(string),
            Value::Array(items) => serializer.collect_seq(items.iter().map(|item| Plain(item, key))),
            Value::Hash(entries) if entries.keys().all(is_plain_key) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (name, value) in entries.iter() {
                    map.serialize_entry(name.as_str().unwrap_or_default(), &Plain(value, key))?;
                }
                map.end()
            }
            // Different keys that are not strings may be converted to the same string.
            other => {
                to_plain_json(other, key).map_err(|reason| S::Error::custom(reason.message))?.serialize(serializer)
            }
        }
    }
}

/// Whether a key of a hash is written verbatim.
fn is_plain_key(name: &Value) -> bool {
    matches!(name, Value::Str(name) if !matches!(name.as_ref(), "__ptype" | "__pvalue"))
}

/// The token of a secret, which is the same in all outputs.
fn token(inner: &Value, key: &Key) -> String {
    key.token(&to_json(inner, Mode::RICH).unwrap_or_default())
}

fn plain_key(name: &Value, key: &Key) -> String {
    match name {
        Value::Str(name) if matches!(name.as_ref(), "__ptype" | "__pvalue") => format!("reserved key: {name}"),
        Value::Undef => String::new(),
        Value::Sensitive(inner) => token(inner, key),
        Value::Type(Type::Object(object)) => object.name.as_deref().unwrap_or_default().to_owned(),
        Value::Type(data_type) if catalog_reference(data_type).is_some() => {
            catalog_reference(data_type).unwrap_or_default()
        }
        // Like Ruby's `inspect`.
        Value::Array(_) | Value::Hash(_) => inspect(name),
        other => to_puppet_string(other).to_string(),
    }
}
