//! Tags and parameters of resources, and the format of their values in the catalog.
//!
//! In: entries, values. Out: entries with a further tag or parameter. Must not: evaluate.

use crate::state::Entry;
use crate::state::Param;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

/// A string that is not a valid tag; `Evaluator::invalid_tag` adds the position.
pub struct InvalidTag {
    pub(super) tag: String,
    pub(super) span: Option<Span>,
    pub(super) by_function: bool,
}

/// Tags a resource.
pub fn add_tag(entry: &mut Entry<'_>, tag: &str) -> Result<(), InvalidTag> {
    let (span, by_function) = (entry.span, entry.by_function);
    entry.tags.add(tag).map_err(|tag| InvalidTag { tag, span, by_function })
}

/// Sets a parameter; `tag` tags the resource.
pub(crate) fn set_param(entry: &mut Entry<'_>, name: Name, param: Param) -> Result<(), InvalidTag> {
    if name == catwalk_base::name!("tag") {
        tags_of(&param.value).iter().try_for_each(|tag| add_tag(entry, tag))?;
    }
    entry.checked = false;
    entry.params.insert(name, param);
    Ok(())
}

/// The tags in a value of the metaparameter. Ruby's splat converts a hash, or a type that consists of other types, to an array,
/// and a reference to an empty array, since it has no parameters; a reference in an array is a tag.
pub(crate) fn tags_of(value: &Value) -> Vec<String> {
    let mut flat = Vec::new();
    match value {
        Value::Type(Type::Resource(_) | Type::Class(_)) => {}
        Value::Hash(pairs) => pairs.iter().for_each(|(key, value)| {
            flatten(key, &mut flat);
            flatten(value, &mut flat);
        }),
        Value::Type(_) => match catwalk_value::splat_items(value) {
            Some(items) => flat = items,
            None => flat.push(value.clone()),
        },
        value => flatten(value, &mut flat),
    }
    flat.iter().filter(|tag| !tag.is_undef()).map(|tag| ruby::to_s(tag).into_owned()).collect()
}

/// All elements of nested arrays; a value that is not an array is its only element.
pub fn flatten(value: &Value, into: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        other => into.push(other.clone()),
    }
}

/// The generalized type of a value, for messages.
pub(crate) fn general_type(value: &Value) -> String {
    catwalk_value::generalize(&catwalk_value::infer(value)).to_string()
}
