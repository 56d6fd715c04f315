//! The resources for PuppetDB: values that JSON cannot represent are strings, aliases are computed, lists in which the order does not matter
//! are sorted, sensitive parameters are removed.

use std::borrow::Cow;

use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::Value as Json;

use crate::metaparameters::UNORDERED;
use crate::wire::native;
use crate::wire::rich;
use crate::wire::rich::Plain;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::Key;
use catwalk_catalog::Resource;

/// The parameters of a resource whose values are changed, in the order of the resource: sorted lists and aliases. Sensitive ones are
/// included, since they may be relationships.
#[derive(Debug, Default)]
pub(super) struct Metaparameters(Vec<(Name, Json)>);

impl Metaparameters {
    pub(super) fn new(resource: &Resource, key: &Key) -> Result<Metaparameters, Reason> {
        let mut parameters = Vec::new();
        for (name, value) in &resource.parameters {
            if UNORDERED.contains(&name.as_str()) && !resource.is_title(*name, value) {
                parameters.push((*name, rich::to_plain_json(value, key)?));
            }
        }
        if !resource.composite {
            let explicit = parameters.iter().position(|(name, _)| name.as_str() == "alias");
            let aliases = aliases(resource, explicit.and_then(|at| parameters.get(at)).map(|(_, alias)| alias), key)?;
            if !aliases.is_empty() {
                match explicit.and_then(|at| parameters.get_mut(at)) {
                    Some((_, alias)) => *alias = Json::Array(aliases),
                    None => parameters.push((Name::new("alias"), Json::Array(aliases))),
                }
            }
        }
        for (_, value) in &mut parameters {
            if let Json::Array(items) = value {
                items.sort_by_cached_key(|item| string(item).into_owned());
            }
        }
        Ok(Metaparameters(parameters))
    }

    pub(super) fn get(&self, parameter: &str) -> Option<&Json> {
        self.0.iter().find(|(name, _)| name.as_str() == parameter).map(|(_, value)| value)
    }
}

/// The aliases of a resource: explicit aliases, then the value of its namevar unless it is the title. Types whose resources may share a
/// name (`exec`, `notify`) have only explicit aliases.
fn aliases(resource: &Resource, explicit: Option<&Json>, key: &Key) -> Result<Vec<Json>, Reason> {
    let mut flat = Vec::new();
    if let Some(explicit) = explicit {
        flatten(explicit, &mut flat);
    }
    let mut aliases: Vec<Json> = flat.into_iter().filter(|alias| !alias.is_null()).cloned().collect();
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
pub(super) fn flatten<'a>(value: &'a Json, flat: &mut Vec<&'a Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| flatten(item, flat)),
        other => flat.push(other),
    }
}

/// A value as a string, as Puppet writes it in a reference.
pub(super) fn string(value: &Json) -> Cow<'_, str> {
    match value {
        Json::Null => Cow::Borrowed(""),
        Json::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Serializes a resource without its sensitive parameters.
pub(super) struct Entry<'a> {
    pub(super) resource: &'a Resource,
    pub(super) metaparameters: &'a Metaparameters,
    pub(super) key: &'a Key,
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        native::members(self.resource, true, &mut map)?;
        map.serialize_entry("parameters", &Parameters(self))?;
        map.end()
    }
}

struct Parameters<'a>(&'a Entry<'a>);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Entry { resource, metaparameters, key } = self.0;
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &resource.parameters {
            if resource.is_title(*name, value) || resource.sensitive.contains(name) {
                continue;
            }
            match metaparameters.0.iter().find(|(known, _)| known == name) {
                Some((_, changed)) => map.serialize_entry(name.as_str(), changed)?,
                None => map.serialize_entry(name.as_str(), &Plain(value, key))?,
            }
        }
        // Computed aliases come last if the resource has no parameter `alias`.
        let added = metaparameters.0.iter().filter(|(name, _)| !resource.parameters.contains_key(name));
        for (name, value) in added.filter(|(name, _)| !resource.sensitive.contains(name)) {
            map.serialize_entry(name.as_str(), value)?;
        }
        map.end()
    }
}
