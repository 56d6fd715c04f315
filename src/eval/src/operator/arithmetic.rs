//! `+ - * / % << >>` on numbers; collections are in `collection`, times in `time`.

use catwalk_base::meter;
use std::sync::Arc;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::issues;
use crate::operator::collection;
use crate::operator::time;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Binary;
use catwalk_syntax::ast::BinaryOp;
use catwalk_syntax::ast::Expr;
use catwalk_value::Timespan;
use catwalk_value::Value;
use catwalk_value::big::to_float;
use catwalk_value::number;
use catwalk_value::ruby;

impl<'c> Evaluator<'c> {
    /// A binary operator on two values.
    pub(super) fn calculate(&mut self, left: Value, right: Value, binary: &'c Binary, span: Span) -> Res<Value> {
        use BinaryOp as Op;
        match (&left, &right, binary.op) {
            (Value::Int(a), Value::Int(b), _) => return calculate_integers(*a, *b, binary, span),
            (Value::Array(_) | Value::Hash(_) | Value::Uri(_) | Value::Binary(_), _, Op::Add) => {
                return Ok(collection::concatenate(left, right, self.settings.version)?);
            }
            (Value::Array(_) | Value::Hash(_), _, Op::Sub) => return Ok(collection::delete(left, &right)),
            (Value::Array(items), _, Op::ShiftLeft) => {
                let mut items = meter::to_vec(items);
                items.push(right);
                return Ok(Value::array(items));
            }
            (Value::Hash(_), _, Op::ShiftLeft) => {
                return Err(Stop::issue(issues::not_applicable("<<", "Hash"), binary.left.span));
            }
            _ => {}
        }
        let left = self.numeric(left, binary.left.span)?;
        let right = self.numeric(right, binary.right.span)?;
        match (&left, &right) {
            (Value::Int(a), Value::Int(b)) => calculate_integers(*a, *b, binary, span),
            (Value::Int(_) | Value::BigInt(_), _)
                if matches!(binary.op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
                    && matches!(right, Value::Int(_) | Value::BigInt(_) | Value::Float(_)) =>
            {
                let back = binary.op == BinaryOp::ShiftRight;
                let by = match &right {
                    // Ruby shifts by the integer part.
                    Value::Float(by) => *by as i128,
                    other => other.as_int_within().map_or(0, i128::from),
                };
                shift(&left.as_big().unwrap_or_default(), if back { by.saturating_neg() } else { by }, binary, span)
            }
            (Value::BigInt(_), Value::Int(_) | Value::BigInt(_)) | (Value::Int(_), Value::BigInt(_)) => {
                let (a, b) = (left.as_big().unwrap_or_default(), right.as_big().unwrap_or_default());
                calculate_big_integers(&a, &b, binary, span)
            }
            (Value::BigInt(a), Value::Float(b)) => calculate_floats(to_float(a), *b, &left, &right, binary),
            (Value::Float(a), Value::BigInt(b)) => calculate_floats(*a, to_float(b), &left, &right, binary),
            (Value::Int(a), Value::Float(b)) => calculate_floats(*a as f64, *b, &left, &right, binary),
            (Value::Float(a), Value::Int(b)) => calculate_floats(*a, *b as f64, &left, &right, binary),
            (Value::Float(a), Value::Float(b)) => calculate_floats(*a, *b, &left, &right, binary),
            _ => calculate_versions(&left, &right, binary),
        }
    }

    /// The value as a number (`coerce_numeric`): strings are converted, with the warning or error that `strict` requires.
    pub(crate) fn numeric(&mut self, value: Value, span: Span) -> Res<Value> {
        let text = match &value {
            Value::Int(_) | Value::Float(_) | Value::Timespan(_) | Value::Timestamp(_) => return Ok(value),
            Value::BigInt(_) => return Ok(value),
            // A version is a `Numeric` in Ruby, though no operator works on it.
            Value::SemVer(_) => return Ok(value),
            Value::Str(text) => text,
            other => return Err(Stop::issue(issues::not_numeric(&ruby::to_s(other)), span)),
        };
        let Some(number) = number::parse_number(text) else {
            return Err(Stop::issue(issues::not_numeric(text), span));
        };
        self.strictly(|| issues::numeric_coercion(text, ruby::to_s(&number).into_owned()), span)?;
        Ok(number)
    }

    /// `-x`
    pub(crate) fn eval_minus(&mut self, inner: &'c Expr, span: Span) -> Res<Value> {
        let value = self.eval(inner)?;
        match self.numeric(value, span)? {
            Value::Int(n) => match n.checked_neg() {
                Some(n) => Ok(Value::Int(n)),
                // Only here the bounds of integers are not checked.
                None => Ok(Value::integer(n.unsigned_abs())),
            },
            Value::BigInt(n) => Ok(Value::integer(-&*n)),
            Value::Float(f) => Ok(Value::Float(-f)),
            Value::Timespan(span) => Ok(Value::Timespan(Arc::new(Timespan::new(-span.nanoseconds())))),
            time @ Value::Timestamp(_) => {
                Err(Stop::runtime(format!("undefined method `-@' for {}", ruby::plain_receiver(&time))))
            }
            other => Err(no_float(&other)),
        }
    }
}

fn calculate_integers(a: i64, b: i64, binary: &Binary, span: Span) -> Res<Value> {
    use BinaryOp as Op;
    let (a, b) = (i128::from(a), i128::from(b));
    let result = match binary.op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div | Op::Mod if b == 0 => return Err(Stop::issue(issues::div_by_zero(), binary.right.span)),
        // Ruby rounds down, not to zero.
        Op::Div => a / b - i128::from(a % b != 0 && (a < 0) != (b < 0)),
        Op::Mod => ((a % b) + b) % b,
        Op::ShiftLeft => return shift(&BigInt::from(a), b, binary, span),
        Op::ShiftRight => return shift(&BigInt::from(a), -b, binary, span),
        // The parser creates arithmetic expressions with these operators only.
        _ => return Err(Stop::issue(issues::not_applicable(binary.op.as_str(), "Integer"), span)),
    };
    match i64::try_from(result) {
        Ok(result) => Ok(Value::Int(result)),
        Err(_) => Err(overflow(result < 0, &format!("{:x}", result.unsigned_abs()), binary, span)),
    }
}

