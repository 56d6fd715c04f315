//! What static evaluation knows of a Ruby value.
//! In: literals and results of known methods. Out: [`Value`]. Must not: guess: what is not known is `Unknown`.

use super::block::Block;
use crate::names::Name;

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
    Lambda(Block),
    /// `Puppet::Type.type(:name)`
    Type(Name),
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
            (Value::Type(a), Value::Type(b)) => a == b,
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

    /// The same with another value at a key or index.
    pub(super) fn with(self, key: Value, value: Value) -> Value {
        match (self, key) {
            (_, Value::Unknown) => Value::Unknown,
            (Value::Hash(mut entries), key) => {
                match entries.iter_mut().find(|(known, _)| known.same(&key) == Some(true)) {
                    Some((_, held)) => *held = value,
                    None => entries.push((key, value)),
                }
                Value::Hash(entries)
            }
            _ => Value::Unknown,
        }
    }

    /// What an operator gives, if known.
    pub(super) fn operated(&self, operator: &str, other: &Value) -> Option<Value> {
        Some(match (self, operator, other) {
            (_, "==", _) => Value::Bool(self.same(other)?),
            (Value::Array(a), "+", Value::Array(b)) => Value::Array(a.iter().chain(b).cloned().collect()),
            (Value::Str(a), "+", Value::Str(b)) => Value::Str(format!("{a}{b}")),
            (Value::Int(a), "+", Value::Int(b)) => Value::Int(a.checked_add(*b)?),
            (Value::Int(a), "-", Value::Int(b)) => Value::Int(a.checked_sub(*b)?),
            (Value::Array(a), "-", Value::Array(b)) => {
                Value::Array(a.iter().filter(|item| !holds(b, item)).cloned().collect())
            }
            (Value::Array(a), "&", Value::Array(b)) => {
                Value::Array(a.iter().filter(|item| holds(b, item)).cloned().collect())
            }
            (Value::Array(a), "|", Value::Array(b)) => {
                let mut all = a.clone();
                for item in b {
                    if !holds(&all, item) {
                        all.push(item.clone());
                    }
                }
                Value::Array(all)
            }
            (Value::Array(a), "<<", item) => Value::Array(a.iter().chain([item]).cloned().collect()),
            _ => return None,
        })
    }

    /// The source for our own regular expression.
    pub(super) fn regexp_source(&self) -> Option<String> {
        match self {
            Value::Regexp { source, flags } => Some(group(source, flags, false)),
            _ => None,
        }
    }
}

fn holds(items: &[Value], wanted: &Value) -> bool {
    items.iter().any(|item| item.same(wanted) == Some(true))
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
