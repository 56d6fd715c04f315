//! Converts strings to numbers and back.

use crate::value::Value;
use crate::value::big::from_digits;

/// `Float#to_s`: the shortest string that parses to the same number, with an exponent below 1e-4 and from 1e16.
pub fn float_to_s(f: f64) -> String {
    if f.is_nan() {
        return "NaN".to_owned();
    }
    if f.is_infinite() {
        return if f > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if f == 0.0 {
        return if f.is_sign_negative() { "-0.0" } else { "0.0" }.to_owned();
    }
    if (1e-4..1e16).contains(&f.abs()) {
        let text = format!("{f}");
        return if text.contains('.') { text } else { text + ".0" };
    }
    let text = format!("{f:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if mantissa.contains('.') { mantissa.to_owned() } else { format!("{mantissa}.0") };
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The length of the digits at the start of `text`, with single underscores between them.
fn digits(text: &[u8], radix: u32) -> usize {
    let mut end = 0;
    while let Some(&byte) = text.get(end) {
        let is_digit = char::from(byte).is_digit(radix);
        let is_joint = byte == b'_' && end > 0 && text.get(end + 1).is_some_and(|b| char::from(*b).is_digit(radix));
        if !is_digit && !is_joint {
            break;
        }
        end += 1;
    }
    end
}

fn without_underscores(text: &str) -> String {
    text.chars().filter(|c| *c != '_').collect()
}

/// `String#to_i`: the number at the start of a string, 0 without one. Numbers beyond 64 bits become the nearest that fits.
pub fn to_i(text: &str) -> i64 {
    let text = text.trim_start_matches(super::is_space);
    let (negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let end = digits(rest.as_bytes(), 10);
    let digits = without_underscores(&rest[..end]);
    if digits.is_empty() {
        return 0;
    }
    let signed = if negative { format!("-{digits}") } else { digits };
    signed.parse().unwrap_or(if negative { i64::MIN } else { i64::MAX })
}

/// `to_i`, of any size, of strings, numbers and `undef`; `None` for other values.
pub fn to_integer(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
        Value::Float(f) => crate::value::big::from_float(*f),
        Value::Str(text) => {
            let trimmed = text.trim_start_matches(super::is_space);
            let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
            let end = digits(unsigned.as_bytes(), 10);
            let found = without_underscores(unsigned.get(..end).unwrap_or_default());
            let number = crate::value::big::from_digits(&found, 10, trimmed.starts_with('-'));
            Some(number.unwrap_or(Value::Int(0)))
        }
        Value::Undef => Some(Value::Int(0)),
        _ => None,
    }
}

/// The length of the decimal float at the start of `text`, without a sign or white space before it.
fn float_end(text: &[u8]) -> usize {
    let mut end = digits(text, 10);
    if end == 0 {
        return 0;
    }
    if text.get(end) == Some(&b'.') {
        let fraction = digits(text.get(end + 1..).unwrap_or_default(), 10);
        if fraction > 0 {
            end += 1 + fraction;
        } else {
            return end;
        }
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(text.get(end + 1 + sign..).unwrap_or_default(), 10);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// `String#to_f`: the number at the start of a string, 0.0 without one.
pub fn to_f(text: &str) -> f64 {
    let text = text.trim_start_matches(super::is_space);
    let sign = usize::from(text.starts_with(['-', '+']));
    // `.5` is 0.5 for to_f, though not for Float().
    let rest = &text[sign..];
    let padded;
    let rest = if rest.starts_with('.') {
        padded = format!("0{rest}");
        padded.as_str()
    } else {
        rest
    };
    let number: f64 = without_underscores(&rest[..float_end(rest.as_bytes())]).parse().unwrap_or(0.0);
    if text.starts_with('-') { -number } else { number }
}

/// `Float(text)`: the whole string must be a number; `None` if Ruby raises an ArgumentError.
pub fn kernel_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(super::is_space);
    let sign = usize::from(text.starts_with(['-', '+']));
    let rest = &text[sign..];
    let negative = text.starts_with('-');
    let signed = |number: f64| if negative { -number } else { number };
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        if hex.is_empty() || digits(hex.as_bytes(), 16) != hex.len() {
            return None;
        }
        #[allow(clippy::cast_precision_loss, reason = "what Float() does")]
        return u128::from_str_radix(&without_underscores(hex), 16).ok().map(|n| signed(n as f64));
    }
    let end = float_end(rest.as_bytes());
    if end == 0 || end != rest.len() {
        return None;
    }
    without_underscores(rest).parse().ok().map(signed)
}

/// `Integer(text)`: decimal, `0x`, `0b`, `0o` or octal with a leading zero; `None` if Ruby raises an ArgumentError.
pub fn kernel_integer(text: &str) -> Option<i64> {
    match kernel_number(text)? {
        Value::Int(n) => Some(n),
        _ => None,
    }
}

/// `Integer(string)`, also beyond 64 bits.
pub fn kernel_number(text: &str) -> Option<Value> {
    let text = text.trim_matches(super::is_space);
    let sign = usize::from(text.starts_with(['-', '+']));
    let negative = text.starts_with('-');
    let rest = &text[sign..];
    let lower = rest.to_ascii_lowercase();
    let (radix, digits_text) = match lower.get(..2) {
        Some("0x") => (16, &rest[2..]),
        Some("0b") => (2, &rest[2..]),
        Some("0o") => (8, &rest[2..]),
        Some("0d") => (10, &rest[2..]),
        _ if rest.len() > 1 && rest.starts_with('0') => (8, rest[1..].strip_prefix('_').unwrap_or(&rest[1..])),
        _ => (10, rest),
    };
    if digits_text.is_empty() || digits(digits_text.as_bytes(), radix) != digits_text.len() {
        return None;
    }
    from_digits(&without_underscores(digits_text), radix, negative)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
    use super::*;

    #[test]
    fn floats_print_as_ruby_prints_them() {
        let texts: Vec<_> = [1e15, 1e16, 1e-4, 1e-5, 123_456_789.123, 1e100, -0.0].map(float_to_s).to_vec();
        assert_eq!(texts, ["1000000000000000.0", "1.0e+16", "0.0001", "1.0e-05", "123456789.123", "1.0e+100", "-0.0"]);
    }

    #[test]
    fn integers_from_text() {
        assert_eq!((to_i(" 12abc"), to_i("-1_000"), to_i("x"), to_i("")), (12, -1000, 0, 0));
        assert_eq!(kernel_integer("0b11"), Some(3));
        assert_eq!(kernel_integer("0_7"), Some(7));
        assert_eq!(kernel_integer("08"), None);
        assert_eq!(kernel_integer("1.0"), None);
        assert_eq!(kernel_integer(" 42\n"), Some(42));
    }

    #[test]
    fn floats_from_text() {
        assert_eq!((to_f("1.5kB"), to_f("1e3x"), to_f(".5"), to_f("-2")), (1.5, 1000.0, 0.5, -2.0));
        assert_eq!(kernel_float("1."), None);
        assert_eq!(kernel_float("1_000.5"), Some(1000.5));
        assert_eq!(kernel_float("0x1A"), Some(26.0));
        assert_eq!(kernel_float("abc"), None);
    }
}
