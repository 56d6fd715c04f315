//! `Integer`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::number;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Integer",
    parent: None,
    includes: &[&super::comparable::CLASS],
    methods: &[
        Method::new("times", 0, times).returns_enumerator(),
        Method::between("to_s", 0, 1, to_s),
        Method::new("even?", 0, is_even),
        Method::new("odd?", 0, is_odd),
        Method::new("succ", 0, succ),
        Method::new("next", 0, succ),
        Method::new("pred", 0, pred),
        Method::new("zero?", 0, is_zero),
    ],
    singleton: &[],
};

fn times(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Int(count), Some(block)) = (this, block) else { return rt.unsupported("Integer#times beyond 64 bits") };
    for at in 0..*count {
        rt.yield_value(block, Rv::Int(at))?.discard();
    }
    Ok(this.clone())
}

/// `to_s`, `to_s(radix)`
fn to_s(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Int(n), []) => Ok(Rv::str(n.to_string())),
        _ => Ok(number::call(rt, this, "to_s", args, block)?.unwrap_or(Rv::Nil)),
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

/// Methods of an integer of at most 64 bits.
pub(super) fn call_small(rt: &mut Interp<'_>, n: i64, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if args.is_empty()
        && let Some(answer) = integer_property(n, name)
    {
        return Ok(Some(answer));
    }
    if let ("&" | "|" | "^" | ">>" | "[]", [other]) = (name, args) {
        return bitwise(rt, n, name, other);
    }
    Ok(Some(match (name, args) {
        ("round" | "floor" | "ceil" | "truncate", _) | ("[]", [_, _]) => {
            return rt.big_method(&n.into(), name, args);
        }
        ("to_s", [radix]) => {
            let radix = rt.expect_int(radix)?;
            match u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix)) {
                Some(radix) => Rv::str(format_in_radix(n, radix)),
                None => return rt.raise("ArgumentError", format!("invalid radix {radix}")),
            }
        }
        ("chr", _) => match u32::try_from(n).ok().and_then(char::from_u32) {
            Some(c) if n < 128 || !args.is_empty() => Rv::str(c),
            _ if (0..256).contains(&n) => Rv::bytes(vec![n as u8]),
            _ => return rt.raise("RangeError", format!("{n} out of char range")),
        },
        ("digits", []) if n < 0 => return rt.raise("Math::DomainError", "out of domain"),
        ("digits", []) => Rv::array(n.to_string().bytes().rev().map(|b| Rv::Int(i64::from(b - b'0'))).collect()),
        ("gcd", [other]) => {
            let (mut a, mut b) = (n.unsigned_abs(), rt.expect_int(other)?.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            big_integer::to_value(a.into())
        }
        ("remainder", [Rv::Int(divisor)]) => match n.checked_rem(*divisor) {
            Some(rest) => Rv::Int(rest),
            None => return rt.raise("ZeroDivisionError", "divided by 0"),
        },
        ("coerce", [other]) => Rv::array(vec![other.clone(), Rv::Int(n)]),
        ("upto", [_]) => {
            let to = number::last_argument(rt, args)?;
            return number::iterate_from_to(rt, &Rv::Int(n), name, args, block, n.into(), to, 1);
        }
        ("downto", [_]) => {
            let to = number::last_argument(rt, args)?;
            return number::iterate_from_to(rt, &Rv::Int(n), name, args, block, n.into(), to, -1);
        }
        ("step", _) => return number::step(rt, &Rv::Int(n), args, block),
        _ => return Ok(None),
    }))
}

/// Conversions, predicates and neighbours of an integer; `None` for other methods.
fn integer_property(n: i64, name: &str) -> Option<Rv> {
    Some(match name {
        "denominator" => Rv::Int(1),
        "to_i" | "to_int" | "floor" | "ceil" | "truncate" | "ord" | "numerator" => Rv::Int(n),
        "to_f" => Rv::float(n as f64),
        "inspect" => Rv::str(n.to_string()),
        "+@" => Rv::Int(n),
        "~" => Rv::Int(!n),
        "zero?" => Rv::bool(n == 0),
        "nonzero?" if n == 0 => Rv::Nil,
        "nonzero?" => Rv::Int(n),
        "positive?" => Rv::bool(n > 0),
        "negative?" => Rv::bool(n < 0),
        "even?" => Rv::bool(n % 2 == 0),
        "odd?" => Rv::bool(n % 2 != 0),
        "integer?" | "finite?" => Rv::True,
        "infinite?" => Rv::Nil,
        "succ" | "next" => Rv::integer(i128::from(n) + 1),
        "pred" => Rv::integer(i128::from(n) - 1),
        "size" => Rv::Int(8),
        "bit_length" => Rv::Int(i64::from(64 - if n < 0 { !n } else { n }.leading_zeros())),
        _ => return None,
    })
}

/// Operators on the bits of an integer.
fn bitwise(rt: &mut Interp<'_>, n: i64, name: &str, operand: &Rv) -> Raise<Option<Rv>> {
    if matches!((name, operand), ("[]", Rv::Range(_))) {
        return rt.big_method(&n.into(), name, std::slice::from_ref(operand));
    }
    let number = rt.expect_int(operand)?;
    let shift = u32::try_from(number).unwrap_or(63).min(63);
    Ok(Some(Rv::Int(match name {
        "&" => n & number,
        "|" => n | number,
        "^" => n ^ number,
        ">>" if number < 0 => return rt.big_method(&n.into(), name, std::slice::from_ref(operand)),
        ">>" => n >> shift,
        _ => (n >> shift) & 1,
    })))
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
