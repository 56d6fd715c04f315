//! Values of parameters as JSON.

use serde_json::Value as Json;

use crate::diag::Reason;
use crate::value::Value;
use crate::value::rich;
use crate::value::rich::Mode;
use crate::value::to_puppet_string;

/// A value with `__ptype` where JSON has no form for it.
///
/// # Errors
/// A type that cannot be written.
pub(crate) fn to_json(value: &Value) -> Result<Json, Reason> {
    rich::to_json(value, Mode::CATALOG).map_err(Reason::runtime)
}

/// A value without `__ptype`: what JSON has no form for becomes text.
///
/// # Errors
/// As [`to_json`].
pub(crate) fn to_plain_json(value: &Value) -> Result<Json, Reason> {
    Ok(match value {
        Value::Array(items) => Json::Array(items.iter().map(to_plain_json).collect::<Result<_, _>>()?),
        Value::Hash(entries) => {
            let mut map = serde_json::Map::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                let key = match key {
                    Value::Str(key) if matches!(key.as_ref(), "__ptype" | "__pvalue") => format!("reserved key: {key}"),
                    Value::Undef => String::new(),
                    other => to_puppet_string(other).to_string(),
                };
                map.insert(key, to_plain_json(value)?);
            }
            Json::Object(map)
        }
        // The terminus prints an object's address here; ours must be the same each time.
        Value::Sensitive(_) => Json::from("Sensitive [value redacted]"),
        other => rich::to_json(other, Mode::CATALOG_PLAIN).map_err(Reason::runtime)?,
    })
}
