//! The definition of a resource type, as `register_type` accepts it.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_value::types::Type;
use catwalk_value::value::Value;

/// The role of an attribute (key `behaviour` or `behavior`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// A property that the provider reads and changes: the default.
    Property,
    /// Part of the identity of a resource.
    Namevar,
    /// Returned by `get`, never set.
    ReadOnly,
    /// Set only when a resource is created.
    InitOnly,
    /// Influences how the provider works; cannot be read from the machine.
    Parameter,
}

/// One attribute.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// The values it accepts.
    pub data_type: Type,
    /// The data type as it was written.
    pub data_type_source: Arc<str>,
    /// What it manages (key `desc`).
    pub description: Option<Arc<str>>,
    /// Its value where a manifest has none.
    pub default: Option<Value>,
    /// Its role.
    pub behaviour: Behaviour,
    /// Whether messages show its value redacted.
    pub sensitive: bool,
}

/// One pattern that splits a title: named groups are namevars.
#[derive(Clone, PartialEq, Debug)]
pub struct TitlePattern {
    /// What a title must match.
    pub regexp: Regexp,
    /// The namevars that its groups set, in order of the groups.
    pub names: Vec<Name>,
    /// What it matches, in words.
    pub description: Option<Arc<str>>,
}

/// How a resource depends on one that its type names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `autorequire`
    Require,
    /// `autobefore`
    Before,
    /// `autosubscribe`
    Subscribe,
    /// `autonotify`
    Notify,
}

/// The title of a related resource.
#[derive(Clone, PartialEq, Debug)]
pub enum RelationTarget {
    /// A constant title.
    Title(Arc<str>),
    /// The value (or values, if it is an array) of an attribute: `$source`.
    Attribute(Name),
}

/// The resources of one type that a resource is related to where the catalog contains them.
#[derive(Clone, PartialEq, Debug)]
pub struct AutoRelation {
    /// How it depends on them.
    pub relation: Relation,
    /// The type of these resources, lower case.
    pub resource_type: Name,
    /// Their titles.
    pub targets: Vec<RelationTarget>,
}

/// A resource type of the Resource API.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Its name, lower case.
    pub name: Name,
    /// What it manages (keys `desc`, `docs`).
    pub description: Option<Arc<str>>,
    /// Its attributes, in the order in which they were written: events and printed resources have this order.
    pub attributes: IndexMap<Name, Attribute, FxBuildHasher>,
    /// How titles set namevars; without any the whole title is the first namevar.
    pub title_patterns: Vec<TitlePattern>,
    /// `autorequire`, `autobefore`, `autosubscribe`, `autonotify`.
    pub auto_relations: Vec<AutoRelation>,
    /// What its provider supports: `canonicalize`, `simple_get_filter`, `supports_noop`, `remote_resource`, `custom_insync`.
    pub features: Vec<Arc<str>>,
    /// The file that registers it.
    pub file: Arc<str>,
}

impl Definition {
    /// The attributes that identify a resource together, in order of definition.
    pub fn namevars(&self) -> impl Iterator<Item = Name> + '_ {
        self.attributes.iter().filter(|(_, attribute)| attribute.behaviour == Behaviour::Namevar).map(|(name, _)| *name)
    }

    /// Whether it has an attribute `ensure` (`ensurable?`).
    #[must_use]
    pub fn is_ensurable(&self) -> bool {
        self.attributes.contains_key(&catwalk_base::name!("ensure"))
    }

    /// Whether its provider supports a feature (`feature?`).
    #[must_use]
    pub fn has_feature(&self, feature: &str) -> bool {
        self.features.iter().any(|known| **known == *feature)
    }
}
