//! Arithmetic with durations and points in time (Puppet::Pops::Time). Numbers count seconds.

use std::sync::Arc;

use crate::Res;
use crate::Stop;
use crate::issues;
use catwalk_syntax::ast::Binary;
use catwalk_syntax::ast::BinaryOp;
use catwalk_value::value;
use catwalk_value::value::Timespan;
use catwalk_value::value::Timestamp;
use catwalk_value::value::Value;
use catwalk_value::value::number::float_text;

const SECOND: i128 = 1_000_000_000;

/// An operand; everything in nanoseconds except plain factors.
#[derive(Clone, Copy)]
enum Operand {
    Stamp(i128),
    Span(i128),
    Int(i64),
    /// A number of seconds, or a factor, that is limited to the representable range.
    Big(i128),
    Float(f64),
}

impl Operand {
    fn new(value: &Value) -> Option<Operand> {
        Some(match value {
            Value::Timestamp(time) => Operand::Stamp(time.nanoseconds()),
            Value::Timespan(time) => Operand::Span(time.nanoseconds()),
            Value::Int(n) => Operand::Int(*n),
            Value::BigInt(n) => Operand::Big(catwalk_value::value::nanoseconds_of(n, 1)),
            Value::Float(f) => Operand::Float(*f),
            _ => return None,
        })
    }

    fn is_time(self) -> bool {
        matches!(self, Operand::Stamp(_) | Operand::Span(_))
    }

    /// A number of seconds, or a duration, in nanoseconds.
    fn nanoseconds(self) -> i128 {
        match self {
            Operand::Stamp(n) | Operand::Span(n) => n,
            Operand::Int(n) => i128::from(n) * SECOND,
            Operand::Big(n) => n.saturating_mul(SECOND),
            Operand::Float(f) => (f * SECOND as f64) as i128,
        }
    }
}

fn span(nanoseconds: i128) -> Res<Value> {
    Ok(Value::Timespan(Arc::new(Timespan::new(nanoseconds))))
}

fn stamp(nanoseconds: i128) -> Res<Value> {
    Ok(Value::Timestamp(Arc::new(Timestamp::new(nanoseconds))))
}

