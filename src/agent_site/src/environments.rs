//! The environments that are served: the site, or the directories of an environment path.
//!
//! In: names. Out: environments, each opened with the first request for it. An agent reaches only environments that exist; for a site
//! without an environment path, a classifier may also name an environment beside the site, or a new name for the site's code.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::environment::ServedEnvironment;
use crate::follower::Detection;
use crate::serve_log::ServeLog;
use catwalk_base::diag::Reason;
use catwalk_server::Failure;
use catwalk_session::ExportedFrom;
use catwalk_session::Options;
use catwalk_session::site::Site;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output::Place;

/// The maximum number of environments of a site without an environment path. A classifier may derive their names from facts, which agents
/// control.
const MAX_ENVIRONMENTS: usize = 64;

/// The location of environments.
#[derive(Clone, Debug)]
pub enum Layout {
    /// One site under this name.
    Site(String),
    /// The subdirectories of these directories; of those with the same name, the first.
    Path(Vec<PathBuf>),
}

/// The environments that are served.
pub struct Environments {
    layout: Layout,
    /// The environment for agents that request one that does not exist.
    default: String,
    options: Options,
    detection: Detection,
    /// Files and directories that the server writes.
    outputs: Vec<PathBuf>,
    open: Mutex<BTreeMap<String, Arc<ServedEnvironment>>>,
    log: Arc<dyn ServeLog>,
}