/// Arithmetic where a number does not fit 64 bits; the result may.
fn calculate_big_integers(a: &BigInt, b: &BigInt, binary: &Binary, span: Span) -> Res<Value> {
    use BinaryOp as Op;
    let zero = BigInt::ZERO;
    let apart = |rest: &BigInt| *rest != zero && (*rest < zero) != (*b < zero);
    let result = match binary.op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div | Op::Mod if *b == zero => return Err(Stop::issue(issues::div_by_zero(), binary.right.span)),
        Op::Div => a / b - i32::from(apart(&(a % b))),
        Op::Mod => {
            let remainder = a % b;
            if apart(&remainder) { remainder + b } else { remainder }
        }
        // The parser creates arithmetic expressions with these operators only.
        _ => return Err(Stop::issue(issues::not_applicable(binary.op.as_str(), "Integer"), span)),
    };
    checked_integer(result, binary, span)
}

/// The result of an operator, which must fit 64 bits.
fn checked_integer(result: BigInt, binary: &Binary, span: Span) -> Res<Value> {
    match i64::try_from(&result) {
        Ok(result) => Ok(Value::Int(result)),
        Err(_) => Err(overflow(result.sign() == Sign::Minus, &result.magnitude().to_str_radix(16), binary, span)),
    }
}

/// Ruby's error for a calculation with a value that only looks like a number.
fn no_float(value: &Value) -> Stop {
    Stop::runtime(format!("can't convert {} into Float", ruby::plain_conversion_name(value)))
}

