//! Converts numbers to strings and strings to numbers, as Puppet does.

use std::cmp::Ordering;

use crate::value::Value;
use crate::value::big::from_digits;
use crate::value::big::to_float;
pub use catwalk_syntax::float_to_s;

/// The number of a string in arithmetic: `"0x1F"`, `"010"` (octal), `" 1.5e3 "`; `None` for other values.
#[must_use]
pub fn to_n(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) => {
            Some(value.clone())
        }
        Value::Str(text) => parse_number(text),
        _ => None,
    }
}

/// Whether a number in a string is negative, and the rest after its sign.
fn signed_text(text: &str) -> Option<(bool, &str)> {
    let text = text.strip_prefix("::").unwrap_or(text);
    let blank = |c: char| c == ' ' || c == '\t' || (c.is_whitespace() && !c.is_ascii());
    let text = text.trim_matches(blank);
    Some(match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?.trim_start_matches(blank)),
        b'+' => (false, text.get(1..)?.trim_start_matches(blank)),
        _ => (false, text),
    })
}

/// [`to_n`] for a string.
#[must_use]
pub fn parse_number(text: &str) -> Option<Value> {
    let (negative, rest) = signed_text(text)?;
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        return from_digits(hex, 16, negative);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, tail) = rest.split_at_checked(digits)?;
    if whole.is_empty() {
        return None;
    }
    if tail.is_empty() {
        if whole.len() > 1 && whole.starts_with('0') {
            return from_digits(whole, 8, negative);
        }
        return from_digits(whole, 10, negative);
    }
    // `0?\d+` before a fraction: any digits; Ruby's `Float()` accepts leading zeroes.
    let mut exponent = tail;
    if let Some(fraction) = tail.strip_prefix('.') {
        let n = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if n == 0 {
            return None;
        }
        exponent = fraction.get(n..)?;
    }
    if !exponent.is_empty() {
        let digits = exponent.strip_prefix(['e', 'E'])?;
        let digits = digits.strip_prefix('-').unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
    }
    let number: f64 = rest.parse().ok()?;
    Some(Value::Float(if negative { -number } else { number }))
}

/// Compares an integer with a float; `None` for NaN.
#[must_use]
pub fn compare_int_float(n: i64, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    // Within 53 bits the conversion is exact; beyond it the float is a whole number.
    if n.unsigned_abs() < (1 << 53) {
        return (n as f64).partial_cmp(&f);
    }
    if f >= 9.3e18 {
        return Some(Ordering::Less);
    }
    if f <= -9.3e18 {
        return Some(Ordering::Greater);
    }
    let whole = f.trunc();
    Some(i128::from(n).cmp(&(whole as i128)).then_with(|| 0.0_f64.partial_cmp(&(f - whole)).unwrap_or(Ordering::Equal)))
}

/// Ruby's `Integer(text, radix)`: with underscores between digits, a prefix, and spaces around; `None` if it is not a number.
#[must_use]
pub fn ruby_integer(text: &str, radix: Option<u32>) -> Option<Value> {
    let text = text.trim();
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let lower = rest.to_ascii_lowercase();
    let prefixes = [("0x", 16), ("0b", 2), ("0o", 8)];
    let prefixed = prefixes.iter().find(|(prefix, base)| lower.starts_with(prefix) && radix.is_none_or(|r| r == *base));
    let (digits, base) = match prefixed {
        Some((prefix, base)) => (lower.get(prefix.len()..)?, *base),
        None => match radix {
            Some(radix) => (lower.as_str(), radix),
            None if lower.len() > 1 && lower.starts_with('0') => {
                (lower.get(1..)?.strip_prefix('_').unwrap_or(lower.get(1..)?), 8)
            }
            None => (lower.as_str(), 10),
        },
    };
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    from_digits(&digits, base, negative)
}

/// Ruby's `Float(text)`.
#[must_use]
pub fn ruby_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let unsigned = text.trim_start_matches(['+', '-']);
    if unsigned.len() + 1 < text.len() {
        return None;
    }
    let lower = unsigned.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        let n = match from_digits(hex, 16, false)? {
            Value::BigInt(n) => to_float(&n),
            Value::Int(n) => n as f64,
            _ => return None,
        };
        return Some(if text.starts_with('-') { -n } else { n });
    }
    // Rust also accepts `inf`, `nan`, `1.` and `.5`; Ruby does not.
    if !lower.starts_with(|c: char| c.is_ascii_digit())
        || !lower.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-' | b'_'))
        || lower.contains("._")
        || lower.contains("__")
        || lower.ends_with(['.', 'e', '_'])
        || lower.contains(".e")
    {
        return None;
    }
    text.replace('_', "").parse().ok()
}
