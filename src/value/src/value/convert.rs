//! `String.new(value, formats)`: formats values by type.
//!
//! In: a value and formats (`%#p`, `{Integer => '%x'}`). Out: text. The rules are those of Puppet's `StringConverter`.

mod format;
mod formats;
mod scalar;

use format::Format;

use std::sync::Arc;

use crate::types;
use crate::types::Type;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::value::Hash;
use crate::value::Value;
use crate::value::printing::to_indented_program;
use crate::value::sprintf::sprintf;
use crate::value::to_program;
use catwalk_base::meter;

use formats::defaults;
use formats::element_defaults;
use formats::formatted_type;
use formats::merge;
use formats::validate;
use scalar::big_integer;
use scalar::binary;
use scalar::boolean;
use scalar::float;
use scalar::integer;
use scalar::regexp;
use scalar::runtime;
use scalar::string;
use scalar::tree_iterator;
use scalar::undef;
use scalar::uri;

/// Formats per type, the most specific type first.
#[derive(Clone, Debug)]
pub(crate) struct FormatMap(Arc<Vec<(Type, Format)>>);

/// The indentation of a nested value.
#[derive(Clone, Copy)]
struct Indent {
    level: usize,
    first: bool,
    on: bool,
}

impl Indent {
    fn breaks(self) -> bool {
        self.on && self.level > 0 && !self.first
    }

    fn increase(self, on: bool) -> Indent {
        Indent { level: self.level + 1, first: true, on }
    }

    fn padding(self) -> String {
        " ".repeat(2 * self.level)
    }
}

/// Formats a value. `formats` is `default`, one format, or a hash of types to formats.
///
/// # Errors
/// Puppet's messages about formats.
pub fn convert(value: &Value, formats: &Value) -> Result<String, String> {
    let value_type = infer_set(value);
    let map = match formats {
        Value::Default | Value::Undef => defaults().clone(),
        Value::Str(format) => {
            let mut entries = Hash::new();
            let mut container = Hash::new();
            container.set("format", Value::Str(format.clone()));
            if is_assignable(&Type::any_array(), &value_type) {
                entries.insert(Value::Type(Type::any_array()), Value::hash(container));
            } else if is_assignable(&Type::any_hash(), &value_type) {
                entries.insert(Value::Type(Type::any_hash()), Value::hash(container));
            } else {
                entries.insert(Value::Type(value_type.clone()), Value::Str(format.clone()));
            }
            merge(Some(defaults()), Some(&validate(&entries)?)).unwrap_or_else(|| defaults().clone())
        }
        Value::Hash(entries) => {
            merge(Some(defaults()), Some(&validate(entries)?)).unwrap_or_else(|| defaults().clone())
        }
        other => {
            let class = types::infer(other).simple_name();
            return Err(format!(
                "string conversion expects a Default value or a Hash of type to format mappings, got a '{class}'"
            ));
        }
    };
    format_value(value, &value_type, &map, Indent { level: 0, first: true, on: false }, 0)
}

fn is_container(value: &Value) -> bool {
    match value {
        // Puppet does not treat an object with type parameters as an object type.
        Value::Object(object) => !object.object_type.is_parameterized(),
        value => is_collection(value),
    }
}

/// Formats a value of type `t`, by which the format is chosen.
fn format_value(value: &Value, t: &Type, map: &FormatMap, indent: Indent, depth: u32) -> Result<String, String> {
    meter::tick(0);
    if depth > crate::value::MAX_NESTING {
        return Err("the value is nested too deeply".to_owned());
    }
    let format = map.find(&formatted_type(t));
    match value {
        Value::Undef => undef(&format),
        Value::Default => match format.letter {
            'd' | 's' | 'p' => Ok(format.apply(if format.alt { "\"default\"" } else { "default" })),
            'D' => Ok(format.apply(if format.alt { "\"Default\"" } else { "Default" })),
            _ => format.refuse("Default", "dDsp"),
        },
        Value::Symbol(_) | Value::Ruby(_) => runtime(value, &format),
        Value::Bool(b) => boolean(*b, &format),
        Value::Int(n) => integer(*n, &format),
        Value::BigInt(n) => big_integer(n, &format),
        Value::Float(f) => float(*f, &format),
        Value::Str(text) => string(text, &format),
        Value::Binary(bytes) => binary(bytes, &format),
        Value::Regexp(value) => regexp(value, &format),
        Value::Type(t) => match format.letter {
            's' if format.alt => sprintf(&format.text, &[Value::from(format!("\"{t}\""))]),
            's' | 'p' => sprintf(&format.with_letter('s'), &[Value::from(t.to_string())]),
            _ => format.refuse("Type", "sp"),
        },
        Value::Array(items) => array(items, &format, map, indent, depth),
        Value::Hash(entries) => hash(entries, &format, map, indent, depth),
        Value::Iterator(iter) if iter.tree_class().is_some() => tree_iterator(iter, &format),
        Value::Iterator(iter) => {
            let items = Value::array(iter.to_vec());
            format_value(&items, &infer_set(&items), map, indent, depth + 1)
        }
        Value::Object(_) => match format.letter {
            's' | 'q' => Ok(to_program(value)),
            'p' if format.alt || indent.on => Ok(to_indented_program(value, indent.level)),
            'p' => Ok(to_program(value)),
            _ => format.refuse("Object", "spq"),
        },
        Value::Uri(value) => uri(value, &format),
        _ => sprintf(&format.text, std::slice::from_ref(value)),
    }
}

fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

fn array(items: &[Value], format: &Format, map: &FormatMap, indent: Indent, depth: u32) -> Result<String, String> {
    if !matches!(format.letter, 'a' | 's' | 'p') {
        return format.refuse("Array", "asp");
    }
    let separator = format.separator.as_deref().unwrap_or(", ");
    let elements = format.elements.as_ref().unwrap_or_else(|| element_defaults());
    let delimiters = format.delimiters(("[", "]"));
    let indent = Indent { on: format.alt || indent.on, ..indent };
    let mut out = String::new();
    if indent.breaks() {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(delimiters.0);
    // Puppet clears `first` before it formats the first element.
    let child = Indent { first: false, ..indent.increase(format.alt) };
    let mut formatted = Vec::with_capacity(items.len());
    for item in items {
        let t = infer_set(item);
        formatted.push(format_value(item, &t, if is_container(item) { map } else { elements }, child, depth + 1)?);
    }
    let breaks = format.alt && format.width.is_some_and(|width| widest_run(items, &formatted) > width);
    let mut previous: Option<&Value> = None;
    for (item, text) in items.iter().zip(&formatted) {
        match previous {
            None => {
                if breaks && !is_collection(item) {
                    out.push(' ');
                }
            }
            Some(previous) => {
                out.push_str(separator);
                if (breaks || (format.alt && is_collection(previous))) && !is_collection(item) {
                    if !out.ends_with('\n') {
                        out.truncate(out.trim_end().len());
                    }
                    out.push('\n');
                    out.push_str(&child.padding());
                }
            }
        }
        if out.ends_with(' ') && text.starts_with('\n') {
            out.truncate(out.trim_end().len());
        }
        out.push_str(text);
        meter::check_string(out.len());
        previous = Some(item);
    }
    out.push_str(delimiters.1);
    Ok(out)
}

/// The width of the longest run of values between collections, in characters.
fn widest_run(items: &[Value], formatted: &[String]) -> usize {
    let (mut widest, mut run) = (0, 0);
    for (item, text) in items.iter().zip(formatted) {
        run = if is_collection(item) { 0 } else { run + text.chars().count() };
        widest = widest.max(run);
    }
    widest
}

fn hash(entries: &Hash, format: &Format, map: &FormatMap, indent: Indent, depth: u32) -> Result<String, String> {
    match format.letter {
        'a' => {
            let pairs = entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect();
            let pairs = Value::array(pairs);
            return format_value(&pairs, &infer_set(&pairs), map, indent, depth + 1);
        }
        'h' | 's' | 'p' => {}
        _ => return format.refuse("Hash", "hasp"),
    }
    let mut separator = format.separator.clone().unwrap_or_else(|| ", ".to_owned());
    let arrow = format.separator2.as_deref().unwrap_or(" => ");
    let elements = format.elements.as_ref().unwrap_or_else(|| element_defaults());
    let delimiters = format.delimiters(("{", "}"));
    let indent = Indent { on: format.alt || indent.on, ..indent };
    let child = indent.increase(false);
    let (mut line_break, mut padding) = ("", String::new());
    if format.alt {
        if !separator.ends_with('\n') {
            separator.truncate(separator.trim_end().len());
        }
        separator.push('\n');
        line_break = "\n";
        padding = child.padding();
    }
    let mut out = String::new();
    if indent.breaks() {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(delimiters.0);
    out.push_str(line_break);
    for (n, (key, value)) in entries.iter().enumerate() {
        let format_part = |value: &Value| {
            let t = infer_set(value);
            format_value(value, &t, if is_container(value) { map } else { elements }, child, depth + 1)
        };
        if n > 0 {
            out.push_str(&separator);
        }
        out.push_str(&padding);
        out.push_str(&format_part(key)?);
        out.push_str(arrow);
        out.push_str(&format_part(value)?);
        meter::check_string(out.len());
    }
    if format.alt {
        out.push_str(line_break);
        out.push_str(&indent.padding());
    }
    out.push_str(delimiters.1);
    Ok(out)
}
