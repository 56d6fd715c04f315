//! Values as Ruby prints them: in interpolated text (`to_s`) and in explanations (`inspect`).

use std::fmt::Write;

use crate::value::Value;
use crate::value::number::float_text;
use crate::value::ruby::push_inspected;
use crate::value::to_puppet_string;

/// Where the first interpolation of a text starts.
pub(super) fn interpolation_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes).find(|at| bytes.get(at + 1) == Some(&b'{'))
}

/// Ruby's `to_s`.
pub(super) fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Str(text) => text.to_string(),
        other => inspect(other),
    }
}

/// Ruby's `inspect`.
pub(super) fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str("default"),
        Value::Symbol(_) | Value::Ruby(_) => out.push_str(&crate::value::ruby::inspect(value)),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => drop(write!(out, "{n}")),
        Value::BigInt(n) => drop(write!(out, "{n}")),
        Value::Float(f) => out.push_str(&float_text(*f)),
        Value::Str(text) => push_inspected(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write(out, item);
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write(out, key);
                out.push_str("=>");
                write(out, value);
            }
            out.push('}');
        }
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        other => out.push_str(&to_puppet_string(other)),
    }
}
