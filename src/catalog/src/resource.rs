//! One resource of a finished catalog.

use std::sync::Arc;

use crate::Tags;
use catwalk_base::names::Name;
use catwalk_base::names::Table;
use catwalk_value::value::Value;

/// How a resource was declared; the key `kind` of catalog format 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A class declared like a resource.
    Class,
    /// An instance of a defined type.
    DefinedType,
    /// A resource of a built-in type.
    CompilableType,
    /// Classes that were included, node blocks.
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
    /// Its type, capitalized: `File`, `Apache::Vhost`, `Class`.
    pub type_name: Name,
    /// Its title.
    pub title: Arc<str>,
    /// `Stage[main]` and `Class[main]`, whose title never equals their name; so does a title that was a number.
    pub title_is_main: bool,
    /// Its tags.
    pub tags: Tags,
    /// The file it was declared in.
    pub file: Option<Arc<str>>,
    /// The line it was declared in.
    pub line: Option<u32>,
    /// Whether it is exported; `None` for a resource of `create_resources`, which means false but is printed last.
    pub exported: Option<bool>,
    /// Whether it is virtual: exported and not collected here.
    pub is_virtual: bool,
    /// How it was declared.
    pub kind: Kind,
    /// The single attribute that names it, when there is one; `name` for classes and defined types.
    pub namevar: Name,
    /// Whether two resources with the same name attribute are one resource (not so for `exec`, `notify`).
    pub isomorphic: bool,
    /// Whether several attributes name it together.
    pub composite: bool,
    /// Whether its type is built in.
    pub builtin: bool,
    /// Parameters in Puppet's order: those from the title first, then in order of setting. `undef` ones are left out.
    pub parameters: Table<Value>,
    /// Parameters whose whole value was `Sensitive`; their values are in `parameters`.
    pub sensitive: Vec<Name>,
}

impl Resource {
    /// `File[/x]`
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }

    /// Whether printing omits a parameter since it only repeats the title.
    #[must_use]
    pub fn is_title(&self, name: Name, value: &Value) -> bool {
        name == self.namevar && !self.title_is_main && value.as_str() == Some(&self.title)
    }
}
