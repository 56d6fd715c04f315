//! `to_s` and `inspect` of values.

use std::borrow::Cow;

use crate::types::Type;
use crate::types::capitalize_segments;
use crate::value::Value;
use crate::value::ruby::class_name;
use crate::value::ruby::push_inspect_string;
use crate::value::ruby::push_symbol;
use crate::value::ruby::title_attribute;
use catwalk_base::meter;

/// `Object#to_s`: strings unchanged, `undef` as an empty string, collections by `inspect`.
pub fn to_s(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Undef => Cow::Borrowed(""),
        Value::Str(text) => Cow::Borrowed(text),
        Value::Symbol(name) => Cow::Borrowed(name),
        Value::Ruby(object) => Cow::Borrowed(&object.text),
        Value::Default => Cow::Borrowed("default"),
        Value::Sensitive(_) => Cow::Borrowed("Sensitive [value redacted]"),
        Value::Uri(uri) => Cow::Owned(uri.to_string()),
        Value::Binary(_) => Cow::Owned(crate::value::to_puppet_string(value).as_ref().to_owned()),
        Value::Type(data_type) => Cow::Owned(data_type.to_string()),
        Value::SemVerRange(range) => Cow::Owned(range.to_string()),
        Value::Regexp(regexp) => Cow::Owned(catwalk_regexp::to_s(regexp.source(), "")),
        other => Cow::Owned(inspect(other)),
    }
}

/// `Object#to_s` of an argument of a 3.x function: references are resources, whose titles have no quotes.
pub fn to_s_3x(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Type(Type::Resource(resource)) if let Some(type_name) = &resource.type_name => {
            Cow::Owned(format!("{}[{}]", capitalize_segments(type_name), resource.title.as_deref().unwrap_or_default()))
        }
        Value::Type(Type::Class(Some(name))) => Cow::Owned(format!("Class[{}]", capitalize_segments(name))),
        other => to_s(other),
    }
}

/// The code that calls `inspect`, which determines how references are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InspectMode {
    /// 3.x functions: references are resources.
    Function3,
    /// All other Ruby code: references are types. Ruby prints types with the addresses of their objects, Catwalk prints them as Puppet
    /// source.
    Plain,
}

/// `Object#inspect` in 3.x functions.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    push_inspect(value, InspectMode::Function3, 0, &mut out);
    out
}

/// `Object#inspect` outside of 3.x functions.
pub fn plain_inspect(value: &Value) -> String {
    let mut out = String::new();
    push_inspect(value, InspectMode::Plain, 0, &mut out);
    out
}

/// The depth of collections from which `…` is printed.
const MAX_DEPTH: usize = 1000;

fn push_inspect(value: &Value, mode: InspectMode, depth: usize, out: &mut String) {
    match value {
        _ if depth > MAX_DEPTH => out.push('…'),
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Symbol(name) => push_symbol(name, out),
        Value::Ruby(object) => out.push_str(&object.inspected),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Str(text) => push_inspect_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push_inspect(item, mode, depth + 1, out);
                meter::check_string(out.len());
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push_inspect(key, mode, depth + 1, out);
                out.push_str("=>");
                push_inspect(value, mode, depth + 1, out);
                meter::check_string(out.len());
            }
            out.push('}');
        }
        Value::Type(data_type) if mode == InspectMode::Plain => out.push_str(&data_type.to_string()),
        Value::Type(Type::Resource(resource)) if resource.title.is_some() => {
            let type_name = resource.type_name.as_deref().unwrap_or_default();
            push_reference(type_name, resource.title.as_deref().unwrap_or_default(), out);
        }
        Value::Type(Type::Resource(resource)) if resource.type_name.is_some() => {
            push_reference(resource.type_name.as_deref().unwrap_or_default(), "", out);
        }
        Value::Type(Type::Class(Some(name))) => {
            push_reference("Class", &capitalize_segments(name), out);
        }
        Value::Uri(uri) => out.push_str(&format!("#<{} {uri}>", class_name(value))),
        Value::Binary(_) => out.push_str(&format!("#<{}>", class_name(value))),
        Value::SemVerRange(range) => out.push_str(&range.to_parts_string()),
        Value::Regexp(regexp) => out.push_str(&catwalk_regexp::inspect(regexp.source())),
        other => out.push_str(&crate::value::to_puppet_string(other)),
    }
}

/// `inspect` of a reference in 3.x functions.
pub fn inspect_reference(type_name: &str, title: &str) -> String {
    let mut out = String::new();
    push_reference(type_name, title, &mut out);
    out
}

/// Appends the result of `Puppet::Resource#inspect`: the reference and type_name naming attribute.
fn push_reference(type_name: &str, title: &str, out: &mut String) {
    let (attribute, name) = title_attribute(type_name, title);
    out.push_str(&format!("{}[{title}]{{:{attribute}=>", capitalize_segments(type_name)));
    push_inspect_string(name, out);
    out.push('}');
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
