//! A site kept in memory: its caches, its nodes, their compiles.
//!
//! In: [`Options`], names of nodes. Out: [`Compiled`] for each, in parallel; what each read. Must not: print, know formats
//! of the command line.

mod agent;
mod answers;
mod apply;
mod cases;
mod changes;
mod class_information;
mod classifier_data;
mod classifiers;
mod combine;
mod compile;
mod configuration_change;
pub mod data_use;
mod deferred;
pub mod dependencies;
mod differ;
mod exported;
mod fact_hints;
mod guard;
mod hints;
mod input;
pub mod inventory;
mod kept_results;
mod layers;
mod named_version;
mod node;
mod node_world;
mod open;
mod options;
mod policies;
mod prepare;
pub mod puppetfile;
mod questions;
mod renewal;
mod report;
pub mod repository;
mod script_tests;
mod scripts;
pub mod secret_key;
pub mod selection;
pub mod site;
mod stored;
mod test_node;
mod trusted;
mod unknown_name;
mod untrusted;
pub mod update;

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use agent::AgentNode;
pub use agent::NodeDefinition;
pub use answers::Uses;
pub use cases::CaseResult;
pub use cases::Cases;
pub use catwalk_base::stack::SIZE as STACK;
pub use catwalk_base::stack::pool;
pub use changes::Changes;
pub use class_information::ClassInformation;
pub use class_information::ManifestClasses;
pub use class_information::ModuleVersion;
pub use class_information::ParameterInformation;
pub use compile::Compiled;
pub(crate) use configuration_change::ConfigurationChange;
pub use deferred::DeferredResolver;
pub use exported::ExportedFrom;
pub use kept_results::KeptResults;
pub use kept_results::Outdated;
pub use node_world::ExternalQueries;
pub use open::CompileInput;
pub use options::Options;
pub use prepare::NodeSource;
pub use prepare::PreparedNode;
pub use report::NodeReport;
pub use script_tests::PROPERTIES;
pub use script_tests::ScriptTestResult;
pub use stored::store_path;
pub use test_node::TestNode;
pub use trusted::oid_names;

use crate::session::inventory::Inventory;
use crate::session::layers::Layers;
use crate::session::secret_key::KeySource;
use crate::session::site::Site;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::Key;
use catwalk_base::source::SourceMap;
use catwalk_catalog::ExportSource;
use catwalk_eval::Settings;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_scripting::Isolation;
use catwalk_scripting::Scripts;
use catwalk_world::Change;
use catwalk_world::Disk;
use catwalk_world::RecordingWorld;
use catwalk_world::Tapes;
use catwalk_world::World;
use catwalk_world::worker;

/// A site, its caches and its nodes.
pub struct Session {
    /// The options that the caller passed.
    caller_options: Options,
    /// The caller's options merged with those of `catwalk.toml`.
    pub options: Options,
    /// The contents of `catwalk.toml`.
    pub site: Site,
    world: Arc<Disk>,
    cache: Arc<Cache>,
    scripts: Arc<Scripts>,
    layers: Arc<Layers>,
    tapes: Option<Arc<Tapes>>,
    exports: RwLock<Option<Arc<dyn ExportSource>>>,
    /// The store that collectors and queries read.
    stored: Option<Arc<stored::StoredNodes>>,
    /// Whether files may be read ahead: nothing has been compiled yet.
    may_prefetch: AtomicBool,
    pending: Mutex<PendingChanges>,
    /// The key for digests of secrets.
    key: Key,
}

/// Changes since the last update.
#[derive(Clone, Debug, Default)]
pub struct PendingChanges {
    /// Files and directories that have changed.
    pub changes: Vec<Change>,
    /// Whether everything may have changed.
    pub all: bool,
    /// A change of `catwalk.toml` that affects catalogs.
    pub configuration: Option<ConfigurationChange>,
}

impl PendingChanges {
    /// Whether nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.all && self.configuration.is_none() && self.changes.is_empty()
    }
}

