//! Results that the compiles of a session share besides parsed files: environments, Hiera's layers, the resource types of
//! modules, facts.
//!
//! Results are reused while the world's generation stays the same; the paths that were read for them are recorded for each
//! compile as if it had read them itself.

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::session::Options;
use crate::session::inventory;
use crate::session::inventory::Inventory;
use crate::session::site::Site;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Matchers;
use catwalk_base::version::Version;
use catwalk_hiera as hiera;
use catwalk_node::facts;
use catwalk_node::facts::overrides;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_node::groups::GroupFiles;
use catwalk_node::with_agent_facts;
use catwalk_program::DiscoveryCache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_program::Registry;
use catwalk_program::Settings;
use catwalk_program::metadata;
use catwalk_regexp::PatternKeeper;
use catwalk_scripting::RhaiTypes;
use catwalk_scripting::Scripts;
use catwalk_value::Hash;
use catwalk_world::Dependency;
use catwalk_world::Entry;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

/// The number of environments whose layers are cached; after an edit to a modulepath the old ones are not used again.
const MAX_ENVIRONMENTS: usize = 16;

/// The number of nodes whose facts are cached.
const MAX_NODES_WITH_FACTS: usize = 256;

/// How messages call the file of `$server_facts`.
const SERVER_FACTS: &str = "server facts";

/// An environment and the results that its compiles share.
#[derive(Debug)]
pub(super) struct SharedEnvironment {
    generation: Option<u64>,
    name: Arc<str>,
    overrides: Overrides,
    settings: Settings,
    /// The environment.
    pub(super) environment: Arc<Environment>,
    /// Warnings about it.
    pub(super) warnings: Vec<Diagnostic>,
    /// The paths that were read to open it.
    pub(super) touched: Arc<[OsString]>,
    /// The files that were found in it.
    pub(super) discovery: Arc<DiscoveryCache>,
    lookup: OnceLock<Arc<hiera::Lookup>>,
    registry: OnceLock<Arc<Registry>>,
}

impl SharedEnvironment {
    /// Whether lookups find their layers in the same locations as these; modules are compared separately.
    pub(super) fn has_same_hierarchy(&self, current: Option<&hiera::Lookup>) -> bool {
        match (self.lookup.get(), current) {
            (Some(before), Some(now)) => before.sources().is_alike(now.sources()),
            // Nothing was looked up yet.
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }
}

/// The facts of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeFacts {
    /// The facts without those that an agent adds.
    pub(super) values: Arc<Hash>,
    /// The file that they were read from, with its bytes.
    pub(super) file: Option<(PathBuf, Arc<[u8]>)>,
    /// The facts with those that an agent adds, for the first node that needed them.
    completed: Arc<OnceLock<(Arc<str>, Arc<Hash>)>>,
}

impl NodeFacts {
    /// Facts that are not from a file.
    pub(super) fn new(values: Hash) -> NodeFacts {
        NodeFacts { values: Arc::new(values), ..NodeFacts::default() }
    }

    /// Facts that an agent or a test case sends.
    pub(super) fn shared(values: Arc<Hash>) -> NodeFacts {
        NodeFacts { values, ..NodeFacts::default() }
    }

    /// The bytes of the file that they were read from.
    pub(super) fn bytes(&self) -> Option<&Arc<[u8]>> {
        self.file.as_ref().map(|(_, bytes)| bytes)
    }

    /// The facts with those that the command line sets by name.
    pub(super) fn with_overrides(self, overrides: &[FactOverride]) -> NodeFacts {
        if overrides.is_empty() {
            return self;
        }
        NodeFacts { values: overrides::apply(self.values, overrides), file: self.file, ..NodeFacts::default() }
    }

    /// The facts without legacy ones.
    pub(super) fn without_legacy(self) -> NodeFacts {
        let values = Arc::new(facts::legacy::without(&self.values));
        NodeFacts { values, file: self.file, ..NodeFacts::default() }
    }

    /// The facts with those that an agent adds; computed once for all compiles of a node.
    pub(super) fn completed(&self, certname: &str, version: Version) -> Arc<Hash> {
        let complete = || (Arc::from(certname), with_agent_facts(self.values.clone(), certname, version));
        let (node, facts) = self.completed.get_or_init(complete);
        // Several nodes may share a file of facts.
        if **node == *certname { facts.clone() } else { complete().1 }
    }
}

/// The nodes of a folder in a generation of the world, with its entries.
type Nodes = Option<(Option<u64>, Arc<[Entry]>, PathBuf, Arc<Inventory>)>;

/// The file of `$server_facts` with its bytes, and what they say.
type ServerFacts = (PathBuf, Arc<[u8]>, Hash);

/// The folders of resource types: the modulepath, the environment's directory, individually named modules.
type TypeFolders = (Vec<PathBuf>, Option<PathBuf>, Vec<PathBuf>);

