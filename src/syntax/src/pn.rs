//! Puppet notation: the tree as nested calls, lists and maps, for tools and for comparing parsers.
//!
//! In: a parsed file. Out: the text of `puppet parser dump --format pn` or `--format json`. Must not: differ from Puppet's
//! notation. (`model/pn_transformer.rb`, `pn.rb`)

mod transform;

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;

use crate::ast::File;

/// One element of the notation.
enum Pn {
    Nil,
    Bool(bool),
    /// A number, as it is printed.
    Number(String),
    String(Arc<str>),
    List(Vec<Pn>),
    Map(Vec<(&'static str, Pn)>),
    /// A map with keys from the manifest.
    Named(Vec<(String, Pn)>),
    Call(&'static str, Vec<Pn>),
}

/// The tree on one line. `text` is the source of the file.
#[must_use]
pub fn dump(file: &File, text: &str) -> String {
    let mut out = String::new();
    transform::file(file, text).write(&mut out);
    out
}

/// The tree as JSON: `{"^": [name, argument…]}` for calls, `{"#": [key, value…]}` for maps.
#[must_use]
pub fn json(file: &File, text: &str) -> serde_json::Value {
    transform::file(file, text).json()
}

impl Pn {
    fn write(&self, out: &mut String) {
        match self {
            Pn::Nil => out.push_str("nil"),
            Pn::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Pn::Number(text) => out.push_str(text),
            Pn::String(text) => quote(text, out),
            Pn::List(list) => {
                out.push('[');
                separated(list, out);
                out.push(']');
            }
            Pn::Call(name, list) => {
                out.push('(');
                out.push_str(name);
                if !list.is_empty() {
                    out.push(' ');
                    separated(list, out);
                }
                out.push(')');
            }
            Pn::Map(entries) => write_map(entries.iter().map(|(key, value)| (*key, value)), out),
            Pn::Named(entries) => write_map(entries.iter().map(|(key, value)| (key.as_str(), value)), out),
        }
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Pn::Nil => serde_json::Value::Null,
            Pn::Bool(value) => json!(value),
            Pn::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
            Pn::String(text) => json!(&**text),
            Pn::List(list) => list.iter().map(Pn::json).collect(),
            Pn::Call(name, list) => {
                let items: Vec<_> = std::iter::once(json!(name)).chain(list.iter().map(Pn::json)).collect();
                json!({ "^": items })
            }
            Pn::Map(entries) => {
                let items: Vec<_> = entries.iter().flat_map(|(key, value)| [json!(key), value.json()]).collect();
                json!({ "#": items })
            }
            Pn::Named(entries) => {
                let items: Vec<_> = entries.iter().flat_map(|(key, value)| [json!(key), value.json()]).collect();
                json!({ "#": items })
            }
        }
    }
}

fn separated(list: &[Pn], out: &mut String) {
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        item.write(out);
    }
}

fn write_map<'p>(entries: impl Iterator<Item = (&'p str, &'p Pn)>, out: &mut String) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push(':');
        out.push_str(key);
        out.push(' ');
        value.write(out);
    }
    out.push('}');
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\o{:03o}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
