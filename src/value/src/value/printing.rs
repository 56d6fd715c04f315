//! Values as strings: interpolated, and as Puppet source.

use std::fmt;
use std::sync::Arc;

use base64::Engine;

use crate::types::capitalize_segments;
use crate::value::Hash;
use crate::value::Value;
use crate::value::number::float_to_s;
use catwalk_base::meter;

/// A value as interpolation prints it: `"${value}"`.
///
/// Collections are written as Puppet source, single values without quotes.
#[must_use]
pub fn to_puppet_string(value: &Value) -> Arc<str> {
    match value {
        Value::Str(text) => text.to_shared(),
        Value::Symbol(name) => name.clone(),
        Value::Ruby(object) => object.text.clone(),
        Value::Undef => Arc::from(""),
        Value::Default => Arc::from("default"),
        Value::Bool(b) => Arc::from(if *b { "true" } else { "false" }),
        Value::Int(n) => Arc::from(n.to_string()),
        Value::BigInt(n) => Arc::from(n.to_string()),
        Value::Float(f) => Arc::from(float_to_s(*f)),
        Value::Regexp(regexp) => Arc::from(regexp.to_puppet_source()),
        Value::Type(t) => Arc::from(t.to_string()),
        Value::Sensitive(_) => Arc::from("Sensitive [value redacted]"),
        Value::Timestamp(time) => Arc::from(time.to_string()),
        Value::Timespan(time) => Arc::from(time.to_string()),
        Value::SemVer(version) => Arc::from(version.to_string()),
        Value::SemVerRange(range) => Arc::from(range.to_string()),
        Value::Binary(bytes) => Arc::from(base64::engine::general_purpose::STANDARD.encode(bytes)),
        Value::Uri(uri) => Arc::from(uri.to_string()),
        Value::Iterator(iter) if iter.tree_class().is_some() => Arc::from(format!("#<{}>", iter.class_name())),
        Value::Iterator(iter) => {
            Arc::from(format!("Iterator[{}]-Value", crate::types::generalize(&iter.element_type())))
        }
        Value::Array(_) | Value::Hash(_) | Value::Object(_) => {
            let mut out = String::new();
            push_puppet_string(value, &mut out);
            Arc::from(out)
        }
    }
}

/// Appends a value as interpolation prints it. A string that becomes too long ends the compile.
pub fn push_puppet_string(value: &Value, out: &mut String) {
    match value {
        Value::Str(text) => out.push_str(text),
        Value::Symbol(name) => out.push_str(name),
        Value::Ruby(object) => out.push_str(&object.text),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                push_puppet_string(item, out);
                meter::check_string(out.len());
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (n, (key, value)) in entries.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                push_puppet_string(key, out);
                out.push_str(" => ");
                push_puppet_string(value, out);
                meter::check_string(out.len());
            }
            out.push('}');
        }
        Value::Object(_) => program(value, None, out),
        _ => out.push_str(&to_puppet_string(value)),
    }
}

/// A value written as Puppet source.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a>(pub &'a Value);

impl fmt::Display for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_program(self.0))
    }
}

/// A value as Puppet source, in the format of Puppet's type formatter.
#[must_use]
pub fn to_program(value: &Value) -> String {
    let mut out = String::new();
    program(value, None, &mut out);
    out
}

/// A value as Puppet source over several lines. Each level is indented by two spaces; `level` is the level of the value.
#[must_use]
pub fn to_indented_program(value: &Value, level: usize) -> String {
    let mut out = String::new();
    program(value, Some(level), &mut out);
    out
}

fn newline(indent: usize, out: &mut String) {
    meter::check_string(out.len());
    out.truncate(out.trim_end().len());
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent * 2));
}

