//! The machine: files, processes, servers, the clock. Answers are cached until they are forgotten, so a file is read once for all nodes.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::commands::Commands;
use super::directories::SearchCache;
use super::read;
use super::read::DEFAULT_FILE_LIMIT;
use super::read::kind_of;
use super::read::list;
use super::read::read_stamped;
use super::responses::ResponseCache;
use super::run::run;
use super::version::Version;
use crate::Command;
use crate::Dependency;
use crate::Entry;
use crate::HttpRequest;
use crate::HttpResponse;
use crate::Kind;
use crate::LdapEntry;
use crate::LdapSearch;
use crate::Output;
use crate::QueryService;
use crate::Runs;
use crate::World;
use crate::WorldError;
use crate::dns;
use crate::git::RevisionPath;
use crate::git::Tree;
use crate::tree_state::FileStamp;
use crate::tree_state::TreeState;
use catwalk_base::secrets::SecretCollection;

/// Keyed by the path as a string: hashing a `Path` takes it apart into components.
pub(super) type Cache<T> = RwLock<FxHashMap<OsString, T>>;

/// This machine, without access control.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(super) files: Cache<Result<Arc<[u8]>, WorldError>>,
    pub(super) lists: Cache<Result<Arc<[Entry]>, WorldError>>,
    pub(super) kinds: Cache<Kind>,
    /// Paths without links, of a machine with a version.
    canonical: Cache<Result<PathBuf, WorldError>>,
    pub(super) names: RwLock<FxHashMap<dns::Question, Result<dns::Answer, WorldError>>>,
    /// The entries that searches found.
    pub(super) directories: SearchCache,
    /// The output of commands that run once, with the generation in which they ran.
    outputs: Mutex<FxHashMap<Vec<String>, (u64, Result<Output, WorldError>)>>,
    pub(super) commands: Arc<Commands>,
    /// Responses to requests that are sent once.
    pub(super) responses: RwLock<ResponseCache>,
    /// A number that changes when a cache is cleared, in part or as a whole.
    generation: AtomicU64,
    /// The last generation of all versions of this machine: two versions have no generation in common.
    last_generation: Arc<AtomicU64>,
    /// The state of files that answers must be from; `None`: any.
    pub(super) version: Option<Version>,
    pub(super) puppetdb: RwLock<Option<Arc<dyn QueryService>>>,
    /// A revision that replaces the work tree of its repository.
    tree: Option<Tree>,
    installation: Installation,
    pub(super) file_limit: FileLimit,
    secrets: OutsideSecrets,
}

/// The secrets that are reported outside of all compiles.
#[derive(Debug)]
struct OutsideSecrets(Arc<SecretCollection>);

impl Default for OutsideSecrets {
    fn default() -> OutsideSecrets {
        OutsideSecrets(Arc::new(SecretCollection::outside_of_compiles()))
    }
}

/// The directories of Puppet's installations, by its own packages and by Debian's.
const INSTALLATIONS: [&str; 4] = ["/etc/puppetlabs", "/etc/puppet", "/opt/puppetlabs", "/usr/share/puppet"];

/// Where the machine's installation of Puppet is.
#[derive(Debug)]
struct Installation {
    /// The directory that is `/` to the directories of installations; `None`: `/`.
    root: Option<PathBuf>,
}

#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
impl Default for Installation {
    /// The installation below the directory that the environment variable `CATWALK_INSTALLATION` names.
    fn default() -> Installation {
        let root = std::env::var_os("CATWALK_INSTALLATION").filter(|root| !root.is_empty());
        Installation { root: root.map(PathBuf::from) }
    }
}

impl Installation {
    /// Where a path is on the machine.
    fn locate<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        match &self.root {
            Some(root) if INSTALLATIONS.iter().any(|installed| path.starts_with(installed)) => {
                Cow::Owned(root.join(path.strip_prefix("/").unwrap_or(path)))
            }
            _ => Cow::Borrowed(path),
        }
    }
}

/// The size in bytes above which files are refused.
#[derive(Debug)]
pub(super) struct FileLimit(AtomicU64);

