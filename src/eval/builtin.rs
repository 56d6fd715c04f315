//! What the compiler asks of a built-in resource type.

use std::sync::Arc;

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Stop;
use crate::names::Name;
use crate::value::Value;

/// Parameters every resource accepts, in the reference's order.
pub const METAPARAMETERS: [&str; 11] =
    ["noop", "schedule", "audit", "loglevel", "alias", "tag", "require", "subscribe", "before", "notify", "stage"];

/// Metaparameters that refer to other resources.
pub const RELATIONSHIP_METAPARAMETERS: [&str; 4] = ["require", "subscribe", "before", "notify"];

/// A built-in type as the compiler sees it.
#[derive(Debug)]
pub struct Builtin {
    /// Its name, capitalized.
    pub name: Name,
    /// Whether two resources with the same name attributes are the same thing.
    pub isomorphic: bool,
    /// The attributes that name it, sorted by name.
    pub key_attributes: Vec<Name>,
}

impl Builtin {
    /// The single attribute that names it, else `name`.
    #[must_use]
    pub fn namevar(&self) -> Name {
        match self.key_attributes.as_slice() {
            [only] => *only,
            _ => Name::new("name"),
        }
    }

    /// Attributes that a title gives.
    ///
    /// # Errors
    /// The title does not fit.
    pub fn parse_title(&self, title: &str) -> Res<Vec<(Name, Value)>> {
        if self.name == "File" {
            let trimmed = title.trim_end_matches('/');
            return Ok(vec![(Name::new("path"), Value::str(if trimmed.is_empty() { title } else { trimmed }))]);
        }
        match self.key_attributes.as_slice() {
            [only] => Ok(vec![(*only, Value::str(title))]),
            _ => Ok(vec![(Name::new("name"), Value::str(title))]),
        }
    }

    /// Whether a parameter of this name may be set.
    #[must_use]
    pub fn accepts(&self, name: Name) -> bool {
        let _ = name;
        true
    }
}

impl Evaluator<'_> {
    /// The built-in type of this name.
    #[must_use]
    pub fn builtin(&self, name: &str) -> Option<Arc<Builtin>> {
        if name.contains(':') {
            return None;
        }
        let (namevar, isomorphic): (&[&str], bool) = match name.to_lowercase().as_str() {
            "file" => (&["path"], true),
            "exec" => (&["command"], false),
            "notify" => (&["name"], false),
            "package" => (&["name", "provider"], true),
            "service" | "user" | "group" | "cron" | "host" | "mount" | "stage" | "schedule" | "filebucket" | "tidy"
            | "resources" | "yumrepo" | "ssh_authorized_key" | "sshkey" => (&["name"], true),
            _ => return None,
        };
        Some(Arc::new(Builtin {
            name: crate::eval::resource::capitalized(Name::new(&name.to_lowercase())),
            isomorphic,
            key_attributes: namevar.iter().map(|name| Name::new(name)).collect(),
        }))
    }
}

/// Keeps the signature of title parsing in one place until types report their own failures.
#[allow(dead_code, reason = "used by types with title patterns")]
fn no_pattern(title: &str) -> Stop {
    Stop::runtime(format!("No set of title patterns matched the title \"{title}\"."))
}
