//! Operators and iterations that `Integer` and `Float` have in common.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::compare;
use crate::value::Callable;
use crate::value::Rv;
use catwalk_value::Value;
use catwalk_value::big::to_float;

/// An operation of two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    /// `/`
    Divide,
    /// `div`
    IntegerDivide,
    Modulo,
    /// `divmod`
    DivideModulo,
    /// `fdiv`
    FloatDivide,
    Power,
}

impl Arithmetic {
    /// The method that a value calls that `coerce` returned.
    fn method(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "/",
            Arithmetic::IntegerDivide => "div",
            Arithmetic::Modulo => "%",
            Arithmetic::DivideModulo => "divmod",
            Arithmetic::FloatDivide => "fdiv",
            Arithmetic::Power => "**",
        }
    }
}

/// The direction in which a method rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// `floor`
    Down,
    /// `ceil`
    Up,
    /// `truncate`
    TowardZero,
    /// `round`
    Nearest,
}

pub(super) fn add(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Add, args)
}

pub(super) fn subtract(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Subtract, args)
}

pub(super) fn multiply(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Multiply, args)
}

pub(super) fn divide(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Divide, args)
}

pub(super) fn integer_divide(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::IntegerDivide, args)
}

pub(super) fn modulo(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Modulo, args)
}

pub(super) fn divide_modulo(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::DivideModulo, args)
}

pub(super) fn float_divide(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::FloatDivide, args)
}

pub(super) fn power(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    calculate(rt, this, Arithmetic::Power, args)
}

pub(super) fn is_less(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    compare(rt, this, "<", args, std::cmp::Ordering::is_lt)
}

pub(super) fn is_greater(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    compare(rt, this, ">", args, std::cmp::Ordering::is_gt)
}

pub(super) fn is_at_most(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    compare(rt, this, "<=", args, std::cmp::Ordering::is_le)
}

pub(super) fn is_at_least(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    compare(rt, this, ">=", args, std::cmp::Ordering::is_ge)
}

/// `a == b`: an object of the program may have its own `==`.
pub(super) fn equals(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    if let Rv::Object(_) = other
        && rt.has_method(other, catwalk_base::name!("=="))
    {
        return rt.call_method(other, "==", std::slice::from_ref(this), None);
    }
    Ok(Rv::bool(compare::equal(this, other)))
}

/// `a <=> b`
pub(super) fn order(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    if let Some(result) = coerce_and_call(rt, this, "<=>", other)? {
        return Ok(result);
    }
    Ok(compare::order(this, other).map_or(Rv::Nil, |order| Rv::Int(order as i64)))
}

/// The result of an operator whose right side is an object of the program or a fraction with `coerce`.
pub(super) fn coerce_and_call(rt: &mut Interp<'_>, this: &Rv, method: &str, other: &Rv) -> Raise<Option<Rv>> {
    if let Rv::Object(_) = other
        && rt.has_method(other, catwalk_base::name!("coerce"))
        && let Rv::Array(pair) = rt.call_method(other, "coerce", std::slice::from_ref(this), None)?
        && let [first, second] = &*pair.borrow().clone()
    {
        return rt.call_method(first, method, std::slice::from_ref(second), None).map(Some);
    }
    Ok(None)
}

fn calculate(rt: &mut Interp<'_>, this: &Rv, operation: Arithmetic, args: &[Rv]) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    if let Some(result) = coerce_and_call(rt, this, operation.method(), other)? {
        return Ok(result);
    }
    match (this, other) {
        (_, Rv::Puppet(value)) if let Some(seconds) = crate::value::seconds(value) => {
            calculate(rt, this, operation, &[Rv::float(seconds)])
        }
        // A power with a negative exponent is a fraction.
        (Rv::Int(_) | Rv::Big(_), Rv::Int(exponent)) if operation == Arithmetic::Power && *exponent < 0 => {
            let exact = rt.call_method(this, "to_r", &[], None)?;
            rt.call_method(&exact, "**", std::slice::from_ref(other), None)
        }
        (Rv::Int(a), Rv::Int(b)) if operation == Arithmetic::FloatDivide => Ok(Rv::float(*a as f64 / *b as f64)),
        (Rv::Int(a), Rv::Int(b)) => match calculate_integers(rt, *a, *b, operation)? {
            Some(result) => Ok(result),
            None => calculate_big(rt, this, other, operation),
        },
        (Rv::Int(_) | Rv::Big(_), Rv::Int(_) | Rv::Big(_)) => calculate_big(rt, this, other, operation),
        (_, Rv::Int(_) | Rv::Big(_) | Rv::Float(_)) => calculate_floats(rt, to_f64(this), to_f64(other), operation),
        _ => raise_not_a_number(rt, this, other, false),
    }
}