impl Session {
    /// Opens a site.
    ///
    /// # Errors
    /// The site does not exist, or `catwalk.toml` is wrong.
    pub fn open(options: Options, world: Arc<Disk>) -> Result<Session, Reason> {
        if options.untrusted {
            options.confine(&world);
        }
        let site = match &options.root {
            Some(root) => Site::open_as(root, world.as_ref(), options.untrusted)?,
            None => Site::default(),
        };
        let caller_options = options;
        caller_options.check_site(&site, &world)?;
        let options = caller_options.merge_site(&site, world.as_ref())?;
        let site = Site { snapshots: options.snapshots.clone(), tests: options.tests.clone(), ..site };
        let module = options.module.as_ref().map(|module| module.root.as_path());
        let cache = Arc::new(cache(&options.settings, options.root.as_deref().or(module)));
        let scripts = scripts(&options, &cache)?;
        let stored = stored::open(&options)?;
        let puppetdb = exported::puppetdb(&options, &site, world.as_ref())?;
        world.set_puppetdb(stored::query_service(puppetdb.clone(), stored.as_ref()));
        world.set_pure_commands(site.pure_commands());
        world.set_file_limit(options.settings.limits.file);
        world.set_response_limit(options.settings.limits.responses);
        let exports = RwLock::new(exported::open_source(&options, puppetdb, stored.as_ref(), world.as_ref())?);
        let tapes = match &options.tape {
            Some(mode) => Some(Arc::new(Tapes::open(mode, options.root.as_deref(), world.as_ref())?)),
            None => None,
        };
        let module = options.module.as_ref().map(|module| module.root.as_path());
        // The author of untrusted code must not know the key, with which guesses can be tested against digests.
        let source = if options.untrusted { KeySource::Variable } else { options.key };
        let home = options.root.as_deref().or(module);
        if let Some(home) = home.filter(|_| source == KeySource::Created) {
            secret_key::check_private(home)?;
        }
        let key = secret_key::open_key(home, source);
        Ok(Session {
            key,
            caller_options,
            options,
            site,
            world,
            cache,
            scripts,
            layers: Arc::default(),
            tapes,
            exports,
            stored,
            may_prefetch: AtomicBool::new(true),
            pending: Mutex::default(),
        })
    }

    /// The session for the next version of its disk: it shares what was parsed and read, while compiles of this session go on. Catalogs that
    /// a caller keeps belong to one of both.
    #[must_use]
    pub fn with_disk(&self, world: Arc<Disk>) -> Session {
        Session {
            caller_options: self.caller_options.clone(),
            options: self.options.clone(),
            site: self.site.clone(),
            world,
            cache: self.cache.clone(),
            scripts: self.scripts.clone(),
            layers: self.layers.clone(),
            tapes: self.tapes.clone(),
            exports: RwLock::new(self.exports.read().clone()),
            stored: self.stored.clone(),
            may_prefetch: AtomicBool::new(false),
            pending: Mutex::default(),
            key: self.key.clone(),
        }
    }

    /// This session for compiles whose messages of a lower level are collected, too. It shares what the session has read.
    #[must_use]
    pub fn with_messages_from(&self, level: Severity) -> Session {
        let mut session = self.with_disk(self.world.clone());
        session.options.settings.log_level = self.options.settings.log_level.including(level);
        session
    }

