//! Types of the Resource API as the compiler sees them (`Puppet::ResourceApi.register_type`).

use std::sync::Arc;

use indexmap::IndexMap;

use super::AttributeKind;
use super::ResourceType;
use super::TitlePattern;
use super::whole_title;
use catwalk_base::names::Name;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Definition;

/// The type that a definition describes.
pub(super) fn resource_type(definition: Arc<Definition>) -> ResourceType {
    let kind = |behaviour: Behaviour| match behaviour {
        Behaviour::Property | Behaviour::InitOnly => AttributeKind::Property,
        Behaviour::Namevar | Behaviour::Parameter | Behaviour::ReadOnly => AttributeKind::Parameter,
    };
    let of_kind = |wanted: AttributeKind| {
        let kinds = definition.attributes.iter().map(|(name, attribute)| (*name, kind(attribute.behaviour)));
        kinds.filter(move |(_, kind)| *kind == wanted)
    };
    let ensure = Name::new("ensure");
    let properties: Vec<(Name, AttributeKind)> = of_kind(AttributeKind::Property).collect();
    // The order of `Puppet::Type.newproperty`.
    let (first, rest): (Vec<_>, Vec<_>) = properties.into_iter().partition(|(name, _)| *name == ensure);
    let attributes: IndexMap<Name, AttributeKind, _> =
        first.into_iter().chain(rest).chain(of_kind(AttributeKind::Parameter)).collect();
    let is_key = |(name, attribute): &(&Name, &catwalk_resource_api::Attribute)| {
        // A parameter called `name` is always part of the key (`Puppet::Type.key_attribute_parameters`).
        attribute.behaviour == Behaviour::Namevar
            || (**name == "name" && kind(attribute.behaviour) == AttributeKind::Parameter)
    };
    let key_attributes: Vec<Name> = definition.attributes.iter().filter(is_key).map(|(name, _)| *name).collect();
    let title_patterns = if definition.title_patterns.is_empty() {
        definition.namevars().next().map(whole_title).unwrap_or_default()
    } else {
        let pattern = |pattern: &catwalk_resource_api::TitlePattern| TitlePattern {
            regexp: pattern.regexp.clone(),
            names: pattern.names.clone(),
        };
        definition.title_patterns.iter().map(pattern).collect()
    };
    ResourceType {
        name: definition.name,
        attributes,
        key_attributes,
        title_patterns,
        isomorphic: true,
        from_api: true,
        generated: false,
        gaps: Vec::new(),
        definition: Some(definition),
        warnings: Vec::new(),
    }
}
