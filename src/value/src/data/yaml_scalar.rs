//! The meaning of a plain YAML scalar by the rules of Psych's scalar scanner, which differ from all YAML specifications.

use std::sync::LazyLock;

use regex::Regex;

use crate::value::Value;
use crate::value::big::from_digits;

/// The meaning of a plain scalar.
#[derive(Debug, PartialEq)]
pub(super) enum Scalar {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// The string itself.
    Text,
    /// A Ruby symbol with its name.
    Symbol(String),
    /// A Ruby class that safe loading refuses.
    Class(&'static str),
    /// A number that Ruby's `Integer()` or `Float()` rejects, with Ruby's message.
    Invalid(String),
    /// An integer that does not fit into 64 bits.
    Big(Value),
    /// An integer with too many digits.
    TooBig,
}

struct Patterns {
    time: Regex,
    date: Regex,
    sexagesimal: Regex,
    sexagesimal_float: Regex,
    float: Regex,
    integer: Regex,
}

#[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    Patterns {
    time: Regex::new(
        r"^-?[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t\r\n\f\x0B]+)[0-9]{1,2}:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?(?:[ \t\r\n\f\x0B]*(?:Z|[-+][0-9]{1,2}:?(?:[0-9][0-9])?))?$",
    )
    .unwrap(),
    date: Regex::new(r"^[0-9]{4}-(?:1[012]|0[0-9]|[0-9])-(?:[12][0-9]|3[01]|0[0-9]|[0-9])$").unwrap(),
    sexagesimal: Regex::new(r"^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}$").unwrap(),
    sexagesimal_float: Regex::new(r"^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}\.[0-9_]*$").unwrap(),
    float: Regex::new(r"^(?:[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?)$").unwrap(),
    integer: Regex::new(
        r"^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$",
    )
    .unwrap(),
}
});

/// Reads a plain scalar as Psych 4 does.
pub(super) fn tokenize(text: &str) -> Scalar {
    if text.is_empty() {
        return Scalar::Nil;
    }
    if looks_like_text(text) {
        return if text.chars().nth(5).is_some() { Scalar::Text } else { short_word(text) };
    }
    if !matches!(text.as_bytes().first(), Some(b'0'..=b'9' | b'.' | b':' | b'-' | b'+')) {
        return Scalar::Text;
    }
    let patterns = &*PATTERNS;
    if patterns.time.is_match(text) {
        return Scalar::Class("Time");
    }
    if patterns.date.is_match(text) {
        return Scalar::Class("Date");
    }
    match text.to_ascii_lowercase().as_str() {
        ".inf" | "+.inf" => return Scalar::Float(f64::INFINITY),
        "-.inf" => return Scalar::Float(f64::NEG_INFINITY),
        ".nan" => return Scalar::Float(f64::NAN),
        _ => {}
    }
    if text.len() > 1 && text.starts_with(':') {
        return Scalar::Symbol(symbol_text(text));
    }
    if patterns.sexagesimal.is_match(text) {
        return base_sixty(text);
    }
    if patterns.sexagesimal_float.is_match(text) {
        let parts = text.split(':').zip([3600.0, 60.0, 1.0]);
        return Scalar::Float(parts.fold(0.0, |sum, (part, scale)| sum + ruby_to_f(part) * scale));
    }
    if patterns.float.is_match(text) {
        return if matches!(text, "." | "+." | "-.") { Scalar::Text } else { float(text) };
    }
    if patterns.integer.is_match(text) {
        return integer(text);
    }
    Scalar::Text
}

/// Psych's first test for a string: it contains a line break, or its first or second character is one that no number or symbol
/// contains there.
fn looks_like_text(text: &str) -> bool {
    let class = |c: char| c.is_alphabetic() || "_ \t\r\n\x0B\x0C!@#$%^&*(){}<>|/\\~;=".contains(c);
    let starts = |line: &str| {
        let mut chars = line.chars();
        let Some(first) = chars.next() else { return false };
        class(first)
            || (!first.is_ascii_digit() && !matches!(first, '.' | ':' | '-') && chars.next().is_some_and(class))
    };
    starts(text) || memchr::memchr(b'\n', text.as_bytes()).is_some()
}

