//! Titles and values in messages, as Ruby prints them.

use crate::inspect_state;
use catwalk_value::value::Value;
use catwalk_value::value::ruby;

/// A title, or a value in a message: strings as they are, hashes as Ruby prints those with symbols as keys.
#[must_use]
pub fn title_to_string(title: &Value) -> String {
    match title {
        Value::Hash(state) => inspect_state(state),
        Value::Array(titles) => {
            let inspected = |title: &Value| match title {
                Value::Hash(state) => inspect_state(state),
                other => ruby::inspect(other),
            };
            format!("[{}]", titles.iter().map(inspected).collect::<Vec<_>>().join(", "))
        }
        other => ruby::to_s(other).into_owned(),
    }
}

/// A value in `attribute_changed`: numbers bare, nothing as `nil`, others in quotes.
pub(super) fn attribute_value(value: &Value) -> String {
    match value {
        Value::Undef | Value::Bool(false) => "nil".to_owned(),
        Value::Int(_) | Value::Float(_) | Value::BigInt(_) => title_to_string(value),
        other => format!("'{}'", title_to_string(other)),
    }
}

/// The titles in a value: of arrays their elements, without those that are undefined.
pub(super) fn flatten(titles: &Value) -> Vec<&Value> {
    match titles {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        Value::Undef => Vec::new(),
        title => vec![title],
    }
}
