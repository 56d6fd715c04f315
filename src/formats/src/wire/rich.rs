//! Values of parameters as JSON.

use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_value::types::Type;
use catwalk_value::value::Value;
use catwalk_value::value::reference_text;
use catwalk_value::value::rich;
use catwalk_value::value::rich::Mode;
use catwalk_value::value::ruby::inspect;
use catwalk_value::value::to_puppet_string;

/// A value with `__ptype` where JSON has no form for it.
///
/// # Errors
/// A type that cannot be written.
pub(crate) fn to_json(value: &Value, mode: Mode) -> Result<Json, Reason> {
    rich::to_json(value, mode).map_err(Reason::runtime)
}

/// What stands for a secret inside a value. The terminus adds a number that changes from run to run.
const REDACTED: &str = "#<Sensitive [value redacted]>";

/// A value without `__ptype`: what JSON cannot express becomes a string (Puppet::Pops::Serialization::ToStringifiedConverter).
///
/// # Errors
/// As [`to_json`].
pub(crate) fn to_plain_json(value: &Value) -> Result<Json, Reason> {
    Ok(match value {
        Value::Array(items) => Json::Array(items.iter().map(to_plain_json).collect::<Result<_, _>>()?),
        Value::Hash(entries) => {
            let mut map = serde_json::Map::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                map.insert(plain_key(key), to_plain_json(value)?);
            }
            Json::Object(map)
        }
        Value::Sensitive(_) => Json::from(REDACTED),
        // Printed, an object type is its whole definition; its name is enough.
        Value::Type(Type::Object(object)) => object.name.as_deref().map_or(Json::Null, Json::from),
        other => rich::to_json(other, Mode::CATALOG_PLAIN).map_err(Reason::runtime)?,
    })
}

fn plain_key(key: &Value) -> String {
    match key {
        Value::Str(key) if matches!(key.as_ref(), "__ptype" | "__pvalue") => format!("reserved key: {key}"),
        Value::Undef => String::new(),
        Value::Sensitive(_) => REDACTED.to_owned(),
        Value::Type(Type::Object(object)) => object.name.as_deref().unwrap_or_default().to_owned(),
        Value::Type(data_type) if reference_text(data_type).is_some() => reference_text(data_type).unwrap_or_default(),
        // As Ruby prints them.
        Value::Array(_) | Value::Hash(_) => inspect(key),
        other => to_puppet_string(other).to_string(),
    }
}