fn calculate_big(rt: &mut Interp<'_>, a: &Rv, b: &Rv, operation: Arithmetic) -> Raise<Rv> {
    let (big_a, big_b) =
        (big_integer::from_value(a).unwrap_or_default(), big_integer::from_value(b).unwrap_or_default());
    match rt.big_arithmetic(&big_a, &big_b, operation)? {
        Some(result) => Ok(result),
        None => calculate_floats(rt, to_f64(a), to_f64(b), operation),
    }
}

fn calculate_floats(rt: &mut Interp<'_>, a: f64, b: f64, operation: Arithmetic) -> Raise<Rv> {
    let modulo = |a: f64, b: f64| a - b * (a / b).floor();
    Ok(match operation {
        Arithmetic::Add => Rv::float(a + b),
        Arithmetic::Subtract => Rv::float(a - b),
        Arithmetic::Multiply => Rv::float(a * b),
        Arithmetic::Divide | Arithmetic::FloatDivide => Rv::float(a / b),
        Arithmetic::Modulo => Rv::float(modulo(a, b)),
        Arithmetic::Power => Rv::float(a.powf(b)),
        Arithmetic::IntegerDivide => float_to_integer(rt, (a / b).floor())?,
        Arithmetic::DivideModulo => {
            let quotient = float_to_integer(rt, (a / b).floor())?;
            Rv::array(vec![quotient, Rv::float(modulo(a, b))])
        }
    })
}

/// The result for two machine integers; `None` if it needs more bits.
fn calculate_integers(rt: &mut Interp<'_>, a: i64, b: i64, operation: Arithmetic) -> Raise<Option<Rv>> {
    let (a, b) = (i128::from(a), i128::from(b));
    let divides = matches!(
        operation,
        Arithmetic::Divide | Arithmetic::IntegerDivide | Arithmetic::Modulo | Arithmetic::DivideModulo
    );
    if divides && b == 0 {
        return rt.raise("ZeroDivisionError", "divided by 0");
    }
    let result = match operation {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide | Arithmetic::IntegerDivide => Some(floor_div(a, b)),
        Arithmetic::Modulo => Some(a - b * floor_div(a, b)),
        Arithmetic::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        Arithmetic::DivideModulo => {
            let quotient = floor_div(a, b);
            return Ok(Some(Rv::array(vec![Rv::integer(quotient), Rv::integer(a - b * quotient)])));
        }
        Arithmetic::FloatDivide => None,
    };
    // A result beyond 64 bits becomes a big integer.
    Ok(result.map(Rv::integer))
}

fn compare(
    rt: &mut Interp<'_>,
    this: &Rv,
    method: &str,
    args: &[Rv],
    is_expected: fn(std::cmp::Ordering) -> bool,
) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    if let Some(result) = coerce_and_call(rt, this, method, other)? {
        return Ok(result);
    }
    match other {
        Rv::Puppet(value) if let Some(seconds) = crate::value::seconds(value) => {
            compare(rt, this, method, &[Rv::float(seconds)], is_expected)
        }
        Rv::Int(_) | Rv::Big(_) | Rv::Float(_) => Ok(Rv::bool(compare::order(this, other).is_some_and(is_expected))),
        other => raise_not_a_number(rt, this, other, true),
    }
}

/// A method of `Rational` that makes a fraction (`prelude/rational.rb`).
pub(super) fn call_rational(rt: &mut Interp<'_>, method: &str, args: &[Rv]) -> Raise<Rv> {
    let class = rt.constant_path(None, "Rational")?;
    rt.call_method(&class, method, args, None)
}

