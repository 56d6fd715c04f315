//! Finds resource types for one environment.
//! In: the modulepath and a world. Out: types by name. Must not: know the language.

use parking_lot::Mutex;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::ResourceType;
use super::ResourceTypeError;
use super::ScriptTypes;
use super::core;
use super::read;
use crate::environment::Environment;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_world::Dependency;
use catwalk_world::Kind;
use catwalk_world::World;

/// The resource types of an environment: those of scripts, then those of its modules in Ruby, then Puppet's own, then those of the modules
/// that Puppet's packages contain. As in Puppet
/// (`Puppet::Util::Autoload.search_directories`) every directory of the modulepath with a `lib` is searched, its name valid or not.
#[derive(Debug, Default)]
pub struct Registry {
    listings: read::Listings,
    /// The reader of types of scripts; `None`: scripts define no types.
    scripts: Option<Arc<dyn ScriptTypes>>,
    slots: Mutex<NameMap<Arc<Slot>>>,
}

/// A type, once it was looked up. Locked during the lookup, so that another thread that needs it does not read the same files.
type Slot = Mutex<Option<CachedType>>;

/// A type with the files that were read for it: valid while these have the same bytes.
#[derive(Debug)]
struct CachedType {
    queries: read::RecordedQueries,
    /// The paths that were read beside those of listings.
    paths: Arc<[OsString]>,
    /// The world's generation at the last successful check.
    generation: Option<u64>,
    resource_type: Result<Option<Arc<ResourceType>>, ResourceTypeError>,
}

impl Registry {
    /// The types of an environment with this modulepath, without those of scripts. Files are read on first use.
    #[must_use]
    pub fn new(modulepath: Vec<PathBuf>) -> Registry {
        Registry { listings: read::Listings::new(modulepath, None), scripts: None, slots: Mutex::default() }
    }

    /// The types of an environment with those of scripts, also of the site in this directory.
    #[must_use]
    pub fn with_scripts(modulepath: Vec<PathBuf>, site: Option<PathBuf>, scripts: Arc<dyn ScriptTypes>) -> Registry {
        Registry { listings: read::Listings::new(modulepath, site), scripts: Some(scripts), slots: Mutex::default() }
    }

    /// Adds the types of individually named modules in these directories.
    #[must_use]
    pub fn with_individual_modules(self, roots: Vec<PathBuf>) -> Registry {
        Registry { listings: self.listings.with_individual_modules(roots), ..self }
    }

    /// The type of this name, any case (`Puppet::Type.type`). A name with a colon is never one. The result is cached and
    /// compared with the files at each call, so that one registry serves many compiles.
    ///
    /// # Errors
    /// `Could not autoload puppet/type/x: …` when a module's file is not Ruby, or defines no type this program can read; the errors
    /// of a script's definition.
    pub fn lookup(
        &self,
        environment: &Environment,
        world: &dyn World,
        name: &str,
    ) -> Result<Option<Arc<ResourceType>>, ResourceTypeError> {
        if name.contains(':') || name.is_empty() {
            return Ok(None);
        }
        let key = Name::new(name).normalized();
        let slot = self.slots.lock().entry(key).or_default().clone();
        let mut slot = slot.lock();
        let generation = world.generation();
        if let Some(known) = slot.as_mut() {
            if generation.is_some() && known.generation == generation {
                known.queries.record_reads(world);
                world.record_reads(&known.paths, Dependency::Whole);
                return known.resource_type.clone();
            }
            if known.queries.is_unchanged(world) {
                known.generation = generation;
                return known.resource_type.clone();
            }
        }
        let mut library = read::Library::new(world, &self.listings);
        let resource_type = self.find(&mut library, key, environment);
        let queries = library.into_queries();
        let paths = queries.paths();
        *slot = Some(CachedType { queries, paths, generation, resource_type: resource_type.clone() });
        resource_type
    }

    /// What a lookup of this type looks for in every module, by path below a module.
    #[must_use]
    pub fn candidate_paths(name: &str) -> [String; 3] {
        let name = Name::new(name).normalized();
        [
            format!("lib/puppet/type/{name}.rb"),
            format!("lib/puppet/provider/{name}"),
            format!("scripts/types/{name}.rhai"),
        ]
    }

    /// Names of Puppet's own types, in alphabetical order.
    pub fn core_names() -> impl Iterator<Item = &'static str> {
        core::names()
    }

    /// Names of the types of modules that Puppet's packages contain, in alphabetical order. They exist without the modules.
    pub fn names_in_core_modules() -> impl Iterator<Item = &'static str> {
        core::names_in_modules()
    }

    fn find(
        &self,
        library: &mut read::Library<'_>,
        name: Name,
        environment: &Environment,
    ) -> Result<Option<Arc<ResourceType>>, ResourceTypeError> {
        let relative = format!("puppet/type/{name}.rb");
        if let Some(scripts) = &self.scripts
            && let Some(path) = library.find_script(&format!("{name}.rhai"))
        {
            let script = scripts.read(&path, name, environment, library.world());
            script.imported.iter().for_each(|imported| library.record_file(imported.clone()));
            library.record_file(path.clone());
            let mut resource_type = ResourceType::from_script(script, name, &path)?;
            if let Some(own) = core::lookup(&name, environment.version) {
                // The script decides how a type of Puppet's own is applied; its attributes in manifests are still Puppet's.
                let ResourceType { definition, warnings, .. } = resource_type;
                return Ok(Some(Arc::new(ResourceType { definition, warnings, ..ResourceType::clone(&own) })));
            }
            if let Some(ruby) = library.find_type(&relative) {
                resource_type.warnings.push(shadowed(name, &path, &ruby));
            }
            return Ok(Some(Arc::new(resource_type)));
        }
        let Some(file) = library.find_type(&relative) else {
            let version = environment.version;
            return Ok(core::lookup(&name, version).or_else(|| core::lookup_in_modules(&name, version)));
        };
        let mut resource_type = read::read_type(library, &file, name)?;
        let provider = Name::new("provider");
        let known = resource_type.attributes.contains_key(&provider) || resource_type.from_api;
        if !known && library.has_provider(&name) {
            // `Puppet::Type.providify`: a type with a provider has the parameter `provider`.
            resource_type.attributes.insert(provider, super::AttributeKind::Parameter);
        }
        Ok(Some(Arc::new(resource_type)))
    }
}

/// The warning about a type in Ruby that is not used.
fn shadowed(name: Name, script: &Path, ruby: &Path) -> Diagnostic {
    let (script, ruby) = (script.display(), ruby.display());
    let text = format!("resource type '{name}' is defined in {script} and in {ruby}: the script is used");
    Diagnostic::new(Reason::new(Code::RESOURCE_TYPE_TWICE, text), None).severity(Severity::Warning)
}

/// Whether `path` is a file.
pub(super) fn is_file(world: &dyn World, path: &Path) -> bool {
    world.kind(path) == Kind::File
}
