//! Methods of `Integer` and `Float`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::compare;
use crate::core::integer;
use crate::value::Rv;
use catwalk_value::Value;
use catwalk_value::big::to_float;

pub(crate) fn call(rt: &mut Interp<'_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    // Objects of the program and fractions define their own operations with a number.
    if let [other @ Rv::Object(_)] = args {
        if name == "==" && rt.has_method(other, catwalk_base::name!("==")) {
            return rt.call_method(other, "==", std::slice::from_ref(this), None).map(Some);
        }
        if OPERATORS.contains(&name)
            && rt.has_method(other, catwalk_base::name!("coerce"))
            && let Rv::Array(pair) = rt.call_method(other, "coerce", std::slice::from_ref(this), None)?
            && let [first, second] = &*pair.borrow().clone()
        {
            return rt.call_method(first, name, std::slice::from_ref(second), None).map(Some);
        }
    }
    if let Some(value) = call_rational(rt, this, name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = arithmetic(rt, this, name, args)? {
        return Ok(Some(value));
    }
    match this {
        Rv::Big(n) => rt.big_method(n, name, args),
        Rv::Int(n) if needs_big(name, args) => {
            let found = rt.big_method(&(*n).into(), name, args)?;
            if found.is_some() { Ok(found) } else { integer::call_small(rt, *n, name, args, block) }
        }
        Rv::Int(n) => integer::call_small(rt, *n, name, args, block),
        Rv::Float(_) if name == "step" => step(rt, this, args, block),
        Rv::Float(f) => float(rt, f.get(), name, args),
        _ => Ok(None),
    }
}

/// Whether a call needs the methods for integers of any size.
fn needs_big(name: &str, args: &[Rv]) -> bool {
    match name {
        "lcm" | "<<" | "gcdlcm" | "allbits?" | "anybits?" | "nobits?" => {
            matches!(args, [Rv::Int(_) | Rv::Big(_)])
        }
        "digits" => matches!(args, [Rv::Int(_) | Rv::Big(_)]),
        "pow" => args.len() == 2,
        "-@" | "abs" | "magnitude" => args.is_empty(),
        _ => matches!(args, [Rv::Big(_)]),
    }
}

/// Operators whose right side may be an object with `coerce`.
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "modulo", "**", "<=>", "<", ">", "<=", ">=", "divmod", "quo", "fdiv"];

/// Methods of numbers that return a fraction (`prelude/rational.rb`).
fn call_rational(rt: &mut Interp<'_>, this: &Rv, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let (method, rational_args) = match (name, this, args) {
        ("to_r", Rv::Int(_) | Rv::Big(_), []) | ("rationalize", Rv::Int(_) | Rv::Big(_), [] | [_]) => {
            ("convert", vec![this.clone()])
        }
        ("to_r", Rv::Float(_), []) => ("of_float", vec![this.clone()]),
        ("numerator" | "denominator", Rv::Float(value), []) if value.get().is_finite() => {
            let exact = rt.call_method(this, "to_r", &[], None)?;
            return rt.call_method(&exact, name, &[], None).map(Some);
        }
        ("rationalize", Rv::Float(_), []) => ("near_float", vec![this.clone()]),
        ("rationalize", Rv::Float(_), [about]) => {
            let exact = rt.call_method(this, "to_r", &[], None)?;
            return rt.call_method(&exact, "rationalize", std::slice::from_ref(about), None).map(Some);
        }
        ("quo", Rv::Int(_) | Rv::Big(_), [other @ (Rv::Int(_) | Rv::Big(_))]) => {
            ("made", vec![this.clone(), other.clone()])
        }
        ("quo", Rv::Int(_) | Rv::Big(_), [other @ Rv::Float(_)]) => {
            return rt.call_method(this, "/", std::slice::from_ref(other), None).map(Some);
        }
        ("**" | "pow", Rv::Int(_) | Rv::Big(_), [other @ Rv::Int(power)]) if *power < 0 => {
            let exact = rt.call_method(this, "to_r", &[], None)?;
            return rt.call_method(&exact, "**", std::slice::from_ref(other), None).map(Some);
        }
        _ => return Ok(None),
    };
    let class = rt.constant_path(None, "Rational")?;
    rt.call_method(&class, method, &rational_args, None).map(Some)
}

