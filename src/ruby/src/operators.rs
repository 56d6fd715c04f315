//! Operators of numbers, strings and lists that need no look at tables of methods.
//!
//! In: an operator, two values of Ruby's own classes that the program has not changed. Out: the result, or nothing where the
//! method decides. Must not: run code of the program.

use super::compare;
use super::value::Rv;
use catwalk_ruby_syntax::inline_cache::Operator;

/// The result of an operator.
#[inline]
pub(crate) fn fast(operator: Operator, receiver: &Rv, arg: &Rv) -> Option<Rv> {
    match (receiver, arg) {
        (Rv::Int(a), Rv::Int(b)) => of_integers(operator, *a, *b),
        (Rv::Float(a), Rv::Float(b)) => of_floats(operator, *a, *b),
        (Rv::Array(items), Rv::Int(at)) if operator == Operator::Index => {
            let items = items.try_borrow().ok()?;
            let at = if *at < 0 { at.checked_add(items.len() as i128)? } else { *at };
            let at = usize::try_from(at).ok();
            Some(at.and_then(|at| items.get(at)).cloned().unwrap_or(Rv::Nil))
        }
        (Rv::Hash(hash), key) if operator == Operator::Index && !matches!(key, Rv::Object(_)) => match hash.get(key) {
            None if hash.default_proc.borrow().is_none() => Some(hash.default.borrow().clone()),
            found => found,
        },
        (Rv::Object(_), _) | (_, Rv::Object(_)) => None,
        (a, b) => match operator {
            Operator::Equal => Some(Rv::Bool(compare::equal(a, b))),
            Operator::NotEqual => Some(Rv::Bool(!compare::equal(a, b))),
            _ => None,
        },
    }
}

#[inline]
fn of_integers(operator: Operator, a: i128, b: i128) -> Option<Rv> {
    Some(match operator {
        Operator::Add => Rv::Int(a.checked_add(b)?),
        Operator::Subtract => Rv::Int(a.checked_sub(b)?),
        Operator::Multiply => match (i64::try_from(a), i64::try_from(b)) {
            (Ok(a), Ok(b)) => Rv::Int(i128::from(a) * i128::from(b)),
            _ => Rv::Int(a.checked_mul(b)?),
        },
        // Ruby rounds down.
        Operator::Modulo => match (i64::try_from(a), i64::try_from(b)) {
            (Ok(a), Ok(b)) if b > 0 => Rv::Int(i128::from(a.rem_euclid(b))),
            _ => return None,
        },
        Operator::Divide => match (i64::try_from(a), i64::try_from(b)) {
            (Ok(a), Ok(b)) if b > 0 => Rv::Int(i128::from(a.div_euclid(b))),
            _ => return None,
        },
        Operator::Equal => Rv::Bool(a == b),
        Operator::NotEqual => Rv::Bool(a != b),
        Operator::Less => Rv::Bool(a < b),
        Operator::Greater => Rv::Bool(a > b),
        Operator::LessOrEqual => Rv::Bool(a <= b),
        Operator::GreaterOrEqual => Rv::Bool(a >= b),
        Operator::Append | Operator::Index | Operator::Other => return None,
    })
}

#[inline]
fn of_floats(operator: Operator, a: f64, b: f64) -> Option<Rv> {
    Some(match operator {
        Operator::Add => Rv::Float(a + b),
        Operator::Subtract => Rv::Float(a - b),
        Operator::Multiply => Rv::Float(a * b),
        Operator::Divide => Rv::Float(a / b),
        Operator::Less => Rv::Bool(a < b),
        Operator::Greater => Rv::Bool(a > b),
        Operator::LessOrEqual => Rv::Bool(a <= b),
        Operator::GreaterOrEqual => Rv::Bool(a >= b),
        _ => return None,
    })
}
