//! Conversion of Puppet's values to Rhai's `Dynamic` and back. Hashes are passed as shared handles.

use std::sync::Arc;

use rhai::Dynamic;
use rhai::ImmutableString;

use crate::api::ContextHandle;
use crate::limits;
use crate::limits::MAX_DEPTH;
use crate::limits::MAX_ITEMS;
use catwalk_base::meter;
use catwalk_value::Hash;
use catwalk_value::Measure;
use catwalk_value::ObjectType;
use catwalk_value::Value;

/// A Puppet hash in a script: ordered, any keys, copied only when it is written to.
#[derive(Clone, Debug)]
pub(super) struct HashHandle(pub(super) Arc<Hash>);

/// A value that Rhai has no type for: a type, a regular expression, a Sensitive.
#[derive(Clone, Debug)]
pub(super) struct Opaque(pub(super) Value);

/// A secret value, which is never printed.
#[derive(Clone)]
pub(super) struct SensitiveHandle(pub(super) Value);

/// Converts a value for a script.
pub(super) fn to_dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Undef => Dynamic::UNIT,
        Value::Bool(b) => Dynamic::from_bool(*b),
        Value::Int(n) => Dynamic::from_int(*n),
        Value::Float(f) => Dynamic::from_float(*f),
        Value::Str(text) => {
            meter::charge(text.len());
            Dynamic::from(ImmutableString::from(text.as_ref()))
        }
        Value::Array(items) => {
            // An array may contain one inner array many times; a script gets a separate copy each time.
            meter::charge(items.len() * size_of::<Dynamic>());
            Dynamic::from_array(items.iter().map(to_dynamic).collect())
        }
        Value::Hash(hash) => Dynamic::from(HashHandle(hash.clone())),
        Value::Sensitive(secret) => Dynamic::from(SensitiveHandle(secret.as_ref().clone())),
        Value::Binary(bytes) if bytes.len() <= MAX_ITEMS => Dynamic::from_blob(bytes.to_vec()),
        Value::Iterator(iter) if iter.size().is_some_and(|size| size <= MAX_ITEMS) => {
            Dynamic::from_array(iter.to_vec().iter().map(to_dynamic).collect())
        }
        Value::Object(object) if object.object_type == ObjectType::lookup_context() => {
            Dynamic::from(ContextHandle(object.clone()))
        }
        other => Dynamic::from(Opaque(other.clone())),
    }
}

/// Converts a value from a script.
///
/// # Errors
/// The value contains a value that Puppet has no type for, is too large, or is nested too deep.
pub(super) fn from_dynamic(value: Dynamic) -> Result<Value, String> {
    let value = convert(value, 0, &mut Measure::default())?;
    limits::check_size(&value)?;
    Ok(value)
}

/// `measured` is the size of the parts converted so far: a script's array may contain one long string many times, and each is copied
/// here.
fn convert(value: Dynamic, depth: usize, measured: &mut Measure) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("a value of a script is nested deeper than {MAX_DEPTH} levels"));
    }
    let value = value.flatten();
    if value.is_unit() {
        return Ok(Value::Undef);
    }
    if let Some(handle) = value.read_lock::<HashHandle>() {
        return Ok(Value::Hash(handle.0.clone()));
    }
    if let Some(opaque) = value.read_lock::<Opaque>() {
        return Ok(opaque.0.clone());
    }
    if let Some(secret) = value.read_lock::<SensitiveHandle>() {
        return Ok(Value::Sensitive(Arc::new(secret.0.clone())));
    }
    if let Some(context) = value.read_lock::<ContextHandle>() {
        return Ok(Value::Object(context.0.clone()));
    }
    if let Ok(b) = value.as_bool() {
        return Ok(Value::Bool(b));
    }
    if let Ok(n) = value.as_int() {
        return Ok(Value::Int(n));
    }
    if let Ok(f) = value.as_float() {
        return Ok(Value::Float(f));
    }
    if let Some(text) = value.read_lock::<ImmutableString>() {
        measured.bytes += text.len() as u64;
        limits::check_measure(*measured)?;
        meter::charge(text.len());
        return Ok(Value::str(text.as_str()));
    }
    if let Ok(c) = value.as_char() {
        return Ok(Value::str(c.encode_utf8(&mut [0; 4])));
    }
    if value.is_blob() {
        return Ok(Value::Binary(Arc::from(value.into_blob().unwrap_or_default())));
    }
    if value.is_array() {
        let items = value.into_array().unwrap_or_default();
        count_entries("an array", items.len(), measured)?;
        let items: Result<Vec<Value>, String> =
            items.into_iter().map(|item| convert(item, depth + 1, measured)).collect();
        return Ok(Value::array(items?));
    }
    if value.is_map() {
        // Rhai sorts the keys of its maps, so the order of a literal is lost.
        let map = value.try_cast::<rhai::Map>().unwrap_or_default();
        count_entries("a map", map.len(), measured)?;
        let entries: Result<Hash, String> =
            map.into_iter().map(|(key, item)| Ok((Value::str(&key), convert(item, depth + 1, measured)?))).collect();
        return Ok(Value::hash(entries?));
    }
    Err(format!("a value of type '{}' of a script has no counterpart in Puppet", value.type_name()))
}

/// Counts the entries of an array or map, since Rhai does not limit values that grow by indexing.
fn count_entries(kind: &str, len: usize, measured: &mut Measure) -> Result<(), String> {
    if len > MAX_ITEMS {
        return Err(format!("{kind} of a script has more than {MAX_ITEMS} entries"));
    }
    measured.elements = measured.elements.saturating_add(u32::try_from(len).unwrap_or(u32::MAX));
    limits::check_measure(*measured)?;
    meter::check_elements(len);
    meter::charge(len * size_of::<Value>());
    Ok(())
}

/// The value at a dotted path in a hash, such as `os.release.major`; digits index arrays.
pub(super) fn dig(hash: &Hash, path: &str) -> Option<Value> {
    let mut parts = path.split('.');
    let mut current = hash.get(parts.next()?)?.clone();
    for part in parts {
        let next = match &current {
            Value::Hash(hash) => hash.get(part)?.clone(),
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?.clone(),
            _ => return None,
        };
        current = next;
    }
    Some(current)
}
