//! Integers beyond 64 bits. Few programs have one, so a [`Value::BigInt`] never holds a number that fits [`Value::Int`].
//!
//! In: numbers of any size. Out: values of the language. Must not: know operators or their bounds.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::value::Value;

/// The most digits of a number: Ruby accepts more, but parsing and printing them is slow.
const MAX_DIGITS: usize = 100_000;

impl Value {
    /// The value of an integer of any size.
    #[must_use]
    pub fn integer(n: impl Into<BigInt>) -> Value {
        let n = n.into();
        match i64::try_from(&n) {
            Ok(n) => Value::Int(n),
            Err(_) => Value::BigInt(Arc::new(n)),
        }
    }

    /// An integer of any size; `None` for other values.
    #[must_use]
    pub fn as_big(&self) -> Option<BigInt> {
        match self {
            Value::Int(n) => Some(BigInt::from(*n)),
            Value::BigInt(n) => Some((**n).clone()),
            _ => None,
        }
    }

    /// An integer limited to 64 bits: larger numbers become the nearest that fits.
    #[must_use]
    pub fn as_int_within(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            Value::BigInt(n) => Some(if n.sign() == Sign::Minus { i64::MIN } else { i64::MAX }),
            _ => None,
        }
    }
}

/// The integer of digits in a radix, without sign; `None` for anything else (or too many digits).
#[must_use]
pub fn from_digits(digits: &str, radix: u32, negative: bool) -> Option<Value> {
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|b| char::from(b).is_digit(radix)) {
        return None;
    }
    if let Ok(n) = i64::from_str_radix(digits, radix) {
        return Some(Value::Int(if negative { n.wrapping_neg() } else { n }));
    }
    let n = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    Some(Value::integer(if negative { -n } else { n }))
}

/// The integer part of a float; `None` if it is not finite.
#[must_use]
pub fn from_float(f: f64) -> Option<Value> {
    whole(f).map(Value::integer)
}

fn whole(f: f64) -> Option<BigInt> {
    // The string has all digits of the number.
    f.is_finite().then(|| format!("{:.0}", f.trunc()).parse().ok()).flatten()
}

/// The nearest float, or infinity.
#[must_use]
pub fn to_float(n: &BigInt) -> f64 {
    // Parsing decimals rounds to the nearest float.
    n.to_string().parse().unwrap_or(f64::NAN)
}

/// Compares an integer with a float; `None` for NaN.
#[must_use]
pub(crate) fn compare_float(n: &BigInt, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    if f.is_infinite() {
        return Some(if f > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = whole(f)?;
    Some(n.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&f.fract()).unwrap_or(Ordering::Equal)))
}

/// Ruby's `%x` with a sign: `0x8000000000000000`.
#[must_use]
pub fn hex(n: &BigInt) -> String {
    let sign = if n.sign() == Sign::Minus { "-" } else { "" };
    format!("{sign}0x{}", n.magnitude().to_str_radix(16))
}

/// The two's complement of a negative number in a base of `bits` bits, as Ruby prints it: the shortest form that begins with the
/// highest digit.
#[must_use]
pub fn complement(n: &BigInt, bits: u32) -> String {
    let base = 1_u32 << bits;
    let digits = n.bits() / u64::from(bits) + 2;
    let text = ((BigInt::from(1) << (digits * u64::from(bits))) + n).to_str_radix(base);
    let highest = char::from_digit(base - 1, base).unwrap_or('1');
    let rest = text.trim_start_matches(highest);
    format!("{highest}{rest}")
}