fn program(value: &Value, indent: Option<usize>, out: &mut String) {
    match value {
        Value::Undef => out.push_str("undef"),
        Value::Str(text) => out.push_str(&puppet_quote(text)),
        // Puppet's function prints resources like this; for people, the reference is printed as it is written.
        Value::Type(crate::types::Type::Resource(resource)) if resource.resolved && indent.is_none() => {
            out.push_str("Instance of ");
            out.push_str(&crate::types::infer(value).to_string());
        }
        Value::Type(t @ crate::types::Type::Resource(resource)) if resource.resolved => {
            // The type of a reference quotes its title: `Type[Exec['y']]`.
            let reference = crate::types::infer(value).to_string();
            let inner = reference.strip_prefix("Type[").and_then(|inner| inner.strip_suffix(']'));
            out.push_str(inner.unwrap_or(&t.to_string()));
        }
        Value::Type(t) => out.push_str(&t.text(crate::types::Form::Short)),
        Value::SemVer(_) | Value::SemVerRange(_) | Value::Timestamp(_) | Value::Timespan(_) => {
            out.push('\'');
            out.push_str(&to_puppet_string(value));
            out.push('\'');
        }
        // Puppet has no source form for these.
        Value::Binary(_) => out.push_str("Instance of Binary"),
        Value::Sensitive(_) | Value::Iterator(_) | Value::Ruby(_) => {
            out.push_str("Instance of ");
            out.push_str(&crate::types::infer(value).to_string());
        }
        Value::Uri(_) => {
            out.push_str("URI('");
            out.push_str(&to_puppet_string(value));
            out.push_str("')");
        }
        Value::Array(items) => match indent {
            Some(level) if !is_short(items, level) => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    out.push_str(if n == 0 { "" } else { ", " });
                    newline(level + 1, out);
                    program(item, Some(level + 1), out);
                }
                newline(level, out);
                out.push(']');
            }
            _ => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    out.push_str(if n == 0 { "" } else { ", " });
                    program(item, indent, out);
                    meter::check_string(out.len());
                }
                out.push(']');
            }
        },
        Value::Hash(entries) => program_hash(entries, indent, out),
        Value::Object(object) => {
            out.push_str(object.type_name());
            out.push('(');
            program_hash(&object.init_hash(), indent, out);
            out.push(')');
        }
        _ => out.push_str(&to_puppet_string(value)),
    }
}

fn program_hash(entries: &Hash, indent: Option<usize>, out: &mut String) {
    out.push('{');
    for (n, (key, value)) in entries.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { ", " });
        if let Some(level) = indent {
            newline(level + 1, out);
        }
        program(key, indent.map(|level| level + 1), out);
        out.push_str(" => ");
        program(value, indent.map(|level| level + 1), out);
        meter::check_string(out.len());
    }
    if let Some(level) = indent {
        newline(level, out);
    }
    out.push('}');
}

/// Whether an array fits into a line of about a hundred characters.
fn is_short(items: &[Value], level: usize) -> bool {
    let room = 100usize.saturating_sub(level * 2);
    let used: usize = items
        .iter()
        .map(|item| match item {
            Value::Undef => 3,
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => to_puppet_string(item).len(),
            Value::Default => 8,
            Value::Str(text) => 2 + text.chars().count(),
            Value::Array(items) if items.is_empty() => 2,
            Value::Hash(entries) if entries.is_empty() => 2,
            _ => 1000,
        })
        .sum();
    items.is_empty() || room > used
}

/// A string in single quotes, or in double quotes if control characters need escapes.
#[must_use]
pub fn puppet_quote(text: &str) -> String {
    if text.chars().any(|c| u32::from(c) < 0x20) {
        return puppet_double_quote(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    let mut escaped = false;
    for c in text.chars() {
        if escaped {
            out.push('\\');
            out.push(c);
            escaped = false;
        } else if c == '\'' {
            out.push_str("\\'");
        } else if c == '\\' {
            escaped = true;
        } else {
            out.push(c);
        }
    }
    if escaped {
        out.push('\\');
    }
    out.push('\'');
    out
}

/// A string in double quotes.
#[must_use]
pub(crate) fn puppet_double_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '$' => out.push_str("\\$"),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A reference in the form of catalogs: `File[/x]`. `None` for types that are not references.
#[must_use]
pub fn catalog_reference(t: &crate::types::Type) -> Option<String> {
    match t {
        crate::types::Type::Resource(resource) => {
            let name = capitalize_segments(resource.type_name.as_deref()?).into_owned();
            Some(format!("{name}[{}]", resource.title.as_deref()?))
        }
        crate::types::Type::Class(Some(name)) => Some(format!("Class[{}]", capitalize_segments(name))),
        _ => None,
    }
}

/// Decodes Base64 like Ruby's `unpack('m')`: characters outside the alphabet are skipped. Padding ends the data at the third or fourth
/// digit of a group and is skipped before.
pub fn decode_lenient_base64(text: &[u8]) -> Vec<u8> {
    const LOOSE: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new()
            .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let mut digits = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'=' if digits.len() % 4 >= 2 => break,
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') => digits.push(*byte),
            _ => {}
        }
    }
    // A single digit at the end does not contain a whole byte.
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    LOOSE.decode(digits).unwrap_or_default()
}
