//! The language's comparisons: `==`, `<`, `=~` (without captures) and `in`.
//!
//! Regexps that match set the variables `$0`, `$1` …: the evaluator does that, for a [`Value::Regexp`] on the right of
//! `=~` and on the left of `in`.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::types;
use crate::value::Hash;
use crate::value::SemVer;
use crate::value::Value;
use crate::value::big::compare_float;
use crate::value::number::compare_int_float;
use catwalk_base::meter;
use catwalk_syntax::ast::BinaryOp;

/// The language's `==`: strings without case, `1 == 1.0`, collections by element.
#[must_use]
pub fn equals(a: &Value, b: &Value) -> bool {
    meter::tick(0);
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.eq_ignore_ascii_case(b),
        (Value::Int(n), Value::Float(f)) | (Value::Float(f), Value::Int(n)) => {
            compare_int_float(*n, *f) == Some(Ordering::Equal)
        }
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::BigInt(n), Value::Float(f)) | (Value::Float(f), Value::BigInt(n)) => {
            compare_float(n, *f) == Some(Ordering::Equal)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equals(a, b)),
        // Keys are found by case; values are compared without.
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| equals(b.get_value(key).unwrap_or(&Value::Undef), value))
        }
        // Puppet compares versions like numbers, and times with numbers.
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Timespan(a), Value::Timespan(b)) => a == b,
        (Value::Uri(a), Value::Uri(b)) => a.equals_in_ruby(b),
        (Value::Timestamp(_) | Value::Timespan(_), Value::Int(_) | Value::BigInt(_) | Value::Float(_))
        | (Value::Int(_) | Value::BigInt(_) | Value::Float(_), Value::Timestamp(_) | Value::Timespan(_)) => {
            compare(a, b).is_ok_and(Ordering::is_eq)
        }
        _ => a == b,
    }
}

/// Evaluates `==`, `!=`, `<`, `<=`, `>` or `>=`. A type is below another if it is assignable to it: `Integer < Numeric`.
///
/// # Errors
/// As [`compare`]; the evaluator completes the message.
pub fn operator(op: BinaryOp, a: &Value, b: &Value) -> Result<bool, &'static str> {
    if let (Value::Type(a), Value::Type(b)) = (a, b) {
        let (wider, narrower) = (types::is_assignable(a, b), types::is_assignable(b, a));
        let same = a == b || (wider && narrower);
        return Ok(match op {
            BinaryOp::Eq => same,
            BinaryOp::Ne => !same,
            BinaryOp::Lt => narrower && !same,
            BinaryOp::Le => narrower,
            BinaryOp::Gt => wider && !same,
            _ => wider,
        });
    }
    Ok(match op {
        BinaryOp::Eq => equals(a, b),
        BinaryOp::Ne => !equals(a, b),
        BinaryOp::Lt => compare(a, b)?.is_lt(),
        BinaryOp::Le => compare(a, b)?.is_le(),
        BinaryOp::Gt => compare(a, b)?.is_gt(),
        _ => compare(a, b)?.is_ge(),
    })
}

/// The order of a number beyond 64 bits and one within.
fn sign(n: &BigInt) -> Ordering {
    if n.sign() == Sign::Minus { Ordering::Less } else { Ordering::Greater }
}

/// Compares a time with a number: integers with whole seconds, floats with fractions of seconds.
fn compare_time(nanos: i128, other: &Value) -> Option<Ordering> {
    match other {
        Value::Int(n) => Some(nanos.div_euclid(1_000_000_000).cmp(&i128::from(*n))),
        Value::BigInt(n) => Some(BigInt::from(nanos.div_euclid(1_000_000_000)).cmp(n)),
        Value::Float(f) => super::time::nanos_to_seconds(nanos).partial_cmp(f),
        _ => None,
    }
}

