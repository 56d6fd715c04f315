//! One resource of a finished catalog.

use std::sync::Arc;

use crate::Tags;
use catwalk_base::names::Name;
use catwalk_base::names::Table;
use catwalk_value::Value;

/// How a resource was declared; the key `kind` of catalog format 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A class declared like a resource.
    Class,
    /// An instance of a defined type.
    DefinedType,
    /// A resource of a built-in type.
    CompilableType,
    /// An included class, or a node block.
    Unknown,
}

impl Kind {
    /// The name in catalogs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::DefinedType => "defined_type",
            Kind::CompilableType => "compilable_type",
            Kind::Unknown => "unknown",
        }
    }
}

/// A resource as it leaves the compiler (Puppet::Resource).
#[derive(Clone, Debug)]
pub struct Resource {
    /// The type, capitalized: `File`, `Apache::Vhost`, `Class`.
    pub type_name: Name,
    /// The title.
    pub title: Arc<str>,
    /// Whether the title never equals the name attribute: of `Stage[main]`, `Class[main]`, and resources whose title was a number.
    pub title_is_main: bool,
    /// The tags.
    pub tags: Tags,
    /// The file of the declaration.
    pub file: Option<Arc<str>>,
    /// The line of the declaration.
    pub line: Option<u32>,
    /// Whether the resource is exported. `None` for a resource of `create_resources`: false, but printed last.
    pub exported: Option<bool>,
    /// Whether the resource is virtual: exported and not collected by this node.
    pub is_virtual: bool,
    /// The kind of the declaration.
    pub kind: Kind,
    /// The name attribute, if there is exactly one; `name` for classes and defined types.
    pub namevar: Name,
    /// Whether resources with equal name attributes are duplicates (false for types such as `exec` and `notify`).
    pub isomorphic: bool,
    /// Whether several attributes together form the name.
    pub composite: bool,
    /// Whether the type is built in.
    pub builtin: bool,
    /// Parameters in Puppet's order: those from the title first, then in the order in which they were set. Those that are `undef` are
    /// left out.
    pub parameters: Table<Value>,
    /// The names of parameters whose value is `Sensitive`; `parameters` contains the values in clear.
    pub sensitive: Vec<Name>,
}

impl Resource {
    /// `File[/x]`
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }

    /// Whether output omits a parameter because it repeats the title.
    #[must_use]
    pub fn is_title(&self, name: Name, value: &Value) -> bool {
        name == self.namevar && !self.title_is_main && value.as_str() == Some(&self.title)
    }
}
