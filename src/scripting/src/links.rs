//! Reads scripts and their data only if they are really in the site or its modules after following links.
//!
//! In: a path, the environment, the world. Out: the bytes, or an error with both ends of a link. Must not: resolve
//! links again for a file that is unchanged.

use parking_lot::RwLock;
use std::ffi::OsString;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::unreadable::Unreadable;
use catwalk_base::diag::Cause;
use catwalk_program::Environment;
use catwalk_program::Module;
use catwalk_world::Boundary;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The number of environments whose boundaries are cached.
const MAX_BOUNDARIES: usize = 16;

/// The modules of an environment and its directory, from which its boundary is computed.
type Key = (Arc<IndexMap<Arc<str>, Module>>, Option<PathBuf>);

/// The cache of resolved paths.
#[derive(Debug, Default)]
pub(super) struct Links {
    boundaries: RwLock<Vec<(Key, Arc<Boundary>)>>,
    /// Files that were admitted, with the bytes they had then. Keyed by the path as a string: hashing a `Path` takes it apart.
    admitted: RwLock<FxHashMap<OsString, Arc<[u8]>>>,
}

impl Links {
    /// Reads a file. A path below a directory of the environment must still be below one after following links; all other paths
    /// are chosen by the user.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a link leads out of the environment.
    pub(super) fn read(
        &self,
        path: &Path,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<Arc<[u8]>, Unreadable> {
        let admitted = self.admitted.read().get(path.as_os_str()).cloned();
        if let Some(known) = admitted
            && let Ok(bytes) = world.read(path)
            && Arc::ptr_eq(&bytes, &known)
        {
            return Ok(bytes);
        }
        if is_in(path, environment) {
            let boundary = self.boundary(environment, world);
            // The file or links have changed.
            boundary.forget();
            if let Err(outside) = boundary.admit(path, world) {
                // With a guard for untrusted code, this query is recorded as an attempt, which ends the compile.
                return Err(match world.canonical(path) {
                    Err(attempt @ WorldError::Untrusted(_)) => Unreadable::from(&attempt),
                    _ => Unreadable { message: outside.to_string(), cause: Cause::Other },
                });
            }
        }
        let bytes = world.read(path).map_err(|refused| Unreadable::from(&refused))?;
        if !is_in(path, environment) {
            // Another environment may have the file in it.
            return Ok(bytes);
        }
        let mut admitted = self.admitted.write();
        admitted.insert(path.as_os_str().to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn boundary(&self, environment: &Environment, world: &dyn World) -> Arc<Boundary> {
        let same = |(modules, root): &Key| Arc::ptr_eq(modules, &environment.modules) && *root == environment.root;
        let known = self.boundaries.read();
        if let Some((_, boundary)) = known.iter().find(|(key, _)| same(key)) {
            return boundary.clone();
        }
        drop(known);
        let boundary = Arc::new(Boundary::around(environment.roots(), Path::new(""), world));
        let mut known = self.boundaries.write();
        if known.len() >= MAX_BOUNDARIES {
            known.remove(0);
        }
        known.push(((environment.modules.clone(), environment.root.clone()), boundary.clone()));
        boundary
    }
}

/// Whether a path is below a directory of the environment, without following links.
pub(super) fn is_in(path: &Path, environment: &Environment) -> bool {
    let plain = path.components().all(|part| !matches!(part, Component::ParentDir));
    plain && path.is_absolute() && environment.roots().any(|root| path.starts_with(root))
}
