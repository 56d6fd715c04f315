//! `Tuple[…]`, `Struct[…]`, `Hash[…]`, `Array[…]`, `Callable[…]` and the sizes in them.
//!
//! In: the keys. Out: the type. Must not: know positions.

use catwalk_base::diag::Code;
use std::sync::Arc;

use super::Result;
use super::argument_error;
use super::as_type;
use super::assert_keys;
use super::bad_arity;
use super::bad_type;
use super::class_label;
use super::int_range;
use super::is_range;
use super::key_error;
use super::key_type_name;
use super::keys::specialization;
use super::ruby_class;
use super::subject;
use super::to_bound;
use super::to_type;
use super::type_key;
use crate::types::CallableType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::is_assignable;
use crate::types::is_callable_type;
use crate::value::Value;

/// The lower end of a size. The string `default` is accepted, and means no lower end. (`TypeFactory.range`)
fn lower_size(key: Option<&Value>) -> Result<Option<i64>> {
    match key {
        Some(Value::Str(_)) => Err(argument_error("undefined method `>' for false:FalseClass")),
        key => Ok(key.and_then(to_bound)),
    }
}

/// A lower end of any type that can be compared with Infinity. (`PIntegerType#initialize`)
fn comparable_lower_size(key: &Value) -> Result<Option<i64>> {
    #[allow(clippy::cast_possible_truncation, reason = "no size is beyond 64 bits")]
    let whole = |f: f64| Some(f.ceil() as i64);
    match key {
        Value::Undef => Ok(None),
        Value::Float(f) => Ok(whole(*f)),
        Value::Timespan(time) => Ok(whole(time.seconds())),
        Value::Timestamp(time) => Ok(whole(time.seconds())),
        Value::Hash(_) => Err(argument_error("no implicit conversion of Float into Hash")),
        Value::Str(_) | Value::SemVer(_) => {
            Err(argument_error(format!("comparison of {} with Infinity failed", ruby_class(key))))
        }
        other => Err(argument_error(format!("undefined method `>' for {}", crate::value::ruby::receiver(other)))),
    }
}

/// Splits keys into types and the size at the end.
fn split_size(keys: &[Value]) -> Result<(&[Value], Option<IntRange>)> {
    let n = keys.len();
    let last = keys.last();
    let before = n.checked_sub(2).and_then(|at| keys.get(at));
    if is_range(before) && is_range(last) {
        let size = int_range(lower_size(before)?, last.and_then(to_bound))?;
        return Ok((keys.get(..n - 2).unwrap_or_default(), Some(size)));
    }
    if is_range(last) {
        let size = int_range(lower_size(last)?, None)?;
        return Ok((keys.get(..n - 1).unwrap_or_default(), Some(size)));
    }
    Ok((keys, None))
}

pub(super) fn tuple(t: &Type, keys: &[Value]) -> Result<Type> {
    let (keys, size) = split_size(keys)?;
    assert_keys(t, keys, 1, None, &["Any-Type"], |key| matches!(key, Value::Type(_)))?;
    Ok(Type::tuple(keys.iter().filter_map(as_type).collect(), size))
}

pub(super) fn callable(t: &Type, keys: &[Value]) -> Result<Type> {
    let (params, returns) = match keys {
        [Value::Array(params), returns] => match returns {
            Value::Type(returns) => (params.as_slice(), Some(returns.clone())),
            key => {
                let message = format!("Cannot use {} where Any-Type is expected", key_type_name(key));
                return Err(specialization(1, &Type::any_callable(), &message));
            }
        },
        [Value::Array(_), ..] => return Err(bad_arity(&subject(t), 2, Some(2), keys.len())),
        _ => (keys, None),
    };
    let (params, block) = match params {
        [rest @ .., Value::Type(last)] if is_callable_type(last, true) => (rest, Some(last.clone())),
        _ => (params, None),
    };
    let (params, size) = split_size(params)?;
    let mut types: Vec<Type> = params.iter().map(to_type).collect::<Result<_>>()?;
    if types.is_empty() && size.is_some_and(|size| size.upper().is_none_or(|to| to > 0)) {
        types.push(Type::Unit);
    }
    let returns = returns.filter(|t| *t != Type::Any);
    Ok(Type::from(CallableType { params: Some(TupleType::new(types, size)), block, returns }))
}