/// Operators of two numbers; `None` for other methods.
fn arithmetic(rt: &mut Interp<'_>, this: &Rv, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let [other] = args else { return Ok(None) };
    if !matches!(
        name,
        "+" | "-" | "*" | "/" | "%" | "modulo" | "**" | "pow" | "<" | ">" | "<=" | ">=" | "fdiv" | "div" | "divmod"
    ) {
        return Ok(None);
    }
    if let Rv::Puppet(value) = other
        && let Some(seconds) = crate::value::seconds(value)
    {
        return arithmetic(rt, this, name, &[Rv::float(seconds)]);
    }
    if !matches!(other, Rv::Int(_) | Rv::Big(_) | Rv::Float(_)) {
        return raise_not_a_number(rt, this, name, other);
    }
    if matches!(name, "<" | ">" | "<=" | ">=") {
        let order = compare::order(this, other);
        return Ok(Some(Rv::bool(order.is_some_and(|order| match name {
            "<" => order.is_lt(),
            ">" => order.is_gt(),
            "<=" => order.is_le(),
            _ => order.is_ge(),
        }))));
    }
    if let (Rv::Int(a), Rv::Int(b)) = (this, other)
        && let Some(result) = integer_arithmetic(rt, *a, *b, name)?
    {
        return Ok(Some(result));
    }
    let divides_small = name == "fdiv" && matches!((this, other), (Rv::Int(_), Rv::Int(_)));
    if !divides_small && let (Some(a), Some(b)) = (big_integer::from_value(this), big_integer::from_value(other)) {
        return rt.big_arithmetic(&a, &b, name);
    }
    float_arithmetic(rt, to_f64(this), to_f64(other), name)
}

/// The error of an operator whose right side is not a number.
fn raise_not_a_number<T>(rt: &mut Interp<'_>, this: &Rv, name: &str, other: &Rv) -> Raise<T> {
    if rt.is_uri(other) {
        let inspected = rt.inspect(other)?;
        return rt.raise("NoMethodError", format!("super: no superclass method `coerce' for {inspected}"));
    }
    if matches!(other, Rv::Puppet(value) if matches!(**value, Value::SemVer(_))) {
        return rt.conversion_error(other, "Float");
    }
    let class = rt.class_name(this);
    let description = match other {
        Rv::Nil | Rv::True | Rv::False | Rv::Sym(_) => rt.inspect(other)?,
        other => rt.class_name(other),
    };
    if matches!(name, "<" | ">" | "<=" | ">=") {
        return rt.raise("ArgumentError", format!("comparison of {class} with {description} failed"));
    }
    rt.raise("TypeError", format!("{description} can't be coerced into {class}"))
}

fn float_arithmetic(rt: &mut Interp<'_>, a: f64, b: f64, name: &str) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "+" => Rv::float(a + b),
        "-" => Rv::float(a - b),
        "*" => Rv::float(a * b),
        "/" | "fdiv" => Rv::float(a / b),
        "%" | "modulo" => Rv::float(a - b * (a / b).floor()),
        "**" | "pow" => Rv::float(a.powf(b)),
        "div" => return float_to_integer(rt, (a / b).floor()),
        "divmod" => {
            let Some(quotient) = float_to_integer(rt, (a / b).floor())? else { return Ok(None) };
            Rv::array(vec![quotient, Rv::float(a - b * (a / b).floor())])
        }
        _ => return Ok(None),
    }))
}

