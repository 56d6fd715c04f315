//! Finds resource types for one environment.
//! In: the modulepath and a world. Out: types by name. Must not: know the language.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use super::ResourceType;
use super::core;
use super::read;
use crate::diag::Reason;
use crate::names::Name;
use crate::names::NameMap;
use crate::world::Kind;
use crate::world::World;

/// The resource types of an environment: those of its modules, then Puppet's own. As in the reference
/// (`Puppet::Util::Autoload.search_directories`) a module's type wins, and every directory of the modulepath with a
/// `lib` counts, its name valid or not.
#[derive(Debug, Default)]
pub struct Registry {
    modulepath: Vec<PathBuf>,
    found: Mutex<NameMap<Arc<Cached>>>,
}

/// A type as it was found: valid while all files that were asked give the same bytes.
#[derive(Debug)]
struct Cached {
    asked: read::Asked,
    /// The paths that were asked about.
    paths: Arc<[OsString]>,
    /// The generation of the world in which this was last seen to hold.
    generation: Mutex<Option<u64>>,
    resource_type: Result<Option<Arc<ResourceType>>, Reason>,
}

impl Registry {
    /// The types of an environment with this modulepath. Nothing is read before it is asked for.
    #[must_use]
    pub fn new(modulepath: Vec<PathBuf>) -> Registry {
        Registry { modulepath, found: Mutex::default() }
    }

    /// The type of this name, any case (`Puppet::Type.type`). A name with a colon is never one. What is found is kept
    /// and checked against the world at each call, so that one registry serves many compiles.
    ///
    /// # Errors
    /// `Could not autoload puppet/type/x: …` when a module's file is not Ruby, or defines no type this program can read.
    pub fn lookup(&self, world: &dyn World, name: &str) -> Result<Option<Arc<ResourceType>>, Reason> {
        if name.contains(':') || name.is_empty() {
            return Ok(None);
        }
        let key = Name::new(name).normalized();
        let known = self.found.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            let now = world.generation();
            let mut generation = known.generation.lock().unwrap_or_else(PoisonError::into_inner);
            if now.is_some() && *generation == now {
                world.touch_all(&known.paths);
                return known.resource_type.clone();
            }
            if known.asked.still_holds(world) {
                *generation = now;
                return known.resource_type.clone();
            }
        }
        let generation = Mutex::new(world.generation());
        let mut library = read::Library::new(world, &self.modulepath);
        let resource_type = self.find(&mut library, key);
        let asked = library.into_asked();
        let paths = asked.paths();
        let cached = Arc::new(Cached { asked, paths, generation, resource_type: resource_type.clone() });
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(key, cached);
        resource_type
    }

    /// What a lookup of this type looks for in every module, by path below a module.
    #[must_use]
    pub fn looked_for(name: &str) -> [String; 2] {
        let name = Name::new(name).normalized();
        [format!("lib/puppet/type/{name}.rb"), format!("lib/puppet/provider/{name}")]
    }

    /// Names of Puppet's own types, in alphabetical order.
    pub fn core_names() -> impl Iterator<Item = &'static str> {
        core::names()
    }

    fn find(&self, library: &mut read::Library<'_>, name: Name) -> Result<Option<Arc<ResourceType>>, Reason> {
        let relative = format!("puppet/type/{name}.rb");
        let Some(file) = library.find_type(&relative) else { return Ok(core::lookup(&name)) };
        let mut resource_type = read::read_type(library, &file, name)?;
        let provider = Name::new("provider");
        if !resource_type.attributes.contains_key(&provider) && library.has_provider(&name) {
            // `Puppet::Type.providify`: with a provider comes the parameter.
            resource_type.attributes.insert(provider, super::AttributeKind::Parameter);
        }
        Ok(Some(Arc::new(resource_type)))
    }
}

/// Whether `path` is a file.
pub(super) fn is_file(world: &dyn World, path: &Path) -> bool {
    world.kind(path) == Kind::File
}
