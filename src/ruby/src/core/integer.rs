//! `Integer`.

use num_bigint::BigInt;
use num_bigint::Sign;

use super::common_methods;
use super::number;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::number::Rounding;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Integer",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("%", 1, number::modulo),
        Method::new("&", 1, |rt, this, args, _| combine_bits(rt, this, args, "&", |a, b| big_integer::to_value(a & b))),
        Method::new("*", 1, number::multiply),
        Method::new("**", 1, number::power),
        Method::new("+", 1, number::add),
        Method::new("+@", 0, common_methods::itself),
        Method::new("-", 1, number::subtract),
        Method::new("-@", 0, negate),
        Method::new("/", 1, number::divide),
        Method::new("<", 1, number::is_less),
        Method::new("<<", 1, |rt, this, args, _| shift(rt, this, args, true)),
        Method::new("<=", 1, number::is_at_most),
        Method::new("<=>", 1, number::order),
        Method::new("==", 1, number::equals),
        Method::new(">", 1, number::is_greater),
        Method::new(">=", 1, number::is_at_least),
        Method::new(">>", 1, |rt, this, args, _| shift(rt, this, args, false)),
        Method::between("[]", 1, 2, |rt, this, args, _| rt.big_bits(&big(this), args)),
        Method::new("^", 1, |rt, this, args, _| combine_bits(rt, this, args, "^", |a, b| big_integer::to_value(a ^ b))),
        Method::new("abs", 0, magnitude),
        Method::new("allbits?", 1, |rt, this, args, _| bitwise(rt, this, args, |a, b| Rv::bool((a & b) == *b))),
        Method::new("anybits?", 1, |rt, this, args, _| bitwise(rt, this, args, |a, b| Rv::bool(!is_none(&(a & b))))),
        Method::new("bit_length", 0, bit_length),
        Method::between("ceil", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Up, args)),
        Method::between("chr", 0, 1, chr),
        Method::new("coerce", 1, coerce),
        Method::new("denominator", 0, |_, _, _, _| Ok(Rv::Int(1))),
        Method::between("digits", 0, 1, digits),
        Method::new("div", 1, number::integer_divide),
        Method::new("divmod", 1, number::divide_modulo),
        Method::new("downto", 1, downto).returns_enumerator(),
        Method::new("even?", 0, is_even),
        Method::new("fdiv", 1, number::float_divide),
        Method::new("finite?", 0, |_, _, _, _| Ok(Rv::True)),
        Method::between("floor", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Down, args)),
        Method::new("gcd", 1, |rt, this, args, _| Ok(big_integer::to_value(divisor_and_multiple(rt, this, args)?.0))),
        Method::new("gcdlcm", 1, gcdlcm),
        Method::new("infinite?", 0, |_, _, _, _| Ok(Rv::Nil)),
        Method::between("inspect", 0, 1, to_s),
        Method::new("integer?", 0, |_, _, _, _| Ok(Rv::True)),
        Method::new("lcm", 1, |rt, this, args, _| Ok(big_integer::to_value(divisor_and_multiple(rt, this, args)?.1))),
        Method::new("magnitude", 0, magnitude),
        Method::new("modulo", 1, number::modulo),
        Method::new("negative?", 0, is_negative),
        Method::new("next", 0, succ),
        Method::new("nobits?", 1, |rt, this, args, _| bitwise(rt, this, args, |a, b| Rv::bool(is_none(&(a & b))))),
        Method::new("nonzero?", 0, nonzero),
        Method::new("numerator", 0, common_methods::itself),
        Method::new("odd?", 0, is_odd),
        Method::new("ord", 0, common_methods::itself),
        Method::new("positive?", 0, is_positive),
        Method::between("pow", 1, 2, pow),
        Method::new("pred", 0, pred),
        Method::new("quo", 1, quo),
        Method::between("rationalize", 0, 1, to_r),
        Method::new("remainder", 1, remainder),
        Method::between("round", 0, 2, |rt, this, args, _| round(rt, this, Rounding::Nearest, args)),
        Method::new("size", 0, size),
        Method::at_least("step", 0, number::step),
        Method::new("succ", 0, succ),
        Method::new("times", 0, times).returns_enumerator(),
        Method::new("to_f", 0, |_, this, _, _| Ok(Rv::float(number::to_f64(this)))),
        Method::new("to_i", 0, common_methods::itself),
        Method::new("to_int", 0, common_methods::itself),
        Method::new("to_r", 0, to_r),
        Method::between("to_s", 0, 1, to_s),
        Method::between("truncate", 0, 1, |rt, this, args, _| round(rt, this, Rounding::TowardZero, args)),
        Method::new("upto", 1, upto).returns_enumerator(),
        Method::new("zero?", 0, is_zero),
        Method::new("|", 1, |rt, this, args, _| combine_bits(rt, this, args, "|", |a, b| big_integer::to_value(a | b))),
        Method::new("~", 0, invert),
    ],
    singleton: &[Method::new("sqrt", 1, super::math::integer_root)],
};

