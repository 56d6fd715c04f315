//! The catalog: resources, containment edges, tags.
//!
//! In: the declarations of an evaluation. Out: [`Catalog`], complete and ordered, ready for wire formats and diffs. Must not:
//! know manifests, scopes or output formats.
//!
//! | module | content |
//! |---|---|
//! | `automatic` | relationships that resource types imply |
//! | `resource` | a resource as the agent receives it |
//! | `edge` | containment edges under construction, walks |
//! | `exports` | exported resources of other nodes |
//! | `integrity` | checks for duplicate resources and edges to missing resources |
//! | `tag` | tag sets and the rules for tags |
//! | `plain` | a catalog without rich data |
//! | `binary` | binary strings of a catalog with rich data |
//! | `references` | references in relationship parameters |
//! | `graph` | order and dependency cycles of a finished catalog |

mod automatic;
mod binary;
mod edge;
mod exports;
mod graph;
mod integrity;
mod plain;
mod references;
mod resource;
mod tag;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use catwalk_base::secrets::Secrets;

pub use automatic::AutomaticRelationship;
pub use automatic::AutomaticTarget;
pub use automatic::is_forward;
pub use edge::Containment;
pub use exports::ExportQuery;
pub use exports::ExportSource;
pub use exports::Exported;
pub use exports::Exports;
pub use exports::for_each_string;
pub use graph::Cycle;
pub use graph::Order;
pub use graph::OrderReason;
pub use graph::dependency_cycles;
pub use graph::is_acyclic;
pub use integrity::DeclaredResources;
pub use integrity::IntegrityError;
pub use integrity::split_reference;
pub use plain::MessagePaths;
pub use references::for_each_reference;
pub use resource::Kind;
pub use resource::Resource;
pub use tag::Tags;

/// Index of a resource in the catalog under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ResourceId(pub u32);

/// The version of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// The time of the compile in seconds since 1970.
    Seconds(u64),
    /// The output of `config_version`.
    Text(Arc<str>),
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::Seconds(seconds) => write!(f, "{seconds}"),
            Version::Text(text) => f.write_str(text),
        }
    }
}

/// The syntax with which a relationship was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A parameter: `require => File['/x']`.
    Parameter,
    /// An arrow: `File['/x'] -> File['/y']`.
    Arrow,
    /// The function `require`.
    RequireFunction,
}

impl Origin {
    /// Describes the origin of a relationship for messages: `'require' of File[/x]`, `an arrow`. `owner` is the resource that has the
    /// parameter, or whose type implies the relationship.
    #[must_use]
    pub fn describe(self, parameter: &str, owner: &str) -> String {
        match self {
            Origin::Parameter if parameter.starts_with("auto") => format!("{parameter} of {owner}"),
            Origin::Parameter => format!("'{parameter}' of {owner}"),
            Origin::Arrow => "an arrow".to_owned(),
            Origin::RequireFunction => "the function require".to_owned(),
        }
    }

    /// The name in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Parameter => "metaparameter",
            Origin::Arrow => "arrow",
            Origin::RequireFunction => "require function",
        }
    }
}

/// The declaration of a relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipOrigin {
    /// The resource that has the parameter: its index in the catalog.
    pub owner: usize,
    /// `before`, `notify`, `require` or `subscribe`.
    pub parameter: &'static str,
    /// One of the references in the value of the parameter: `File[/x]`.
    pub target: Arc<str>,
    /// The syntax of the declaration.
    pub origin: Origin,
    /// The file and line of the declaration.
    pub position: Option<(Arc<str>, u32)>,
}

/// A finished catalog (Puppet::Resource::Catalog after `to_resource`).
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The certname.
    pub name: Arc<str>,
    /// The version.
    pub version: Version,
    /// A random UUID.
    pub uuid: Arc<str>,
    /// The environment's name.
    pub environment: Arc<str>,
    /// Names of all classes and their segments.
    pub tags: Tags,
    /// Names of classes in order of evaluation.
    pub classes: Vec<Arc<str>>,
    /// Resources in order of declaration.
    pub resources: Vec<Resource>,
    /// Containment: indices of container and contained in `resources`, in Puppet's order.
    pub edges: Vec<(usize, usize)>,
    /// The declarations of relationships; empty unless the caller of the compile requests them.
    pub origins: Vec<RelationshipOrigin>,
    /// Relationships that resource types imply; empty unless the caller of the compile requests them.
    pub automatic: Vec<AutomaticRelationship>,
    /// The secrets of the compile, which are redacted in all output except the catalog itself.
    pub secrets: Arc<Secrets>,
}

impl Catalog {
    /// The number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether there are no resources; a compiled catalog always has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// What a server sends to an agent: without virtual resources, among them exported ones that are not collected
    /// (Puppet::Resource::Catalog::Compiler#filter). Without origins and automatic relationships.
    #[must_use]
    pub fn for_agent(&self) -> Cow<'_, Catalog> {
        if !self.resources.iter().any(|resource| resource.is_virtual) {
            return Cow::Borrowed(self);
        }
        let mut position = 0;
        let positions: Vec<Option<usize>> = self
            .resources
            .iter()
            .map(|resource| {
                let sent = (!resource.is_virtual).then_some(position);
                position += usize::from(sent.is_some());
                sent
            })
            .collect();
        let sent = |at: usize| positions.get(at).copied().flatten();
        Cow::Owned(Catalog {
            name: self.name.clone(),
            version: self.version.clone(),
            uuid: self.uuid.clone(),
            environment: self.environment.clone(),
            tags: self.tags.clone(),
            classes: self.classes.clone(),
            resources: self.resources.iter().filter(|resource| !resource.is_virtual).cloned().collect(),
            edges: self.edges.iter().filter_map(|(from, to)| Some((sent(*from)?, sent(*to)?))).collect(),
            origins: Vec::new(),
            automatic: Vec::new(),
            secrets: self.secrets.clone(),
        })
    }

    /// The resource of this type and title.
    #[must_use]
    pub fn find(&self, type_name: &str, title: &str) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.type_name == type_name && resource.title.as_ref() == title)
    }
}