    /// The source files, for positions.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.cache.sources
    }

    /// The key for digests of secrets.
    #[must_use]
    pub fn secrets_key(&self) -> &Key {
        &self.key
    }

    /// The nodes of the site with their facts files, sorted.
    ///
    /// # Errors
    /// The directory of nodes does not exist.
    pub fn nodes(&self) -> Result<Inventory, Reason> {
        match &self.site.nodes {
            Some(folder) => Ok((*self.layers.nodes(folder, self.world.as_ref())?).clone()),
            None => Ok(Inventory::new()),
        }
    }

    /// The names of the nodes of the site.
    ///
    /// # Errors
    ///
    /// As [`Session::nodes`].
    pub fn node_names(&self) -> Result<Vec<Arc<str>>, Reason> {
        match &self.site.nodes {
            Some(folder) => Ok(self.layers.nodes(folder, self.world.as_ref())?.keys().cloned().collect()),
            None => Ok(Vec::new()),
        }
    }

    /// The directory of the site, or of a module without a site.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        let module = self.options.module.as_ref().map(|module| module.root.as_path());
        self.options.root.as_deref().or(module)
    }

    /// Reads again what may have changed. Events are only hints: files with equal contents have not changed. `false`: nothing has changed
    /// since the last update.
    pub fn refresh(&self, changes: &Changes) -> bool {
        self.refresh_paths(changes);
        !self.pending.lock().is_empty()
    }

    /// As [`Session::refresh`], but returns whether these paths have changed.
    pub fn refresh_paths(&self, changes: &Changes) -> bool {
        let changes = self.world.refresh(Some(&changes.paths).filter(|_| !changes.rescan));
        let has_changed = !changes.is_empty();
        self.pending.lock().changes.extend(changes);
        has_changed
    }

    /// The paths that have changed since the last update, each with whether a file became empty or was removed: an editor may be about to
    /// write it.
    pub fn changed_paths(&self) -> Vec<(PathBuf, bool)> {
        let pending = self.pending.lock();
        let mut paths: Vec<&PathBuf> = pending.changes.iter().map(|change| &change.path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().map(|path| (path.clone(), self.world.is_empty_or_missing(path))).collect()
    }

    /// Drops all cached external data.
    pub fn drop_cached_data(&self) {
        self.world.forget_all();
    }

    /// Reads files again that may have changed, and clears the list of changes: for a caller that keeps no catalogs. Returns the paths
    /// that have changed.
    pub fn refresh_and_take_changes(&self, changes: &Changes) -> Vec<PathBuf> {
        self.refresh(changes);
        self.take_pending().changes.into_iter().map(|change| change.path).collect()
    }

    /// Removes sources that edits have replaced. Positions in them are unknown from then on: no compile may run meanwhile, and its messages
    /// must have been printed.
    pub fn forget_replaced_sources(&self) {
        self.cache.forget_stale();
    }

    fn take_pending(&self) -> PendingChanges {
        std::mem::take(&mut *self.pending.lock())
    }

    /// Paths that define the site and its nodes.
    #[must_use]
    pub fn site_paths(&self) -> Vec<PathBuf> {
        let root = self.options.root.iter().map(|root| root.join(site::FILE));
        root.chain(self.site.nodes.clone()).collect()
    }

    /// The commands that compiles started, the slowest first.
    #[must_use]
    pub fn command_runs(&self) -> Vec<catwalk_world::CommandRuns> {
        self.world.commands_ran()
    }

    /// As [`Session::refresh`]; reads `catwalk.toml` again if it changed.
    ///
    /// # Errors
    /// As [`Session::open`]; the session stays as it was.
    pub fn reopen(&mut self, changes: &Changes) -> Result<bool, Reason> {
        let changed = self.refresh(changes);
        let Some(root) = &self.options.root else { return Ok(changed) };
        let file = root.join(site::FILE);
        let pending = self.pending.get_mut();
        if !pending.changes.iter().any(|change| change.path == file) {
            return Ok(changed);
        }
        let site = Site::open(root, self.world.as_ref())?;
        self.caller_options.check_site(&site, &self.world)?;
        let options = self.caller_options.merge_site(&site, self.world.as_ref())?;
        let site = Site { snapshots: options.snapshots.clone(), tests: options.tests.clone(), ..site };
        if site.catalog_settings() == self.site.catalog_settings() {
            (self.site, self.options) = (site, options);
            pending.changes.retain(|change| change.path != file);
            return Ok(!pending.is_empty());
        }
        let change = ConfigurationChange::between((&self.site, &self.options), (&site, &options));
        match change {
            Some(change) => pending.configuration = Some(pending.configuration.unwrap_or_default().and(change)),
            None => {
                self.cache = Arc::new(cache(&options.settings, Some(root)));
                pending.all = true;
            }
        }
        self.scripts = scripts(&options, &self.cache)?;
        let puppetdb = exported::puppetdb(&options, &site, self.world.as_ref())?;
        let has_new_source = options.exported != self.options.exported;
        if has_new_source || matches!(options.exported, Some(ExportedFrom::PuppetDb(_))) {
            let stored = if has_new_source { stored::open(&options)? } else { self.stored.clone() };
            let exports = exported::open_source(&options, puppetdb.clone(), stored.as_ref(), self.world.as_ref())?;
            (self.stored, self.exports) = (stored, RwLock::new(exports));
        }
        self.world.set_puppetdb(stored::query_service(puppetdb, self.stored.as_ref()));
        self.world.set_pure_commands(site.pure_commands());
        self.world.set_file_limit(options.settings.limits.file);
        self.world.set_response_limit(options.settings.limits.responses);
        (self.site, self.options) = (site, options);
        self.layers = Arc::default();
        pending.changes.retain(|change| change.path != file);
        Ok(true)
    }

    /// The node to use: the named one, otherwise that of `--facts`, otherwise the only one of the site.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub fn select_node(&self, name: Option<&str>) -> Result<Option<Arc<str>>, Reason> {
        let name = match name {
            Some(name) => Some(Arc::from(name.to_lowercase())),
            None => self.facts_certname()?,
        };
        let only = || {
            let nodes = self.nodes().ok().filter(|nodes| nodes.len() == 1)?;
            nodes.into_keys().next()
        };
        Ok(name.or_else(only))
    }

    /// The node that `--facts` describes: its `clientcert`, or its full name.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub fn facts_certname(&self) -> Result<Option<Arc<str>>, Reason> {
        let facts = match (&self.options.fact_set, &self.options.facts) {
            (Some(set), _) => set.clone(),
            (None, Some(path)) => Arc::new(catwalk_node::facts::read(path, self.world.as_ref())?),
            (None, None) => return Ok(None),
        };
        let text = |name: &str| match facts.get(name) {
            Some(catwalk_value::Value::Str(text)) => Some(text.to_shared()),
            _ => None,
        };
        let networking = match facts.get("networking") {
            Some(catwalk_value::Value::Hash(networking)) => networking.get("fqdn").cloned(),
            _ => None,
        };
        let networking = networking.and_then(|name| name.as_str().map(Arc::from));
        Ok(text("clientcert").or(networking).or_else(|| text("fqdn")))
    }

    fn environment_name(&self) -> &str {
        self.options.environment.as_deref().unwrap_or("production")
    }

    /// Opens the site's environment without evaluating anything.
    ///
    /// # Errors
    /// The environment does not exist, or its `environment.conf` is wrong.
    pub fn open_environment(&self) -> Result<Arc<Environment>, Box<Diagnostic>> {
        let world = Arc::new(RecordingWorld::new(self.world.clone()));
        self.environment(self.environment_name(), &world, &mut Vec::new())
    }

    /// Puppet's settings as manifests of an environment see them.
    fn settings_in(&self, environment: &Environment, server: &str) -> Option<catwalk_value::Hash> {
        let settings = self.options.settings.environment_settings();
        settings.all(environment, server, self.world.as_ref()).ok()
    }

    /// Whether the configured main manifest does not exist.
    fn is_manifest_missing(&self, world: &dyn World) -> bool {
        self.options
            .manifest
            .as_ref()
            .is_some_and(|manifest| self.options.code.is_none() && world.kind(manifest) == catwalk_world::Kind::Missing)
    }

    fn environment(
        &self,
        name: &str,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Arc<Environment>, Box<Diagnostic>> {
        let overrides = Overrides {
            modulepath: self.options.modulepath.clone(),
            manifest: self.options.manifest.clone(),
            individual_modules: self.options.module.iter().chain(&self.options.fixtures).cloned().collect(),
        };
        // The compile reads its contents, which records that the file exists; only a missing file is checked here.
        if let Some(manifest) = &overrides.manifest
            && self.is_manifest_missing(self.world.as_ref())
            && self.is_manifest_missing(world.as_ref())
        {
            let text = format!("the main manifest does not exist: {}", manifest.display());
            return Err(Box::from(Reason::new(Code::BAD_SITE, text)));
        }
        let mut settings = self.options.settings.environment_settings();
        if self.world.guard().is_some() {
            // Modules installed on the machine are outside of the site.
            settings.values.entry("basemodulepath".to_owned()).or_default();
        }
        // The parent directory of the site is `$environmentpath` in its environment.conf.
        if let Some(parent) = self.options.root.as_deref().and_then(std::path::Path::parent) {
            let entry = settings.values.entry("environmentpath".to_owned());
            entry.or_insert_with(|| parent.to_string_lossy().into_owned());
        }
        let root = self.options.root.as_deref();
        let opened = self.layers.open(name, root, (overrides, settings), world).and_then(|opened| {
            untrusted::check_environment(&opened.environment, &self.world)?;
            Ok(opened)
        });
        let opened = opened.map_err(|reason| {
            // This failure stands only as long as the manifest exists, and no compile follows that records it.
            self.is_manifest_missing(world.as_ref());
            Box::from(reason)
        })?;
        logs.extend(opened.warnings.iter().cloned());
        Ok(Arc::new(opened.environment.for_compile()))
    }
}

/// The script host, with processes for scripts if the options isolate scripts.
fn scripts(options: &Options, cache: &Cache) -> Result<Arc<Scripts>, Reason> {
    let scripts = Scripts::new(cache.sources.clone());
    if options.isolate_scripts != Some(true) {
        return Ok(Arc::new(scripts));
    }
    let program = options.worker.clone().or_else(worker::own_program);
    let program =
        program.ok_or_else(|| Reason::runtime("the path of this program is unknown: isolated scripts need it"))?;
    Ok(Arc::new(scripts.isolated(Some(Isolation { program }))))
}

fn cache(settings: &Settings, root: Option<&Path>) -> Cache {
    let mut cache = Cache::with_options(settings.syntax());
    cache.sources = SourceMap::below(root);
    cache
}
