//! Conversion of resources' states between a provider in Rhai and the transaction.

use rhai::Dynamic;

use crate::bridge;
use catwalk_resource_api::Change;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The rows that `get` or `canonicalize` returned. Rhai sorts the keys of map literals: those have the order of the state in `like`
/// at the same position, then that of the definition.
///
/// # Errors
/// The value is not an array of hashes or maps.
pub(super) fn read(
    function: &str,
    returned: Dynamic,
    definition: &Definition,
    like: &[Hash],
) -> Result<Vec<Hash>, Failure> {
    let returned = returned.flatten();
    if !returned.is_array() {
        return Err(invalid_rows(function, &format!("got {}", describe_type(returned))));
    }
    let items = returned.into_array().unwrap_or_default();
    let row = |(at, item): (usize, Dynamic)| {
        let is_map = item.is_map();
        match bridge::from_dynamic(item).map_err(|why| Failure::new(format!("{function}(): {why}")))? {
            Value::Hash(row) if is_map => Ok(sort_keys(&row, definition, like.get(at))),
            Value::Hash(row) => Ok(row.as_ref().clone()),
            other => Err(invalid_rows(function, &format!("element {at} is {}", catwalk_value::infer(&other)))),
        }
    };
    items.into_iter().enumerate().map(row).collect()
}

fn invalid_rows(function: &str, got: &str) -> Failure {
    Failure::new(format!("{function}() must return an array of hashes, {got}"))
}

fn describe_type(returned: Dynamic) -> String {
    match bridge::from_dynamic(returned) {
        Ok(value) => catwalk_value::infer(&value).to_string(),
        Err(_) => "a value of the script".to_owned(),
    }
}

/// Sorts the keys of a row from a map literal.
fn sort_keys(row: &Hash, definition: &Definition, like: Option<&Hash>) -> Hash {
    let first = like.into_iter().flat_map(Hash::keys).cloned();
    let names = definition.attributes.keys().map(|name| Value::str(name.as_str()));
    let mut sorted = Hash::with_capacity(row.len());
    for key in first.chain([Value::str("title")]).chain(names).chain(row.keys().cloned()) {
        if let Some(value) = row.get_value(&key)
            && !sorted.contains(&key)
        {
            sorted.insert(key, value.clone());
        }
    }
    sorted
}

/// An entry of `changes`: the name, and a hash of `is` and `should`; an unknown state is left out.
pub(super) fn change(change: &Change) -> (Value, Value) {
    let mut states = Hash::new();
    for (key, state) in [("is", &change.is), ("should", &change.should)] {
        if let Some(state) = state {
            states.set(key, Value::hash(state.clone()));
        }
    }
    (change.name.clone(), Value::hash(states))
}
