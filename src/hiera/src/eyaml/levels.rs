//! The levels of a `hiera.yaml`, with the keys for their encrypted values and their files.
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
use catwalk_value::Hash;
use catwalk_world::World;

/// A level with data files.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Whether `eyaml_lookup_key` reads its files. Other levels leave `ENC[…]` as it is.
    pub decrypts: bool,
    /// Its options, which name the keys.
    pub options: Arc<Hash>,
    /// Its files, whatever the values of variables in their paths.
    pub files: Vec<PathBuf>,
}

/// The levels with data files of the environment whose configuration is at a path.
///
/// # Errors
/// The file cannot be read, or is no valid `hiera.yaml`.
pub fn levels(path: &Path, world: &dyn World) -> Result<Vec<Level>, Failure> {
    let config = Configs::default().read(path, &Layer::Environment, &Sources::default(), world, &mut NoHost)?;
    let entries = config.hierarchy.iter().chain(config.default_hierarchy.iter().flatten());
    let levels = entries.filter_map(|entry| {
        let decrypts = match (entry.function, entry.function_name.as_str()) {
            (FunctionKind::Data(DataKind::LookupKey), "eyaml_lookup_key") => true,
            (FunctionKind::Data(DataKind::DataHash), "yaml_data") => false,
            _ => return None,
        };
        let options = entry.options.clone().unwrap_or_default();
        Some(Level { name: entry.name.clone(), decrypts, options, files: reachable(entry, world) })
    });
    Ok(levels.collect())
}