/// Scalars of at most five characters may be booleans or null. Ruby's `^` and `$` match at every line.
fn short_word(text: &str) -> Scalar {
    let first_of_lines = text.char_indices().filter(|(at, _)| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'));
    for (_, first) in first_of_lines {
        if !matches!(first.to_ascii_lowercase(), 'y' | 't' | 'o' | 'n' | 'f' | '~') {
            return Scalar::Text;
        }
    }
    if text == "~" {
        return Scalar::Nil;
    }
    let some_line = |words: &[&str]| text.split('\n').any(|line| words.iter().any(|w| line.eq_ignore_ascii_case(w)));
    if some_line(&["null"]) {
        Scalar::Nil
    } else if some_line(&["yes", "true", "on"]) {
        Scalar::Bool(true)
    } else if some_line(&["no", "false", "off"]) {
        Scalar::Bool(false)
    } else {
        Scalar::Text
    }
}

/// The name of `:a`, `:"a b"` or `:'a b'`.
fn symbol_text(text: &str) -> String {
    let rest = text.get(1..).unwrap_or("");
    if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
        let inner = rest.get(1..).unwrap_or("");
        if let Some(end) = inner.rfind(quote) {
            let inner = inner.get(..end).unwrap_or("");
            return inner.strip_prefix(':').unwrap_or(inner).to_owned();
        }
    }
    rest.to_owned()
}

/// Reads a number in base 60. Psych always multiplies the first part by 3600, even if there are only two parts.
fn base_sixty(text: &str) -> Scalar {
    let mut sum: i128 = 0;
    for (part, scale) in text.split(':').zip([3600i128, 60, 1]) {
        let negative = part.starts_with('-');
        let mut number: i128 = 0;
        let mut underscore = false;
        for byte in part.trim_start_matches(['-', '+']).bytes() {
            match byte {
                b'_' if underscore => break,
                b'_' => underscore = true,
                _ => {
                    underscore = false;
                    number = number.saturating_mul(10).saturating_add(i128::from(byte - b'0'));
                    if number > i128::MAX / 20_000 {
                        return Scalar::TooBig;
                    }
                }
            }
        }
        sum += if negative { -number } else { number } * scale;
    }
    whole(Value::integer(sum))
}

/// Ruby's `String#to_f` for strings of a sign, digits, underscores and a dot.
fn ruby_to_f(text: &str) -> f64 {
    let mut clean = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '_' if !previous.is_ascii_digit() => break,
            '_' => {}
            '.' if !previous.is_ascii_digit() => break,
            _ => clean.push(c),
        }
        previous = c;
    }
    clean.trim_end_matches('.').parse().unwrap_or(0.0)
}

/// `Float(text.gsub(/[,_]|\.([Ee]|$)/, '\1'))`
fn float(text: &str) -> Scalar {
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let mut clean = String::with_capacity(plain.len());
    let mut chars = plain.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '.' && matches!(chars.peek(), None | Some('e' | 'E')) {
            continue;
        }
        clean.push(c);
    }
    ruby_float(&clean)
}

/// Ruby's `Float()`.
pub(super) fn ruby_float(text: &str) -> Scalar {
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    let numeric = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    let starts = !matches!(text.trim_start_matches(['+', '-']).as_bytes().first(), Some(b'e' | b'E') | None);
    match text.parse() {
        Ok(number) if digits && numeric && starts => Scalar::Float(number),
        _ => Scalar::Invalid(format!("invalid value for Float(): {text:?}")),
    }
}

/// `Integer(text.gsub(/[,_]/, ''))`: a leading zero means octal.
fn integer(text: &str) -> Scalar {
    let clean: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (negative, digits) = match clean.as_bytes().first() {
        Some(b'-') => (true, clean.get(1..).unwrap_or("")),
        Some(b'+') => (false, clean.get(1..).unwrap_or("")),
        _ => (false, clean.as_str()),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, digits.get(2..).unwrap_or("")),
        Some("0b") => (2, digits.get(2..).unwrap_or("")),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        _ => (10, digits),
    };
    if digits.is_empty() {
        return Scalar::Invalid(format!("invalid value for Integer(): {clean:?}"));
    }
    from_digits(digits, radix, negative).map_or(Scalar::TooBig, whole)
}

fn whole(number: Value) -> Scalar {
    match number {
        Value::Int(n) => Scalar::Int(n),
        other => Scalar::Big(other),
    }
}