/// The error of an operator whose right side is not a number.
pub(super) fn raise_not_a_number<T>(rt: &mut Interp<'_>, this: &Rv, other: &Rv, is_comparison: bool) -> Raise<T> {
    if rt.is_uri(other) {
        let inspected = rt.inspect(other)?;
        return rt.raise("NoMethodError", format!("super: no superclass method `coerce' for {inspected}"));
    }
    if matches!(other, Rv::Puppet(value) if matches!(**value, Value::SemVer(_))) {
        return rt.conversion_error(other, "Float");
    }
    let class = rt.class_name(this);
    let description = match other {
        Rv::Nil | Rv::True | Rv::False | Rv::Sym(_) | Rv::Float(_) => rt.inspect(other)?,
        other => rt.class_name(other),
    };
    if is_comparison {
        return rt.raise("ArgumentError", format!("comparison of {class} with {description} failed"));
    }
    rt.raise("TypeError", format!("{description} can't be coerced into {class}"))
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

pub(super) fn to_f64(value: &Rv) -> f64 {
    match value {
        Rv::Int(n) => *n as f64,
        Rv::Big(n) => to_float(n),
        Rv::Float(f) => f.get(),
        _ => 0.0,
    }
}

/// The last number of an iteration.
pub(super) fn last_argument(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<i128> {
    match args.first() {
        Some(Rv::Big(to)) => Ok(crate::core::big_integer::clamp_to_i128(to)),
        Some(to) => rt.expect_int(to).map(i128::from),
        None => Ok(0),
    }
}

/// `number.step(limit, step)`, `number.step(by: step, to: limit)`; without a limit it does not end.
pub(super) fn step(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (plain, options) = match args {
        [plain @ .., Rv::Hash(options)] => (plain, Some(options)),
        plain => (plain, None),
    };
    let option = |name: &str| options.and_then(|options| options.get(&Rv::sym(name)));
    let to = plain.first().cloned().or_else(|| option("to")).unwrap_or(Rv::Nil);
    let by = plain.get(1).cloned().or_else(|| option("by")).unwrap_or(Rv::Int(1));
    if matches!(by, Rv::Int(0)) {
        return rt.raise("ArgumentError", "step can't be 0");
    }
    if let (Rv::Int(from), Rv::Int(step), Rv::Int(_) | Rv::Big(_) | Rv::Nil) = (this, &by, &to) {
        let end = match to {
            Rv::Big(_) => last_argument(rt, &[to])?,
            Rv::Int(to) => to.into(),
            _ if *step > 0 => i128::MAX,
            _ => i128::MIN,
        };
        let Some(block) = block else { return Ok(crate::core::enumerator::enumerator(this, "step", args)) };
        return iterate(rt, this, block, end, (*step).into(), (*from).into());
    }
    if !matches!((&by, &to), (Rv::Int(_) | Rv::Float(_), Rv::Int(_) | Rv::Float(_) | Rv::Nil)) {
        return rt.unsupported("step of values that are not numbers");
    }
    let Some(block) = block else { return Ok(crate::core::enumerator::enumerator(this, "step", args)) };
    let (from, unit) = (to_f64(this), to_f64(&by));
    let end = match to {
        Rv::Nil if unit < 0.0 => f64::NEG_INFINITY,
        Rv::Nil => f64::INFINITY,
        to => to_f64(&to),
    };
    // As in `ruby_float_step`, the number of steps is rounded within the precision of floats.
    let steps = (end - from) / unit;
    let blur = (from.abs() + end.abs() + (end - from).abs()) / unit.abs() * f64::EPSILON;
    let last = (steps + blur.min(0.5)).floor();
    let mut at = 0.0;
    while at <= last || end.is_infinite() && steps > 0.0 {
        let number = at * unit + from;
        let beyond = if unit >= 0.0 { end < number } else { number < end };
        rt.yield_value(block, Rv::float(if beyond { end } else { number }))?;
        at += 1.0;
    }
    Ok(this.clone())
}

/// Passes the numbers from one to another to a block; returns the receiver.
pub(super) fn iterate(
    rt: &mut Interp<'_>,
    this: &Rv,
    block: &Rc<Callable>,
    to: i128,
    step: i128,
    from: i128,
) -> Raise<Rv> {
    let mut at = from;
    while if step > 0 { at <= to } else { at >= to } {
        rt.yield_value(block, Rv::integer(at))?;
        at += step;
    }
    Ok(this.clone())
}

/// The integer of a float that has no fraction.
pub(super) fn float_to_integer(rt: &mut Interp<'_>, f: f64) -> Raise<Rv> {
    if !f.is_finite() {
        let string = catwalk_value::number::float_to_s(f);
        return rt.raise("FloatDomainError", string);
    }
    Ok(if f.abs() > 1e37 { big_integer::truncate_float(f).unwrap_or(Rv::Nil) } else { Rv::integer(f as i128) })
}
