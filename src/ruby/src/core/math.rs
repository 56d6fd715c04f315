//! `Math`.

use std::f64::consts::LN_2;

use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::value::Rv;
use catwalk_value::big::to_float;

/// A function of `Math`; `None` if it has none of this name.
///
/// # Errors
///
/// `Math::DomainError`; `TypeError` for a value that is not a number; `ArgumentError` for another number of arguments.
pub(crate) fn call(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let Some(taken) = crate::object::ruby_methods::class_method_arity("Math", name) else { return Ok(None) };
    let most = if taken < 0 { 2 } else { usize::try_from(taken).unwrap_or(1) };
    let least = if taken < 0 { 1 } else { most };
    if args.len() < least || args.len() > most {
        let expected = if least == most { most.to_string() } else { format!("{least}..{most}") };
        return rt.wrong_argument_count(args.len(), &expected);
    }
    let (first, second) = (args.first().unwrap_or(&Rv::Nil), args.get(1));
    if let ("log" | "log2" | "log10", _) = (name, first) {
        return logarithm(rt, name, first, second).map(Some);
    }
    let x = to_number(rt, first)?;
    if let Some(second) = second {
        return Ok(Some(match name {
            "ldexp" => {
                let by = rt.expect_int(second)?;
                Rv::float(libm::ldexp(x, i32::try_from(by.clamp(-5000, 5000)).unwrap_or(0)))
            }
            "hypot" => Rv::float(x.hypot(to_number(rt, second)?)),
            _ => Rv::float(x.atan2(to_number(rt, second)?)),
        }));
    }
    let outside = match name {
        "sqrt" => x < 0.0,
        "acos" | "asin" | "atanh" => !(-1.0..=1.0).contains(&x) && !x.is_nan(),
        "acosh" => x < 1.0,
        "gamma" => x == f64::NEG_INFINITY || x < 0.0 && x == x.floor(),
        "lgamma" => x == f64::NEG_INFINITY,
        _ => false,
    };
    if outside {
        return raise_domain_error(rt, name);
    }
    Ok(Some(match name {
        "frexp" => {
            let (fraction, exponent) = libm::frexp(x);
            Rv::array(vec![Rv::float(fraction), Rv::Int(i64::from(exponent))])
        }
        "lgamma" => {
            let (value, sign) =
                if x == 0.0 { (f64::INFINITY, if x.is_sign_negative() { -1 } else { 1 }) } else { libm::lgamma_r(x) };
            Rv::array(vec![Rv::float(value), Rv::Int(if sign < 0 { -1 } else { 1 })])
        }
        name => Rv::float(evaluate_unary(name, x)),
    }))
}

fn evaluate_unary(name: &str, x: f64) -> f64 {
    match name {
        "sqrt" => x.sqrt(),
        "cbrt" => x.cbrt(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        // The formulas of the standard library differ from Ruby's in the last digits.
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => libm::asinh(x),
        "acosh" => libm::acosh(x),
        "atanh" => libm::atanh(x),
        "erf" => libm::erf(x),
        "erfc" => libm::erfc(x),
        "gamma" => gamma(x),
        _ => x.exp(),
    }
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

/// `log`, `log2`, `log10`; integers may be larger than floats.
fn logarithm(rt: &mut Interp<'_>, name: &str, x: &Rv, base: Option<&Rv>) -> Raise<Rv> {
    let (x, shifted) = shift_into_float_range(rt, x)?;
    let base = base.map(|base| shift_into_float_range(rt, base)).transpose()?;
    if x < 0.0 || base.is_some_and(|(base, _)| base < 0.0) {
        return raise_domain_error(rt, name);
    }
    Ok(Rv::float(match (name, base) {
        ("log2", _) => x.log2() + shifted,
        ("log10", _) => {
            if shifted > 0.0 {
                x.log10() + shifted * std::f64::consts::LOG10_2
            } else {
                x.log10()
            }
        }
        (_, Some((base, by))) => {
            if x == 0.0 && base == 0.0 {
                f64::NAN
            } else {
                (x.ln() + shifted * LN_2) / (base.ln() + by * LN_2)
            }
        }
        (_, None) => {
            if shifted > 0.0 {
                x.ln() + shifted * LN_2
            } else {
                x.ln()
            }
        }
    }))
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
pub(crate) fn integer_root(rt: &mut Interp<'_>, value: &Rv) -> Raise<Rv> {
    let n = match big_integer::from_value(value) {
        Some(n) => n,
        None => rt.expect_int(value)?.into(),
    };
    if n.sign() == num_bigint::Sign::Minus {
        return raise_domain_error(rt, "\"isqrt\"");
    }
    Ok(big_integer::to_value(n.sqrt()))
}
