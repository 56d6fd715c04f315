//! Operators of numbers, strings and lists that need no method lookup.
//!
//! In: an operator, two values of Ruby's own classes that the program has not changed. Out: the result, or `None` if the method
//! must be called. Must not: run code of the program.

use crate::core::compare;
use crate::value::Rv;
use catwalk_ruby_syntax::inline_cache::Operator;

/// The result of an operator.
#[inline]
pub(crate) fn apply(operator: Operator, receiver: &Rv, arg: &Rv) -> Option<Rv> {
    match (receiver, arg) {
        (Rv::Int(a), Rv::Int(b)) => apply_to_integers(operator, *a, *b),
        (Rv::Float(a), Rv::Float(b)) => apply_to_floats(operator, a.get(), b.get()),
        (Rv::Array(items), Rv::Int(at)) if operator == Operator::Index => {
            let items = items.try_borrow().ok()?;
            let at = if *at < 0 { at.checked_add_unsigned(items.len() as u64)? } else { *at };
            let at = usize::try_from(at).ok();
            Some(at.and_then(|at| items.get(at)).cloned().unwrap_or(Rv::Nil))
        }
        (Rv::Hash(hash), key) if operator == Operator::Index && !matches!(key, Rv::Object(_)) => match hash.get(key) {
            None if hash.default_proc.borrow().is_none() => Some(hash.default.borrow().clone()),
            found => found,
        },
        (Rv::Object(_), _) | (_, Rv::Object(_)) => None,
        (a, b) => match operator {
            Operator::Equal => Some(Rv::bool(compare::equal(a, b))),
            Operator::NotEqual => Some(Rv::bool(!compare::equal(a, b))),
            _ => None,
        },
    }
}

/// The result of a comparison.
#[inline]
pub(crate) fn compare_integers(operator: Operator, a: i64, b: i64) -> Option<bool> {
    Some(match operator {
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        Operator::Less => a < b,
        Operator::Greater => a > b,
        Operator::LessOrEqual => a <= b,
        Operator::GreaterOrEqual => a >= b,
        _ => return None,
    })
}

/// The result of an operator of machine integers.
#[inline]
pub(crate) fn apply_to_integers(operator: Operator, a: i64, b: i64) -> Option<Rv> {
    Some(match operator {
        Operator::Add => Rv::Int(a.checked_add(b)?),
        Operator::Subtract => Rv::Int(a.checked_sub(b)?),
        Operator::Multiply => Rv::Int(a.checked_mul(b)?),
        // Ruby rounds quotients down.
        Operator::Modulo if b > 0 => Rv::Int(a.rem_euclid(b)),
        Operator::Divide if b > 0 => Rv::Int(a.div_euclid(b)),
        Operator::Equal => Rv::bool(a == b),
        Operator::NotEqual => Rv::bool(a != b),
        Operator::Less => Rv::bool(a < b),
        Operator::Greater => Rv::bool(a > b),
        Operator::LessOrEqual => Rv::bool(a <= b),
        Operator::GreaterOrEqual => Rv::bool(a >= b),
        Operator::Modulo | Operator::Divide | Operator::Append | Operator::Index | Operator::Other => return None,
    })
}

#[inline]
fn apply_to_floats(operator: Operator, a: f64, b: f64) -> Option<Rv> {
    Some(match operator {
        Operator::Add => Rv::float(a + b),
        Operator::Subtract => Rv::float(a - b),
        Operator::Multiply => Rv::float(a * b),
        Operator::Divide => Rv::float(a / b),
        Operator::Less => Rv::bool(a < b),
        Operator::Greater => Rv::bool(a > b),
        Operator::LessOrEqual => Rv::bool(a <= b),
        Operator::GreaterOrEqual => Rv::bool(a >= b),
        _ => return None,
    })
}
