//! What static evaluation knows of a Ruby value.
//! In: literals and results of known methods. Out: [`Value`]. Must not: guess: what is not known is `Unknown`.

use std::ops::Deref;
use std::sync::Arc;

use super::block::Block;
use catwalk_base::meter;
use catwalk_base::names::Name;

/// How deep lists and hashes may nest: what walks them recurses.
const MAX_NESTING: usize = 200;

/// The items of a list or entries of a hash: shared when they are read, changed in place when not shared.
#[derive(Clone, Debug)]
pub(super) struct Collection<T> {
    items: Arc<Vec<T>>,
    /// Levels of lists and hashes, this one included.
    depth: usize,
}

impl<T> Deref for Collection<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

/// A value, as far as known.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Str(String),
    Symbol(String),
    Array(Collection<Value>),
    Hash(Collection<(Value, Value)>),
    /// Source with its flags, as Ruby's `Regexp#to_s` or the bare source when there are none.
    Regexp {
        source: String,
        flags: String,
    },
    /// A constant without a known value: a class or module by its path.
    Constant(String),
    /// A lambda or proc.
    Lambda(Block),
    /// `Puppet::Type.type(:name)`
    Type(Name),
    Unknown,
}

impl Value {
    /// A list; what nests too deep is not known.
    pub(super) fn array(items: Vec<Value>) -> Value {
        match items.iter().map(Value::depth).max().unwrap_or(0) {
            MAX_NESTING.. => Value::Unknown,
            depth => Value::Array(Collection { items: Arc::new(items), depth: depth + 1 }),
        }
    }

    /// A hash; what nests too deep is not known.
    pub(super) fn hash(entries: Vec<(Value, Value)>) -> Value {
        match entries.iter().map(|(key, value)| key.depth().max(value.depth())).max().unwrap_or(0) {
            MAX_NESTING.. => Value::Unknown,
            depth => Value::Hash(Collection { items: Arc::new(entries), depth: depth + 1 }),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Value::Array(items) => items.depth,
            Value::Hash(entries) => entries.depth,
            _ => 0,
        }
    }

    /// How many steps it takes to copy the value or to look at all that is directly in it.
    pub(super) fn cost(&self) -> usize {
        match self {
            Value::Array(items) => items.len() / 4,
            Value::Hash(entries) => entries.len() / 4,
            Value::Str(text) | Value::Symbol(text) | Value::Constant(text) => text.len() / 256,
            Value::Regexp { source, .. } => source.len() / 256,
            _ => 0,
        }
    }

    /// How many steps it takes to change the value: it is copied if it is shared.
    pub(super) fn cost_of_change(&self) -> usize {
        let alone = match self {
            Value::Array(list) => Arc::strong_count(&list.items) == 1,
            Value::Hash(hash) => Arc::strong_count(&hash.items) == 1,
            _ => false,
        };
        if alone { 0 } else { self.cost() }
    }

    /// The list with one more item: appended in place if it is not shared.
    pub(super) fn with_item(self, item: Value) -> Value {
        match self {
            Value::Array(mut list) if item.depth() < MAX_NESTING => {
                list.depth = list.depth.max(item.depth() + 1);
                Arc::make_mut(&mut list.items).push(item);
                Value::Array(list)
            }
            _ => Value::Unknown,
        }
    }

    /// The string of a string or symbol.
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
        meter::tick(1);
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
                for (a, b) in a.iter().zip(b.iter()) {
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

    /// The list or hash with the value at a key or index replaced.
    pub(super) fn with_entry(self, key: Value, value: Value) -> Value {
        match (self, key) {
            (_, Value::Unknown) => Value::Unknown,
            (Value::Hash(mut hash), key) if key.depth().max(value.depth()) < MAX_NESTING => {
                hash.depth = hash.depth.max(key.depth().max(value.depth()) + 1);
                let entries = Arc::make_mut(&mut hash.items);
                match entries.iter_mut().find(|(known, _)| known.same(&key) == Some(true)) {
                    Some((_, held)) => *held = value,
                    None => entries.push((key, value)),
                }
                Value::Hash(hash)
            }
            _ => Value::Unknown,
        }
    }

    /// What an operator returns, if known.
    pub(super) fn apply_operator(&self, operator: &str, other: &Value) -> Option<Value> {
        Some(match (self, operator, other) {
            (_, "==", _) => Value::Bool(self.same(other)?),
            (Value::Array(a), "+", Value::Array(b)) => Value::array(a.iter().chain(b.iter()).cloned().collect()),
            (Value::Str(a), "+", Value::Str(b)) => {
                meter::check_string(a.len() + b.len());
                Value::Str(format!("{a}{b}"))
            }
            (Value::Int(a), "+", Value::Int(b)) => Value::Int(a.checked_add(*b)?),
            (Value::Int(a), "-", Value::Int(b)) => Value::Int(a.checked_sub(*b)?),
            (Value::Array(a), "-", Value::Array(b)) => {
                Value::array(a.iter().filter(|item| !contains_equal(b, item)).cloned().collect())
            }
            (Value::Array(a), "&", Value::Array(b)) => {
                Value::array(a.iter().filter(|item| contains_equal(b, item)).cloned().collect())
            }
            (Value::Array(a), "|", Value::Array(b)) => {
                let mut all = a.to_vec();
                for item in b.iter() {
                    if !contains_equal(&all, item) {
                        all.push(item.clone());
                    }
                }
                Value::array(all)
            }
            (list @ Value::Array(_), "<<", item) => list.clone().with_item(item.clone()),
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

fn contains_equal(items: &[Value], wanted: &Value) -> bool {
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
