//! `+` and `-` on arrays, hashes, URIs and binaries.

use std::collections::HashSet;
use std::sync::Arc;

use crate::expr::pairs;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::version::Version;
use catwalk_value::Hash;
use catwalk_value::List;
use catwalk_value::Value;

/// `left + right` where the left side is a collection, a URI or a binary.
pub(super) fn concatenate(left: Value, right: Value, version: Version) -> Result<Value, Reason> {
    match left {
        Value::Array(mut items) => {
            let merged = Arc::make_mut(&mut items);
            match right {
                Value::Array(added) => merged.extend(added.iter().cloned()),
                Value::Hash(entries) => merged.extend(pairs(&entries)),
                other => merged.push(other),
            }
            Ok(Value::Array(items))
        }
        Value::Hash(mut entries) => {
            let added = match right {
                Value::Hash(added) => added,
                Value::Array(items) => Arc::new(to_hash(&items, version)?),
                _ => return Err(Reason::runtime("Can only append Array or Hash to a Hash")),
            };
            let merged = Arc::make_mut(&mut entries);
            for (key, value) in added.iter() {
                merged.insert(key.clone(), value.clone());
            }
            Ok(Value::Hash(entries))
        }
        Value::Binary(bytes) => match right {
            Value::Binary(added) => {
                meter::check_string(bytes.len() + added.len());
                meter::charge(bytes.len() + added.len());
                Ok(Value::Binary(bytes.iter().chain(added.iter()).copied().collect()))
            }
            _ => Err(Reason::runtime("Can only append Binary to a Binary")),
        },
        Value::Uri(uri) => match right {
            Value::Str(text) => uri_value(uri.join(&text)),
            Value::Uri(reference) => uri_value(uri.merge(&reference)),
            _ => Err(Reason::runtime("An URI can only be merged with an URI or String")),
        },
        other => concatenate(Value::array(vec![other]), right, version),
    }
}

/// Ruby's `Hash[…]`: an array of pairs if the element type is that of arrays (`undef` is ignored for that), else keys and values
/// in turn.
fn to_hash(items: &[Value], version: Version) -> Result<Hash, Reason> {
    let mut arrays = items.iter().filter(|item| !item.is_undef()).peekable();
    if arrays.peek().is_some() && arrays.all(|item| matches!(item, Value::Array(_))) {
        let mut hash = Hash::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let Value::Array(pair) = item else {
                let class = if version.strict_pairs { "NilClass" } else { "nil" };
                return Err(Reason::runtime(format!("wrong element type {class} at {at} (expected array)")));
            };
            match pair.as_slice() {
                other if version.strict_pairs && other.len() != 2 => {
                    let text = format!("wrong array length at {at} (expected 2, was {})", other.len());
                    return Err(Reason::runtime(text));
                }
                [key] => hash.insert(key.clone(), Value::Undef),
                [key, value] => hash.insert(key.clone(), value.clone()),
                other => {
                    let n = other.len();
                    return Err(Reason::runtime(format!("invalid number of elements ({n} for 1..2)")));
                }
            };
        }
        return Ok(hash);
    }
    match items {
        [Value::Hash(entries)] => Ok(Hash::clone(entries)),
        items if items.len() % 2 == 1 => Err(Reason::runtime("odd number of arguments for Hash")),
        items => {
            Ok(items.chunks_exact(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))).collect())
        }
    }
}

/// `left - right` where the left side is an array or a hash.
pub(super) fn delete(left: Value, right: &Value) -> Value {
    match left {
        Value::Hash(mut entries) => {
            match right {
                Value::Array(keys) => return Value::hash(without_keys(&entries, &keys.iter().collect())),
                Value::Hash(keys) => return Value::hash(without_keys(&entries, &keys.keys().collect())),
                key => drop(Arc::make_mut(&mut entries).remove(key)),
            }
            Value::Hash(entries)
        }
        Value::Array(items) => {
            let unwanted = match right {
                Value::Array(unwanted) => unwanted.clone(),
                Value::Hash(entries) => Arc::new(List::from(pairs(entries))),
                other => Arc::new(List::from(vec![other.clone()])),
            };
            Value::array(without(&items, &unwanted))
        }
        other => other,
    }
}

fn without_keys(entries: &Hash, unwanted: &HashSet<&Value>) -> Hash {
    let remaining = entries.iter().filter(|(key, _)| !unwanted.contains(key));
    remaining.map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[allow(clippy::mutable_key_type, reason = "what changes in a value (a compiled regexp) is no part of its hash")]
fn without(items: &[Value], unwanted: &[Value]) -> Vec<Value> {
    let simple = |value: &Value| {
        matches!(value, Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Undef)
    };
    // Ruby's `==` treats 1 and 1.0 as equal; identity is enough for strings and integers.
    if items.iter().all(simple) || unwanted.iter().all(|value| matches!(value, Value::Str(_) | Value::Bool(_))) {
        let set: HashSet<&Value> = unwanted.iter().collect();
        let others: Vec<&Value> = unwanted.iter().filter(|value| !simple(value)).collect();
        let gone = |item: &Value| set.contains(item) || others.iter().any(|value| ruby_equals(value, item));
        return items.iter().filter(|item| !gone(item)).cloned().collect();
    }
    items.iter().filter(|item| !unwanted.iter().any(|value| ruby_equals(value, item))).cloned().collect()
}

/// Ruby's `==` on values: numbers by value, times as numbers of seconds, strings case-sensitively.
pub fn ruby_equals(left: &Value, right: &Value) -> bool {
    meter::tick(0);
    match (left, right) {
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => (*a as f64) == *b,
        (Value::BigInt(_), Value::Float(_))
        | (Value::Float(_), Value::BigInt(_))
        | (Value::Timestamp(_), Value::Timestamp(_))
        | (Value::Timespan(_), Value::Timespan(_))
        | (Value::Timestamp(_) | Value::Timespan(_), Value::Int(_) | Value::BigInt(_) | Value::Float(_))
        | (Value::Int(_) | Value::BigInt(_) | Value::Float(_), Value::Timestamp(_) | Value::Timespan(_))
        | (Value::Uri(_), Value::Uri(_)) => catwalk_value::compare::equals(left, right),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| ruby_equals(a, b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get_value(key).is_some_and(|other| ruby_equals(value, other)))
        }
        (a, b) => a == b,
    }
}

fn uri_value(uri: Result<catwalk_value::Uri, catwalk_value::UriError>) -> Result<Value, Reason> {
    uri.map(|uri| Value::Uri(std::sync::Arc::new(uri))).map_err(|error| Reason::runtime(error.message))
}
