//! Conversion of resources' states between a provider in Rhai and the transaction.

use rhai::Dynamic;

use crate::bridge;
use catwalk_resource_api::Change;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::State;
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
    like: &[State],
) -> Result<Vec<State>, Failure> {
    let returned = returned.flatten();
    if !returned.is_array() {
        return Err(invalid_rows(function, &format!("got {}", describe_type(returned))));
    }
    let items = returned.into_array().unwrap_or_default();
    let row = |(at, item): (usize, Dynamic)| {
        let is_map = item.is_map();
        match bridge::from_dynamic(item).map_err(|why| Failure::new(format!("{function}(): {why}")))? {
            Value::Hash(row) if is_map => Ok(sorted(&State::from(row.as_ref()), definition, like.get(at))),
            Value::Hash(row) => Ok(State::from(row.as_ref())),
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

/// A row from a map literal with its attributes in order.
fn sorted(row: &State, definition: &Definition, like: Option<&State>) -> State {
    let first = like.into_iter().flat_map(|like| like.keys()).copied();
    let names = first.chain([catwalk_base::name!("title")]).chain(definition.attributes.keys().copied());
    names.chain(row.keys().copied()).filter_map(|name| Some((name, row.get(&name)?.clone()))).collect()
}

/// An entry of `changes`: the name, and a hash of `is` and `should`; an unknown state is left out.
pub(super) fn change(change: &Change) -> (Value, Value) {
    let mut states = Hash::new();
    for (key, state) in [("is", &change.is), ("should", &change.should)] {
        if let Some(state) = state {
            states.set(key, Value::hash(state.to_hash()));
        }
    }
    (change.name.clone(), Value::hash(states))
}
