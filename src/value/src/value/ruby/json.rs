//! `JSON.generate` and `JSON.pretty_generate`.

use crate::value::Value;
use crate::value::ruby;
use catwalk_base::diag::Reason;
use catwalk_base::meter;

/// The white space of the output.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For each level.
    pub indent: String,
    /// After the colon.
    pub space: String,
    /// Before the colon.
    pub space_before: String,
    /// After each pair.
    pub object_nl: String,
    /// After each element.
    pub array_nl: String,
    /// Whether NaN and infinities are allowed.
    pub allow_nan: bool,
    /// The deepest nesting; 0: unlimited.
    pub max_nesting: usize,
}

impl Layout {
    /// `JSON.generate`: no white space.
    pub fn compact() -> Layout {
        let none = String::new;
        Layout {
            indent: none(),
            space: none(),
            space_before: none(),
            object_nl: none(),
            array_nl: none(),
            allow_nan: false,
            max_nesting: 100,
        }
    }

    /// `JSON.pretty_generate`
    pub fn pretty() -> Layout {
        Layout {
            indent: "  ".to_owned(),
            space: " ".to_owned(),
            object_nl: "\n".to_owned(),
            array_nl: "\n".to_owned(),
            ..Layout::compact()
        }
    }
}

/// The deepest nesting of any layout, so that a value cannot exhaust the stack.
const MAX_DEPTH: usize = 1000;

/// The value as JSON text.
///
/// # Errors
/// NaN, infinities, nesting deeper than allowed; messages are those of Ruby's `json`.
pub fn to_json(value: &Value, layout: &Layout) -> Result<String, Reason> {
    let mut out = String::new();
    write(value, layout, 0, &mut out)?;
    Ok(out)
}

fn write(value: &Value, layout: &Layout, depth: usize, out: &mut String) -> Result<(), Reason> {
    match value {
        Value::Undef => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::BigInt(n) => out.push_str(&n.to_string()),
        Value::Float(f) if f.is_finite() || layout.allow_nan => out.push_str(&ruby::float_to_s(*f)),
        Value::Float(f) => {
            // The numbers are lines in the generator's source, which its messages contain.
            let line = if f.is_nan() { 1003 } else { 1000 };
            return Err(Reason::runtime(format!("{line}: {} not allowed in JSON", ruby::float_to_s(*f))));
        }
        Value::Str(text) => write_text(text, out),
        Value::Array(items) => {
            check_depth(depth + 1, layout)?;
            out.push('[');
            out.push_str(&layout.array_nl);
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                    out.push_str(&layout.array_nl);
                }
                indent(layout, depth + 1, out);
                meter::check_string(out.len());
                write(item, layout, depth + 1, out)?;
            }
            if !layout.array_nl.is_empty() {
                out.push_str(&layout.array_nl);
                indent(layout, depth, out);
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            check_depth(depth + 1, layout)?;
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&layout.object_nl);
                indent(layout, depth + 1, out);
                write_text(&ruby::to_s(key), out);
                meter::check_string(out.len());
                out.push_str(&layout.space_before);
                out.push(':');
                out.push_str(&layout.space);
                write(value, layout, depth + 1, out)?;
            }
            if !layout.object_nl.is_empty() {
                out.push_str(&layout.object_nl);
                indent(layout, depth, out);
            }
            out.push('}');
        }
        other => write_text(&ruby::to_s(other), out),
    }
    Ok(())
}

fn check_depth(depth: usize, layout: &Layout) -> Result<(), Reason> {
    let limit = if layout.max_nesting == 0 { MAX_DEPTH } else { layout.max_nesting.min(MAX_DEPTH) };
    if depth > limit { Err(Reason::runtime(format!("nesting of {} is too deep", depth - 1))) } else { Ok(()) }
}

fn indent(layout: &Layout, depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str(&layout.indent);
    }
}

/// A string in JSON.
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_text(text, &mut out);
    out
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x08' => out.push_str("\\b"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