fn integer_arithmetic(rt: &mut Interp<'_>, a: i64, b: i64, name: &str) -> Raise<Option<Rv>> {
    let (a, b) = (i128::from(a), i128::from(b));
    if matches!(name, "/" | "%" | "modulo" | "div" | "divmod") && b == 0 {
        return rt.raise("ZeroDivisionError", "divided by 0");
    }
    let result = match name {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" | "div" => Some(floor_div(a, b)),
        "%" | "modulo" => Some(a - b * floor_div(a, b)),
        "**" | "pow" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "divmod" => {
            let quotient = floor_div(a, b);
            return Ok(Some(Rv::array(vec![Rv::integer(quotient), Rv::integer(a - b * quotient)])));
        }
        _ => return Ok(None),
    };
    // A result beyond 64 bits becomes a big integer.
    Ok(result.map(Rv::integer))
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn to_f64(value: &Rv) -> f64 {
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
pub(super) fn step(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
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
        return iterate_from_to(rt, this, "step", args, block, (*from).into(), end, (*step).into());
    }
    if !matches!((&by, &to), (Rv::Int(_) | Rv::Float(_), Rv::Int(_) | Rv::Float(_) | Rv::Nil)) {
        return rt.unsupported("step of values that are not numbers");
    }
    let Some(block) = block else { return Ok(Some(crate::core::enumerator::enumerator(this, "step", args))) };
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
    Ok(Some(this.clone()))
}

#[allow(clippy::too_many_arguments, reason = "one loop for three methods")]
pub(super) fn iterate_from_to(
    rt: &mut Interp<'_>,
    this: &Rv,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
    from: i128,
    to: i128,
    step: i128,
) -> Raise<Option<Rv>> {
    let Some(block) = block else { return Ok(Some(crate::core::enumerator::enumerator(this, name, args))) };
    let mut at = from;
    while if step > 0 { at <= to } else { at >= to } {
        rt.yield_value(block, Rv::integer(at))?;
        at += step;
    }
    Ok(Some(this.clone()))
}

fn float(rt: &mut Interp<'_>, f: f64, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args.first()) {
        ("to_i" | "to_int" | "truncate", None) => return float_to_integer(rt, f.trunc()),
        ("floor", None) => return float_to_integer(rt, f.floor()),
        ("ceil", None) => return float_to_integer(rt, f.ceil()),
        ("round", None) => return float_to_integer(rt, f.round()),
        ("round" | "floor" | "ceil", Some(Rv::Int(digits))) => {
            if *digits <= 0 {
                let Some(whole_number) = float_to_integer(rt, f.round())? else { return Ok(None) };
                return rt.call_method(&whole_number, name, args, None).map(Some);
            }
            if *digits >= 15 {
                return Ok(Some(Rv::float(f)));
            }
            let scale = 10f64.powi(i32::try_from(*digits).unwrap_or(15));
            let scaled = f * scale;
            let rounded = match name {
                "floor" => scaled.floor(),
                "ceil" => scaled.ceil(),
                // As in Ruby, a number written as x.xx5 rounds up although its binary value is a little less.
                _ => {
                    let rounded = scaled.round();
                    if (rounded - 0.5) / scale > f.abs() && f > 0.0 { rounded - 1.0 } else { rounded }
                }
            };
            Rv::float(rounded / scale)
        }
        ("to_f", None) => Rv::float(f),
        ("-@", None) => Rv::float(-f),
        ("+@", None) => Rv::float(f),
        ("abs" | "magnitude", None) => Rv::float(f.abs()),
        ("zero?", None) => Rv::bool(f == 0.0),
        ("positive?", None) => Rv::bool(f > 0.0),
        ("negative?", None) => Rv::bool(f < 0.0),
        ("nan?", None) => Rv::bool(f.is_nan()),
        ("infinite?", None) => {
            if f.is_infinite() {
                Rv::Int(if f > 0.0 { 1 } else { -1 })
            } else {
                Rv::Nil
            }
        }
        ("finite?", None) => Rv::bool(f.is_finite()),
        ("integer?", None) => Rv::False,
        ("nonzero?", None) => {
            if f == 0.0 {
                Rv::Nil
            } else {
                Rv::float(f)
            }
        }
        ("quo", Some(other @ (Rv::Int(_) | Rv::Big(_) | Rv::Float(_)))) => Rv::float(f / to_f64(other)),
        ("coerce", Some(other @ (Rv::Int(_) | Rv::Big(_) | Rv::Float(_)))) => {
            Rv::array(vec![Rv::float(to_f64(other)), Rv::float(f)])
        }
        _ => return Ok(None),
    }))
}

fn float_to_integer(rt: &mut Interp<'_>, f: f64) -> Raise<Option<Rv>> {
    if !f.is_finite() {
        let string = catwalk_value::number::float_to_s(f);
        return rt.raise("FloatDomainError", string);
    }
    Ok(if f.abs() > 1e37 { big_integer::truncate_float(f) } else { Some(Rv::integer(f as i128)) })
}
