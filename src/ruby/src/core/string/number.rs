//! Methods of `String` that read numbers.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::value::Rv;
use crate::value::Str;

/// `to_i`, `to_i(base)`
pub(super) fn to_i(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    if args.is_empty()
        && s.len() < 19
        && !s.is_empty()
        && s.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(n) = s.parse::<i64>()
    {
        return Ok(Rv::Int(n));
    }
    let radix = match args.first() {
        Some(value) => {
            let radix = rt.expect_int(value)?;
            match u32::try_from(radix) {
                Ok(radix) if radix != 1 && radix <= 36 => radix,
                _ => return rt.raise("ArgumentError", format!("invalid radix {radix}")),
            }
        }
        None => 10,
    };
    leading_integer(rt, &s, radix)
}

pub(super) fn to_f(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::float(leading_float(&this.borrow())))
}

pub(super) fn to_r(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = rt.constant_path(None, "Rational")?;
    let string = Rv::str(this.borrow().as_str());
    let found = rt.call_method(&class, "of_text", &[string], None)?;
    rt.call_method(&found, "first", &[], None)
}

pub(super) fn hex(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    leading_integer(rt, &this.borrow(), 16)
}

pub(super) fn oct(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    let digits = s.trim_start().trim_start_matches(['-', '+']).to_ascii_lowercase();
    let radix = match digits.get(..2) {
        Some("0x") => 16,
        Some("0b") => 2,
        Some("0d") => 10,
        _ => 8,
    };
    leading_integer(rt, &s, radix)
}

pub(super) fn ord(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match this.borrow().chars().next() {
        Some(c) => Ok(Rv::Int(i64::from(u32::from(c)))),
        None => rt.raise("ArgumentError", "empty string"),
    }
}

/// `sum(bits)`: the sum of its bytes.
pub(super) fn sum(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bits = match args.first() {
        Some(bits) => u32::try_from(rt.expect_int(bits)?).unwrap_or(0),
        None => 16,
    };
    let sum: i64 = this.borrow().bytes().map(i64::from).sum();
    Ok(Rv::Int(if bits == 0 || bits > 62 { sum } else { sum & ((1 << bits) - 1) }))
}

/// The integer at the start of a string, or 0.
fn leading_integer(rt: &mut Interp<'_>, s: &str, radix: u32) -> Raise<Rv> {
    let s = s.trim_start();
    let (negative, rest) = match s.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, s.strip_prefix('+').unwrap_or(s)),
    };
    let lower = rest.get(..2).unwrap_or("").to_ascii_lowercase();
    // With the base 0, the prefix determines it.
    let (radix, prefix) = match (radix, lower.as_str()) {
        (0 | 16, "0x") => (16, 2),
        (0 | 2, "0b") => (2, 2),
        (0 | 8, "0o") => (8, 2),
        (0 | 10, "0d") => (10, 2),
        (0, lower) if lower.starts_with('0') => (8, 0),
        (0, _) => (10, 0),
        (radix, _) => (radix, 0),
    };
    let n = rt.parse_leading_digits(rest.get(prefix..).unwrap_or_default(), radix)?;
    Ok(big_integer::to_value(if negative { -n } else { n }))
}

fn leading_float(s: &str) -> f64 {
    let s: String = s.trim_start().chars().filter(|c| *c != '_').collect();
    let mut end = 0;
    let bytes = s.as_bytes();
    let digits =
        |from: usize| bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    if matches!(bytes.first(), Some(b'-' | b'+')) {
        end = 1;
    }
    end += digits(end);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let n = digits(end + 1 + sign);
        if n > 0 {
            end += 1 + sign + n;
        }
    }
    s.get(..end).and_then(|string| string.parse().ok()).unwrap_or(0.0)
}
