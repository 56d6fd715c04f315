//! Arithmetic with durations and points in time (Puppet::Pops::Time). Numbers count seconds.

use std::sync::Arc;

use crate::Res;
use crate::Stop;
use crate::issues;
use catwalk_syntax::ast::Binary;
use catwalk_syntax::ast::BinaryOp;
use catwalk_value::Timespan;
use catwalk_value::Timestamp;
use catwalk_value::Value;
use catwalk_value::number::float_to_s;

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
            Value::BigInt(n) => Operand::Big(catwalk_value::to_nanoseconds(n, 1)),
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

/// The result of a binary operator with a time on at least one side.
pub(super) fn calculate_times(left: &Value, right: &Value, binary: &Binary) -> Res<Value> {
    let operation = TimeOperation { left, right, binary };
    let (a, b) = operation.operands()?;
    match (binary.op, a) {
        (BinaryOp::Add, Operand::Stamp(_) | Operand::Span(_)) => add(a, b),
        (BinaryOp::Sub, Operand::Stamp(_) | Operand::Span(_)) => subtract(a, b),
        (BinaryOp::Mul, Operand::Span(a)) => operation.multiply(a, b),
        (BinaryOp::Div, Operand::Span(a)) => operation.divide(a, b),
        (BinaryOp::Mod, Operand::Span(a)) => operation.modulo(a, b),
        _ => Err(operation.not_applicable()),
    }
}

/// An operator and its operands, for the errors of a calculation.
struct TimeOperation<'v, 'b> {
    left: &'v Value,
    right: &'v Value,
    binary: &'b Binary,
}

impl TimeOperation<'_, '_> {
    /// The operands, the time first: the sides of a commutative operator are swapped if necessary.
    fn operands(&self) -> Res<(Operand, Operand)> {
        let (Some(mut a), Some(mut b)) = (Operand::new(self.left), Operand::new(self.right)) else {
            return Err(self.not_applicable());
        };
        if self.binary.op == BinaryOp::Mod {
            match (a, b) {
                (Operand::Float(_), _) => return Err(self.not_applicable()),
                (_, Operand::Float(_)) => return Err(self.not_applicable_when()),
                _ => {}
            }
        }
        if b.is_time() && !a.is_time() {
            match (self.binary.op, b) {
                (BinaryOp::Add, _) | (BinaryOp::Mul, Operand::Span(_)) => std::mem::swap(&mut a, &mut b),
                (BinaryOp::Sub, Operand::Span(_)) => a = Operand::Span(a.nanoseconds()),
                _ => return Err(self.not_applicable_when()),
            }
        }
        Ok((a, b))
    }

    fn multiply(&self, a: i128, b: Operand) -> Res<Value> {
        match b {
            Operand::Int(b) => span(a.saturating_mul(i128::from(b))),
            Operand::Big(b) => span(a.saturating_mul(b)),
            Operand::Float(b) if !(a as f64 * b).is_finite() => Err(Stop::runtime(float_to_s(a as f64 * b))),
            Operand::Float(b) => span((a as f64 * b) as i128),
            Operand::Stamp(_) | Operand::Span(_) => {
                let factor = catwalk_value::a_an(&catwalk_value::label(self.right));
                Err(Stop::runtime(format!("A Timestamp cannot be multiplied by {factor}")))
            }
        }
    }

    fn divide(&self, a: i128, b: Operand) -> Res<Value> {
        match b {
            Operand::Span(b) => {
                let quotient = catwalk_value::quotient(a, b);
                if quotient.is_infinite() {
                    let reason = issues::result_is_infinity(self.binary.op.as_str());
                    return Err(Stop::issue(reason, self.binary.left.span));
                }
                Ok(Value::Float(quotient))
            }
            Operand::Int(0) | Operand::Float(0.0) => Err(self.division_by_zero()),
            Operand::Int(b) => span(floor_div(a, i128::from(b))),
            Operand::Big(b) => span(floor_div(a, b)),
            Operand::Float(b) => span((a as f64 / b).floor() as i128),
            Operand::Stamp(_) => Err(Stop::runtime("A Timespan cannot be divided by a Timestamp")),
        }
    }

    fn modulo(&self, a: i128, b: Operand) -> Res<Value> {
        match b {
            Operand::Int(0) => Err(self.division_by_zero()),
            Operand::Int(b) => {
                let (a, b) = (floor_div(a, SECOND), i128::from(b));
                Ok(Value::Int(i64::try_from(((a % b) + b) % b).unwrap_or_default()))
            }
            Operand::Big(b) => {
                Ok(Value::integer(floor_div(a, SECOND).rem_euclid(b.saturating_abs()) + if b < 0 { b } else { 0 }))
            }
            Operand::Stamp(_) | Operand::Span(_) | Operand::Float(_) => {
                let divisor = catwalk_value::a_an(&catwalk_value::label(self.right));
                Err(Stop::runtime(format!("Can not do modulus on a Timespan using a {divisor}")))
            }
        }
    }

    fn not_applicable(&self) -> Stop {
        let reason = issues::not_applicable(self.binary.op.as_str(), &catwalk_value::label(self.left));
        Stop::issue(reason, self.binary.left.span)
    }

    fn not_applicable_when(&self) -> Stop {
        let (left, right) = (catwalk_value::label(self.left), catwalk_value::label(self.right));
        let reason = issues::not_applicable_when(self.binary.op.as_str(), &left, &right);
        Stop::issue(reason, self.binary.left.span)
    }

    fn division_by_zero(&self) -> Stop {
        Stop::issue(issues::div_by_zero(), self.binary.right.span)
    }
}

fn add(a: Operand, b: Operand) -> Res<Value> {
    match (a, b) {
        (Operand::Stamp(_), Operand::Stamp(_)) => Err(Stop::runtime("A Timestamp cannot be added to a Timestamp")),
        (Operand::Stamp(a), b) | (b, Operand::Stamp(a)) => stamp(a.saturating_add(b.nanoseconds())),
        (a, b) => span(a.nanoseconds().saturating_add(b.nanoseconds())),
    }
}

fn subtract(a: Operand, b: Operand) -> Res<Value> {
    match (a, b) {
        (Operand::Stamp(a), Operand::Stamp(b)) => span(a.saturating_sub(b)),
        (Operand::Stamp(a), b) => stamp(a.saturating_sub(b.nanoseconds())),
        (_, Operand::Stamp(_)) => Err(Stop::runtime("A Timestamp cannot be subtracted from a Timespan")),
        (a, b) => span(a.nanoseconds().saturating_sub(b.nanoseconds())),
    }
}

/// The error of an operator with a time and a version. Ruby treats a version as a number, but times do not accept it. `None`: the
/// operator has no special error.
pub(super) fn version_error(op: BinaryOp, span: bool) -> Option<String> {
    let label = if span { "Timespan" } else { "Timestamp" };
    Some(match op {
        BinaryOp::Add => format!("A Version cannot be added to a {label}"),
        BinaryOp::Sub => format!("A Version cannot be subtracted from a {label}"),
        BinaryOp::Mul if span => "A Timestamp cannot be multiplied by a Version".to_owned(),
        BinaryOp::Div if span => "A Timespan cannot be divided by a Version".to_owned(),
        BinaryOp::Mod if span => "Can not do modulus on a Timespan using a a Version".to_owned(),
        _ => return None,
    })
}

fn floor_div(a: i128, b: i128) -> i128 {
    (a.saturating_div(b)).saturating_sub(i128::from(a.wrapping_rem(b) != 0 && (a < 0) != (b < 0)))
}
