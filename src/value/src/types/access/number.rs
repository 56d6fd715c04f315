//! `Integer[…]` and `Float[…]`.
//!
//! In: the keys. Out: the type. Must not: know positions.

use super::Result;
use super::access_error;
use super::argument_error;
use super::int_range;
use super::key_error;
use super::ruby_class;
use super::to_bound;
use crate::types::BigRange;
use crate::types::FloatRange;
use crate::types::Type;
use crate::value::Value;
use catwalk_base::diag::Code;

pub(super) fn integer(keys: &[Value]) -> Result<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!("Integer-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(access_error(Code::BAD_INTEGER_SLICE_ARITY, message));
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::BigInt(_) | Value::Default) {
            let class = ruby_class(key);
            let message = format!("Integer-Type [] requires all arguments to be integers (or default). Got {class}");
            return Err(key_error(n, Code::BAD_INTEGER_SLICE_TYPE, message));
        }
    }
    if keys.iter().any(|key| matches!(key, Value::BigInt(_))) {
        let range = BigRange { from: keys.first().and_then(Value::as_big), to: keys.get(1).and_then(Value::as_big) };
        if let (Some(low), Some(high)) = (&range.from, &range.to)
            && low > high
        {
            return Err(argument_error(format!("'from' must be less or equal to 'to'. Got ({low}, {high}")));
        }
        return Ok(Type::integer(range));
    }
    Ok(Type::Integer(int_range(keys.first().and_then(to_bound), keys.get(1).and_then(to_bound))?))
}

pub(super) fn float(keys: &[Value]) -> Result<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!("Float-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(access_error(Code::BAD_INTEGER_SLICE_ARITY, message));
    }
    let mut ends = [None, None];
    for (n, key) in keys.iter().enumerate() {
        let end = match key {
            Value::Int(i) => Some(*i as f64),
            Value::BigInt(i) => Some(crate::value::big::to_float(i)),
            Value::Float(f) => Some(*f),
            Value::Default => None,
            key => {
                let class = ruby_class(key);
                let message =
                    format!("Float-Type [] requires all arguments to be floats, or integers (or default). Got {class}");
                return Err(key_error(n, Code::BAD_INTEGER_SLICE_TYPE, message));
            }
        };
        if let Some(slot) = ends.get_mut(n) {
            *slot = end;
        }
    }
    let range = FloatRange { from: ends[0].unwrap_or(f64::NEG_INFINITY), to: ends[1].unwrap_or(f64::INFINITY) };
    if range.from > range.to {
        let text = crate::value::number::float_to_s;
        let message = format!("'from' must be less or equal to 'to'. Got ({}, {}", text(range.from), text(range.to));
        return Err(argument_error(message));
    }
    Ok(Type::Float(range))
}
