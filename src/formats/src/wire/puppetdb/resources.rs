//! Resources as PuppetDB receives them: values as strings where JSON has no form, aliases computed, lists without an order sorted,
//! sensitive parameters removed.

use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::native;
use crate::wire::rich;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_catalog::Resource;

/// Parameters whose lists are sorted: their order has no meaning.
const SORTED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// The parameters of a resource with its aliases; sensitive ones too, since relationships may be among them.
pub(super) fn stringified(resource: &Resource, key: &Key) -> Result<Map<String, Json>, Reason> {
    let mut parameters = Map::new();
    for (name, value) in &resource.parameters {
        if !resource.is_title(*name, value) {
            parameters.insert(name.as_str().to_owned(), rich::to_plain_json(value, key)?);
        }
    }
    if !resource.composite {
        let aliases = aliases(resource, &parameters, key)?;
        if !aliases.is_empty() {
            parameters.insert("alias".to_owned(), Json::Array(aliases));
        }
    }
    for name in SORTED {
        if let Some(Json::Array(items)) = parameters.get_mut(name) {
            items.sort_by_cached_key(string);
        }
    }
    Ok(parameters)
}

/// The other names of a resource: explicit aliases, then the value of its name attribute unless it is the title. Types
/// whose resources may share a name (`exec`, `notify`) have explicit ones only.
fn aliases(resource: &Resource, parameters: &Map<String, Json>, key: &Key) -> Result<Vec<Json>, Reason> {
    let mut aliases = Vec::new();
    if let Some(given) = parameters.get("alias") {
        flatten(given, &mut aliases);
        aliases.retain(|alias| !alias.is_null());
    }
    if resource.builtin && !resource.isomorphic {
        return Ok(aliases);
    }
    if let Some(name) = resource.parameters.get(&resource.namevar)
        && (resource.title_is_main || name.as_str() != Some(&resource.title))
    {
        let name = rich::to_plain_json(name, key)?;
        if !aliases.contains(&name) {
            aliases.push(name);
        }
    }
    Ok(aliases)
}

/// Appends a value, or the values of nested arrays.
pub(super) fn flatten(value: &Json, into: &mut Vec<Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        other => into.push(other.clone()),
    }
}

/// A value as Puppet prints it in a reference.
pub(super) fn string(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A resource with these parameters, without the sensitive ones.
pub(super) fn entry(resource: &Resource, mut parameters: Map<String, Json>) -> Json {
    for name in &resource.sensitive {
        parameters.shift_remove(name.as_str());
    }
    let mut entry = native::members(resource);
    entry.insert("parameters".to_owned(), Json::Object(parameters));
    Json::Object(entry)
}
