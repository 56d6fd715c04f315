//! Floats as text. (Ruby's `Float#to_s`)

/// A float as Ruby writes it: `1.0`, `1.0e+20`, `1.5e-07`.
#[must_use]
pub fn float_to_s(f: f64) -> String {
    if f.is_nan() {
        return "NaN".to_owned();
    }
    if f.is_infinite() {
        return if f > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    if f == 0.0 {
        return if f.is_sign_negative() { "-0.0".to_owned() } else { "0.0".to_owned() };
    }
    let shortest = format!("{f:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // A number with decimals is printed with all of them, regardless of its length.
    let count = digits.bytes().filter(u8::is_ascii_digit).count();
    let fraction = exponent >= 15 && i32::try_from(count).is_ok_and(|count| count > exponent + 1);
    if fraction || (-4..15).contains(&exponent) {
        let plain = format!("{f}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
