//! The nodes of a site: a folder with one file of facts for each certname.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;

/// Facts files by certname, sorted by certname.
pub type Inventory = IndexMap<Arc<str>, PathBuf>;

/// The extensions of facts files.
pub(super) const EXTENSIONS: [&str; 3] = [".json", ".yaml", ".yml"];

/// Lists the nodes in a folder: `web1.example.com.json` (or `.yaml`, `.yml`) is `web1.example.com`.
///
/// # Errors
/// The folder does not exist.
pub fn list(folder: &Path, world: &dyn World) -> Result<Inventory, Reason> {
    let entries = world.list(folder).map_err(|refused| match refused {
        WorldError::Missing(path) => {
            Reason::new(Code::BAD_SITE, format!("the directory of nodes does not exist: {}", path.display()))
        }
        other => Reason::new(Code::BAD_SITE, other.to_string()).because(other.cause()),
    })?;
    let mut nodes: Inventory = entries
        .iter()
        .filter(|entry| entry.kind == Kind::File && !entry.name.starts_with('.'))
        .filter_map(|entry| {
            let certname = EXTENSIONS.iter().find_map(|end| entry.name.strip_suffix(end))?;
            Some((Arc::from(certname), folder.join(entry.name.as_ref())))
        })
        .collect();
    nodes.sort_keys();
    Ok(nodes)
}
