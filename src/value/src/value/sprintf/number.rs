//! Numbers in `sprintf`: signs, bases, exponents.
//!
//! In: a number and the directive it is for. Out: its digits. Must not: read formats.

use std::sync::Arc;

use num_bigint::BigInt;
use num_bigint::Sign;

use super::Spec;
use super::inspect_bytes;
use super::pad;
use crate::value::Value;
use crate::value::big;
use crate::value::decimals;
use crate::value::number::ruby_float;
use crate::value::number::ruby_integer;
use crate::value::ruby;

/// An integer; nearly all fit 64 bits.
pub(super) enum Number {
    Small(i128),
    Big(Arc<BigInt>),
}

impl Number {
    fn is_negative(&self) -> bool {
        match self {
            Number::Small(n) => *n < 0,
            Number::Big(n) => n.sign() == Sign::Minus,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Number::Small(0))
    }

    fn digits(&self, base: u32) -> String {
        match self {
            Number::Small(n) => to_base(n.unsigned_abs(), base),
            Number::Big(n) => n.magnitude().to_str_radix(base),
        }
    }

    /// The shortest form of a negative number that starts with the highest digit.
    fn complement(&self, base: u32) -> String {
        match self {
            Number::Small(n) => twos_complement(*n, base),
            Number::Big(n) => big::complement(n, base.ilog2()),
        }
    }
}

pub(super) fn to_integer(value: &Value) -> Result<Number, String> {
    let number = |value: Option<Value>| match value {
        Some(Value::Int(n)) => Some(Number::Small(i128::from(n))),
        Some(Value::BigInt(n)) => Some(Number::Big(n)),
        _ => None,
    };
    match value {
        Value::Int(n) => Ok(Number::Small(i128::from(*n))),
        Value::BigInt(n) => Ok(Number::Big(n.clone())),
        Value::Float(f) if f.is_nan() => Err("NaN".to_owned()),
        Value::Float(f) if f.is_infinite() => Err(if *f > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()),
        Value::Float(f) => number(big::from_float(*f)).ok_or_else(|| "NaN".to_owned()),
        Value::Str(text) => number(ruby_integer(text, None))
            .ok_or_else(|| format!("invalid value for Integer(): {}", ruby::inspect(value))),
        Value::Timestamp(time) => Ok(Number::Small(time.nanoseconds().div_euclid(1_000_000_000))),
        Value::Timespan(time) => Ok(Number::Small(time.nanoseconds().div_euclid(1_000_000_000))),
        other => Err(format!("can't convert {} into Integer", ruby::conversion_name(other))),
    }
}

pub(super) fn to_float(value: &Value) -> Result<f64, String> {
    match value {
        Value::Int(n) => Ok(*n as f64),
        Value::BigInt(n) => Ok(big::to_float(n)),
        Value::Float(f) => Ok(*f),
        Value::Str(text) => ruby_float(text).ok_or_else(|| {
            let inspected = if text.is_ascii() { ruby::inspect(value) } else { inspect_bytes(text.as_bytes()) };
            format!("invalid value for Float(): {inspected}")
        }),
        Value::Timestamp(time) => Ok(time.seconds()),
        Value::Timespan(time) => Ok(time.seconds()),
        other => Err(format!("can't convert {} into Float", ruby::conversion_name(other))),
    }
}

/// A number in a base; negative ones as Ruby writes them: two's complement with `..` unless a flag requires a sign.
pub(super) fn write_integer(n: &Number, base: u32, prefix: &str, upper: bool, spec: &Spec, out: &mut String) {
    let decimal = base == 10;
    let complement = n.is_negative() && !decimal && !spec.plus && !spec.space;
    let mut digits = if complement { n.complement(base) } else { n.digits(base) };
    if upper {
        digits = digits.to_uppercase();
    }
    if n.is_zero() && spec.precision == Some(0) {
        digits.clear();
    }
    let mut prefix = if spec.alt && !decimal && base != 8 && !n.is_zero() { prefix } else { "" };
    // The octal mark is a digit: it is not doubled.
    let long_enough = spec.precision.is_some_and(|precision| precision > digits.len());
    if spec.alt && base == 8 && !complement && !long_enough && !digits.starts_with('0') {
        prefix = "0";
    }
    let sign = match () {
        () if complement => "",
        () if n.is_negative() => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    };
    let fill = match (complement, base) {
        (true, 16) => {
            if upper {
                'F'
            } else {
                'f'
            }
        }
        (true, 8) => '7',
        (true, _) => '1',
        _ => '0',
    };
    let dots = if complement { 2 } else { 0 };
    if let Some(precision) = spec.precision {
        let missing = precision.saturating_sub(digits.len() + dots);
        digits = std::iter::repeat_n(fill, missing).chain(digits.chars()).collect();
    } else if spec.zero && !spec.minus {
        let used = sign.len() + prefix.len() + dots + digits.len();
        let missing = spec.width.unwrap_or(0).saturating_sub(used);
        digits = std::iter::repeat_n(fill, missing).chain(digits.chars()).collect();
    }
    if complement {
        digits = format!("..{digits}");
    }
    pad(&format!("{sign}{prefix}{digits}"), spec, out);
}

