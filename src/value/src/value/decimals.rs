//! Decimal digits of floats as Ruby rounds them.
//!
//! In: a float and the number of digits. Out: its digits. Ruby's conversion first works with floats; where the remainder cannot be
//! distinguished from a half it makes the last digit even, though the exact value is a little more or less: `2.345` becomes
//! `2.34`, `2.675` becomes `2.68`.

/// No float has more decimals; Rust's formats accept at most 65,535.
const MAX_DECIMALS: usize = 1100;

/// `%.Nf` of a float that is not negative.
pub(super) fn fixed(f: f64, decimals: usize) -> String {
    let exponent = exponent(f);
    let count = i64::try_from(decimals).unwrap_or(i64::MAX).saturating_add(exponent + 1);
    let Some((digits, exponent)) = round_half_digits(f, exponent, count) else {
        let precision = decimals.min(MAX_DECIMALS);
        return format!("{f:.precision$}{}", "0".repeat(decimals - precision));
    };
    let mut out = String::new();
    let whole = usize::try_from(exponent + 1).unwrap_or(0);
    if whole == 0 {
        out.push('0');
    } else {
        out.extend(digits.iter().take(whole).map(|digit| char::from(b'0' + digit)));
    }
    if decimals > 0 {
        out.push('.');
        let leading = usize::try_from(-exponent - 1).unwrap_or(0);
        let fraction = std::iter::repeat_n(0, leading).chain(digits.iter().skip(whole).copied());
        out.extend(fraction.chain(std::iter::repeat(0)).take(decimals).map(|digit| char::from(b'0' + digit)));
    }
    out
}

/// `%.Ne` of a float that is not negative, with Rust's form of the exponent.
pub(super) fn scientific(f: f64, decimals: usize) -> String {
    let count = i64::try_from(decimals).unwrap_or(i64::MAX).saturating_add(1);
    let Some((digits, exponent)) = round_half_digits(f, exponent(f), count) else {
        let precision = decimals.min(MAX_DECIMALS);
        let text = format!("{f:.precision$e}");
        let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{number}{}e{exponent}", "0".repeat(decimals - precision));
    };
    let mut digits = digits.iter().map(|digit| char::from(b'0' + digit));
    let mut out: String = digits.by_ref().take(1).collect();
    if decimals > 0 {
        out.push('.');
        out.extend(digits.chain(std::iter::repeat('0')).take(decimals));
    }
    format!("{out}e{exponent}")
}

/// The power of ten of the first digit.
fn exponent(f: f64) -> i64 {
    format!("{f:e}").split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// The digits of Ruby's quick conversion if it encounters a half, and the power of ten of the first digit.
fn round_half_digits(f: f64, exponent: i64, count: i64) -> Option<(Vec<u8>, i64)> {
    let count = i32::try_from(count).ok().filter(|count| (1..=14).contains(count))?;
    if f == 0.0 || !f.is_finite() {
        return None;
    }
    // Each power of ten adds a rounding error.
    let power = u32::try_from(exponent.unsigned_abs()).ok()?;
    let unsure = 2.0 + f64::from((power >> 4).count_ones());
    let scale = 10_f64.powi(i32::try_from(power & 15).ok()?);
    let scale = (4..9).filter(|bit| power >> bit & 1 == 1).fold(scale, |scale, bit| scale * 10_f64.powi(1 << bit));
    let mut rest = if exponent > 0 { f / scale } else { f * scale };
    let error = (unsure * rest + 7.0) * f64::EPSILON * 10_f64.powi(count - 1);
    let mut digits = Vec::new();
    for _ in 0..count {
        if !digits.is_empty() {
            rest *= 10.0;
        }
        let digit = rest.trunc();
        rest -= digit;
        if !(0.0..10.0).contains(&digit) || rest == 0.0 {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
        digits.push(digit as u8);
    }
    if (rest - 0.5).abs() > error {
        return None;
    }
    let mut exponent = exponent;
    if digits.last().is_some_and(|last| last % 2 == 1) {
        match digits.iter().rposition(|digit| *digit != 9) {
            Some(at) => {
                digits.truncate(at + 1);
                if let Some(last) = digits.last_mut() {
                    *last += 1;
                }
                digits.resize(usize::try_from(count).unwrap_or(0), 0);
            }
            None => {
                digits.fill(0);
                digits.insert(0, 1);
                exponent += 1;
            }
        }
    }
    Some((digits, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_even() {
        let cases = [(2.345, 2, "2.34"), (2.675, 2, "2.68"), (1.005, 2, "1.00"), (0.25, 1, "0.2"), (0.35, 1, "0.4")];
        for (f, decimals, expected) in cases {
            assert_eq!(fixed(f, decimals), expected, "{f}");
        }
        assert_eq!(fixed(9.995, 2), "10.00");
        assert_eq!(fixed(2.345_000_000_000_01, 2), "2.35");
        assert_eq!(fixed(0.001_25, 4), "0.0012");
        assert_eq!(scientific(1.25e10, 1), "1.2e10");
    }
}
