//! A site kept in memory: its caches, its nodes, their compiles.
//!
//! In: [`Options`], names of nodes. Out: [`Compiled`] for each, in parallel; what each read. Must not: print, know formats
//! of the command line.

mod answers;
mod cases;
mod changes;
mod classifiers;
pub mod data_use;
mod differ;
mod exported;
mod given;
mod index;
mod input;
pub mod inventory;
mod layers;
mod node;
mod open;
mod outside;
mod parts;
mod policies;
pub mod puppetfile;
mod reopened;
mod report;
mod script_tests;
mod scripts;
pub mod site;
mod trusted;
pub mod update;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

pub use crate::stack::SIZE as STACK;
pub use crate::stack::pool;
pub use answers::Uses;
pub use cases::CaseResult;
pub use cases::Cases;
pub use changes::Changes;
pub use exported::ExportedFrom;
pub use given::Given;
pub use open::Opened;
pub use outside::Aside;
pub use reopened::Reopened;
pub use report::NodeReport;
pub use script_tests::Tested;

use indexmap::IndexMap;
use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::catalog::Exports;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::environment::Environment;
use crate::environment::Module;
use crate::environment::Overrides;
use crate::eval::Cycles;
use crate::eval::Settings;
use crate::hiera::Eyaml;
use crate::node::Node;
use crate::node::terminus::EXEC_LIMIT;
use crate::node::terminus::Terminus;
use crate::program::Cache;
use crate::scripting::Isolation;
use crate::scripting::Scripts;
use crate::session::inventory::Inventory;
use crate::session::layers::Layers;
use crate::session::open::Start;
use crate::session::outside::Outside;
use crate::session::site::Site;
use crate::source::SourceMap;
use crate::version::Version;
use crate::world::Change;
use crate::world::Disk;
use crate::world::Reads;
use crate::world::Recorded;
use crate::world::Tapes;
use crate::world::World;
use crate::world::tape;
use crate::world::worker;

/// What a session is opened with. Paths are absolute.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The site's directory; `None` when only a manifest or code was given.
    pub root: Option<PathBuf>,
    /// Environment name.
    pub environment: Option<String>,
    /// Directories of modules.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest.
    pub manifest: Option<PathBuf>,
    /// A module by itself: its name and directory.
    pub module: Option<Module>,
    /// Code instead of the main manifest.
    pub code: Option<String>,
    /// The file of facts of the node that is compiled.
    pub facts: Option<PathBuf>,
    /// Facts that need no file, for whichever node is compiled: what they say of its name is replaced by its own. They win
    /// over those of a file.
    pub fact_set: Option<Arc<crate::value::Hash>>,
    /// `$trusted`
    pub trusted: Option<PathBuf>,
    /// `$server_facts`
    pub server_facts: Option<PathBuf>,
    /// Classifier.
    pub enc: Option<PathBuf>,
    /// The classifier that Puppet's settings name (`node_terminus`, `external_nodes`).
    pub external_nodes: Vec<Terminus>,
    /// Global Hiera configuration.
    pub hiera: Option<PathBuf>,
    /// Version of the language; `None`: as `catwalk.toml` says, else 7.
    pub puppet: Option<Version>,
    /// Puppet's settings, as `--set` gave them; they win over those of `catwalk.toml`.
    pub set: Vec<(String, String)>,
    /// Limits by name; they win over those of `catwalk.toml`.
    pub limits: Vec<(String, String)>,
    /// What becomes of dependency cycles; `None`: as `catwalk.toml` says, else a warning.
    pub cycles: Option<Cycles>,
    /// The node is none of the site's: it may be without facts, and the site's classifier is not asked.
    pub unlisted: bool,
    /// No classifier is asked.
    pub unclassified: bool,
    /// What becomes of encrypted data; `None`: as `catwalk.toml` says, else it is decrypted.
    pub eyaml: Option<Eyaml>,
    /// Where exported resources of other nodes come from; `None`: as `catwalk.toml` says, else nowhere.
    pub exported: Option<ExportedFrom>,
    /// Whether answers of the outside are recorded or replayed.
    pub tape: Option<tape::Mode>,
    /// Whether scripts run in processes of their own; `None`: as `catwalk.toml` says, else they do not.
    pub isolate_scripts: Option<bool>,
    /// The program of such processes; `None`: this one.
    pub worker: Option<PathBuf>,
    /// What a session compiles with once it is open.
    pub settings: Settings,
}

