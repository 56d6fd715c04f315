//! `ResourceType`: the type of a provider.

use std::sync::Arc;

use rhai::Dynamic;
use rhai::ImmutableString;

use crate::bridge::HashHandle;
use crate::table::Item;
use crate::table::method;
use crate::table::property;
use catwalk_resource_api::Attribute;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Definition;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The type of a provider.
#[derive(Clone, Debug)]
pub(crate) struct TypeHandle(pub(super) Arc<Definition>);

pub(super) const ITEMS: &[Item] = &[
    property("ResourceType", "name", "String", "Its name.", |e, n| {
        e.register_get(n, |receiver: &mut TypeHandle| ImmutableString::from(receiver.0.name.as_str()));
    }),
    property(
        "ResourceType",
        "attributes",
        "Hash",
        "The attributes in order: a hash of each name to a hash of `type`, `desc`, `default` and `behaviour`.",
        |e, n| {
            e.register_get(n, |receiver: &mut TypeHandle| {
                let all = receiver
                    .0
                    .attributes
                    .iter()
                    .map(|(name, attribute)| (Value::str(name.as_str()), Value::hash(described(attribute))));
                HashHandle(Arc::new(all.collect()))
            });
        },
    ),
    property("ResourceType", "ensurable", "Boolean", "Whether it has an attribute `ensure`.", |e, n| {
        e.register_get(n, |receiver: &mut TypeHandle| receiver.0.is_ensurable());
    }),
    property("ResourceType", "namevars", "Array", "The names of its namevars.", |e, n| {
        e.register_get(n, |receiver: &mut TypeHandle| -> rhai::Array {
            receiver.0.namevars().map(|name| Dynamic::from(ImmutableString::from(name.as_str()))).collect()
        });
    }),
    method(
        "ResourceType",
        "feature",
        &["name: String"],
        "Boolean",
        "Returns whether the provider supports a feature.",
        |e, n| {
            e.register_fn(n, |receiver: &mut TypeHandle, name: &str| receiver.0.has_feature(name));
        },
    ),
    method("ResourceType", "to_string", &[], "String", "Its name; also `to_debug()`.", |e, n| {
        for name in [n, "to_debug"] {
            e.register_fn(name, |receiver: &mut TypeHandle| ImmutableString::from(receiver.0.name.as_str()));
        }
    }),
];

/// An attribute as its definition writes it.
fn described(attribute: &Attribute) -> Hash {
    let mut hash = Hash::new();
    hash.set("type", Value::from(attribute.data_type_source.clone()));
    if let Some(description) = &attribute.description {
        hash.set("desc", Value::from(description.clone()));
    }
    if let Some(default) = &attribute.default {
        hash.set("default", default.clone());
    }
    let behaviour = match attribute.behaviour {
        Behaviour::Property => return hash,
        Behaviour::Namevar => "namevar",
        Behaviour::ReadOnly => "read_only",
        Behaviour::InitOnly => "init_only",
        Behaviour::Parameter => "parameter",
    };
    hash.set("behaviour", Value::str(behaviour));
    hash
}