/// The shared results.
#[derive(Debug, Default)]
pub(super) struct Layers {
    environments: Mutex<Vec<Arc<SharedEnvironment>>>,
    lookups: Mutex<Vec<Arc<hiera::Lookup>>>,
    registries: Mutex<Vec<(TypeFolders, Arc<Registry>)>>,
    facts: Mutex<FxHashMap<PathBuf, NodeFacts>>,
    server_facts: Mutex<Option<ServerFacts>>,
    nodes: Mutex<Nodes>,
    groups: Mutex<Vec<Arc<GroupFiles>>>,
    /// Values that eyaml encrypted, decrypted.
    pub(super) decrypted: Arc<hiera::DecryptionCache>,
    /// What finds the secrets of nodes in strings.
    pub(super) matchers: Arc<Matchers>,
    /// Keeps the patterns that code has compiled.
    _patterns: PatternKeeper,
    /// The cache of modules' metadata.
    pub(super) metadata: metadata::MetadataCache,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl Layers {
    /// The environment of a name, opened once in a generation of the world.
    ///
    /// # Errors
    /// As [`Environment::open_with`].
    pub(super) fn open(
        &self,
        name: &str,
        root: Option<&Path>,
        (overrides, settings): (Overrides, Settings),
        world: &Arc<RecordingWorld>,
    ) -> Result<Arc<SharedEnvironment>, Reason> {
        let generation = world.generation();
        let is_reusable = |opened: &&Arc<SharedEnvironment>| {
            generation.is_some()
                && opened.generation == generation
                && *opened.name == *name
                && opened.overrides == overrides
                && opened.settings == settings
                && opened.environment.root.as_deref() == root
        };
        if let Some(opened) = lock(&self.environments).iter().find(is_reusable) {
            world.record_reads(&opened.touched, Dependency::ComparedByCaller);
            return Ok(opened.clone());
        }
        let opening_world = RecordingWorld::new(world.inner());
        let result = Environment::open_with(name, root, &overrides, &settings, &self.metadata, &opening_world);
        let touched = opening_world.take_reads().into_list();
        let (environment, warnings) = result.inspect_err(|_| world.record_reads(&touched, Dependency::Whole))?;
        world.record_reads(&touched, Dependency::ComparedByCaller);
        let opened = Arc::new(SharedEnvironment {
            generation,
            name: Arc::from(name),
            overrides,
            settings,
            environment: Arc::new(environment),
            warnings,
            touched,
            discovery: Arc::default(),
            lookup: OnceLock::new(),
            registry: OnceLock::new(),
        });
        let mut environments = lock(&self.environments);
        environments.retain(|opened| opened.generation == generation);
        if environments.len() >= MAX_ENVIRONMENTS {
            environments.clear();
        }
        environments.push(opened.clone());
        Ok(opened)
    }

    /// The cached results of an environment; `None` for one that a classifier chose.
    pub(super) fn shared_environment(&self, environment: &Arc<Environment>) -> Option<Arc<SharedEnvironment>> {
        let is_same = |opened: &&Arc<SharedEnvironment>| {
            Arc::ptr_eq(&opened.environment.modules, &environment.modules) && opened.name == environment.name
        };
        lock(&self.environments).iter().find(is_same).cloned()
    }

    /// Hiera for an environment, shared by all nodes while its layers keep their locations.
    ///
    /// # Errors
    ///
    /// `catwalk.toml` names a Hiera configuration that is invalid.
    pub(super) fn lookup(
        &self,
        environment: &Arc<Environment>,
        options: &Options,
        site: &Site,
        world: &dyn World,
    ) -> Result<Arc<hiera::Lookup>, Box<Diagnostic>> {
        let shared = self.shared_environment(environment);
        if let Some(lookup) = shared.as_ref().and_then(|shared| shared.lookup.get()) {
            return Ok(lookup.clone());
        }
        let sources = hiera_sources(environment, options, site, world)?;
        let mut lookups = lock(&self.lookups);
        let lookup = match lookups.iter().find(|lookup| *lookup.sources() == sources) {
            Some(lookup) => lookup.clone(),
            None => {
                if lookups.len() >= MAX_ENVIRONMENTS {
                    lookups.clear();
                }
                let lookup = Arc::new(hiera::Lookup::sharing(sources, &self.decrypted));
                lookups.push(lookup.clone());
                lookup
            }
        };
        Ok(shared.map_or(lookup.clone(), |shared| shared.lookup.get_or_init(|| lookup).clone()))
    }

    /// The resource types of a modulepath and a site.
    pub(super) fn registry(&self, environment: &Arc<Environment>, scripts: &Arc<Scripts>) -> Arc<Registry> {
        match self.shared_environment(environment) {
            Some(opened) => opened.registry.get_or_init(|| self.build_registry(environment, scripts)).clone(),
            None => self.build_registry(environment, scripts),
        }
    }

    fn build_registry(&self, environment: &Environment, scripts: &Arc<Scripts>) -> Arc<Registry> {
        let mut registries = lock(&self.registries);
        let individual = environment.individual_modules.iter().map(|module| module.root.clone()).collect();
        let folders = (environment.modulepath.clone(), environment.root.clone(), individual);
        if let Some((_, registry)) = registries.iter().find(|(known, _)| *known == folders) {
            return registry.clone();
        }
        if registries.len() >= MAX_ENVIRONMENTS {
            registries.clear();
        }
        let types = Arc::new(RhaiTypes { scripts: scripts.clone() });
        let (modulepath, site, individual) = folders.clone();
        let registry = Registry::with_scripts(modulepath, site, types).with_individual_modules(individual);
        let registry = Arc::new(registry);
        registries.push((folders, registry.clone()));
        registry
    }

    /// Facts from a file, parsed once while its bytes stay the same.
    ///
    /// # Errors
    /// As [`facts::read`].
    pub(super) fn facts(&self, path: &Path, world: &dyn World) -> Result<NodeFacts, Reason> {
        let Ok(bytes) = world.read(path) else { return facts::read(path, world).map(NodeFacts::new) };
        let is_current = |facts: &&NodeFacts| facts.file.as_ref().is_some_and(|(_, read)| Arc::ptr_eq(read, &bytes));
        if let Some(facts) = lock(&self.facts).get(path).filter(is_current) {
            return Ok(facts.clone());
        }
        let values = facts::parse(path, &bytes)?;
        let facts = NodeFacts { file: Some((path.to_path_buf(), bytes)), ..NodeFacts::new(values) };
        let mut cached = lock(&self.facts);
        if cached.len() >= MAX_NODES_WITH_FACTS {
            cached.clear();
        }
        cached.insert(path.to_path_buf(), facts.clone());
        Ok(facts)
    }

    /// `$server_facts` from a file, parsed once while its bytes stay the same.
    ///
    /// # Errors
    /// As [`facts::read_hash`].
    pub(super) fn server_facts(&self, path: &Path, world: &dyn World) -> Result<Hash, Reason> {
        let bytes = facts::read_bytes(path, SERVER_FACTS, world)?;
        let mut cached = lock(&self.server_facts);
        if let Some((file, read, values)) = &*cached
            && file == path
            && Arc::ptr_eq(read, &bytes)
        {
            return Ok(values.clone());
        }
        let values = facts::parse_hash(path, &bytes, SERVER_FACTS)?;
        *cached = Some((path.to_path_buf(), bytes, values.clone()));
        Ok(values)
    }

    /// The files of groups at a path, read once while they stay the same.
    pub(super) fn group_files(&self, path: &Path) -> Arc<GroupFiles> {
        let mut groups = lock(&self.groups);
        if let Some(files) = groups.iter().find(|files| files.path == path) {
            return files.clone();
        }
        if groups.len() >= MAX_ENVIRONMENTS {
            groups.clear();
        }
        let files = Arc::new(GroupFiles::new(path.to_path_buf()));
        groups.push(files.clone());
        files
    }

    /// The nodes in a folder.
    ///
    /// # Errors
    /// As [`inventory::list`].
    pub(super) fn nodes(&self, folder: &Path, world: &dyn World) -> Result<Arc<Inventory>, Reason> {
        let generation = world.generation();
        // Each compile lists the folder, so that its dependency is recorded. The disk returns the same `Arc` while the folder is
        // unchanged.
        let entries = world.list(folder).ok();
        if let (Some(entries), Some((listed_at, listed_entries, listed_folder, nodes))) =
            (&entries, &*lock(&self.nodes))
            && (Arc::ptr_eq(listed_entries, entries) || (generation.is_some() && *listed_at == generation))
            && listed_folder == folder
        {
            return Ok(nodes.clone());
        }
        let nodes = Arc::new(inventory::list(folder, world)?);
        *lock(&self.nodes) = entries.map(|entries| (generation, entries, folder.to_path_buf(), nodes.clone()));
        Ok(nodes)
    }
}

pub(super) fn hiera_sources(
    environment: &Environment,
    options: &Options,
    site: &Site,
    world: &dyn World,
) -> Result<hiera::Sources, Box<Diagnostic>> {
    let configured = site.hiera.as_ref().filter(|_| options.root == environment.root);
    if let Some(path) = configured
        && path.file_name().is_none_or(|name| name != "hiera.yaml")
    {
        let text = format!("`hiera` must name a file hiera.yaml, got {}", path.display());
        return Err(Box::from(Reason::new(Code::BAD_SITE, text)));
    }
    let settings = options.settings.environment_settings();
    let codedir = settings.value("codedir", &environment.name, world)?;
    Ok(hiera::Sources {
        global: options.hiera.clone(),
        environment: match configured {
            Some(path) => path.parent().map(std::path::Path::to_path_buf),
            None => environment.root.clone(),
        },
        environment_name: environment.name.clone(),
        global_for_hiera_calls: options.settings.without_data_binding(),
        environment_data_provider: environment.data_provider.clone(),
        codedir: codedir.into(),
        modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
        strict: options.settings.strict,
        eyaml: options.eyaml.unwrap_or_default(),
        version: options.settings.version,
        quiet: options.settings.disables("deprecations"),
    })
}
