//! Numbers as rules compare them: facts and literals, strings or not, in one order.
//!
//! In: values and strings. Out: an order. Must not: know rules.

use std::cmp::Ordering;

use catwalk_value::Value;

/// An integer or a finite float.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Compared exactly with other integers.
    Int(i64),
    /// Anything else.
    Float(f64),
}

impl Number {
    /// Parses a number: `40`, `-2`, `1.5`, `1e3`. Versions (`10.4.1`) are not numbers.
    #[must_use]
    pub fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        if let Ok(n) = text.parse() {
            return Some(Number::Int(n));
        }
        // Rust also reads `inf` and `nan`.
        let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'));
        text.parse().ok().filter(|f: &f64| plain && f.is_finite()).map(Number::Float)
    }

    /// The number of a value, or of a string that spells one.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Number> {
        match value {
            Value::Int(n) => Some(Number::Int(*n)),
            Value::Float(f) if f.is_finite() => Some(Number::Float(*f)),
            Value::Str(text) => Number::parse(text),
            _ => None,
        }
    }

    /// The order of two numbers.
    #[must_use]
    pub fn compare(self, other: Number) -> Ordering {
        #[allow(clippy::cast_precision_loss, reason = "a float is only as exact")]
        let float = |number: Number| match number {
            Number::Int(n) => n as f64,
            Number::Float(f) => f,
        };
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (a, b) => float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal),
        }
    }

    /// A hash key that is equal for equal numbers.
    #[must_use]
    pub fn key(self) -> u64 {
        #[allow(clippy::cast_precision_loss, reason = "what shares a key is compared again")]
        let float = match self {
            Number::Int(n) => n as f64,
            Number::Float(f) => f,
        };
        (float + 0.0).to_bits()
    }
}
