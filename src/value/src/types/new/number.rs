//! `Integer.new`, `Float.new` and `Numeric.new`.
//!
//! In: the value to convert, radix, sign. Out: the number. Must not: inspect types.

use super::NewResult;
use super::fail;
use crate::value::Value;
use crate::value::big::to_float;
use crate::value::number::parse_number;
use crate::value::number::ruby_float;
use crate::value::number::ruby_integer;

/// `+ 12` without the blanks after the sign.
fn without_blanks(text: &str) -> Option<String> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let rest = text.get(1..)?;
    let trimmed = rest.trim_start();
    (trimmed.len() < rest.len()).then(|| format!("{sign}{trimmed}"))
}

/// The number without its sign.
fn without_sign(number: Value) -> Value {
    match number {
        Value::Int(n) => n.checked_abs().map_or_else(|| Value::integer(n.unsigned_abs()), Value::Int),
        Value::BigInt(n) => Value::integer(n.magnitude().clone()),
        Value::Float(f) => Value::Float(f.abs()),
        number => number,
    }
}

pub(super) fn integer(from: &Value, radix: &Value, abs: bool) -> NewResult {
    let n = match from {
        Value::Int(_) | Value::BigInt(_) => from.clone(),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Float(f) => {
            crate::value::big::from_float(*f).ok_or_else(|| fail(crate::value::number::float_to_s(*f)))?
        }
        Value::Timestamp(time) => Value::integer(time.nanoseconds().div_euclid(1_000_000_000)),
        Value::Timespan(time) => Value::integer(time.nanoseconds().div_euclid(1_000_000_000)),
        Value::Str(text) => {
            let radix = match radix {
                Value::Int(n) => u32::try_from(*n).ok(),
                _ => None,
            };
            let parsed =
                ruby_integer(text, radix).or_else(|| without_blanks(text).and_then(|text| ruby_integer(&text, radix)));
            parsed.ok_or_else(|| fail(format!("invalid value for Integer(): {}", quoted(text))))?
        }
        _ => return Err(fail("not a number")),
    };
    Ok(if abs { without_sign(n) } else { n })
}

fn quoted(text: &str) -> String {
    crate::value::ruby::inspect_string(text)
}

pub(super) fn float(from: &Value, abs: bool) -> NewResult {
    let f = match from {
        Value::Float(f) => *f,
        Value::Int(n) => *n as f64,
        Value::BigInt(n) => to_float(n),
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Timestamp(time) => time.seconds(),
        Value::Timespan(time) => time.seconds(),
        // Puppet reads the letter after the zero. (`PFloatType.new_function`)
        Value::Str(text) if &**text == "0" => return Err(fail("undefined method `casecmp' for nil:NilClass")),
        Value::Str(text) => text_to_float(text)
            .or_else(|| without_blanks(text).and_then(|text| text_to_float(&text)))
            .ok_or_else(|| fail(format!("invalid value for Float(): {}", quoted(text))))?,
        _ => return Err(fail("not a number")),
    };
    Ok(Value::Float(if abs { f.abs() } else { f }))
}

fn text_to_float(text: &str) -> Option<f64> {
    if text.starts_with("0b") || text.starts_with("0B") {
        return match ruby_integer(text, None)? {
            Value::Int(n) => Some(n as f64),
            Value::BigInt(n) => Some(to_float(&n)),
            _ => None,
        };
    }
    ruby_float(text)
}

pub(super) fn numeric(from: &Value, abs: bool) -> NewResult {
    let number = match from {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => from.clone(),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Timestamp(time) => Value::Float(time.seconds()),
        Value::Timespan(time) => Value::Float(time.seconds()),
        Value::Str(text) => {
            let lower = text.to_ascii_lowercase();
            if lower.starts_with("0b") || lower.starts_with("0x") {
                ruby_integer(text, None)
                    .ok_or_else(|| fail(format!("invalid value for Integer(): {}", quoted(text))))?
            } else {
                parse_number(text).unwrap_or(Value::Undef)
            }
        }
        _ => return Err(fail("not a number")),
    };
    Ok(if abs { without_sign(number) } else { number })
}