/// The receiver as an integer of any size.
fn big(this: &Rv) -> BigInt {
    big_integer::from_value(this).unwrap_or_default()
}

/// The integer that is an argument, of any size.
fn big_argument(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<BigInt> {
    let arg = args.first().unwrap_or(&Rv::Nil);
    match big_integer::from_value(arg) {
        Some(n) => Ok(n),
        None => rt.expect_int(arg).map(BigInt::from),
    }
}

fn is_none(n: &BigInt) -> bool {
    n.sign() == Sign::NoSign
}

fn times(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Int(count), Some(block)) = (this, block) else { return rt.unsupported("Integer#times beyond 64 bits") };
    for at in 0..*count {
        rt.yield_value(block, Rv::Int(at))?.discard();
    }
    Ok(this.clone())
}

/// `to_s`, `to_s(radix)`
fn to_s(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Int(n), []) => Ok(Rv::str(n.to_string())),
        (Rv::Int(n), [radix]) => {
            let radix = rt.expect_int(radix)?;
            match u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix)) {
                Some(radix) => Ok(Rv::str(format_in_radix(*n, radix))),
                None => rt.raise("ArgumentError", format!("invalid radix {radix}")),
            }
        }
        _ => {
            let radix = args.first().map(|radix| rt.expect_int(radix)).transpose()?.unwrap_or(10);
            rt.big_to_s(&big(this), radix)
        }
    }
}

fn is_even(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(match this {
        Rv::Int(n) => n % 2 == 0,
        Rv::Big(n) => !n.bit(0),
        _ => false,
    }))
}

fn is_odd(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(match this {
        Rv::Int(n) => n % 2 != 0,
        Rv::Big(n) => n.bit(0),
        _ => false,
    }))
}

fn is_zero(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(matches!(this, Rv::Int(0))))
}

fn succ(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(moved(this, 1))
}

fn pred(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(moved(this, -1))
}

/// The integer at a distance from another.
fn moved(this: &Rv, by: i64) -> Rv {
    match this {
        Rv::Int(n) if let Some(n) = n.checked_add(by) => Rv::Int(n),
        other => big_integer::to_value(big_integer::from_value(other).unwrap_or_default() + by),
    }
}

/// `&`, `|`, `^`
fn combine_bits(
    rt: &mut Interp<'_>,
    this: &Rv,
    args: &[Rv],
    method: &str,
    operator: fn(&BigInt, &BigInt) -> Rv,
) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    match number::coerce_and_call(rt, this, method, other)? {
        Some(result) => Ok(result),
        None if matches!(other, Rv::Int(_) | Rv::Big(_)) => bitwise(rt, this, args, operator),
        None => number::raise_not_a_number(rt, this, other, false),
    }
}

/// A method about the bits of two integers.
fn bitwise(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], operator: fn(&BigInt, &BigInt) -> Rv) -> Raise<Rv> {
    let other = big_argument(rt, args)?;
    rt.big_bitwise(&big(this), &other, operator)
}

fn shift(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], left: bool) -> Raise<Rv> {
    let by = big_argument(rt, args)?;
    rt.big_shift(&big(this), &by, left)
}

fn invert(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match this {
        Rv::Int(n) => Rv::Int(!n),
        other => big_integer::to_value(-big(other) - 1),
    })
}

fn negate(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match this {
        Rv::Int(n) if let Some(n) = n.checked_neg() => Rv::Int(n),
        other => big_integer::to_value(-big(other)),
    })
}

fn magnitude(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if sign(this) == Sign::Minus { negate(rt, this, &[], None) } else { Ok(this.clone()) }
}

fn sign(this: &Rv) -> Sign {
    match this {
        Rv::Int(n) if *n < 0 => Sign::Minus,
        Rv::Int(0) => Sign::NoSign,
        Rv::Big(n) => n.sign(),
        _ => Sign::Plus,
    }
}

fn is_positive(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(sign(this) == Sign::Plus))
}

fn is_negative(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(sign(this) == Sign::Minus))
}

fn nonzero(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(if matches!(this, Rv::Int(0)) { Rv::Nil } else { this.clone() })
}

fn size(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match this {
        Rv::Big(n) => Rv::integer(n.bits().div_ceil(8)),
        _ => Rv::Int(8),
    })
}