impl Default for FileLimit {
    fn default() -> FileLimit {
        FileLimit(AtomicU64::new(DEFAULT_FILE_LIMIT))
    }
}

impl FileLimit {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the limit and returns whether it changed.
    pub(super) fn set(&self, bytes: u64) -> bool {
        self.0.swap(bytes, Ordering::Relaxed) != bytes
    }
}

impl Machine {
    /// A machine on which the work tree of a repository is as in a revision.
    pub(super) fn with_revision(tree: Tree) -> Machine {
        Machine { tree: Some(tree), ..Machine::default() }
    }

    /// A machine whose answers belong to a state of some trees.
    pub(super) fn of_state(state: Arc<TreeState>) -> Machine {
        Machine { version: Some(Version::new(state)), ..Machine::default() }
    }

    /// A machine with the cached answers of this one, whose further answers belong to a later state. Answers of services are asked again.
    pub(super) fn next_version(&self, state: Arc<TreeState>) -> Machine {
        let file_limit = FileLimit::default();
        file_limit.set(self.file_limit.get());
        let machine = Machine {
            files: RwLock::new(self.files.read().clone()),
            lists: RwLock::new(self.lists.read().clone()),
            kinds: RwLock::new(self.kinds.read().clone()),
            commands: self.commands.clone(),
            secrets: OutsideSecrets(self.secrets.0.clone()),
            last_generation: self.last_generation.clone(),
            puppetdb: RwLock::new(self.puppetdb.read().clone()),
            file_limit,
            ..Machine::of_state(state)
        };
        machine.responses.write().set_limit(self.responses.read().limit());
        machine.begin_generation();
        machine
    }

    /// Marks that results derived from earlier answers may be outdated.
    pub(super) fn begin_generation(&self) {
        self.generation.store(self.last_generation.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    }

    /// Where the file system has a path.
    pub(super) fn on_disk<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        self.installation.locate(path)
    }

    fn locate(&self, path: &Path) -> RevisionPath {
        let path = self.on_disk(path);
        let limit = self.file_limit.get();
        self.tree.as_ref().map_or_else(|| RevisionPath::Disk(path.to_path_buf()), |tree| tree.locate(&path, limit))
    }

    /// Reads a file of the disk, up to the limit.
    fn read_file(&self, path: &Path) -> Result<Arc<[u8]>, WorldError> {
        self.read_stamped(path).0
    }

    /// Reads a file of the disk, up to the limit; also returns its stamp if it can be opened.
    pub(super) fn read_stamped(&self, path: &Path) -> (Result<Arc<[u8]>, WorldError>, Option<FileStamp>) {
        read_stamped(path, self.file_limit.get())
    }

    /// The kind of a path in the file system. Below a directory that is known to be missing, the file system is not accessed: lookups
    /// try hundreds of files in the `types` and `functions` folders that most modules lack.
    fn kind_on_disk(&self, path: &Path) -> Kind {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let known = |parent: &Path| self.kinds.read().get(parent.as_os_str()).copied();
        if parent.and_then(known) == Some(Kind::Missing) {
            return Kind::Missing;
        }
        let kind = kind_of(&self.on_disk(path));
        if let Some(parent) = parent.filter(|_| kind == Kind::Missing) {
            cached(&self.kinds, parent, || {
                let kind = kind_of(&self.on_disk(parent));
                (kind, self.kind_belongs(parent, kind))
            });
        }
        kind
    }

    fn start(&self, command: &Command) -> Result<Output, WorldError> {
        let program = Path::new(command.argv.first().map_or("", String::as_str));
        let limit = self.file_limit.get();
        match self.tree.as_ref().and_then(|tree| tree.refuses(program, limit, |path| self.read_file(path).ok())) {
            Some(refused) => Err(refused),
            None => run(command),
        }
    }

