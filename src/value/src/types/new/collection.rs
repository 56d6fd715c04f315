//! `Array.new` and `Hash.new`.
//!
//! In: the value to convert and options. Out: the collection. Must not: inspect types.

use std::sync::Arc;

use super::NewResult;
use super::fail;
use crate::types::generalize;
use crate::types::infer;
use crate::value::Hash;
use crate::value::Iter;
use crate::value::Value;
use catwalk_base::diag::Reason;

pub(super) fn array(from: &Value, wrap: bool) -> Value {
    match from {
        Value::Array(_) => from.clone(),
        _ if wrap => Value::array(vec![from.clone()]),
        Value::Binary(bytes) => Value::array(bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect()),
        _ => Value::array(Iter::over(from).map(|iter| iter.to_vec()).unwrap_or_default()),
    }
}

pub(crate) fn hash(from: &Value, option: Option<&Value>, chosen: usize) -> NewResult {
    match (from, option) {
        (Value::Array(entries), Some(option)) => hash_from_tree(entries, option.as_str() == Some("hash_tree")),
        (Value::Array(entries), None) if chosen < 2 => Ok(Value::hash(
            entries
                .iter()
                .filter_map(|entry| match entry {
                    Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                    _ => None,
                })
                .collect(),
        )),
        (Value::Array(items), _) => flat_hash(items),
        (Value::Hash(_), _) => Ok(from.clone()),
        _ => match Iter::over(from) {
            Some(iter) => match iter.to_vec().as_slice() {
                [only] => ruby_hash(only),
                items => flat_hash(items),
            },
            None => {
                let t = generalize(&infer(from));
                Err(fail(format!("Value of type {t} cannot be converted to Hash")))
            }
        },
    }
}

/// Ruby's `Hash[value]`: of a hash, or an array of pairs.
fn ruby_hash(value: &Value) -> NewResult {
    let items = match value {
        Value::Hash(_) => return Ok(value.clone()),
        Value::Timespan(span) => return Ok(Value::hash(span.to_hash(false))),
        Value::Array(items) => items,
        _ => return Err(fail("odd number of arguments for Hash")),
    };
    let mut hash = Hash::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::Array(pair) if matches!(pair.len(), 1 | 2) => {
                let part = |at: usize| pair.get(at).cloned().unwrap_or(Value::Undef);
                hash.insert(part(0), part(1));
            }
            Value::Array(other) => {
                return Err(fail(format!("invalid number of elements ({} for 1..2)", other.len())));
            }
            other => {
                let class = crate::value::ruby::plain_conversion_name(other);
                return Err(fail(format!("wrong element type {class} at {at} (expected array)")));
            }
        }
    }
    Ok(Value::hash(hash))
}

fn flat_hash(items: &[Value]) -> NewResult {
    if !items.len().is_multiple_of(2) {
        return Err(fail("odd number of arguments for Hash"));
    }
    let pairs = items.chunks_exact(2).filter_map(|pair| match pair {
        [key, value] => Some((key.clone(), value.clone())),
        _ => None,
    });
    Ok(Value::hash(pairs.collect()))
}

/// Arrays become hashes with positions as keys.
fn to_nested_hashes(value: &Value, depth: u32) -> Value {
    match value {
        Value::Array(items) if depth < 1000 => Value::hash(
            (0..).zip(items.iter()).map(|(n, item)| (Value::Int(n), to_nested_hashes(item, depth + 1))).collect(),
        ),
        _ => value.clone(),
    }
}

fn hash_from_tree(entries: &[Value], all_hashes: bool) -> NewResult {
    let mut root = Hash::new();
    for entry in entries {
        let Value::Array(pair) = entry else { continue };
        let (Some(Value::Array(path)), Some(value)) = (pair.first(), pair.get(1)) else { continue };
        match path.split_last() {
            None => match value {
                Value::Array(items) => {
                    for (n, item) in (0..).zip(items.iter()) {
                        root.insert(Value::Int(n), item.clone());
                    }
                }
                Value::Hash(entries) => {
                    for (key, item) in entries.iter() {
                        root.insert(key.clone(), item.clone());
                    }
                }
                other => {
                    let class = crate::types::ruby_class(other);
                    return Err(fail(format!("no implicit conversion of {class} into Hash")));
                }
            },
            Some((last, above)) => {
                let value = if all_hashes { to_nested_hashes(value, 0) } else { value.clone() };
                let mut at = Value::hash(std::mem::take(&mut root));
                set_at_path(&mut at, above, last, value, 0)?;
                if let Value::Hash(changed) = at {
                    root = Arc::unwrap_or_clone(changed);
                }
            }
        }
    }
    Ok(Value::hash(root))
}

/// Sets a value at a path, creating missing hashes.
fn set_at_path(at: &mut Value, above: &[Value], last: &Value, value: Value, depth: u32) -> Result<(), Reason> {
    if depth > 1000 {
        return Err(fail("the path is too long"));
    }
    let Some((step, rest)) = above.split_first() else {
        match (&mut *at, last) {
            (Value::Hash(entries), _) => {
                Arc::make_mut(entries).insert(last.clone(), value);
            }
            (Value::Array(items), Value::Int(n)) => {
                let items = Arc::make_mut(items);
                let n = usize::try_from(*n).unwrap_or(0).min(100_000);
                items.change(|items| {
                    if items.len() <= n {
                        items.resize(n + 1, Value::Undef);
                    }
                    if let Some(slot) = items.get_mut(n) {
                        *slot = value;
                    }
                });
            }
            _ => return Err(fail("a tree can only hold arrays and hashes above its leaves")),
        }
        return Ok(());
    };
    match at {
        Value::Hash(entries) => {
            let entries = Arc::make_mut(entries);
            let mut child = match entries.get_value(step) {
                Some(child) => child.clone(),
                None => Value::hash(Hash::new()),
            };
            set_at_path(&mut child, rest, last, value, depth + 1)?;
            entries.insert(step.clone(), child);
        }
        Value::Array(items) => {
            let n = match step {
                Value::Int(n) => usize::try_from(*n).ok(),
                _ => None,
            };
            let items = Arc::make_mut(items);
            items.change(|items| match n.and_then(|n| items.get_mut(n)) {
                Some(child) => set_at_path(child, rest, last, value, depth + 1),
                None => Err(fail("a tree can only hold arrays and hashes above its leaves")),
            })?;
        }
        _ => return Err(fail("a tree can only hold arrays and hashes above its leaves")),
    }
    Ok(())
}
