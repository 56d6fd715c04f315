//! The values in rows, compared as PostgreSQL compares `text` and `jsonb`.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::Number;
use serde_json::Value;

/// A step of the path to a fact's value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Step {
    Key(Arc<str>),
    Index(usize),
}

impl Step {
    pub(super) fn to_text(&self) -> String {
        match self {
            Step::Key(key) => key.to_string(),
            Step::Index(index) => index.to_string(),
        }
    }
}

/// The value of a field in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Bool(bool),
    Int(i64),
    Str(Arc<str>),
    /// Milliseconds since 1970.
    Time(i64),
    Tags(Vec<Arc<str>>),
    Json(Value),
    Path(Vec<Step>),
}

impl Cell {
    /// The value in the resulting document.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Bool(value) => Value::Bool(*value),
            Cell::Int(value) => Value::from(*value),
            Cell::Str(text) => Value::from(text.as_ref()),
            Cell::Time(time) => Value::from(crate::time::print(*time)),
            Cell::Tags(tags) => tags.iter().map(|tag| Value::from(tag.as_ref())).collect(),
            Cell::Json(value) => value.clone(),
            Cell::Path(steps) => steps
                .iter()
                .map(|step| match step {
                    Step::Key(key) => Value::from(key.as_ref()),
                    Step::Index(index) => Value::from(*index),
                })
                .collect(),
        }
    }

    /// The order of `order_by` and of `min` and `max`; null is last.
    pub(super) fn compare(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Null, Cell::Null) => Ordering::Equal,
            (Cell::Null, _) => Ordering::Greater,
            (_, Cell::Null) => Ordering::Less,
            (Cell::Bool(a), Cell::Bool(b)) => a.cmp(b),
            (Cell::Int(a), Cell::Int(b)) | (Cell::Time(a), Cell::Time(b)) => a.cmp(b),
            (Cell::Str(a), Cell::Str(b)) => a.cmp(b),
            (Cell::Tags(a), Cell::Tags(b)) => a.cmp(b),
            (Cell::Path(a), Cell::Path(b)) => a.cmp(b),
            (Cell::Json(a), Cell::Json(b)) => compare_json(a, b),
            // All cells of a field have the same type.
            _ => Ordering::Equal,
        }
    }

    /// A string that is equal for equal cells; `None` for null. `as_text`: whether to use a JSON scalar without its quotes.
    pub(super) fn key(&self, as_text: bool) -> Option<String> {
        Some(match self {
            Cell::Null => return None,
            Cell::Json(value) if as_text => return scalar_text(value),
            Cell::Json(value) => canonical(value),
            Cell::Str(text) if !as_text => canonical(&Value::from(text.as_ref())),
            Cell::Str(text) => text.to_string(),
            other => other.to_json().to_string(),
        })
    }
}

/// JSON with sorted keys, in which equal numbers are written identically.
fn canonical(value: &Value) -> String {
    fn normal(value: &Value) -> Value {
        match value {
            Value::Number(number) => normal_number(number),
            Value::Array(items) => items.iter().map(normal).collect(),
            Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), normal(value))).collect(),
            other => other.clone(),
        }
    }
    crate::hash::sort_keys(&normal(value)).to_string()
}

fn normal_number(number: &Number) -> Value {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
        _ => Value::Number(number.clone()),
    }
}

/// PostgreSQL's `#>> '{}'` of `jsonb`: the content of a string, the JSON of other values, `None` for null.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

pub(super) fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().unwrap_or_default().total_cmp(&b.as_f64().unwrap_or_default()),
    }
}

/// PostgreSQL's order of `jsonb`: object > array > boolean > number > string > null.
pub(super) fn compare_json(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::String(_) => 1,
        Value::Number(_) => 2,
        Value::Bool(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    };
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => a.len().cmp(&b.len()).then_with(|| {
            a.iter().zip(b).map(|(a, b)| compare_json(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        (Value::Object(a), Value::Object(b)) => a
            .len()
            .cmp(&b.len())
            .then_with(|| canonical(&Value::Object(a.clone())).cmp(&canonical(&Value::Object(b.clone())))),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// PostgreSQL's `whole @> part` for `jsonb`: objects are compared by entry, arrays regardless of their order.
pub(super) fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|inner| contains(inner, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            part.iter().all(|value| whole.iter().any(|inner| contains(inner, value)))
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        _ => compare_json(whole, part).is_eq(),
    }
}