/// The language's order, for `<`, `<=`, `>`, `>=`.
///
/// # Errors
/// Puppet's messages, such as `A String is not comparable to a non String`.
pub fn compare(a: &Value, b: &Value) -> Result<Ordering, &'static str> {
    let unordered = "Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable";
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Ok(compare_strings(a, b)),
        (Value::Str(_), _) => Err("A String is not comparable to a non String"),
        (Value::Int(a), Value::Int(b)) => Ok(a.cmp(b)),
        (Value::Int(a), Value::Float(b)) => compare_int_float(*a, *b).ok_or(unordered),
        (Value::Float(a), Value::Int(b)) => compare_int_float(*b, *a).map(Ordering::reverse).ok_or(unordered),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).ok_or(unordered),
        (Value::BigInt(a), Value::BigInt(b)) => Ok(a.cmp(b)),
        (Value::BigInt(a), Value::Int(_)) => Ok(sign(a)),
        (Value::Int(_), Value::BigInt(b)) => Ok(sign(b).reverse()),
        (Value::BigInt(a), Value::Float(b)) => compare_float(a, *b).ok_or(unordered),
        (Value::Float(a), Value::BigInt(b)) => compare_float(b, *a).map(Ordering::reverse).ok_or(unordered),
        (Value::Int(_) | Value::BigInt(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            compare(b, a).map(Ordering::reverse)
        }
        (Value::Int(_) | Value::BigInt(_) | Value::Float(_), _) => Err("A Numeric is not comparable to non Numeric"),
        (Value::Timespan(a), Value::Timespan(b)) => Ok(a.cmp(b)),
        (Value::Timespan(a), _) => {
            compare_time(a.nanoseconds(), b).ok_or("Timespans are only comparable to Timespans, Integers, and Floats")
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => Ok(a.cmp(b)),
        (Value::Timestamp(a), _) => {
            compare_time(a.nanoseconds(), b).ok_or("Timestamps are only comparable to Timestamps, Integers, and Floats")
        }
        (Value::SemVer(a), Value::SemVer(b)) => Ok(a.cmp(b)),
        (Value::SemVer(_), _) => Err("Versions not comparable to non Versions"),
        (Value::Default, Value::Default) => Ok(Ordering::Equal),
        (Value::Symbol(a), Value::Symbol(b)) => Ok(a.cmp(b)),
        (Value::Default, Value::Symbol(name)) => Ok("default".cmp(name)),
        (Value::Symbol(name), Value::Default) => Ok((**name).cmp("default")),
        (Value::Default | Value::Symbol(_), _) => Err("Symbol not comparable to non Symbol"),
        _ => Err(unordered),
    }
}

/// The order of strings without case, like Ruby's `casecmp`: ASCII letters in lower case, other characters by byte.
#[must_use]
pub(crate) fn compare_strings(a: &str, b: &str) -> Ordering {
    meter::tick(a.len().min(b.len()) / 16);
    let fold = |byte: u8| byte.to_ascii_lowercase();
    if a == b { Ordering::Equal } else { a.bytes().map(fold).cmp(b.bytes().map(fold)) }
}

/// `value =~ pattern` for patterns that are values: types, versions, ranges, regexps, and collections of them.
#[must_use]
pub fn matches(pattern: &Value, value: &Value) -> bool {
    match pattern {
        Value::Regexp(regexp) => value.as_str().is_some_and(|text| regexp.is_match(text).unwrap_or(false)),
        Value::Type(t) => types::is_instance(t, value),
        Value::SemVer(version) => match value {
            Value::SemVer(own) => own == version,
            Value::Str(text) => SemVer::parse(text).is_ok_and(|parsed| parsed == **version),
            _ => false,
        },
        Value::SemVerRange(range) => match value {
            Value::SemVer(version) => range.includes(version),
            Value::Str(text) => SemVer::parse(text).is_ok_and(|version| range.includes(&version)),
            _ => false,
        },
        Value::Array(patterns) => match value {
            Value::Array(items) => {
                items.len() == patterns.len()
                    && patterns.iter().zip(items.iter()).all(|(pattern, item)| matches(pattern, item))
            }
            _ => false,
        },
        Value::Hash(patterns) => match value {
            Value::Hash(entries) => {
                patterns.iter().all(|(key, pattern)| matches(pattern, entries.get_value(key).unwrap_or(&Value::Undef)))
            }
            _ => false,
        },
        Value::Default => true,
        _ => equals(value, pattern),
    }
}

/// `needle in haystack`.
#[must_use]
pub fn includes(haystack: &Value, needle: &Value) -> bool {
    match haystack {
        Value::Str(text) => match needle {
            Value::Str(part) => text.to_lowercase().contains(&part.to_lowercase()),
            Value::Regexp(regexp) => regexp.is_match(text).unwrap_or(false),
            _ => false,
        },
        Value::Array(items) => includes_item(items.iter(), needle),
        Value::Hash(entries) => includes_key(entries, needle),
        Value::SemVerRange(_) => matches!(needle, Value::SemVer(_) | Value::Str(_)) && matches(haystack, needle),
        Value::Binary(bytes) => match needle {
            Value::Binary(part) => contains_bytes(bytes, part),
            Value::Str(part) => contains_bytes(bytes, part.as_bytes()),
            Value::Int(n) => u8::try_from(*n).is_ok_and(|n| bytes.contains(&n)),
            Value::Float(f) => bytes.iter().any(|byte| f64::from(*byte) == *f),
            _ => false,
        },
        _ => false,
    }
}

fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || memchr::memmem::find(bytes, part).is_some()
}

fn includes_key(entries: &Hash, needle: &Value) -> bool {
    includes_item(entries.keys(), needle)
}

fn includes_item<'a>(mut items: impl Iterator<Item = &'a Value>, needle: &Value) -> bool {
    match needle {
        Value::Regexp(regexp) => {
            items.any(|item| item.as_str().is_some_and(|text| regexp.is_match(text).unwrap_or(false)))
        }
        // Each element is a pattern: an array may contain regexps, types and version ranges.
        Value::Str(_) | Value::SemVer(_) => items.any(|item| matches(item, needle)),
        Value::Type(t) => items.any(|item| types::is_instance(t, item)),
        _ => items.any(|item| equals(item, needle)),
    }
}