/// A binary operator of which at least one side is a time.
pub(super) fn times(left: &Value, right: &Value, binary: &Binary) -> Res<Value> {
    use BinaryOp as Op;
    let op = binary.op;
    let fail = |reason| Err(Stop::issue(reason, binary.left.span));
    let not_applicable = || fail(issues::not_applicable(op.as_str(), &value::label(left)));
    let not_applicable_when =
        || fail(issues::not_applicable_when(op.as_str(), &value::label(left), &value::label(right)));
    let (Some(mut a), Some(mut b)) = (Operand::new(left), Operand::new(right)) else { return not_applicable() };
    if op == Op::Mod && (matches!(a, Operand::Float(_)) || matches!(b, Operand::Float(_))) {
        return if matches!(a, Operand::Float(_)) { not_applicable() } else { not_applicable_when() };
    }
    if b.is_time() && !a.is_time() {
        match (op, b) {
            (Op::Add, _) | (Op::Mul, Operand::Span(_)) => std::mem::swap(&mut a, &mut b),
            (Op::Sub, Operand::Span(_)) => a = Operand::Span(a.nanoseconds()),
            _ => return not_applicable_when(),
        }
    }
    match (op, a, b) {
        (Op::Add, Operand::Stamp(_), Operand::Stamp(_)) => {
            Err(Stop::runtime("A Timestamp cannot be added to a Timestamp"))
        }
        (Op::Add, Operand::Stamp(a), b) => stamp(a.saturating_add(b.nanoseconds())),
        (Op::Add, Operand::Span(a), Operand::Stamp(b)) => stamp(a.saturating_add(b)),
        (Op::Add, Operand::Span(a), b) => span(a.saturating_add(b.nanoseconds())),
        (Op::Sub, Operand::Stamp(a), Operand::Stamp(b)) => span(a.saturating_sub(b)),
        (Op::Sub, Operand::Stamp(a), b) => stamp(a.saturating_sub(b.nanoseconds())),
        (Op::Sub, Operand::Span(_), Operand::Stamp(_)) => {
            Err(Stop::runtime("A Timestamp cannot be subtracted from a Timespan"))
        }
        (Op::Sub, Operand::Span(a), b) => span(a.saturating_sub(b.nanoseconds())),
        (Op::Mul, Operand::Span(a), Operand::Int(b)) => span(a.saturating_mul(i128::from(b))),
        (Op::Mul, Operand::Span(a), Operand::Big(b)) => span(a.saturating_mul(b)),
        (Op::Mul, Operand::Span(a), Operand::Float(b)) if !(a as f64 * b).is_finite() => {
            Err(Stop::runtime(float_text(a as f64 * b)))
        }
        (Op::Mul, Operand::Span(a), Operand::Float(b)) => span((a as f64 * b) as i128),
        (Op::Mul, Operand::Span(_), _) => {
            let what = value::a_an(&value::label(right));
            Err(Stop::runtime(format!("A Timestamp cannot be multiplied by {what}")))
        }
        (Op::Div, Operand::Span(a), Operand::Span(b)) => {
            let quotient = value::quotient(a, b);
            if quotient.is_infinite() {
                return fail(issues::result_is_infinity(op.as_str()));
            }
            Ok(Value::Float(quotient))
        }
        (Op::Div | Op::Mod, Operand::Span(_), Operand::Int(0)) => {
            Err(Stop::issue(issues::div_by_zero(), binary.right.span))
        }
        (Op::Div, Operand::Span(_), Operand::Float(0.0)) => Err(Stop::issue(issues::div_by_zero(), binary.right.span)),
        (Op::Div, Operand::Span(a), Operand::Int(b)) => span(floor_div(a, i128::from(b))),
        (Op::Div, Operand::Span(a), Operand::Big(b)) => span(floor_div(a, b)),
        (Op::Div, Operand::Span(a), Operand::Float(b)) => span((a as f64 / b).floor() as i128),
        (Op::Div, Operand::Span(_), Operand::Stamp(_)) => {
            Err(Stop::runtime("A Timespan cannot be divided by a Timestamp"))
        }
        (Op::Mod, Operand::Span(a), Operand::Int(b)) => {
            let (a, b) = (floor_div(a, SECOND), i128::from(b));
            Ok(Value::Int(i64::try_from(((a % b) + b) % b).unwrap_or_default()))
        }
        (Op::Mod, Operand::Span(a), Operand::Big(b)) => {
            Ok(Value::integer(floor_div(a, SECOND).rem_euclid(b.saturating_abs()) + if b < 0 { b } else { 0 }))
        }
        (Op::Mod, Operand::Span(_), _) => {
            let what = value::a_an(&value::label(right));
            Err(Stop::runtime(format!("Can not do modulus on a Timespan using a {what}")))
        }
        _ => not_applicable(),
    }
}

/// Ruby treats a version as a number, but times do not accept it.
pub(super) fn with_version(op: BinaryOp, span: bool) -> Option<String> {
    let what = if span { "Timespan" } else { "Timestamp" };
    Some(match op {
        BinaryOp::Add => format!("A Version cannot be added to a {what}"),
        BinaryOp::Sub => format!("A Version cannot be subtracted from a {what}"),
        BinaryOp::Mul if span => "A Timestamp cannot be multiplied by a Version".to_owned(),
        BinaryOp::Div if span => "A Timespan cannot be divided by a Version".to_owned(),
        BinaryOp::Mod if span => "Can not do modulus on a Timespan using a a Version".to_owned(),
        _ => return None,
    })
}

fn floor_div(a: i128, b: i128) -> i128 {
    (a.saturating_div(b)).saturating_sub(i128::from(a.wrapping_rem(b) != 0 && (a < 0) != (b < 0)))
}