pub(super) fn structure(t: &Type, keys: &[Value]) -> Result<Type> {
    assert_keys(t, keys, 1, Some(1), &["Hash"], |key| matches!(key, Value::Hash(_)))?;
    let Some(Value::Hash(entries)) = keys.first() else { return Ok(Type::any_struct()) };
    let mut elements = Vec::with_capacity(entries.len());
    for (key, value) in entries.iter() {
        let value = to_type(value)?;
        elements.push(struct_element(key, value).map_err(argument_error)?);
    }
    Ok(Type::Struct(Arc::from(elements)))
}

fn struct_element(key: &Value, value: Type) -> std::result::Result<StructElement, String> {
    let (key_type, optional) = match key {
        Value::Str(text) if text.is_empty() => {
            return Err("Struct element key cannot be an empty String".to_owned());
        }
        Value::Str(text) => {
            let optional = is_assignable(&value, &Type::Undef);
            return Ok(StructElement { name: text.to_shared(), optional, value });
        }
        Value::Type(Type::NotUndef(Some(inner))) => ((**inner).clone(), false),
        Value::Type(Type::Optional(Some(inner))) => ((**inner).clone(), true),
        Value::Type(Type::NotUndef(None) | Type::Optional(None)) => (Type::Any, false),
        Value::Type(t @ (Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Enum(_))) => {
            (t.clone(), false)
        }
        other => {
            let class = match other {
                Value::Type(t) => format!("Puppet::Pops::Types::P{}Type", t.simple_name()),
                other => ruby_class(other),
            };
            return Err(format!(
                "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {class}"
            ));
        }
    };
    match &key_type {
        Type::StringValue(name) => Ok(StructElement { name: name.clone(), optional, value }),
        Type::Enum(values) if values.values.len() == 1 && !optional => {
            let name = values.values.first().cloned().unwrap_or_else(|| Arc::from(""));
            Ok(StructElement { name, optional, value })
        }
        _ => {
            let source = crate::value::to_program(key);
            Err(format!("Unable to extract a non-empty literal string from Struct member key type {source}"))
        }
    }
}

pub(super) fn size(keys: &[Value], start: usize) -> Result<IntRange> {
    if let [Value::Type(Type::Integer(range))] = keys {
        return Ok(*range);
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::BigInt(_) | Value::Default) {
            let message = format!(
                "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {}",
                class_label(key)
            );
            return Err(key_error(start + n, Code::BAD_COLLECTION_SLICE_TYPE, message));
        }
    }
    int_range(keys.first().and_then(to_bound), keys.get(1).and_then(to_bound))
}

pub(crate) fn hash(keys: &[Value]) -> Result<Type> {
    if let [from @ (Value::Int(_) | Value::BigInt(_)), to @ (Value::Int(_) | Value::BigInt(_))] = keys {
        return Ok(Type::hash(Type::Any, Type::Any, Some(int_range(to_bound(from), to_bound(to))?)));
    }
    for (n, key) in keys.iter().take(2).enumerate() {
        type_key(key, n, "Hash-Type")?;
    }
    let (key, value) = (keys.first().and_then(as_type), keys.get(1).and_then(as_type));
    let size = match keys {
        [_, _] => None,
        [_, _, Value::Type(Type::Integer(range))] => Some(*range),
        [_, _, from @ (Value::Int(_) | Value::BigInt(_) | Value::Default)] => Some(int_range(to_bound(from), None)?),
        // Its type is not checked before Ruby compares it with the other end, which is infinite.
        [_, _, other] => Some(int_range(comparable_lower_size(other)?, None)?),
        [_, _, rest @ ..] if rest.len() == 2 => Some(size(rest, 2)?),
        _ => return Err(bad_arity("Hash-Type", 2, Some(4), keys.len())),
    };
    Ok(Type::hash(key.unwrap_or(Type::Any), value.unwrap_or(Type::Any), size))
}

pub(super) fn array(keys: &[Value]) -> Result<Type> {
    match keys {
        [key] => Ok(Type::array(type_key(key, 0, "Array-Type")?, None)),
        [Value::Type(t), rest @ ..] if matches!(rest.len(), 1 | 2) => Ok(Type::array(t.clone(), Some(size(rest, 1)?))),
        [_, _] => Ok(Type::array(Type::Any, Some(size(keys, 0)?))),
        [key, _, _] => Err(bad_type(0, "Array-Type", key)),
        _ => Err(bad_arity("Array-Type", 1, Some(3), keys.len())),
    }
}
