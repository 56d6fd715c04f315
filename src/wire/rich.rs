//! Values of parameters as JSON.

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::diag::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::value::reference_text;
use crate::value::to_puppet_string;

/// A value with `__ptype` where JSON has no form for it.
///
/// # Errors
/// A float that is not finite.
pub(crate) fn to_json(value: &Value) -> Result<Json, Reason> {
    Ok(match value {
        Value::Array(items) => Json::Array(items.iter().map(to_json).collect::<Result<_, _>>()?),
        Value::Hash(entries) => {
            let plain = entries.keys().all(|key| key.as_str().is_some_and(|key| key != "__ptype"));
            if plain {
                let mut map = Map::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    map.insert(to_puppet_string(key).to_string(), to_json(value)?);
                }
                return Ok(Json::Object(map));
            }
            let mut list = Vec::with_capacity(entries.len() * 2);
            for (key, value) in entries.iter() {
                list.push(to_json(key)?);
                list.push(to_json(value)?);
            }
            json!({"__ptype": "Hash", "__pvalue": list})
        }
        Value::Default => json!({"__ptype": "Default"}),
        Value::Sensitive(inner) => json!({"__ptype": "Sensitive", "__pvalue": to_json(inner)?}),
        Value::Regexp(regexp) => json!({"__ptype": "Regexp", "__pvalue": regexp.source()}),
        Value::SemVer(_) => tagged("SemVer", value),
        Value::SemVerRange(_) => tagged("SemVerRange", value),
        Value::Timestamp(_) => tagged("Timestamp", value),
        Value::Timespan(_) => tagged("Timespan", value),
        Value::Binary(_) => tagged("Binary", value),
        Value::Uri(_) => tagged("URI", value),
        Value::Type(data_type) => match reference_text(data_type) {
            Some(text) => Json::from(text),
            None => return Err(Reason::unsupported("types as values of parameters")),
        },
        Value::Object(object) => {
            let mut map = Map::new();
            map.insert(
                "__ptype".to_owned(),
                Json::from(to_puppet_string(&Value::Type(Type::Object(object.object_type.clone()))).as_ref()),
            );
            for (key, value) in object.init_hash().iter() {
                map.insert(to_puppet_string(key).to_string(), to_json(value)?);
            }
            Json::Object(map)
        }
        Value::Iterator(_) => return Err(Reason::runtime("Use of an Iterator is not supported here")),
        plain => scalar(plain)?,
    })
}

/// A value without `__ptype`: what JSON has no form for becomes text.
///
/// # Errors
/// A float that is not finite.
pub(crate) fn to_plain_json(value: &Value) -> Result<Json, Reason> {
    Ok(match value {
        Value::Array(items) => Json::Array(items.iter().map(to_plain_json).collect::<Result<_, _>>()?),
        Value::Hash(entries) => {
            let mut map = Map::with_capacity(entries.len());
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
        Value::Type(data_type) => {
            let text = reference_text(data_type);
            Json::from(text.unwrap_or_else(|| to_puppet_string(value).to_string()))
        }
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => scalar(value)?,
        // The terminus prints an object's address here; ours must be the same each time.
        Value::Sensitive(_) => Json::from("Sensitive [value redacted]"),
        other => Json::from(to_puppet_string(other).as_ref()),
    })
}

fn scalar(value: &Value) -> Result<Json, Reason> {
    Ok(match value {
        Value::Bool(value) => Json::from(*value),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => match serde_json::Number::from_f64(*number) {
            Some(number) => Json::Number(number),
            None => return Err(Reason::runtime(format!("{number} not allowed in JSON"))),
        },
        Value::Str(text) => Json::from(text.as_ref()),
        _ => Json::Null,
    })
}

fn tagged(name: &str, value: &Value) -> Json {
    json!({"__ptype": name, "__pvalue": to_puppet_string(value).as_ref()})
}