fn bit_length(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match this {
        Rv::Int(n) => Rv::Int(i64::from(64 - if *n < 0 { !n } else { *n }.leading_zeros())),
        other if sign(other) == Sign::Minus => Rv::integer((-big(other) - 1_i32).bits()),
        other => Rv::integer(big(other).bits()),
    })
}

/// The receiver rounded to a number of digits, which matters only if it is negative.
fn round(rt: &mut Interp<'_>, this: &Rv, rounding: Rounding, args: &[Rv]) -> Raise<Rv> {
    if matches!(args, [_, _] | [Rv::Hash(_)]) {
        return rt.unsupported("rounding with these arguments");
    }
    rt.big_round(&big(this), rounding, args)
}

/// `chr`, `chr(encoding)`
fn chr(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Int(n) = *this else { return rt.raise("RangeError", "bignum out of char range") };
    match u32::try_from(n).ok().and_then(char::from_u32) {
        Some(c) if n < 128 || !args.is_empty() => Ok(Rv::str(c)),
        _ => match u8::try_from(n) {
            Ok(byte) => Ok(Rv::bytes(vec![byte])),
            Err(_) => rt.raise("RangeError", format!("{n} out of char range")),
        },
    }
}

/// `a.coerce(b)`: both as integers or as floats.
fn coerce(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = args.first().unwrap_or(&Rv::Nil);
    if let Rv::Int(_) | Rv::Big(_) = other {
        return Ok(Rv::array(vec![other.clone(), this.clone()]));
    }
    let other = rt.kernel_float(other)?;
    Ok(Rv::array(vec![other, Rv::float(number::to_f64(this))]))
}

/// `digits`, `digits(base)`: the lowest digit first.
fn digits(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let base = if args.is_empty() { BigInt::from(10) } else { big_argument(rt, args)? };
    rt.big_digits(&big(this), &base)
}

fn divisor_and_multiple(rt: &mut Interp<'_>, this: &Rv, args: &[Rv]) -> Raise<(BigInt, BigInt)> {
    match args.first().and_then(big_integer::from_value) {
        Some(other) => rt.big_divisor_and_multiple(&big(this), &other),
        None => rt.raise("TypeError", "not an integer"),
    }
}

fn gcdlcm(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (divisor, multiple) = divisor_and_multiple(rt, this, args)?;
    Ok(Rv::array(vec![big_integer::to_value(divisor), big_integer::to_value(multiple)]))
}

/// `pow(exponent)`, `pow(exponent, modulus)`
fn pow(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let [exponent, modulus] = args else { return number::power(rt, this, args, block) };
    match (big_integer::from_value(exponent), big_integer::from_value(modulus)) {
        (Some(exponent), Some(modulus)) => rt.power_modulo(&big(this), &exponent, &modulus),
        _ => rt.raise("TypeError", "Integer#pow() 2nd argument not allowed unless all arguments are integers"),
    }
}

/// `a.quo(b)`: a fraction, or a float.
fn quo(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        Some(other @ (Rv::Int(_) | Rv::Big(_))) => number::call_rational(rt, "made", &[this.clone(), other.clone()]),
        Some(Rv::Float(_)) => number::divide(rt, this, args, block),
        other => {
            let other = other.unwrap_or(&Rv::Nil);
            match number::coerce_and_call(rt, this, "quo", other)? {
                Some(result) => Ok(result),
                None => rt.unsupported("method Integer#quo of this value"),
            }
        }
    }
}

fn remainder(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args.first().and_then(big_integer::from_value) {
        Some(other) => rt.big_remainder(&big(this), &other),
        None => rt.unsupported("method Integer#remainder of this value"),
    }
}

/// `to_r`, `rationalize(epsilon)`: an integer is exact already.
fn to_r(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    number::call_rational(rt, "convert", std::slice::from_ref(this))
}

fn upto(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    iterate(rt, this, args, block, 1)
}

fn downto(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    iterate(rt, this, args, block, -1)
}

/// Passes each integer from the receiver to an argument to a block.
fn iterate(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>, step: i128) -> Raise<Rv> {
    let (Rv::Int(from), Some(block)) = (this, block) else {
        return rt.unsupported("iterations of integers beyond 64 bits");
    };
    let to = number::last_argument(rt, args)?;
    number::iterate(rt, this, block, to, step, (*from).into())
}

fn format_in_radix(n: i64, radix: u32) -> String {
    let mut digits = Vec::new();
    let mut rest = n.unsigned_abs();
    while rest > 0 || digits.is_empty() {
        let digit = u32::try_from(rest % u64::from(radix)).unwrap_or(0);
        digits.extend(char::from_digit(digit, radix));
        rest /= u64::from(radix);
    }
    if n < 0 {
        digits.push('-');
    }
    digits.iter().rev().collect()
}