/// Operators with a version or a time on one side; none supports versions.
fn calculate_versions(left: &Value, right: &Value, binary: &Binary) -> Res<Value> {
    let shift = matches!(binary.op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
    match (left, right) {
        (Value::Float(_), Value::SemVer(_)) if binary.op == BinaryOp::Mod => {
            Err(Stop::issue(issues::not_applicable("%", "Float"), binary.left.span))
        }
        (Value::SemVer(_), Value::Float(_)) if binary.op == BinaryOp::Mod => {
            let (left, right) = (catwalk_value::label(left), catwalk_value::label(right));
            Err(Stop::issue(issues::not_applicable_when("%", &left, &right), binary.left.span))
        }
        (Value::Int(_) | Value::BigInt(_) | Value::Float(_), Value::SemVer(_)) if !shift => Err(no_float(right)),
        (Value::Timespan(_) | Value::Timestamp(_), Value::SemVer(_)) if !shift => {
            match time::version_error(binary.op, matches!(left, Value::Timespan(_))) {
                Some(text) => Err(Stop::runtime(text)),
                None => {
                    let reason = issues::not_applicable(binary.op.as_str(), &catwalk_value::label(left));
                    Err(Stop::issue(reason, binary.left.span))
                }
            }
        }
        (Value::SemVer(_), Value::Timespan(_) | Value::Timestamp(_)) => calculate_version_and_time(left, right, binary),
        (Value::SemVer(_), _) | (_, Value::SemVer(_)) => {
            let reason = issues::not_applicable(binary.op.as_str(), &catwalk_value::label(left));
            Err(Stop::issue(reason, binary.left.span))
        }
        _ => time::calculate_times(left, right, binary),
    }
}

/// Puppet calls the time's operator if the operands are commutative.
fn calculate_version_and_time(left: &Value, right: &Value, binary: &Binary) -> Res<Value> {
    let span = matches!(right, Value::Timespan(_));
    let swapped = binary.op == BinaryOp::Add || binary.op == BinaryOp::Mul && span;
    if swapped && let Some(text) = time::version_error(binary.op, span) {
        return Err(Stop::runtime(text));
    }
    let reason = if binary.op == BinaryOp::Sub && span {
        issues::not_applicable(binary.op.as_str(), &catwalk_value::label(left))
    } else {
        issues::not_applicable_when(binary.op.as_str(), &catwalk_value::label(left), &catwalk_value::label(right))
    };
    Err(Stop::issue(reason, binary.left.span))
}

fn overflow(negative: bool, hex: &str, binary: &Binary, span: Span) -> Stop {
    let expression = format!("'{}' expression", binary.op.as_str());
    Stop::issue(issues::numeric_overflow(&expression, negative, hex), span)
}

/// Shifts by any number of bits, to the right when it is negative.
fn shift(value: &BigInt, by: i128, binary: &Binary, span: Span) -> Res<Value> {
    if by <= 0 {
        // A larger shift leaves no bits of any number.
        let by = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX).min(1 << 24);
        return checked_integer(value >> by, binary, span);
    }
    if *value == BigInt::ZERO {
        return Ok(Value::Int(0));
    }
    // The message shows all digits of the result, so it is limited.
    let Some(by) = u32::try_from(by).ok().filter(|by| *by <= 1 << 16) else {
        return Err(Stop::runtime("shift width too big"));
    };
    checked_integer(value << by, binary, span)
}

fn calculate_floats(a: f64, b: f64, left: &Value, right: &Value, binary: &Binary) -> Res<Value> {
    use BinaryOp as Op;
    let operator = binary.op.as_str();
    let fail = |reason| Err(Stop::issue(reason, binary.left.span));
    let result = match binary.op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Mod | Op::ShiftLeft | Op::ShiftRight if matches!(left, Value::Float(_)) => {
            return fail(issues::not_applicable(operator, &catwalk_value::label(left)));
        }
        Op::Mod => {
            return fail(issues::not_applicable_when(
                operator,
                &catwalk_value::label(left),
                &catwalk_value::label(right),
            ));
        }
        _ => return fail(issues::not_applicable(operator, &catwalk_value::label(left))),
    };
    if result.is_infinite() {
        return fail(issues::result_is_infinity(operator));
    }
    Ok(Value::Float(result))
}
