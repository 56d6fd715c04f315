//! The interface to the reader of resource types that scripts define.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::environment::Environment;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_resource_api::Definition;
use catwalk_world::World;

/// Reads resource types that scripts define: `scripts/types/*.rhai` of modules and of the site.
pub trait ScriptTypes: fmt::Debug + Send + Sync {
    /// Reads the script at `path`, which should define the type `name`.
    fn read(&self, path: &Path, name: Name, environment: &Environment, world: &dyn World) -> ScriptType;
}

/// What a script defines.
#[derive(Clone, Debug)]
pub struct ScriptType {
    /// The definition, or everything that is wrong with it, in order of its position.
    pub definition: Result<Definition, Vec<Diagnostic>>,
    /// Missing descriptions, unknown features.
    pub warnings: Vec<Diagnostic>,
    /// The files that the script imported.
    pub imported: Vec<PathBuf>,
}

/// Why a resource type cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTypeError {
    /// The reason, reported where the type is used.
    pub reason: Reason,
    /// The errors of its definition with their positions in the script.
    pub errors: Vec<Diagnostic>,
}

impl From<Reason> for ResourceTypeError {
    fn from(reason: Reason) -> ResourceTypeError {
        ResourceTypeError { reason, errors: Vec::new() }
    }
}

impl ResourceTypeError {
    /// The failure of a script whose definition has these errors.
    pub(super) fn script(name: Name, path: &Path, errors: Vec<Diagnostic>) -> ResourceTypeError {
        let first = errors.first().map(|error| error.message.as_ref()).unwrap_or_default();
        let more = match errors.len() {
            0 | 1 => String::new(),
            2 => " (and one more error)".to_owned(),
            count => format!(" (and {} more errors)", count - 1),
        };
        let text = format!("resource type '{name}' cannot be used: {first}{more}");
        let reason = Reason::runtime(text).help(format!("it is defined in {}", path.display()));
        ResourceTypeError { reason, errors }
    }
}

impl super::ResourceType {
    /// A type of a script.
    pub(super) fn from_script(
        script: ScriptType,
        name: Name,
        path: &Path,
    ) -> Result<super::ResourceType, ResourceTypeError> {
        match script.definition {
            Ok(definition) => {
                Ok(super::ResourceType { warnings: script.warnings, ..super::api::resource_type(Arc::new(definition)) })
            }
            Err(errors) => Err(ResourceTypeError::script(name, path, errors)),
        }
    }
}