impl Options {
    /// Whether facts were given for the node that is compiled.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        self.facts.is_some() || self.fact_set.is_some()
    }

    /// With what a site says of version and settings, and what settings stand for options that were not given.
    fn at(&self, site: &Site) -> Result<Options, Reason> {
        let mut options = self.clone();
        let version = self.puppet.or(site.puppet).unwrap_or_default();
        let limits = self.settings.clone();
        let mut settings = Settings { version, values: IndexMap::new(), ..Settings::of(version) };
        settings.limits = limits.limits;
        for (name, value) in site.limits.iter().chain(&self.limits) {
            settings.limits.set(name, value)?;
        }
        settings.cycles = self.cycles.or(site.cycles).unwrap_or(limits.cycles);
        settings.interrupt = limits.interrupt;
        settings.coverage = limits.coverage;
        for (name, value) in site.settings.iter().chain(&self.set) {
            let failed = |reason: Reason| Reason { code: Code("BAD_SETTING"), ..reason };
            settings.set(name, value).map_err(failed)?;
        }
        let value = |name: &str| settings.values.get(name).filter(|value| !value.is_empty()).cloned();
        options.environment = options.environment.or_else(|| value("environment"));
        options.hiera = options.hiera.or_else(|| value("hiera_config").map(PathBuf::from));
        if let Some(hiera) = options.hiera.as_ref().and_then(|path| path.to_str()).filter(|path| !path.contains('$')) {
            settings.values.insert("hiera_config".to_owned(), hiera.to_owned());
        }
        let value = |name: &str| settings.values.get(name).filter(|value| !value.is_empty()).cloned();
        options.manifest = options.manifest.or_else(|| value("manifest").map(PathBuf::from));
        options.modulepath =
            options.modulepath.or_else(|| Some(value("modulepath")?.split(':').map(PathBuf::from).collect()));
        options.code = options.code.or_else(|| value("code"));
        if value("node_terminus").as_deref() == Some("exec") {
            // The setting is a command with arguments.
            let command = value("external_nodes").filter(|command| command != "none").unwrap_or_default();
            let mut words = command.split_ascii_whitespace().map(str::to_owned);
            options.external_nodes = words
                .next()
                .map(|path| Terminus::Exec { path: path.into(), arguments: words.collect(), limit: EXEC_LIMIT })
                .into_iter()
                .collect();
        }
        options.isolate_scripts = options.isolate_scripts.or(site.isolate_scripts);
        options.exported = options.exported.or_else(|| site.exported.clone());
        if options.exported.is_some() && !settings.values.contains_key("storeconfigs") {
            settings.set("storeconfigs", "true")?;
        }
        options.settings = settings;
        Ok(options)
    }
}

/// The result for one node.
#[derive(Debug)]
pub struct Compiled {
    /// The node.
    pub certname: Arc<str>,
    /// Its catalog, or why there is none.
    pub result: Result<Catalog, Box<Diagnostic>>,
    /// What was logged on the way, in order.
    pub logs: Vec<Diagnostic>,
    /// What the outside was asked.
    pub reads: Reads,
    /// What it used of files of which not all counts.
    pub uses: Uses,
    /// Wall time.
    pub elapsed: Duration,
    /// Whether exported resources are collected.
    pub collects: bool,
}

/// What a compile leaves behind besides its result.
#[derive(Default)]
struct Made {
    logs: Vec<Diagnostic>,
    uses: Uses,
    collects: bool,
    /// What was asked to know the node.
    given: Reads,
}

/// A site, its caches and its nodes.
pub struct Session {
    given: Options,
    /// What it was opened with, completed by the site.
    pub options: Options,
    /// `catalog.toml` and what follows from it.
    pub site: Site,
    world: Arc<Disk>,
    cache: Arc<Cache>,
    scripts: Arc<Scripts>,
    layers: Layers,
    tapes: Option<Arc<Tapes>>,
    exports: RwLock<Option<Arc<Exports>>>,
    /// Whether nothing was compiled yet and files may be read ahead.
    first: AtomicBool,
    pending: Mutex<Pending>,
}

/// What has other answers since the last update.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    /// The questions.
    pub changes: Vec<Change>,
    /// The site is another one.
    pub all: bool,
    /// The site's own file says something else that concerns catalogs.
    pub site: Option<Reopened>,
}

impl Pending {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.all && self.site.is_none() && self.changes.is_empty()
    }
}

