//! Ruby's methods for values, for messages and outputs: names of classes, `to_s`, `inspect`, comparison, numbers, case, paths, shell
//! words, YAML and JSON.
//!
//! In: values and strings. Out: the result of the Ruby method of the same name. Must not: know calls or scopes.

mod bcrypt;
mod class;
mod compare;
pub mod crypt;
mod inspect;
mod json;
mod number;
mod path;
mod random;
mod shell;
mod string;
mod succ;
mod yaml;

pub use crate::types::capitalize;
pub use class::class_name;
pub use class::conversion_name;
pub use class::inherits_from;
pub use class::is_class;
pub(crate) use class::operand_name;
pub use class::plain_class_name;
pub use class::plain_conversion_name;
pub use class::plain_receiver;
pub use class::receiver;
pub use compare::compare;
pub use compare::not_comparable;
pub use compare::order_from_block;
pub use inspect::inspect;
pub use inspect::inspect_reference;
pub use inspect::plain_inspect;
pub use inspect::to_s;
pub use inspect::to_s_3x;
pub use json::Layout;
pub use json::json_string;
pub use json::to_json;
pub use number::float_to_s;
pub use number::kernel_float;
pub use number::kernel_integer;
pub use number::kernel_number;
pub use number::to_f;
pub use number::to_i;
pub use number::to_integer;
pub use path::basename;
pub use path::dirname;
pub use path::extname;
pub use random::Random;
pub use shell::shellescape;
pub use shell::shellsplit;
pub use string::char_ranges;
pub use string::chomp;
pub use string::chop;
pub use string::count;
pub use string::downcase;
pub use string::is_space;
pub use string::split_string;
pub use string::squeeze;
pub use string::swapcase;
pub use string::upcase;
pub use succ::succ;
pub use yaml::YamlOptions;
pub use yaml::to_yaml;

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::types::Type;
use crate::value::Value;

/// Sorts with a comparison that may fail, as Ruby does (glibc's merge sort); equal values keep their order.
///
/// # Errors
/// The first failure of the comparison.
pub fn sort<T, E>(values: Vec<T>, compare: &mut impl FnMut(&T, &T) -> Result<Ordering, E>) -> Result<Vec<T>, E> {
    if values.len() < 2 {
        return Ok(values);
    }
    let mut left = values;
    let right = left.split_off(left.len() / 2);
    let left = sort(left, compare)?;
    let right = sort(right, compare)?;
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(a, b)? == Ordering::Greater { right.next() } else { left.next() };
        out.extend(next);
    }
    out.extend(left);
    out.extend(right);
    Ok(out)
}

/// Matches the characters that `inspect` escapes: controls, line separators and characters that Unicode has not assigned.
static UNPRINTABLE: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new(r"^[\p{Cc}\p{Cn}\p{Zl}\p{Zp}]$").ok());

fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let mut buffer = [0; 4];
    !UNPRINTABLE.as_ref().is_some_and(|unprintable| unprintable.is_match(c.encode_utf8(&mut buffer)))
}

/// `String#inspect`
pub fn inspect_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_inspect_string(text, &mut out);
    out
}

/// Appends the result of `String#inspect`: the string in double quotes with Ruby's escapes.
pub fn push_inspect_string(text: &str, out: &mut String) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x07' => out.push_str("\\a"),
            '\x1b' => out.push_str("\\e"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) > 0xffff => out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out.push('"');
}

/// `Puppet::Resource#to_hash` of a reference: the attribute that its title sets, and the value.
pub fn title_attribute<'t>(type_name: &str, title: &'t str) -> (&'static str, &'t str) {
    match type_name.to_lowercase().as_str() {
        "file" => ("path", if title.len() > 1 { title.trim_end_matches('/') } else { title }),
        "exec" => ("command", title),
        "tidy" => ("path", title),
        _ => ("name", title),
    }
}

/// Checks that Ruby can print a value: references in it become resources, whose titles are parsed. (`Puppet::Resource#parse_title`)
///
/// # Errors
/// The value contains a reference to a file without a title.
pub fn check_printable(value: &Value) -> Result<(), &'static str> {
    match value {
        Value::Array(items) => items.iter().try_for_each(check_printable),
        Value::Hash(entries) => {
            entries.iter().try_for_each(|(key, value)| check_printable(key).and_then(|()| check_printable(value)))
        }
        Value::Type(Type::Resource(resource))
            if resource.title.as_deref().unwrap_or_default().is_empty()
                && resource.type_name.as_deref() == Some("File") =>
        {
            Err("No set of title patterns matched the title \"\".")
        }
        _ => Ok(()),
    }
}

/// Appends the result of `Symbol#inspect`.
pub fn push_symbol(text: &str, out: &mut String) {
    out.push(':');
    let body = text.strip_suffix(['?', '!', '=']).unwrap_or(text);
    let body = body.trim_start_matches(['@', '$']);
    let plain = body.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && body.chars().all(|c| c == '_' || c.is_alphanumeric());
    let operator = matches!(
        text,
        "[]" | "[]="
            | "+"
            | "-"
            | "*"
            | "/"
            | "%"
            | "**"
            | "=="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "<=>"
            | "==="
            | "<<"
            | ">>"
            | "!"
            | "=~"
            | "&"
            | "|"
            | "^"
            | "~"
    );
    if plain || operator {
        out.push_str(text);
    } else {
        push_inspect_string(text, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted() {
        assert_eq!(
            inspect_string("a\"#{b}\n\u{7f}\u{2028}é\u{10ffff}"),
            "\"a\\\"\\#{b}\\n\\u007F\\u2028é\\u{10FFFF}\""
        );
    }
}
