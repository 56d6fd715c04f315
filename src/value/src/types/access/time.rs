//! `Timestamp[from, to]`, `Timespan[from, to]`: ranges of times.
//!
//! In: the values between the brackets. Out: the type. Must not: read the clock.

use std::sync::Arc;

use super::AccessError;
use super::Result;
use super::argument_error;
use super::bad_arity;
use super::ruby_class;
use super::subject;
use crate::types::FloatEnds;
use crate::types::TimeRange;
use crate::types::Type;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Value;

pub(super) fn time(t: &Type, keys: &[Value]) -> Result<Type> {
    if keys.len() > 2 {
        return Err(bad_arity(&subject(t), 0, Some(2), keys.len()));
    }
    let is_stamp = matches!(t, Type::Timestamp(_));
    if keys.is_empty() {
        // An empty array removes the range, whatever the type had.
        return Ok(if is_stamp { Type::Timestamp(None) } else { Type::Timespan(None) });
    }
    let is_float = |at: usize| matches!(keys.get(at), Some(Value::Float(_)));
    let written = FloatEnds { from_float: is_float(0), to_float: is_float(1) };
    let range = TimeRange { from: range_end(t, keys.first())?, to: range_end(t, keys.get(1))?, written };
    if let (Some(from), Some(to)) = (range.from, range.to)
        && from > to
    {
        let text = |n: i128, float: bool| match is_stamp {
            true => Timestamp::new(n).to_string(),
            false => Timespan::new(n).to_range_end(float),
        };
        let (first, second) = (text(from, written.from_float), text(to, written.to_float));
        let message = format!("'from' must be less or equal to 'to'. Got ({first}, {second}");
        return Err(argument_error(message));
    }
    let range = (range != TimeRange::default()).then(|| Arc::new(range));
    Ok(if is_stamp { Type::Timestamp(range) } else { Type::Timespan(range) })
}

/// An end of a range in nanoseconds; `None` if it is open.
fn range_end(t: &Type, key: Option<&Value>) -> Result<Option<i128>> {
    let is_stamp = matches!(t, Type::Timestamp(_));
    Ok(Some(match key {
        None | Some(Value::Default | Value::Undef) => return Ok(None),
        Some(Value::Timestamp(time)) if is_stamp => time.nanoseconds(),
        Some(Value::Timespan(time)) if !is_stamp => time.nanoseconds(),
        Some(Value::Int(n)) => i128::from(*n) * 1_000_000_000,
        Some(Value::BigInt(n)) => crate::value::to_nanoseconds(n, 1_000_000_000),
        Some(Value::Float(f)) => (f * 1e9) as i128,
        Some(Value::Str(string)) if is_stamp => {
            Timestamp::parse(string, None, None).map_err(argument_error)?.nanoseconds()
        }
        Some(Value::Str(string)) => Timespan::parse(string, None).map_err(argument_error)?.nanoseconds(),
        Some(Value::Hash(fields)) if !is_stamp && fields.get("string").is_none() => duration(fields)?,
        Some(Value::Hash(fields)) if !matches!(fields.get("string"), Some(Value::Str(_))) => {
            let string = fields.get("string").unwrap_or(&Value::Undef);
            let class = crate::value::ruby::plain_conversion_name(string);
            return Err(argument_error(format!("no implicit conversion of {class} into String")));
        }
        Some(Value::Hash(fields)) if is_stamp && fields.get("string").and_then(Value::as_str) == Some("") => {
            Timestamp::parse("", None, None).map_err(argument_error)?.nanoseconds()
        }
        Some(key @ Value::Hash(_)) => {
            let time = crate::types::new_instance(t, std::slice::from_ref(key), None)
                .map_err(|reason| AccessError { reason, key: None })?;
            match time {
                Value::Timestamp(time) => time.nanoseconds(),
                Value::Timespan(time) => time.nanoseconds(),
                _ => return Ok(None),
            }
        }
        Some(key) => {
            let kind = if is_stamp { "Timestamp" } else { "Timespan" };
            // The Ruby class of an object has no name, except for errors.
            let class = match key {
                Value::Object(object) if object.object_type.name.as_deref() != Some("Error") => String::new(),
                key => ruby_class(key),
            };
            return Err(argument_error(format!("Unable to create a Puppet::Pops::Time::{kind} from a {class}")));
        }
    }))
}

/// The duration of a hash of units; other keys are ignored. (`Timespan.from_fields_hash`)
fn duration(fields: &crate::value::Hash) -> Result<i128> {
    let units = [
        ("days", 86_400_000_000_000),
        ("hours", 3_600_000_000_000),
        ("minutes", 60_000_000_000),
        ("seconds", 1_000_000_000),
        ("milliseconds", 1_000_000),
        ("microseconds", 1000),
        ("nanoseconds", 1),
    ];
    let mut sum: i128 = 0;
    for (unit, size) in units {
        sum += match fields.get(unit) {
            None | Some(Value::Undef | Value::Bool(false)) => 0,
            Some(Value::Int(n)) => i128::from(*n) * size,
            Some(Value::BigInt(n)) => crate::value::to_nanoseconds(n, size),
            Some(Value::Float(f)) => (f * size as f64) as i128,
            Some(other) => return Err(argument_error(format!("{} can't be coerced into Integer", ruby_class(other)))),
        };
    }
    Ok(if fields.get("negative").is_some_and(Value::truthy) { -sum } else { sum })
}
