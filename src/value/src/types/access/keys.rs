//! Keys of an access: their conversion, and the errors of invalid ones.
//!
//! In: keys and the name of the type. Out: the parts of the type, or the error. Must not: create types.

use super::AccessError;
use super::Result;
use super::access_error;
use super::argument_error;
use super::key_error;
use super::ruby_class;
use crate::types::Type;
use crate::types::generalize;
use crate::types::infer;
use crate::value::Value;
use crate::value::type_label;
use catwalk_base::diag::Code;

/// Values for which `nil?` or `empty?` is true.
pub(super) fn is_nothing(key: &Value) -> bool {
    match key {
        Value::Hash(entries) => entries.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Str(text) => text.is_empty(),
        other => other.is_undef(),
    }
}

/// A key that is a name: Ruby calls `empty?` before it checks the type. (`TypeFactory.object`, `TypeFactory.type_set`)
pub(super) fn name_key(key: &Value) -> Result<&Value> {
    match key {
        Value::Str(_) | Value::Array(_) | Value::Default => Ok(key),
        _ => Err(argument_error(format!("undefined method `empty?' for {}", crate::value::ruby::plain_receiver(key)))),
    }
}

pub(super) fn flatten(keys: &[Value]) -> Vec<Value> {
    if !keys.iter().any(|key| matches!(key, Value::Array(_))) {
        return keys.to_vec();
    }
    let mut flat = Vec::with_capacity(keys.len());
    let mut stack: Vec<&Value> = keys.iter().rev().collect();
    while let Some(key) = stack.pop() {
        match key {
            Value::Array(items) => stack.extend(items.iter().rev()),
            key => flat.push(key.clone()),
        }
    }
    flat
}

pub(super) fn as_type(key: &Value) -> Option<Type> {
    match key {
        Value::Type(t) => Some(t.clone()),
        _ => None,
    }
}

/// The name of a key's type, without details.
pub(in crate::types) fn key_type_name(value: &Value) -> String {
    match value {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        _ => generalize(&infer(value)).to_string(),
    }
}

/// The number of keys is wrong. A `max` of -1 or none means any number.
pub(in crate::types) fn bad_arity(base: &str, min: i64, max: Option<i64>, actual: usize) -> AccessError {
    let message = match max {
        Some(-1) => format!("{base}[] accepts {min} or more arguments. Got {actual}"),
        Some(max) if max != min => format!("{base}[] accepts {min} to {max} arguments. Got {actual}"),
        _ => {
            let s = if min == 1 { "" } else { "s" };
            format!("{base}[] accepts {min} argument{s}. Got {actual}")
        }
    };
    access_error(Code::BAD_TYPE_SLICE_ARITY, message)
}

/// A type as the subject of a sentence: `An Integer-Type`.
pub(super) fn subject(t: &Type) -> String {
    let label = crate::value::a_an(&type_label(t));
    crate::types::capitalize_first(&label)
}

pub(super) fn bad_type(key: usize, base: &str, actual: &Value) -> AccessError {
    let message = format!("{base}[] arguments must be types. Got {}", ruby_class(actual));
    key_error(key, Code::BAD_TYPE_SLICE_TYPE, message)
}

pub(super) fn single_key<'a>(keys: &'a [Value], base: &str) -> Result<&'a Value> {
    match keys {
        [key] => Ok(key),
        _ => Err(bad_arity(base, 1, None, keys.len())),
    }
}

pub(super) fn type_key(key: &Value, at: usize, base: &str) -> Result<Type> {
    as_type(key).ok_or_else(|| bad_type(at, base, key))
}

pub(super) fn assert_keys(
    t: &Type,
    keys: &[Value],
    min: usize,
    max: Option<usize>,
    expected: &[&str],
    allowed: impl Fn(&Value) -> bool,
) -> Result<()> {
    if keys.len() < min || max.is_some_and(|max| keys.len() > max) {
        let max = max.map_or(Some(-1), |max| i64::try_from(max).ok());
        return Err(bad_arity(&subject(t), 1, max, keys.len()));
    }
    for (n, key) in keys.iter().enumerate() {
        if !allowed(key) {
            let message = format!("Cannot use {} where {} is expected", key_type_name(key), expected.join(" or "));
            return Err(specialization(n, t, &message));
        }
    }
    Ok(())
}

pub(super) fn specialization(key: usize, t: &Type, message: &str) -> AccessError {
    let message = format!("Error creating type specialization of {}, {message}", crate::value::a_an(&type_label(t)));
    key_error(key, Code::BAD_TYPE_SPECIALIZATION, message)
}