    /// Clears the cache for these paths and for the directories that contain them.
    pub(super) fn forget<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) {
        self.begin_generation();
        for path in paths {
            for gone in [Some(path), path.parent()].into_iter().flatten() {
                remove(&self.files, gone);
                remove(&self.lists, gone);
                remove(&self.kinds, gone);
                remove(&self.canonical, gone);
            }
        }
    }

    /// Whether the cache has the path as an empty file or as missing.
    pub(super) fn is_empty_or_missing(&self, path: &Path) -> bool {
        let files = self.files.read();
        let kinds = self.kinds.read();
        let lists = self.lists.read();
        match (files.get(path.as_os_str()), lists.get(path.as_os_str())) {
            (Some(Ok(bytes)), _) => bytes.is_empty(),
            (Some(Err(WorldError::Missing(_))), _) | (_, Some(Err(WorldError::Missing(_)))) => true,
            _ => kinds.get(path.as_os_str()) == Some(&Kind::Missing),
        }
    }

    /// Clears all caches.
    pub(super) fn forget_all(&self) {
        self.begin_generation();
        self.files.write().clear();
        self.lists.write().clear();
        self.kinds.write().clear();
        self.canonical.write().clear();
        self.names.write().clear();
        self.directories.clear();
        self.commands.forget();
        self.responses.write().clear();
    }
}

fn remove<T>(cache: &Cache<T>, path: &Path) {
    cache.write().remove(path.as_os_str());
}

/// The cached answer, or the one that `read` returns, which is cached if `read` says that it belongs to the version of the machine.
fn cached<T: Clone>(cache: &Cache<T>, path: &Path, read: impl FnOnce() -> (T, bool)) -> T {
    if let Some(known) = cache.read().get(path.as_os_str()) {
        return known.clone();
    }
    let (answer, belongs) = read();
    if !belongs {
        return answer;
    }
    // If another thread has added an answer meanwhile, that one is used, so that all nodes share one `Arc`.
    cache.write().entry(path.as_os_str().to_owned()).or_insert(answer).clone()
}