impl Session {
    /// Opens a site.
    ///
    /// # Errors
    /// The site is not there or `catwalk.toml` is wrong.
    pub fn open(options: Options, world: Arc<Disk>) -> Result<Session, Reason> {
        let site = match &options.root {
            Some(root) => Site::open(root, world.as_ref())?,
            None => Site::default(),
        };
        let given = options;
        let options = given.at(&site)?;
        let cache = Arc::new(cache(&options.settings));
        let scripts = scripts(&options, &cache)?;
        world.set_puppetdb(site.puppetdb.clone());
        let exports = RwLock::new(match &options.exported {
            Some(ExportedFrom::Directory(folder)) => Some(Arc::new(exported::in_directory(folder, world.as_ref())?)),
            _ => None,
        });
        let tapes = match &options.tape {
            Some(mode) => Some(Arc::new(Tapes::open(mode, options.root.as_deref(), world.as_ref())?)),
            None => None,
        };
        Ok(Session {
            given,
            options,
            site,
            world,
            cache,
            scripts,
            layers: Layers::default(),
            tapes,
            exports,
            first: AtomicBool::new(true),
            pending: Mutex::default(),
        })
    }

    /// Places of everything that was read.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.cache.sources
    }

    /// The nodes of the site with their facts files, sorted.
    ///
    /// # Errors
    /// The folder of nodes is not there.
    pub fn nodes(&self) -> Result<Inventory, Reason> {
        match &self.site.nodes {
            Some(folder) => Ok((*self.layers.nodes(folder, self.world.as_ref())?).clone()),
            None => Ok(Inventory::new()),
        }
    }

    /// Their names only.
    ///
    /// # Errors
    /// As [`Session::nodes`].
    pub fn node_names(&self) -> Result<Vec<Arc<str>>, Reason> {
        match &self.site.nodes {
            Some(folder) => Ok(self.layers.nodes(folder, self.world.as_ref())?.keys().cloned().collect()),
            None => Ok(Vec::new()),
        }
    }

    /// The directory that is worked in: that of the site, or of the module that is by itself.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        let module = self.options.module.as_ref().map(|module| module.root.as_path());
        self.options.root.as_deref().or(module)
    }

    /// Asks the outside again what may have changed. Events are only hints: what has the same answer as before is no change.
    /// `false`: nothing changed, also since the last update.
    pub fn refresh(&self, changes: &Changes) -> bool {
        self.refreshes(changes);
        !self.pending.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// As [`Session::refresh`], but `true` only where these changes changed something.
    pub fn refreshes(&self, changes: &Changes) -> bool {
        let found = self.world.refresh(Some(&changes.paths).filter(|_| !changes.rescan));
        let any = !found.is_empty();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).changes.extend(found);
        any
    }

    /// The paths that have other answers since the last update, each with whether a file there became empty or what was
    /// there went away: who saves a file may be in the middle of it.
    pub fn changed(&self) -> Vec<(PathBuf, bool)> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut paths: Vec<&PathBuf> = pending.changes.iter().map(|change| &change.path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().map(|path| (path.clone(), self.world.is_void(path))).collect()
    }

    /// Forgets everything that was cached of the outside.
    pub fn forget(&self) {
        self.world.forget_all();
    }

    fn take_pending(&self) -> Pending {
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Paths that decide what the site is and which nodes it has.
    #[must_use]
    pub fn touched(&self) -> Vec<PathBuf> {
        let root = self.options.root.iter().map(|root| root.join(site::FILE));
        root.chain(self.site.nodes.clone()).collect()
    }

    /// As [`Session::refresh`]; reads `catwalk.toml` again if it changed.
    ///
    /// # Errors
    /// As [`Session::open`]; the session stays as it was.
    pub fn reopen(&mut self, changes: &Changes) -> Result<bool, Reason> {
        let changed = self.refresh(changes);
        let Some(root) = &self.options.root else { return Ok(changed) };
        let file = root.join(site::FILE);
        let pending = self.pending.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !pending.changes.iter().any(|change| change.path == file) {
            return Ok(changed);
        }
        let site = Site::open(root, self.world.as_ref())?;
        let options = self.given.at(&site)?;
        if site.for_catalogs() == self.site.for_catalogs() {
            (self.site, self.options) = (site, options);
            pending.changes.retain(|change| change.path != file);
            return Ok(!pending.is_empty());
        }
        let other = Reopened::between((&self.site, &self.options), (&site, &options));
        match other {
            Some(other) => pending.site = Some(pending.site.unwrap_or_default().and(other)),
            None => {
                self.cache = Arc::new(cache(&options.settings));
                pending.all = true;
            }
        }
        self.scripts = scripts(&options, &self.cache)?;
        self.world.set_puppetdb(site.puppetdb.clone());
        (self.site, self.options) = (site, options);
        self.layers = Layers::default();
        pending.changes.retain(|change| change.path != file);
        Ok(true)
    }

    /// The node that is asked about: the one that is named, else that of `--facts`, else the only one of the site.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub fn asked(&self, named: Option<&str>) -> Result<Option<Arc<str>>, Reason> {
        let named = match named {
            Some(name) => Some(Arc::from(name.to_lowercase())),
            None => self.facts_certname()?,
        };
        let only = || {
            let nodes = self.nodes().ok().filter(|nodes| nodes.len() == 1)?;
            nodes.into_keys().next()
        };
        Ok(named.or_else(only))
    }

    /// The node that `--facts` describes: its `clientcert`, or its full name.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub fn facts_certname(&self) -> Result<Option<Arc<str>>, Reason> {
        let facts = match (&self.options.fact_set, &self.options.facts) {
            (Some(set), _) => set.clone(),
            (None, Some(path)) => Arc::new(crate::node::facts::read(path, self.world.as_ref())?),
            (None, None) => return Ok(None),
        };
        let text = |name: &str| match facts.get(name) {
            Some(crate::value::Value::Str(text)) => Some(text.clone()),
            _ => None,
        };
        let networking = match facts.get("networking") {
            Some(crate::value::Value::Hash(networking)) => networking.get("fqdn").cloned(),
            _ => None,
        };
        let networking = networking.and_then(|name| name.as_str().map(Arc::from));
        Ok(text("clientcert").or(networking).or_else(|| text("fqdn")))
    }

    /// Compiles nodes in parallel; `done` is told of each as it ends. Results are in the order of the names. The calling
    /// thread should have a large stack ([`stack::with_large`]).
    pub fn compile_all(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        if self.options.exported != Some(ExportedFrom::Site) {
            return self.compile_each(names, done);
        }
        let compiled = self.compile_collecting(names);
        compiled.iter().for_each(done);
        compiled
    }

    fn compile_each(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        let one = |name: &Arc<str>| {
            let compiled = self.compile(name);
            done(&compiled);
            compiled
        };
        match Some(names).filter(|names| names.len() > 1).and_then(|_| pool()) {
            Some(pool) => {
                // The other processors have nodes to compile.
                self.first.store(false, Ordering::Relaxed);
                pool.install(|| names.par_iter().map(one).collect())
            }
            None => names.iter().map(one).collect(),
        }
    }

    /// Compiles one node. A panic inside is turned into a failure of this node.
    #[must_use]
    pub fn compile(&self, certname: &str) -> Compiled {
        self.compiled(&Arc::from(certname), self.outside(certname), |world, made| {
            let (node, used) = self.given_node(certname, world, made)?;
            let start = Start { code: self.options.code.as_deref(), hiera: None };
            let result = self.attempt(node, start, world, made);
            made.uses.node = Some(Box::new(used));
            result
        })
    }

    /// A compile with all that is kept of it, whatever becomes of it.
    fn compiled(
        &self,
        certname: &Arc<str>,
        outside: Result<Outside, Reason>,
        attempt: impl FnOnce(&Arc<Recorded>, &mut Made) -> Result<Catalog, Box<Diagnostic>>,
    ) -> Compiled {
        let started = Instant::now();
        let mut made = Made::default();
        let (result, mut reads) = match outside {
            Err(reason) => (Err(Box::new(Diagnostic::new(reason, None))), Reads::default()),
            Ok(outside) => {
                let attempt = std::panic::AssertUnwindSafe(|| attempt(&outside.world, &mut made));
                let result = std::panic::catch_unwind(attempt).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
                (outside.close(result), outside.world.take_reads())
            }
        };
        let Made { logs, uses, collects, given } = made;
        reads.set_given(given);
        Compiled { certname: certname.clone(), result, logs, reads, uses, elapsed: started.elapsed(), collects }
    }

    /// The compile of a node of the site or one that is made up, with what the site's policies say of it.
    fn attempt(
        &self,
        node: (Node, Arc<Environment>),
        start: Start<'_>,
        world: &Arc<Recorded>,
        made: &mut Made,
    ) -> Result<Catalog, Box<Diagnostic>> {
        let Made { logs, uses, collects, .. } = made;
        self.open_node_as(node, start, world, logs, |opened, logs| {
            let compiled = crate::compile::compile_with(&opened.input(), |evaluator| opened.equip(evaluator));
            logs.extend(opened.program.take_warnings());
            logs.extend(compiled.logs);
            *collects = compiled.collects;
            let mut facts = compiled.facts;
            let result = compiled.result.and_then(|catalog| policies::ask(catalog, opened, &mut facts, logs));
            // What policies asked counts, too.
            let (manifests, places) = opened.program.uses_of_files();
            let environment = self.environment_use(opened);
            let main = opened.program.main_count();
            let data = opened.data.node.take_uses();
            let configs = opened.data.node.config_uses();
            let ruby = opened.program.uses_of_ruby();
            let names = opened.program.asked_names();
            *uses = Uses {
                node: None,
                facts,
                manifests,
                names,
                ruby,
                data,
                configs,
                main,
                places,
                cyclic: compiled.cyclic,
                environment,
                complete: true,
            };
            result
        })?
    }

    fn environment_name(&self) -> &str {
        let given = self.options.environment.as_deref().or(self.site.environment.as_deref());
        given.unwrap_or("production")
    }

    /// The site's environment, found on disk; nothing of it is evaluated.
    ///
    /// # Errors
    /// It is not there, or its `environment.conf` is wrong.
    pub fn open_environment(&self) -> Result<Arc<Environment>, Box<Diagnostic>> {
        let world = Arc::new(Recorded::new(self.world.clone()));
        self.environment(self.environment_name(), &world, &mut Vec::new())
    }

    /// Puppet's settings as manifests of an environment see them.
    fn settings_in(&self, environment: &Environment, server: &str) -> Option<crate::value::Hash> {
        let (values, version) = (self.options.settings.values.clone(), self.options.settings.version);
        let settings = crate::environment::Settings { values, version };
        settings.all(environment, server, self.world.as_ref()).ok()
    }

    /// Whether there is a main manifest by name that is not there.
    fn is_manifest_missing(&self, world: &dyn World) -> bool {
        let manifest = self.options.manifest.as_ref().or(self.site.manifest.as_ref());
        manifest
            .is_some_and(|manifest| self.options.code.is_none() && world.kind(manifest) == crate::world::Kind::Missing)
    }

    fn environment(
        &self,
        name: &str,
        world: &Arc<Recorded>,
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Arc<Environment>, Box<Diagnostic>> {
        let unplaced = |reason| Box::new(Diagnostic::new(reason, None));
        let overrides = Overrides {
            modulepath: self.options.modulepath.clone().or_else(|| self.site.modulepath.clone()),
            manifest: self.options.manifest.clone().or_else(|| self.site.manifest.clone()),
            single: self.options.module.iter().cloned().collect(),
        };
        // What it holds is looked at by the compile; only that it is not there is of interest here.
        if let Some(manifest) = &overrides.manifest
            && self.is_manifest_missing(self.world.as_ref())
            && self.is_manifest_missing(world.as_ref())
        {
            let text = format!("the main manifest is not there: {}", manifest.display());
            return Err(unplaced(Reason::new(Code("BAD_SITE"), text)));
        }
        let version = self.options.settings.version;
        let mut settings = crate::environment::Settings { values: self.options.settings.values.clone(), version };
        // A site lies among the environments: what `$environmentpath` stands for in its environment.conf.
        if let Some(parent) = self.options.root.as_deref().and_then(std::path::Path::parent) {
            let among = settings.values.entry("environmentpath".to_owned());
            among.or_insert_with(|| parent.to_string_lossy().into_owned());
        }
        let root = self.options.root.as_deref();
        let opened = self.layers.open(name, root, (overrides, settings), world).map_err(unplaced)?;
        logs.extend(opened.warnings.iter().cloned());
        Ok(Arc::new(opened.environment.for_compile()))
    }
}

/// A panic inside of a compile as its failure.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Box<Diagnostic> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let reason = Reason::new(Code("INTERNAL_ERROR"), format!("internal error: {text}"));
    Box::new(Diagnostic::new(reason.help("this is a bug of catwalk; the other nodes are not affected"), None))
}

/// The script host, with processes for scripts where that is wanted.
fn scripts(options: &Options, cache: &Cache) -> Result<Arc<Scripts>, Reason> {
    let scripts = Scripts::new(cache.sources.clone());
    if options.isolate_scripts != Some(true) {
        return Ok(Arc::new(scripts));
    }
    let program = options.worker.clone().or_else(worker::own_program);
    let program = program.ok_or_else(|| Reason::runtime("this program's file is not known: scripts need it"))?;
    Ok(Arc::new(scripts.isolated(Some(Isolation { program }))))
}

fn cache(settings: &Settings) -> Cache {
    Cache::with(settings.strict, settings.version).quiet(settings.disables("deprecations"))
}