/// Whether a name is valid for an environment (Puppet::Node::Environment.valid_name?).
fn is_valid(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_directory(path: &Path) -> bool {
    Disk::new().kind(path) == Kind::Directory
}

/// Whether a directory contains an environment.
fn contains_environment(directory: &Path) -> bool {
    let world = Disk::new();
    let has = |name: &str| world.kind(&directory.join(name)) != Kind::Missing;
    ["manifests", "modules", "environment.conf"].iter().any(|name| has(name))
}

impl Environments {
    /// Environments that are opened with these options. Collectors read the store of the options, unless the options or `catwalk.toml` name
    /// a source other than the site itself.
    #[must_use]
    pub fn new(layout: Layout, default: Option<String>, options: Options, log: Arc<dyn ServeLog>) -> Environments {
        let default = default.unwrap_or_else(|| match &layout {
            Layout::Site(name) => name.clone(),
            Layout::Path(_) => "production".to_owned(),
        });
        Environments {
            layout,
            default,
            options,
            detection: Detection::Events,
            outputs: Vec::new(),
            open: Mutex::default(),
            log,
        }
    }

    /// Finds changes of files in this way.
    #[must_use]
    pub fn with_detection(self, detection: Detection) -> Environments {
        Environments { detection, ..self }
    }

    /// Leaves files and directories out that the server writes: they may be in the directory of a site.
    #[must_use]
    pub fn without_outputs(self, outputs: Vec<PathBuf>) -> Environments {
        Environments { outputs, ..self }
    }

    /// The directories that hold environments.
    pub(crate) fn search_paths(&self) -> Vec<PathBuf> {
        match &self.layout {
            Layout::Path(paths) => paths.clone(),
            Layout::Site(_) => {
                self.options.root.as_deref().and_then(Path::parent).map(Path::to_path_buf).into_iter().collect()
            }
        }
    }

    /// The names of all environments, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = match &self.layout {
            Layout::Site(name) => {
                let open = self.open.lock();
                open.keys().cloned().chain([name.clone()]).collect()
            }
            Layout::Path(paths) => {
                let world = Disk::new();
                let entries = paths.iter().filter_map(|path| world.list(path).ok());
                let names: Vec<String> = entries
                    .flat_map(|entries| entries.iter().cloned().collect::<Vec<_>>())
                    .filter(|entry| entry.kind == Kind::Directory && is_valid(&entry.name))
                    .map(|entry| entry.name.to_string())
                    .collect();
                names
            }
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The environment for agents that request one that does not exist.
    pub(crate) fn default_name(&self) -> &str {
        &self.default
    }

    /// Whether an environment exists.
    pub(crate) fn exists(&self, name: &str) -> bool {
        match &self.layout {
            Layout::Path(_) => self.directory(name).is_some(),
            Layout::Site(site) => site == name || self.open.lock().contains_key(name),
        }
    }

    fn directory(&self, name: &str) -> Option<PathBuf> {
        let Layout::Path(paths) = &self.layout else { return None };
        let mut directories = paths.iter().filter(|_| is_valid(name)).map(|path| path.join(name));
        directories.find(|directory| is_directory(directory))
    }

    /// An environment that exists.
    ///
    /// # Errors
    /// The environment does not exist or cannot be opened.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<ServedEnvironment>, Reason> {
        if !self.exists(name) {
            return Err(missing(name));
        }
        self.open(name)
    }

    /// The environment that a classifier assigns to a node.
    ///
    /// # Errors
    /// The environment does not exist or cannot be opened.
    pub(crate) fn for_node(&self, name: &str) -> Result<Arc<ServedEnvironment>, Reason> {
        match &self.layout {
            _ if !is_valid(name) => Err(Reason::runtime(format!("Invalid environment name '{name}'"))),
            Layout::Path(_) if self.directory(name).is_none() => Err(self.missing_directory(name)),
            _ => self.open(name),
        }
    }

    /// The error for an environment that does not exist (Puppet::Environments::EnvironmentNotFound).
    pub(crate) fn missing_directory(&self, name: &str) -> Reason {
        let paths: Vec<String> = self.search_paths().iter().map(|path| path.display().to_string()).collect();
        Reason::runtime(format!(
            "Could not find a directory environment named '{name}' anywhere in the path: {}. Does the directory exist?",
            paths.join(":")
        ))
    }

    fn open(&self, name: &str) -> Result<Arc<ServedEnvironment>, Reason> {
        let mut open = self.open.lock();
        if let Some(known) = open.get(name) {
            return Ok(known.clone());
        }
        if matches!(self.layout, Layout::Site(_)) && open.len() >= MAX_ENVIRONMENTS {
            let text =
                format!("environment '{name}' is not opened: a site serves at most {MAX_ENVIRONMENTS} environments");
            return Err(Reason::runtime(text).help("--environmentpath serves each environment that has a directory"));
        }
        let options = self.options_of(name);
        let mut outputs = self.outputs.clone();
        outputs.extend(options.store.as_ref().map(Place::path));
        let environment = Arc::new(ServedEnvironment::open(options, self.detection, outputs, self.log.clone())?);
        open.insert(name.to_owned(), environment.clone());
        Ok(environment)
    }

    fn options_of(&self, name: &str) -> Options {
        let mut options = Options { environment: Some(name.to_owned()), ..self.options.clone() };
        match &self.layout {
            Layout::Path(_) => options.root = self.directory(name),
            Layout::Site(site) if site != name => {
                let beside = options.root.as_deref().and_then(|root| Some(root.parent()?.join(name)));
                if let Some(beside) = beside.filter(|beside| contains_environment(beside)) {
                    options.root = Some(beside);
                }
            }
            Layout::Site(_) => {}
        }
        if let Some(store) = &options.store
            && options.exported.is_none()
            && !has_other_source(options.root.as_deref())
        {
            options.exported = Some(ExportedFrom::Store(store.path()));
        }
        options
    }

    /// A deploy of one environment, or of all, is complete: its files are in use from now on.
    ///
    /// # Errors
    /// Files of an environment are still changing.
    pub(crate) fn deployed(&self, name: Option<&str>) -> Result<(), Failure> {
        let open: Vec<_> = {
            let open = self.open.lock();
            let is_named = |known: &&String| name.is_none_or(|name| name == known.as_str());
            open.iter().filter(|(known, _)| is_named(known)).map(|(_, environment)| environment.clone()).collect()
        };
        let all = open.iter().map(|environment| environment.deployed());
        // One that fails does not keep the others from their new files.
        all.fold(Ok(()), Result::and)
    }

    /// Reads the configuration of all environments again.
    pub fn reload(&self) {
        let open: Vec<_> = self.open.lock().values().cloned().collect();
        open.iter().for_each(|environment| environment.reopen());
    }
}

/// Whether `catwalk.toml` names a source of exported resources other than the nodes of the site.
fn has_other_source(root: Option<&Path>) -> bool {
    let site = root.and_then(|root| Site::open(root, &Disk::new()).ok());
    site.and_then(|site| site.exported).is_some_and(|source| source != ExportedFrom::Site)
}

fn missing(name: &str) -> Reason {
    Reason::runtime(format!("Could not find environment '{name}'"))
}
