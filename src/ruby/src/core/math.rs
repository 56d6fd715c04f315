//! `Math`.

use std::f64::consts::LN_2;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;
use catwalk_value::big::to_float;

/// A function of one number.
macro_rules! unary {
    ($name:literal, $function:expr) => {
        Method::new($name, 1, |rt, _, args, _| {
            let x = number_argument(rt, args, 0)?;
            let value: f64 = $function(x);
            Ok(Rv::float(value))
        })
    };
}

/// A function of one number, which is in its domain if a condition holds.
macro_rules! unary_within {
    ($name:literal, $is_within:expr, $function:expr) => {
        Method::new($name, 1, |rt, _, args, _| {
            let x: f64 = number_argument(rt, args, 0)?;
            if !$is_within(x) {
                return raise_domain_error(rt, $name);
            }
            let value: f64 = $function(x);
            Ok(Rv::float(value))
        })
    };
}

/// The functions raise `Math::DomainError`, and `TypeError` for a value that is not a number. The formulas of the standard
/// library for `asinh`, `acosh` and `atanh` differ from Ruby's in the last digits.
pub(crate) static MODULE: Class = Class::module(
    "Math",
    &[
        unary_within!("acos", is_within_one, f64::acos),
        unary_within!("acosh", |x: f64| x >= 1.0 || x.is_nan(), libm::acosh),
        unary_within!("asin", is_within_one, f64::asin),
        unary!("asinh", libm::asinh),
        unary!("atan", f64::atan),
        Method::new("atan2", 2, atan2),
        unary_within!("atanh", is_within_one, libm::atanh),
        unary!("cbrt", f64::cbrt),
        unary!("cos", f64::cos),
        unary!("cosh", f64::cosh),
        unary!("erf", libm::erf),
        unary!("erfc", libm::erfc),
        unary!("exp", f64::exp),
        Method::new("frexp", 1, frexp),
        unary_within!("gamma", |x| !(x == f64::NEG_INFINITY || x < 0.0 && x == f64::floor(x)), gamma),
        Method::new("hypot", 2, hypot),
        Method::new("ldexp", 2, ldexp),
        Method::new("lgamma", 1, lgamma),
        Method::between("log", 1, 2, log),
        Method::new("log10", 1, log10),
        Method::new("log2", 1, log2),
        unary!("sin", f64::sin),
        unary!("sinh", f64::sinh),
        unary_within!("sqrt", |x: f64| x >= 0.0 || x.is_nan(), f64::sqrt),
        unary!("tan", f64::tan),
        unary!("tanh", f64::tanh),
    ],
);

fn is_within_one(x: f64) -> bool {
    (-1.0..=1.0).contains(&x) || x.is_nan()
}

fn number_argument(rt: &mut Interp<'_>, args: &[Rv], at: usize) -> Raise<f64> {
    to_number(rt, args.get(at).unwrap_or(&Rv::Nil))
}

fn atan2(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::float(number_argument(rt, args, 0)?.atan2(number_argument(rt, args, 1)?)))
}

fn hypot(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::float(number_argument(rt, args, 0)?.hypot(number_argument(rt, args, 1)?)))
}

fn ldexp(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let x = number_argument(rt, args, 0)?;
    let by = rt.expect_int(args.get(1).unwrap_or(&Rv::Nil))?;
    Ok(Rv::float(libm::ldexp(x, i32::try_from(by.clamp(-5000, 5000)).unwrap_or(0))))
}

fn frexp(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (fraction, exponent) = libm::frexp(number_argument(rt, args, 0)?);
    Ok(Rv::array(vec![Rv::float(fraction), Rv::Int(i64::from(exponent))]))
}

fn lgamma(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let x = number_argument(rt, args, 0)?;
    if x == f64::NEG_INFINITY {
        return raise_domain_error(rt, "lgamma");
    }
    let (value, sign) =
        if x == 0.0 { (f64::INFINITY, if x.is_sign_negative() { -1 } else { 1 }) } else { libm::lgamma_r(x) };
    Ok(Rv::array(vec![Rv::float(value), Rv::Int(if sign < 0 { -1 } else { 1 })]))
}

/// As `math_gamma`: factorials of whole numbers are exact.
fn gamma(x: f64) -> f64 {
    if (1.0..=23.0).contains(&x) && x.fract() == 0.0 {
        let last = x as u128;
        return (1..last).product::<u128>() as f64;
    }
    libm::tgamma(x)
}

fn raise_domain_error<T>(rt: &mut Interp<'_>, name: &str) -> Raise<T> {
    rt.raise("Math::DomainError", format!("Numerical argument is out of domain - {name}"))
}

/// `log(x)`, `log(x, base)`; integers may be larger than floats.
fn log(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (x, shifted) = shift_into_float_range(rt, args.first().unwrap_or(&Rv::Nil))?;
    let base = args.get(1).map(|base| shift_into_float_range(rt, base)).transpose()?;
    if x < 0.0 || base.is_some_and(|(base, _)| base < 0.0) {
        return raise_domain_error(rt, "log");
    }
    Ok(Rv::float(match base {
        Some((base, _)) if x == 0.0 && base == 0.0 => f64::NAN,
        Some((base, by)) => (x.ln() + shifted * LN_2) / (base.ln() + by * LN_2),
        None if shifted > 0.0 => x.ln() + shifted * LN_2,
        None => x.ln(),
    }))
}

fn log2(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (x, shifted) = shift_into_float_range(rt, args.first().unwrap_or(&Rv::Nil))?;
    if x < 0.0 {
        return raise_domain_error(rt, "log2");
    }
    Ok(Rv::float(x.log2() + shifted))
}

fn log10(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (x, shifted) = shift_into_float_range(rt, args.first().unwrap_or(&Rv::Nil))?;
    if x < 0.0 {
        return raise_domain_error(rt, "log10");
    }
    Ok(Rv::float(if shifted > 0.0 { x.log10() + shifted * std::f64::consts::LOG10_2 } else { x.log10() }))
}

/// A number as a float, and the number of bits by which it was shifted right to fit.
fn shift_into_float_range(rt: &mut Interp<'_>, value: &Rv) -> Raise<(f64, f64)> {
    match value {
        Rv::Big(n) if n.bits() > 1023 => {
            let by = n.bits() - u64::from(f64::MANTISSA_DIGITS);
            Ok((to_float(&(&**n >> by)), by as f64))
        }
        other => Ok((to_number(rt, other)?, 0.0)),
    }
}

/// A number as a float.
fn to_number(rt: &mut Interp<'_>, value: &Rv) -> Raise<f64> {
    match value {
        Rv::Int(n) => Ok(*n as f64),
        Rv::Big(n) => Ok(to_float(n)),
        Rv::Float(f) => Ok(f.get()),
        Rv::Object(object) if object.class.as_str() == "Rational" => match rt.call_method(value, "to_f", &[], None)? {
            Rv::Float(f) => Ok(f.get()),
            other => rt.conversion_error(&other, "Float"),
        },
        other => rt.conversion_error(other, "Float"),
    }
}

/// `Integer.sqrt(n)`
pub(super) fn integer_root(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = args.first().unwrap_or(&Rv::Nil);
    let n = match big_integer::from_value(value) {
        Some(n) => n,
        None => rt.expect_int(value)?.into(),
    };
    if n.sign() == num_bigint::Sign::Minus {
        return raise_domain_error(rt, "\"isqrt\"");
    }
    Ok(big_integer::to_value(n.sqrt()))
}
