//! `<=>` and `sort`.

use std::cmp::Ordering;

use crate::types::Type;
use crate::value::Value;
use crate::value::compare::compare as compare_values;
use crate::value::ruby;
use catwalk_base::diag::Reason;

/// `a <=> b`; `None` for values that cannot be compared.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        #[allow(clippy::cast_precision_loss, reason = "as Ruby compares them")]
        (Value::Int(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        #[allow(clippy::cast_precision_loss, reason = "as Ruby compares them")]
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::BigInt(_), Value::Int(_) | Value::BigInt(_) | Value::Float(_))
        | (Value::Int(_) | Value::Float(_), Value::BigInt(_)) => compare_values(a, b).ok(),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Symbol(a), Value::Symbol(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match compare(a, b)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (
            Value::SemVer(_)
            | Value::Timestamp(_)
            | Value::Timespan(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_),
            Value::SemVer(_) | Value::Timestamp(_) | Value::Timespan(_),
        )
        | (Value::Timestamp(_) | Value::Timespan(_), Value::Int(_) | Value::BigInt(_) | Value::Float(_)) => {
            compare_values(a, b).ok()
        }
        (a, b) => (a == b).then_some(Ordering::Equal),
    }
}

/// Ruby's error for values that cannot be compared.
pub fn not_comparable(a: &Value, b: &Value) -> Reason {
    if matches!(a, Value::Int(_) | Value::BigInt(_) | Value::Float(_)) {
        // Numbers call `coerce` of the second value.
        match b {
            Value::Uri(_) => {
                let inspected = ruby::inspect(b);
                return Reason::runtime(format!("super: no superclass method `coerce' for {inspected}"));
            }
            Value::SemVer(_) => return Reason::runtime("can't convert SemanticPuppet::Version into Float"),
            _ => {}
        }
    }
    let other = match b {
        Value::Undef
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Default
        | Value::Symbol(_) => ruby::inspect(b),
        b => class_of(b).to_owned(),
    };
    Reason::runtime(format!("comparison of {} with {other} failed", class_of(a)))
}

/// The class of a value in 4.x functions, where references are not resources.
fn class_of(value: &Value) -> &'static str {
    match value {
        Value::Type(Type::Resource(_)) => "Puppet::Pops::Types::PResourceType",
        Value::Type(Type::Class(_)) => "Puppet::Pops::Types::PClassType",
        other => ruby::class_name(other),
    }
}

/// The order that a block returned for two values.
///
/// # Errors
///
/// The result is not a number.
pub fn order_from_block(answer: &Value, a: &Value, b: &Value) -> Result<Ordering, Reason> {
    match answer {
        Value::Int(n) => Ok(n.cmp(&0)),
        Value::BigInt(n) => Ok((**n).cmp(&num_bigint::BigInt::ZERO)),
        Value::Float(f) => Ok(f.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Value::Timespan(time) => Ok(time.nanoseconds().cmp(&0)),
        Value::Timestamp(time) => Ok(time.nanoseconds().cmp(&0)),
        Value::Undef => Err(not_comparable(a, b)),
        Value::Hash(_) => Err(Reason::runtime("no implicit conversion of Integer into Hash")),
        Value::Str(_) | Value::SemVer(_) | Value::Default | Value::Symbol(_) => {
            Err(Reason::runtime(format!("comparison of {} with 0 failed", class_of(answer))))
        }
        // Other values do not have the methods `>` and `<`.
        other => Err(Reason::runtime(format!("undefined method `>' for {}", ruby::plain_receiver(other)))),
    }
}
