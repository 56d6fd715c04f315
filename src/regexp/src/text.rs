//! Prints regular expressions as Ruby does.
//!
//! In: sources. Out: the forms that Ruby prints. Must not: compile.

use super::Regexp;

/// Ruby's `Regexp#to_s`: flags around the source. Flags at the start of the source are merged with them.
pub fn to_s(source: &str, flags: &str) -> String {
    let letters: Vec<char> = "mix".chars().filter(|flag| flags.contains(*flag)).collect();
    let mut on = letters.clone();
    let mut rest = source;
    while let Some((set, unset, after)) = leading_flags(rest) {
        let apply = |on: &[char]| {
            "mix".chars().filter(|c| !unset.contains(*c) && (on.contains(c) || set.contains(*c))).collect::<Vec<_>>()
        };
        if let Some(after) = after.strip_prefix(')') {
            on = apply(&on);
            rest = after;
            continue;
        }
        // `(?i:…)` around the whole source: the inner pattern must be complete.
        let inner = after.strip_prefix(':').and_then(|inner| inner.strip_suffix(')'));
        match inner.filter(|inner| Regexp::new(*inner).check().is_ok()) {
            Some(inner) => {
                on = apply(&on);
                rest = inner;
            }
            // Ruby merges the flags of no other group.
            None => {
                on = letters.clone();
                rest = source;
            }
        }
        break;
    }
    let off: String = "mix".chars().filter(|flag| !on.contains(flag)).collect();
    let dash = if off.is_empty() { "" } else { "-" };
    let on: String = on.into_iter().collect();
    format!("(?{on}{dash}{off}:{})", escape_slashes(rest))
}

/// The flags of a source that begins with `(?flags` or `(?flags-flags`: set flags, cleared flags, the rest of the source.
fn leading_flags(source: &str) -> Option<(&str, &str, &str)> {
    let rest = source.strip_prefix("(?").filter(|_| source.len() >= 4)?;
    let letters = |text: &str| text.find(|c| !"mix".contains(c)).unwrap_or(text.len());
    let (set, rest) = rest.split_at(letters(rest));
    let (unset, rest) = match rest.strip_prefix('-') {
        Some(rest) => rest.split_at(letters(rest)),
        None => ("", rest),
    };
    Some((set, unset, rest))
}

/// The source with bare slashes escaped.
pub fn escape_slashes(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            c => out.push(c),
        }
    }
    out
}

/// Escapes `text` so that the result matches it literally: Ruby's `Regexp.escape`.
pub fn escape(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^' | '$' | ' ' | '#' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\t' => quoted.push_str("\\t"),
            '\x0c' => quoted.push_str("\\f"),
            '\x0b' => quoted.push_str("\\v"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c => quoted.push(c),
        }
    }
    quoted
}

/// Ruby's `Regexp#inspect` for a pattern without flags. Ruby escapes characters outside of ASCII only if some other character must be
/// escaped.
pub fn inspect(source: &str) -> String {
    let plain = |c: char| c != '/' && !c.is_ascii_control();
    if source.chars().all(plain) {
        return format!("/{source}/");
    }
    let mut text = String::with_capacity(source.len() + 8);
    text.push('/');
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                text.push(c);
                text.extend(chars.next());
            }
            '/' => text.push_str("\\/"),
            '\t' | '\n' | '\x0b' | '\x0c' | '\r' => text.push(c),
            c if c.is_ascii_control() => text.push_str(&format!("\\x{:02X}", u32::from(c))),
            c if c.is_ascii() => text.push(c),
            c if u32::from(c) > 0xffff => text.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => text.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    text.push('/');
    text
}
