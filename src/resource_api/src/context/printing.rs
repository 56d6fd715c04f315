//! Titles and values in messages, as Ruby prints them.

use crate::Definition;
use crate::inspect_state;
use catwalk_base::names::Name;
use catwalk_value::Value;
use catwalk_value::ruby;

/// A title, or a value in a message: strings unchanged, hashes as Ruby prints hashes with symbol keys.
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

/// A value in `attribute_changed`: numbers bare, undefined values as `nil`, others in quotes.
pub(super) fn attribute_value(value: &Value, definition: &Definition) -> String {
    match value {
        Value::Undef | Value::Bool(false) => "nil".to_owned(),
        Value::Int(_) | Value::Float(_) | Value::BigInt(_) => title_to_string(value),
        other => format!("'{}'", value_to_string(other, definition)),
    }
}

/// A value in a message: the keys of states are symbols in Ruby, those of other hashes are printed unchanged.
pub(super) fn value_to_string(value: &Value, definition: &Definition) -> String {
    let is_attribute = |key: &Value| {
        let name = key.as_str().map(Name::new);
        name.is_some_and(|name| name == "title" || definition.attributes.contains_key(&name))
    };
    match value {
        Value::Hash(entries) if !entries.keys().all(is_attribute) => ruby::inspect(value),
        other => title_to_string(other),
    }
}

/// The titles in a value: the elements of nested arrays, without undefined ones.
pub(super) fn flatten(titles: &Value) -> Vec<&Value> {
    match titles {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        Value::Undef => Vec::new(),
        title => vec![title],
    }
}