#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
impl World for Machine {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        &self.secrets.0
    }

    fn read_for(&self, path: &Path, _: Dependency) -> Result<Arc<[u8]>, WorldError> {
        let unreadable = |why: Arc<str>| Err(WorldError::Unreadable(path.to_path_buf(), why));
        cached(&self.files, path, || match self.locate(path) {
            RevisionPath::Disk(on_disk) => {
                let (answer, stamp) = self.read_stamped(&on_disk);
                let belongs = self.file_belongs(path, stamp);
                (answer, belongs)
            }
            RevisionPath::File(Ok(bytes)) => (Ok(bytes), true),
            RevisionPath::File(Err(why)) => (unreadable(Arc::from(why)), true),
            RevisionPath::Directory(_) => (unreadable(Arc::from("Is a directory")), true),
            RevisionPath::Missing => (Err(WorldError::Missing(path.to_path_buf())), true),
        })
    }

    fn list_for(&self, path: &Path, _: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        cached(&self.lists, path, || match self.locate(path) {
            RevisionPath::Disk(on_disk) => {
                let answer = list(&on_disk);
                let belongs = self.entries_belong(path, &answer);
                (answer, belongs)
            }
            RevisionPath::Directory(entries) => (Ok(Arc::from(entries)), true),
            RevisionPath::File(_) | RevisionPath::Missing => (Err(WorldError::Missing(path.to_path_buf())), true),
        })
    }

    fn kind(&self, path: &Path) -> Kind {
        cached(&self.kinds, path, || match self.tree.as_ref().map(|tree| tree.kind(path)) {
            None => {
                let kind = self.kind_on_disk(path);
                (kind, self.kind_belongs(path, kind))
            }
            Some(Err(path)) => (kind_of(&self.on_disk(&path)), true),
            Some(Ok(kind)) => (kind, true),
        })
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        let named = path;
        let path = &*self.on_disk(path);
        let on_disk = |at: &Path| std::fs::canonicalize(at).map_err(|error| read::refused(path, &error));
        if self.version.is_some() {
            return cached(&self.canonical, named, || (on_disk(path), self.target_belongs(named)));
        }
        match self.tree.as_ref().map(|tree| tree.canonical(path)) {
            None => on_disk(path),
            Some(Err(disk)) => on_disk(&disk),
            Some(Ok(found)) => found.ok_or_else(|| WorldError::Missing(path.to_path_buf())),
        }
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        let path = &*self.on_disk(path);
        match self.tree.as_ref().map(|tree| tree.link(path)) {
            None => std::fs::read_link(path).ok(),
            Some(Err(disk)) => std::fs::read_link(disk).ok(),
            Some(Ok(link)) => link,
        }
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        std::env::var(name).ok().map(Arc::from)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).map(Arc::from).collect()
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        if command.runs != Runs::Once {
            return self.commands.run(command, || self.start(command));
        }
        let generation = self.generation.load(Ordering::Relaxed);
        // The lock is held while the command runs, so other nodes wait for its output.
        let mut outputs = self.outputs.lock();
        if let Some((_, answer)) = outputs.get(&command.argv).filter(|(ran_in, _)| *ran_in == generation) {
            return answer.clone();
        }
        let answer = self.start(command);
        outputs.insert(command.argv.clone(), (generation, answer.clone()));
        answer
    }

    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, WorldError> {
        if let Some(known) = self.names.read().get(question) {
            return known.clone();
        }
        let conf = self.read(Path::new("/etc/resolv.conf")).unwrap_or_default();
        let [a, b, ..] = self.random().to_ne_bytes();
        let answer = dns::query(question, &String::from_utf8_lossy(&conf), u16::from_ne_bytes([a, b]));
        // An answer that is incomplete because the compile's time ended is not cached for other nodes.
        catwalk_base::meter::check(|| format!("the name server's answer for {}", question.name));
        self.names.write().insert(question.clone(), answer.clone());
        answer
    }

    fn now(&self) -> Duration {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
    }

    fn random(&self) -> u128 {
        use std::hash::BuildHasher;
        let half = || u128::from(std::collections::hash_map::RandomState::new().hash_one(self.now().as_nanos()));
        (half() << 64) | half()
    }

    fn memory(&self) -> Option<u64> {
        resident_memory()
    }

    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        if request.once
            && let Some(known) = self.responses.read().get(request)
        {
            return Ok(known.clone());
        }
        let generation = self.generation.load(Ordering::Relaxed);
        catwalk_base::meter::check(|| request.url.clone());
        let response = crate::http::fetch(request);
        catwalk_base::meter::check(|| request.url.clone());
        if !request.once {
            return response;
        }
        let response = response?;
        let mut responses = self.responses.write();
        // A response requested before the cache was cleared must not enter it afterwards.
        match self.generation.load(Ordering::Relaxed) == generation {
            true => responses.add(request, response),
            false => Ok(response),
        }
    }

    fn search_ldap(&self, search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        let generation = self.generation.load(Ordering::Relaxed);
        if let Some(known) = self.directories.get(search, generation) {
            return Ok(known);
        }
        catwalk_base::meter::check(|| search.url.clone());
        let answer = crate::ldap::search(search, secrets);
        catwalk_base::meter::check(|| search.url.clone());
        let entries = answer?;
        self.directories.add(search, &entries, generation);
        Ok(entries)
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        let puppetdb = self.puppetdb.read().clone();
        match puppetdb {
            Some(puppetdb) => {
                catwalk_base::meter::check(|| puppetdb.location());
                let answer = puppetdb.query(query);
                catwalk_base::meter::check(|| puppetdb.location());
                answer
            }
            None => Err(WorldError::NotAllowed(Arc::from(
                "querying PuppetDB: set `url` in [puppetdb] of catwalk.toml, or `exported` to a store",
            ))),
        }
    }

    fn has_puppetdb(&self) -> bool {
        self.puppetdb.read().is_some()
    }

    fn generation(&self) -> Option<u64> {
        Some(self.generation.load(Ordering::SeqCst))
    }
}

/// The resident memory of this process in bytes; `None` where the system does not report it.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "about this process: no catalog depends on it")]
pub fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
