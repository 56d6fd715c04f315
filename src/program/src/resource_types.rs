//! Resource types: their attributes, their key attributes, and how titles set those.
//!
//! In: a type's name and a world to look modules up in. Out: [`ResourceType`], from the table of Puppet's own types
//! (`core`), from a script of a module or the site ([`ScriptTypes`]), or read statically from a module's
//! `lib/puppet/type/*.rb` (`read`); [`Registry`] finds them.
//! Must not: run Ruby, know Rhai, scopes or catalogs; check values (Puppet's compiler leaves that to the agent).

mod api;
mod core;
pub mod docs;
pub mod generated;
mod read;
mod registry;
mod scripts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

pub use registry::Registry;
pub use scripts::ResourceTypeError;
pub use scripts::ScriptType;
pub use scripts::ScriptTypes;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_resource_api::Definition;

/// Attributes every resource has (`Puppet::Type.metaparams`), in Puppet's order.
pub const METAPARAMETERS: [&str; 11] =
    ["noop", "schedule", "audit", "loglevel", "alias", "tag", "require", "subscribe", "before", "notify", "stage"];

/// The metaparameters that relate resources (`Puppet::Type.relationship_params`).
pub const RELATIONSHIP_METAPARAMETERS: [&str; 4] = ["require", "subscribe", "before", "notify"];

/// Whether `name` is a metaparameter.
#[must_use]
pub(crate) fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}

/// Whether `name` relates resources.
#[must_use]
pub fn is_relationship(name: Name) -> bool {
    name == catwalk_base::name!("require")
        || name == catwalk_base::name!("before")
        || name == catwalk_base::name!("notify")
        || name == catwalk_base::name!("subscribe")
}

/// The kind of an attribute (`Puppet::Type.attrtype`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeKind {
    /// A property, which the agent manages.
    Property,
    /// A parameter: how the resource is managed, not its state.
    Parameter,
    /// An attribute of every resource.
    Metaparameter,
}

/// One pattern that splits a title (an entry of `Puppet::Type.title_patterns`).
#[derive(Clone, PartialEq, Debug)]
pub struct TitlePattern {
    /// What a title must match.
    pub regexp: Regexp,
    /// The attributes that its groups set, in order of the groups.
    pub names: Vec<Name>,
}

/// A resource type as the compiler needs it.
#[derive(Clone, PartialEq, Debug)]
pub struct ResourceType {
    /// Its name, lower case.
    pub name: Name,
    /// Properties, then parameters, in the order of definition; metaparameters are not listed.
    pub attributes: IndexMap<Name, AttributeKind, FxBuildHasher>,
    /// The attributes that identify a resource together (`key_attributes`).
    pub key_attributes: Vec<Name>,
    /// The patterns that split a title; the first that matches wins.
    pub title_patterns: Vec<TitlePattern>,
    /// Whether two resources with the same key are one (`isomorphic`).
    pub isomorphic: bool,
    /// Whether `Puppet::ResourceApi.register_type` made it. Its providers are plain classes unknown to the type, so it has no
    /// parameter `provider`.
    pub from_api: bool,
    /// Whether `puppet generate types` wrote it: `name` is an attribute only if it is listed.
    pub generated: bool,
    /// Parts of the module's Ruby that could not be read: with any, an unknown attribute is not the user's error.
    pub gaps: Vec<String>,
    /// Its definition, if `register_type` made it, in Ruby or in a script.
    pub definition: Option<Arc<Definition>>,
    /// Warnings for the first use of the type in a compile: missing descriptions, unknown features.
    pub warnings: Vec<Diagnostic>,
}

impl ResourceType {
    /// The kind of the attribute `name`; `None` if the type does not have it.
    #[must_use]
    pub fn kind(&self, name: Name) -> Option<AttributeKind> {
        let found = self.attributes.get(&name).copied();
        found.or_else(|| is_metaparameter(&name).then_some(AttributeKind::Metaparameter))
    }

    /// Whether a resource may have this attribute (`Puppet::Type.valid_parameter?`). `name` is always valid, except for a
    /// generated type (`ResourceTypeImpl#valid_parameter?`).
    #[must_use]
    pub(crate) fn valid_parameter(&self, name: Name) -> bool {
        (name == catwalk_base::name!("name") && !self.generated) || self.kind(name).is_some()
    }

    /// Checks that a resource may have this attribute.
    ///
    /// # Errors
    /// `no parameter named 'x'` (`Puppet::Resource#validate_parameter`; the caller adds ` on Type[title]` where Puppet does);
    /// or "not supported yet" when the type's Ruby could not be read in full.
    pub fn check_parameter(&self, name: Name) -> Result<(), Reason> {
        if self.valid_parameter(name) {
            return Ok(());
        }
        match self.gaps.first() {
            Some(gap) => Err(Reason::unsupported(&format!(
                "parameter '{name}' of resource type '{}', whose definition is not understood: {gap}",
                self.name
            ))),
            None => Err(Reason::new(Code::NO_SUCH_PARAMETER, format!("no parameter named '{name}'"))),
        }
    }

    /// The attribute that `name` refers to, and that catalogs leave out when it equals the title (`Puppet::Resource#namevar`):
    /// the key attribute if there is exactly one, else `name`.
    #[must_use]
    pub fn namevar(&self) -> Name {
        match self.key_attributes.as_slice() {
            [only] => *only,
            _ => catwalk_base::name!("name"),
        }
    }

    /// The values that a title sets (`Puppet::Resource#parse_title`), in the order of the pattern.
    ///
    /// # Errors
    /// `No set of title patterns matched the title "…".`, or a title pattern that cannot be used.
    pub fn parse_title(&self, title: &str) -> Result<IndexMap<Name, Option<Arc<str>>>, Reason> {
        if self.key_attributes.len() > 1 && self.title_patterns.is_empty() {
            return Err(match self.gaps.first() {
                Some(gap) => Reason::unsupported(&format!("title patterns of resource type '{}': {gap}", self.name)),
                None => Reason::runtime("you must specify title patterns when there are two or more key attributes"),
            });
        }
        for pattern in &self.title_patterns {
            let found = pattern.regexp.captures(title).map_err(|error| Reason::runtime(error.message().to_owned()))?;
            if let Some(captures) = found {
                let value = |group: usize| captures.get(group + 1).map(Arc::from);
                return Ok(pattern.names.iter().enumerate().map(|(group, name)| (*name, value(group))).collect());
            }
        }
        Err(Reason::runtime(format!("No set of title patterns matched the title \"{title}\".")))
    }
}

/// The one title pattern of a type with one key attribute: the title is its value.
fn whole_title(name: Name) -> Vec<TitlePattern> {
    vec![TitlePattern { regexp: Regexp::new("(?m-ix:(.*))"), names: vec![name] }]
}
