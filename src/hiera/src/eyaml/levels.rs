//! The levels of a `hiera.yaml` that have encrypted values, with their keys and files.
//!
//! In: the path of a `hiera.yaml`. Out: [`Level`]s. Must not: read keys.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::DataKind;
use crate::Sources;
use crate::config::Configs;
use crate::config::FunctionKind;
use crate::config::Layer;
use crate::failure::Failure;
use crate::usage::NoHost;
use crate::usage::reachable;
use catwalk_value::value::Hash;
use catwalk_world::World;

/// A level whose data `eyaml_lookup_key` reads.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Its options, which name the keys.
    pub options: Arc<Hash>,
    /// Its files, whatever the values of variables in their paths.
    pub files: Vec<PathBuf>,
}

/// The levels with encrypted values of the environment whose configuration is at a path.
///
/// # Errors
/// The file cannot be read, or is no valid `hiera.yaml`.
pub fn levels(path: &Path, world: &dyn World) -> Result<Vec<Level>, Failure> {
    let config = Configs::default().read(path, &Layer::Environment, &Sources::default(), world, &mut NoHost)?;
    let entries = config.hierarchy.iter().chain(config.default_hierarchy.iter().flatten());
    let is_encrypted = |function: FunctionKind, name: &str| {
        function == FunctionKind::Data(DataKind::LookupKey) && name == "eyaml_lookup_key"
    };
    let encrypted = entries.filter(|entry| is_encrypted(entry.function, &entry.function_name));
    let levels = encrypted.map(|entry| Level {
        name: entry.name.clone(),
        options: entry.options.clone().unwrap_or_default(),
        files: reachable(entry, world),
    });
    Ok(levels.collect())
}
