//! Resources as `puppet resource` prints them (Puppet::Resource#to_manifest, Puppet::ResourceApi::ResourceShim).

use std::sync::Arc;

use crate::resource::ResourceFormat;
use catwalk_apply::DeclaredResource;
use catwalk_apply::display;
use catwalk_apply::redacted;
use catwalk_base::names::Name;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Definition;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_value::ruby;

/// What Puppet prints in place of the value of a sensitive attribute.
const REDACTED: &str = "Sensitive [value redacted]";

fn is_sensitive(definition: &Definition, attribute: &Name) -> bool {
    definition.attributes.get(attribute).is_some_and(|attribute| attribute.sensitive)
}

/// Prints resources to a string.
pub(crate) fn format_resources(
    type_name: &str,
    resources: &[DeclaredResource],
    definition: Option<&Definition>,
    format: ResourceFormat,
) -> Result<String, String> {
    Ok(match format {
        ResourceFormat::Puppet => {
            let texts = resources.iter().map(|resource| match definition {
                Some(definition) => format_defined(type_name, resource, definition),
                None => format_built_in(type_name, resource),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        ResourceFormat::Json => {
            let mut all = serde_json::Map::new();
            for resource in resources {
                let is_secret = |name| definition.is_some_and(|definition| is_sensitive(definition, name));
                let values = printed_attributes(resource, definition).map(|(name, value)| {
                    let value = if is_secret(name) { Value::str(REDACTED) } else { redacted(value) };
                    (name.as_str().to_owned(), json::to_json(&value))
                });
                all.insert(resource.title.to_string(), serde_json::Value::Object(values.collect()));
            }
            format!("{:#}", serde_json::json!({type_name: all}))
        }
        ResourceFormat::Yaml => format_yaml(type_name, resources, definition)?,
    })
}

/// The attributes to print: those with a value, except a namevar that equals the title.
fn printed_attributes<'r>(
    resource: &'r DeclaredResource,
    definition: Option<&'r Definition>,
) -> impl Iterator<Item = (&'r Name, &'r Value)> {
    let single = definition.is_some_and(|definition| definition.namevars().count() == 1);
    resource.parameters.iter().filter(move |(name, value)| {
        let is_known = definition.is_none_or(|definition| {
            let attribute = definition.attributes.get(*name);
            attribute.is_some_and(|attribute| !(single && attribute.behaviour == Behaviour::Namevar))
        });
        let is_name =
            definition.is_none() && matches!(name.as_str(), "name" | "path") && value.as_str() == Some(&resource.title);
        is_known && !is_name && !value.is_undef()
    })
}

fn format_defined(type_name: &str, resource: &DeclaredResource, definition: &Definition) -> String {
    let mut text = format!("{type_name} {{ {}: \n", display(&Value::from(resource.title.clone())));
    for (name, value) in printed_attributes(resource, Some(definition)) {
        let attribute = definition.attributes.get(name);
        let value = if is_sensitive(definition, name) { REDACTED.to_owned() } else { display(value) };
        if attribute.is_some_and(|attribute| attribute.behaviour == Behaviour::ReadOnly) {
            text.push_str(&format!("# {name} => {value}, # Read Only\n"));
        } else {
            text.push_str(&format!("  {name} => {value},\n"));
        }
    }
    text + "}"
}

fn format_built_in(type_name: &str, resource: &DeclaredResource) -> String {
    let mut attributes: Vec<_> = printed_attributes(resource, None).collect();
    attributes.sort_by_key(|(name, _)| (name.as_str() != "ensure", name.as_str()));
    let width = attributes.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = format!("{type_name} {{ '{}':\n", resource.title.replace('\'', "\\'"));
    for (name, value) in attributes {
        text.push_str(&format!("  {:width$} => {},\n", name.as_str(), display(value)));
    }
    text + "}"
}

fn format_yaml(
    type_name: &str,
    resources: &[DeclaredResource],
    definition: Option<&Definition>,
) -> Result<String, String> {
    let options = || ruby::YamlOptions { indentation: None, line_width: None, canonical: false };
    let mut all = Hash::new();
    for resource in resources {
        let mut values = Hash::new();
        for (name, value) in printed_attributes(resource, definition) {
            let value = match value {
                _ if definition.is_some_and(|definition| is_sensitive(definition, name)) => Value::str(REDACTED),
                // Puppet has symbols for states.
                Value::Str(state) if name.as_str() == "ensure" && definition.is_some() => {
                    Value::Symbol(state.to_shared())
                }
                value => redacted(value),
            };
            values.set(name, value);
        }
        all.insert(Value::from(resource.title.clone()), Value::hash(values));
    }
    let mut document = Hash::new();
    document.set(type_name, Value::hash(all));
    let text =
        ruby::to_yaml(&Value::Hash(Arc::new(document)), options()).map_err(|reason| reason.message.to_string())?;
    match definition {
        None => Ok(text),
        // Puppet prints the resources of these types as a string in YAML.
        Some(_) => {
            let lines = text.lines().skip(2).map(|line| format!("  {line}\n"));
            Ok(format!("---\n{type_name}: |2\n{}", lines.collect::<String>()))
        }
    }
}