fn to_base(mut n: u128, base: u32) -> String {
    if n == 0 {
        return "0".to_owned();
    }
    let mut digits = Vec::new();
    while n > 0 {
        let digit = u32::try_from(n % u128::from(base)).unwrap_or(0);
        digits.push(char::from_digit(digit, base).unwrap_or('0'));
        n /= u128::from(base);
    }
    digits.iter().rev().collect()
}

/// The shortest form of a negative number that starts with the highest digit.
fn twos_complement(n: i128, base: u32) -> String {
    let bits = if base == 16 {
        4
    } else if base == 8 {
        3
    } else {
        1
    };
    let mut digits = Vec::new();
    let mut n = n;
    loop {
        let digit = u32::try_from(n & ((1 << bits) - 1)).unwrap_or(0);
        digits.push(char::from_digit(digit, base).unwrap_or('0'));
        n >>= bits;
        if n == -1 && digit == (1 << bits) - 1 {
            break;
        }
        if n == -1 {
            digits.push(char::from_digit((1 << bits) - 1, base).unwrap_or('0'));
            break;
        }
    }
    digits.iter().rev().collect()
}

/// Text of a float without padding.
pub(super) fn format_float(directive: char, f: f64, spec: &Spec) -> String {
    let sign = if f.is_sign_negative() && !f.is_nan() {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.space {
        " "
    } else {
        ""
    };
    let magnitude = f.abs();
    if !f.is_finite() {
        return format!("{sign}{}", if f.is_nan() { "NaN" } else { "Inf" });
    }
    let precision = spec.precision.unwrap_or(6);
    let body = match directive {
        'f' => {
            let dot = if precision == 0 && spec.alt { "." } else { "" };
            format!("{}{dot}", decimals::fixed(magnitude, precision))
        }
        'e' | 'E' => scientific(magnitude, precision, spec.alt),
        'g' | 'G' => general(magnitude, precision.max(1), spec.alt),
        _ => hexadecimal(magnitude, spec.precision, spec.alt),
    };
    let body = if directive.is_ascii_uppercase() { body.to_uppercase() } else { body };
    format!("{sign}{body}")
}

fn scientific(f: f64, precision: usize, alt: bool) -> String {
    let text = decimals::scientific(f, precision);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let dot = if precision == 0 && alt { "." } else { "" };
    format!("{digits}{dot}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn general(f: f64, precision: usize, alt: bool) -> String {
    let probe = scientific(f, precision - 1, false);
    let exponent: i32 = probe.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if alt || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    let dotted = |text: String| if alt && !text.contains('.') { format!("{text}.") } else { text };
    if exponent < -4 || exponent >= i32::try_from(precision).unwrap_or(i32::MAX) {
        let (digits, exponent) = probe.split_once('e').unwrap_or((&probe, "+00"));
        return format!("{}e{exponent}", dotted(trim(digits)));
    }
    let decimals = usize::try_from(i32::try_from(precision).unwrap_or(0) - 1 - exponent).unwrap_or(0);
    dotted(trim(&decimals::fixed(f, decimals)))
}

fn hexadecimal(f: f64, precision: Option<usize>, alt: bool) -> String {
    let bits = f.to_bits();
    let exponent = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    let mut mantissa = bits & ((1 << 52) - 1);
    let (lead, mut exponent) = match exponent {
        0 if mantissa == 0 => (0u64, 0),
        0 => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = match precision {
        Some(precision) if precision < 13 => {
            let shift = 4 * (13 - precision as u64);
            let half = 1u64 << (shift - 1);
            let rest = mantissa & ((1 << shift) - 1);
            mantissa >>= shift;
            // Ties go to the even digit; with no digits left that is the leading one.
            let odd = if precision == 0 { lead & 1 == 1 } else { mantissa & 1 == 1 };
            if rest > half || (rest == half && odd) {
                mantissa += 1;
                if mantissa >> (4 * precision as u64) > 0 {
                    mantissa = 0;
                    exponent += 1;
                }
            }
            if precision == 0 { String::new() } else { format!("{mantissa:0precision$x}") }
        }
        _ => {
            let digits = format!("{mantissa:013x}");
            let digits = digits.trim_end_matches('0');
            format!("{digits}{}", "0".repeat(precision.unwrap_or(0).saturating_sub(digits.len())))
        }
    };
    let dot = if digits.is_empty() && !alt { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{lead}{dot}{digits}p{sign}{}", exponent.abs())
}

/// A number with its sign in front of zeroes.
pub(super) fn write_number(text: &str, spec: &Spec, zero: bool, out: &mut String) {
    if zero && !spec.minus && !text.ends_with("Inf") && !text.ends_with("NaN") {
        let split = usize::from(text.starts_with(['-', '+', ' ']));
        let (sign, digits) = text.split_at_checked(split).unwrap_or(("", text));
        let (prefix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(rest) => (digits.get(..2).unwrap_or(""), rest),
            None => ("", digits),
        };
        let missing = spec.width.unwrap_or(0).saturating_sub(text.len());
        out.push_str(sign);
        out.push_str(prefix);
        out.extend(std::iter::repeat_n('0', missing));
        out.push_str(digits);
        return;
    }
    pad(text, spec, out);
}
