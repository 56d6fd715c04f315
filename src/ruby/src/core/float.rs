//! `Float`.

use super::number;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::number::Rounding;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Float",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("%", 1, number::modulo),
        Method::new("*", 1, number::multiply),
        Method::new("**", 1, number::power),
        Method::new("+", 1, number::add),
        Method::new("+@", 0, |_, this, _, _| Ok(this.clone())),
        Method::new("-", 1, number::subtract),
        Method::new("-@", 0, |_, this, _, _| Ok(Rv::float(-get(this)))),
        Method::new("/", 1, number::divide),
        Method::new("<", 1, number::is_less),
        Method::new("<=", 1, number::is_at_most),
        Method::new("<=>", 1, number::order),
        Method::new("==", 1, number::equals),
        Method::new(">", 1, number::is_greater),
        Method::new(">=", 1, number::is_at_least),
        Method::new("abs", 0, |_, this, _, _| Ok(Rv::float(get(this).abs()))),
        Method::between("ceil", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Up, args)),
        Method::new("coerce", 1, coerce),
        Method::new("denominator", 0, denominator),
        Method::new("div", 1, number::integer_divide),
        Method::new("divmod", 1, number::divide_modulo),
        Method::new("fdiv", 1, number::float_divide),
        Method::new("finite?", 0, |_, this, _, _| Ok(Rv::bool(get(this).is_finite()))),
        Method::between("floor", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Down, args)),
        Method::new("infinite?", 0, infinite),
        Method::new("integer?", 0, |_, _, _, _| Ok(Rv::False)),
        Method::new("magnitude", 0, |_, this, _, _| Ok(Rv::float(get(this).abs()))),
        Method::new("modulo", 1, number::modulo),
        Method::new("nan?", 0, |_, this, _, _| Ok(Rv::bool(get(this).is_nan()))),
        Method::new("negative?", 0, |_, this, _, _| Ok(Rv::bool(get(this) < 0.0))),
        Method::new("nonzero?", 0, nonzero),
        Method::new("numerator", 0, numerator),
        Method::new("positive?", 0, |_, this, _, _| Ok(Rv::bool(get(this) > 0.0))),
        Method::new("quo", 1, number::divide),
        Method::between("rationalize", 0, 1, rationalize),
        Method::between("round", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Nearest, args)),
        Method::at_least("step", 0, number::step),
        Method::new("to_f", 0, |_, this, _, _| Ok(this.clone())),
        Method::new("to_i", 0, truncate),
        Method::new("to_int", 0, truncate),
        Method::new("to_r", 0, to_r),
        Method::between("truncate", 0, 1, |rt, this, args, _| round(rt, this, Rounding::TowardZero, args)),
        Method::new("zero?", 0, |_, this, _, _| Ok(Rv::bool(get(this) == 0.0))),
    ],
    singleton: &[],
};

fn get(this: &Rv) -> f64 {
    match this {
        Rv::Float(f) => f.get(),
        _ => 0.0,
    }
}

fn truncate(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    number::float_to_integer(rt, get(this).trunc())
}

/// A float whose fraction is rounded away, or a number of digits is kept.
fn round(rt: &mut Interp<'_>, this: &Rv, rounding: Rounding, args: &[Rv]) -> Raise<Rv> {
    let f = get(this);
    let digits = match args {
        [] => {
            return number::float_to_integer(
                rt,
                match rounding {
                    Rounding::Down => f.floor(),
                    Rounding::Up => f.ceil(),
                    Rounding::TowardZero => f.trunc(),
                    Rounding::Nearest => f.round(),
                },
            );
        }
        [Rv::Int(digits)] if rounding != Rounding::TowardZero => *digits,
        _ => return rt.unsupported("rounding with these arguments"),
    };
    if digits <= 0 {
        let whole_number = number::float_to_integer(rt, f.round())?;
        return rt.big_round(&crate::core::big_integer::from_value(&whole_number).unwrap_or_default(), rounding, args);
    }
    if digits >= 15 {
        return Ok(Rv::float(f));
    }
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(15));
    let scaled = f * scale;
    let rounded = match rounding {
        Rounding::Down => scaled.floor(),
        Rounding::Up => scaled.ceil(),
        Rounding::TowardZero => scaled.trunc(),
        // As in Ruby, a number written as x.xx5 rounds up although its binary value is a little less.
        Rounding::Nearest => {
            let rounded = scaled.round();
            if (rounded - 0.5) / scale > f.abs() && f > 0.0 { rounded - 1.0 } else { rounded }
        }
    };
    Ok(Rv::float(rounded / scale))
}

fn infinite(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let f = get(this);
    Ok(match f.is_infinite() {
        true => Rv::Int(if f > 0.0 { 1 } else { -1 }),
        false => Rv::Nil,
    })
}

fn nonzero(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(if get(this) == 0.0 { Rv::Nil } else { this.clone() })
}

fn coerce(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = rt.kernel_float(args.first().unwrap_or(&Rv::Nil))?;
    Ok(Rv::array(vec![other, this.clone()]))
}

fn to_r(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    number::call_rational(rt, "of_float", std::slice::from_ref(this))
}

fn rationalize(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [] => number::call_rational(rt, "near_float", std::slice::from_ref(this)),
        about => {
            let exact = to_r(rt, this, &[], None)?;
            rt.call_method(&exact, "rationalize", about, None)
        }
    }
}

fn numerator(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if !get(this).is_finite() {
        return Ok(this.clone());
    }
    let exact = to_r(rt, this, &[], None)?;
    rt.call_method(&exact, "numerator", &[], None)
}

fn denominator(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if !get(this).is_finite() {
        return Ok(Rv::Int(1));
    }
    let exact = to_r(rt, this, &[], None)?;
    rt.call_method(&exact, "denominator", &[], None)
}
