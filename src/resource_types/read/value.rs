//! What static evaluation knows of a Ruby value.
//! In: literals and results of known methods. Out: [`Value`]. Must not: guess: what is not known is `Unknown`.

use std::sync::Arc;

use super::code::Block;

/// A value, as far as known.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Str(String),
    Symbol(String),
    Array(Vec<Value>),
    Hash(Vec<(Value, Value)>),
    /// Source with its flags, as Ruby's `Regexp#to_s` or the bare source when there are none.
    Regexp {
        source: String,
        flags: String,
    },
    /// A constant that stands for itself: a class or module by its path.
    Constant(String),
    /// A lambda or proc.
    Lambda(Arc<Block>),
    Unknown,
}

impl Value {
    /// The text of a string or symbol.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Str(text) | Value::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// Truth, if known.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Value::Unknown => None,
            Value::Nil | Value::Bool(false) => Some(false),
            _ => Some(true),
        }
    }

    /// As an interpolation prints it.
    pub(super) fn interpolated(&self) -> Option<String> {
        Some(match self {
            Value::Nil => String::new(),
            Value::Bool(b) => b.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Str(text) | Value::Symbol(text) | Value::Constant(text) => text.clone(),
            Value::Regexp { source, flags } => group(source, flags, true),
            _ => return None,
        })
    }

    /// Equality, if known.
    pub(super) fn same(&self, other: &Value) -> Option<bool> {
        Some(match (self, other) {
            (Value::Unknown, _) | (_, Value::Unknown) | (Value::Lambda(_), _) | (_, Value::Lambda(_)) => return None,
            (Value::Nil, Value::Nil) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Str(a), Value::Str(b))
            | (Value::Symbol(a), Value::Symbol(b))
            | (Value::Constant(a), Value::Constant(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                for (a, b) in a.iter().zip(b) {
                    if !a.same(b)? {
                        return Some(false);
                    }
                }
                true
            }
            (Value::Hash(_), Value::Hash(_)) | (Value::Regexp { .. }, Value::Regexp { .. }) => return None,
            _ => false,
        })
    }

    /// The value of a hash at a symbol or string key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Hash(entries) => entries.iter().find(|(k, _)| k.text() == Some(key)).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The source for our own regular expression.
    pub(super) fn regexp_source(&self) -> Option<String> {
        match self {
            Value::Regexp { source, flags } => Some(group(source, flags, false)),
            _ => None,
        }
    }
}

/// `(?m-ix:source)`; without flags only when `always`.
fn group(source: &str, flags: &str, always: bool) -> String {
    let on: String = "mix".chars().filter(|c| flags.contains(*c)).collect();
    if on.is_empty() && !always {
        return source.to_owned();
    }
    let off: String = "mix".chars().filter(|c| !flags.contains(*c)).collect();
    let dash = if off.is_empty() { "" } else { "-" };
    format!("(?{on}{dash}{off}:{source})")
}
