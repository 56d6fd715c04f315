//! `to_s` and `inspect` of values.

use std::borrow::Cow;

use crate::functions::ruby;
use crate::value::Value;
pub(crate) use crate::value::ruby::class_name;
pub(crate) use crate::value::ruby::conversion_name;
pub(crate) use crate::value::ruby::inspect_text;

/// `Object#to_s`: text as it is, `undef` as nothing, collections as they are inspected.
pub(crate) fn to_s(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Undef => Cow::Borrowed(""),
        Value::Str(text) => Cow::Borrowed(text),
        Value::Default => Cow::Borrowed("default"),
        Value::Sensitive(_) => Cow::Borrowed("Sensitive [value redacted]"),
        Value::Regexp(regexp) => Cow::Owned(format!("(?-mix:{})", regexp.source())),
        other => Cow::Owned(inspect(other)),
    }
}

/// `Object#inspect`
pub(crate) fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

/// Deeper collections are cut: nothing that deep is meant to be read.
const MAX_DEPTH: usize = 1000;

fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        _ if depth > MAX_DEPTH => out.push('…'),
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Float(f) => out.push_str(&ruby::float_text(*f)),
        Value::Str(text) => out.push_str(&inspect_text(text)),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write(item, depth + 1, out);
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write(key, depth + 1, out);
                out.push_str("=>");
                write(value, depth + 1, out);
            }
            out.push('}');
        }
        other => out.push_str(&crate::value::to_puppet_string(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections() {
        let value = Value::array(vec![Value::Undef, Value::from("a"), Value::Bool(true), Value::array(vec![])]);
        assert_eq!(inspect(&value), "[nil, \"a\", true, []]");
        assert_eq!(to_s(&Value::Undef), "");
    }
}
