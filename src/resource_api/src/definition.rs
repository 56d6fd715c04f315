//! The definition of a resource type, as `register_type` accepts it.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_value::Type;
use catwalk_value::Value;

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
    /// The type that its values must have.
    pub data_type: Type,
    /// The data type as the definition spells it.
    pub data_type_source: Arc<str>,
    /// The description (key `desc`).
    pub description: Option<Arc<str>>,
    /// The default value.
    pub default: Option<Value>,
    pub behaviour: Behaviour,
    /// Whether messages show its value redacted.
    pub sensitive: bool,
}

/// One pattern that splits a title: named groups are namevars.
#[derive(Clone, PartialEq, Debug)]
pub struct TitlePattern {
    /// The expression that a title must match.
    pub regexp: Regexp,
    /// The namevars that its groups set, in order of the groups.
    pub names: Vec<Name>,
    /// A description of the titles that it matches.
    pub description: Option<Arc<str>>,
}

/// How a resource depends on an automatically related one.
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

/// The automatic relation of a resource to the resources of one type, as far as the catalog contains them.
#[derive(Clone, PartialEq, Debug)]
pub struct AutoRelation {
    /// The direction and kind of the relation.
    pub relation: Relation,
    /// The type of the related resources in lower case.
    pub resource_type: Name,
    /// The titles of the related resources.
    pub targets: Vec<RelationTarget>,
}

/// A resource type of the Resource API.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// The name in lower case.
    pub name: Name,
    /// The description (key `desc` or `docs`).
    pub description: Option<Arc<str>>,
    /// The attributes in the order of their definition, which events and printed resources follow.
    pub attributes: IndexMap<Name, Attribute, FxBuildHasher>,
    /// How titles set namevars. Without patterns, the whole title is the first namevar.
    pub title_patterns: Vec<TitlePattern>,
    /// The relations `autorequire`, `autobefore`, `autosubscribe` and `autonotify`.
    pub auto_relations: Vec<AutoRelation>,
    /// The features of the provider: `canonicalize`, `simple_get_filter`, `supports_noop`, `remote_resource`, `custom_insync`.
    pub features: Vec<Arc<str>>,
    /// The file that registers the type.
    pub file: Arc<str>,
}

impl Definition {
    /// The attributes that together identify a resource, in order of definition.
    pub fn namevars(&self) -> impl Iterator<Item = Name> + '_ {
        self.attributes.iter().filter(|(_, attribute)| attribute.behaviour == Behaviour::Namevar).map(|(name, _)| *name)
    }

    /// Whether the type has an attribute `ensure` (`ensurable?`).
    #[must_use]
    pub fn is_ensurable(&self) -> bool {
        self.attributes.contains_key(&catwalk_base::name!("ensure"))
    }

    /// Whether the provider supports a feature (`feature?`).
    #[must_use]
    pub fn has_feature(&self, feature: &str) -> bool {
        self.features.iter().any(|supported| **supported == *feature)
    }
}
