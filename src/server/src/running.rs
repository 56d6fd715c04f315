//! Starting, reloading and stopping a server.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;
use std::time::Instant;

use hyper::header::HeaderValue;
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::Resource;
use rustix::process::Rlimit;
use rustix::process::getrlimit;
use rustix::process::setrlimit;
use tokio::sync::Notify;

use crate::auth_conf::AuthInputs;
use crate::auth_conf::AuthRules;
use crate::config::CertificateSource;
use crate::config::Config;
use crate::config::Event;
use crate::config::ServerError;
use crate::connection;
use crate::files::bucket::Bucket;
use crate::files::checksums::Checksums;
use crate::files::fileserver_conf::FileMounts;
use crate::metrics::Metrics;
use crate::pki::trust::FileStamp;
use crate::pki::trust::Trust;
use crate::reload::Signing;
use crate::reload::stamps;
use crate::served_site::Journal;
use crate::served_site::ServedSite;
use catwalk_authority::Authority;
use catwalk_authority::CertificateFiles;
use catwalk_base::diag::Reason;
use catwalk_http::ConnectionLimits;
use catwalk_http::Connections;
use catwalk_http::RequestMemory;
use catwalk_http::Turns;
use catwalk_http::WorkQueue;
use catwalk_world::Disk;
use catwalk_world::World;

/// How often certificates are reloaded, and a CRL that expires soon is replaced.
const MAINTENANCE: Duration = Duration::from_secs(3600);
/// The pause after a connection could not be accepted, usually because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The number of threads for certificates that are fetched.
const CERTIFICATE_THREADS: usize = 2;
/// The number of threads for requests for certificates: they wait for the command that decides about a request.
pub(crate) const SUBMISSION_THREADS: usize = 8;
/// Open files that are not connections: those that requests read, and those of the site.
const RESERVED_FILES: u64 = 512;
/// How many requests for the catalog of one node may wait for its compile.
const WAITING_COMPILES_PER_NODE: usize = 3;
/// Threads for short blocking tasks, in addition to those for requests.
const SPARE_THREADS: usize = 8;
/// Threads for async code, which only moves bytes.
const MAX_ASYNC_THREADS: usize = 4;

/// A server that is ready to serve.
pub struct Server {
    state: Arc<ServerState>,
}

/// The sockets of a server.
pub struct Listeners {
    /// For agents and other clients, over TLS.
    pub agents: Vec<TcpListener>,
    /// For programs of this machine that use the classifier, over plain HTTP without certificates. It must be bound to a loopback address.
    pub classifier: Option<TcpListener>,
}

/// Stops a server or reloads its certificates, from another thread.
#[derive(Clone)]
pub struct Handle {
    state: Arc<ServerState>,
}

/// The state that all requests share.
pub(crate) struct ServerState {
    pub(crate) config: Config,
    pub(crate) site: Arc<dyn ServedSite>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) authority: Option<Authority>,
    pub(crate) checksums: Checksums,
    pub(crate) bucket: Option<Bucket>,
    /// Threads that compile catalogs.
    pub(crate) compiles: WorkQueue,
    /// Threads that return certificates. Clients without a certificate may ask for them, so they must not delay other requests.
    pub(crate) certificates: WorkQueue,
    /// Threads for requests for certificates. Each may wait for the decision of a command, so they must not delay certificates that are signed.
    pub(crate) submissions: WorkQueue,
    /// Threads for all other requests.
    pub(crate) others: WorkQueue,
    /// Limits the compiles of each node to one at a time.
    pub(crate) turns: Turns,
    /// Limits the threads that compute metadata of files for one node to half of `others`: a checksum may take long.
    pub(crate) metadata_turns: Turns,
    /// Limits the memory for bodies of requests.
    pub(crate) memory: RequestMemory,
    /// The time of the last report that too many requests for certificates wait.
    reported_full: Mutex<Option<Instant>>,
    /// The value of `X-Puppet-Version`.
    pub(crate) version: HeaderValue,
    journal: OnceLock<Arc<dyn Journal>>,
    pub(crate) files: CertificateFiles,
    pub(crate) trust: RwLock<Arc<Trust>>,
    /// The files of certificates and CRLs that were last read, or could not be.
    pub(crate) stamps: Mutex<[FileStamp; 2]>,
    /// The changed files that could not be read, and when.
    pub(crate) failed: Mutex<Option<([FileStamp; 2], Instant)>>,
    /// Whether a thread signs stored requests, and whether it is to begin again when it has ended.
    pub(crate) signing: Mutex<Signing>,
    pub(crate) mounts: RwLock<Arc<FileMounts>>,
    pub(crate) auth: RwLock<Option<Arc<AuthRules>>>,
    stop: Notify,
}

/// A request in the journal.
pub(crate) struct JournalEntry<'s> {
    journal: &'s dyn Journal,
    id: u64,
}

impl Drop for JournalEntry<'_> {
    fn drop(&mut self) {
        self.journal.end(self.id);
    }
}

impl ServerState {
    /// The certificates and CRLs in use.
    pub(crate) fn trust(&self) -> Arc<Trust> {
        self.trust.read().clone()
    }

    /// The rules of `auth.conf`, if the server has it.
    pub(crate) fn auth(&self) -> Option<Arc<AuthRules>> {
        self.auth.read().clone()
    }

    /// The mounts of `fileserver.conf`.
    pub(crate) fn mounts(&self) -> Arc<FileMounts> {
        self.mounts.read().clone()
    }

    /// Logs an event.
    pub(crate) fn log(&self, event: &Event) {
        (self.config.log)(event);
    }

    /// Records that a request is being answered, until the returned guard is dropped.
    ///
    /// # Errors
    /// The request must not be answered: a sentence for its client.
    pub(crate) fn begin(&self, request: &str) -> Result<Option<JournalEntry<'_>>, String> {
        let Some(journal) = self.journal.get() else { return Ok(None) };
        Ok(Some(JournalEntry { journal: journal.as_ref(), id: journal.begin(request)? }))
    }

    /// Whether to report that a request for a certificate was refused because too many wait: at most once in [`MAINTENANCE`].
    pub(crate) fn is_first_refusal(&self) -> bool {
        let mut reported = self.reported_full.lock();
        let is_first = reported.is_none_or(|time| time.elapsed() >= MAINTENANCE);
        if is_first {
            *reported = Some(Instant::now());
        }
        is_first
    }
}

impl Server {
    /// Reads the certificates. Creates the certificate authority if it does not exist, which takes seconds.
    ///
    /// # Errors
    /// Certificates cannot be read or written, or do not match each other.
    pub fn new(config: Config, site: Arc<dyn ServedSite>) -> Result<(Server, Handle), ServerError> {
        let (authority, files) = match &config.certificates {
            CertificateSource::Files(files) => (None, files.clone()),
            CertificateSource::Authority(settings) => {
                let authority = Authority::open(settings.clone(), &*config.progress)?;
                let authority = authority.with_max_waiting(config.limits.waiting_certificate_requests);
                let files = authority.files();
                (Some(authority), files)
            }
        };
        let version = HeaderValue::from_str(&config.puppet_version)
            .map_err(|_| ServerError(format!("'{}' is not a version of Puppet", config.puppet_version)))?;
        let bucket = config.bucket.as_ref().map(Bucket::open).transpose();
        let bucket = bucket.map_err(|why| ServerError(Reason::from(why).message.to_string()))?;
        let limits = config.limits.clone();
        let state = Arc::new(ServerState {
            site,
            metrics: config.metrics.clone(),
            authority,
            checksums: Checksums::new(limits.file_bytes),
            bucket,
            compiles: WorkQueue::new(limits.workers, limits.queue),
            certificates: WorkQueue::new(CERTIFICATE_THREADS, limits.queue),
            submissions: WorkQueue::new(SUBMISSION_THREADS, limits.queue),
            others: WorkQueue::new(limits.workers, limits.queue),
            turns: Turns::new(1, WAITING_COMPILES_PER_NODE),
            metadata_turns: Turns::new(limits.workers / 2, limits.connections_per_node),
            memory: RequestMemory::new(
                limits.request_memory,
                (limits.report_bytes.max(limits.facts_bytes), limits.certificate_request_bytes),
                limits.memory_time,
            ),
            reported_full: Mutex::default(),
            version,
            stamps: Mutex::new(stamps(&files)),
            failed: Mutex::default(),
            signing: Mutex::default(),
            trust: RwLock::new(Arc::new(Trust::read(&files)?)),
            mounts: RwLock::new(Arc::new(read_mounts(&config)?)),
            auth: RwLock::new(read_auth(&config)?),
            journal: OnceLock::new(),
            files,
            stop: Notify::new(),
            config,
        });
        state.sign_stored_requests();
        Ok((Server { state: state.clone() }, Handle { state }))
    }

    /// Keeps a record of the requests that are being answered.
    #[must_use]
    pub fn with_journal(self, journal: Arc<dyn Journal>) -> Server {
        // A server has no journal yet.
        let _ = self.state.journal.set(journal);
        self
    }

    /// Serves until [`Handle::stop`] is called and the requests that are running then have ended.
    ///
    /// # Errors
    /// Threads cannot be started, or a listener cannot be used.
    pub fn serve(self, listeners: Listeners) -> Result<(), ServerError> {
        let state = self.state;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(cores.min(MAX_ASYNC_THREADS))
            .max_blocking_threads(
                2 * state.config.limits.workers.max(1) + CERTIFICATE_THREADS + SUBMISSION_THREADS + SPARE_THREADS,
            )
            .thread_name("server")
            // Requests are compiled on these threads.
            .thread_stack_size(catwalk_base::stack::SIZE)
            .on_thread_start(catwalk_base::stack::mark_large)
            .enable_all()
            .build()
            .map_err(|why| ServerError(format!("the server cannot be started: {why}")))?;
        let served = runtime.block_on(run(state, listeners));
        // Compiles that are still running have used up `Limits::stop_time`.
        runtime.shutdown_background();
        served
    }
}

/// Reads a file that the operator named, as UTF-8.
fn read_configuration(path: &Path) -> Result<String, ServerError> {
    let bytes = Disk::new().read(path).map_err(|why| ServerError(why.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| ServerError(format!("{}: it is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}

/// Reads `auth.conf`.
pub(crate) fn read_auth(config: &Config) -> Result<Option<Arc<AuthRules>>, ServerError> {
    let Some(path) = &config.auth else { return Ok(None) };
    let text = read_configuration(path)?;
    let disk = Disk::new();
    let env = |name: &str| disk.env(name).map(|value| value.to_string());
    let inputs = AuthInputs { env: &env, extension_names: &config.extension_names };
    let rules = AuthRules::parse(&text, &path.display().to_string(), &inputs).map_err(ServerError)?;
    Ok(Some(Arc::new(rules)))
}

/// Reads `fileserver.conf`. Logs what Puppet logs about it.
pub(crate) fn read_mounts(config: &Config) -> Result<FileMounts, ServerError> {
    let Some(path) = &config.fileserver else { return Ok(FileMounts::default()) };
    let name = path.display().to_string();
    let text = read_configuration(path)?;
    let (mounts, messages) = FileMounts::parse(&text, &name).map_err(|why| ServerError(format!("{name}: {why}")))?;
    for message in messages {
        (config.log)(&Event::Problem(message));
    }
    Ok(mounts)
}

/// Raises this process's limit of open files as far as needed and allowed. Returns how many connections the limit permits, at most
/// `connections`.
fn raise_open_file_limit(connections: usize) -> usize {
    let needed = connections as u64 + RESERVED_FILES;
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
    let mut current = limit.current.unwrap_or(u64::MAX);
    if current < allowed && setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), ..limit }).is_ok() {
        current = allowed;
    }
    usize::try_from(current.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX).clamp(1, connections.max(1))
}

async fn run(state: Arc<ServerState>, listeners: Listeners) -> Result<(), ServerError> {
    let graceful = Arc::new(GracefulShutdown::new());
    let limits = &state.config.limits;
    let all = raise_open_file_limit(limits.connections);
    let connections = Connections::new(ConnectionLimits {
        all,
        unauthenticated: limits.unauthenticated_connections.min(all / 2),
        per_address: limits.connections_per_address,
        per_node: limits.connections_per_node,
    });
    let mut tasks = Vec::new();
    let Listeners { agents, classifier } = listeners;
    let listeners = agents.into_iter().map(|listener| (listener, true));
    for (listener, is_tls) in listeners.chain(classifier.map(|listener| (listener, false))) {
        let unusable = |why| ServerError(format!("connections cannot be accepted: {why}"));
        listener.set_nonblocking(true).map_err(unusable)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(unusable)?;
        let accepting = accept(state.clone(), (listener, is_tls), graceful.clone(), connections.clone());
        tasks.push(tokio::spawn(accepting));
    }
    tasks.push(tokio::spawn(maintain(state.clone())));
    state.stop.notified().await;
    for task in tasks {
        task.abort();
        // The listener is closed when its task has ended, so that another process can listen on the address.
        let _ = task.await;
    }
    let Some(graceful) = Arc::into_inner(graceful) else { return Ok(()) };
    let ended = tokio::time::timeout(state.config.limits.stop_time, graceful.shutdown()).await;
    if ended.is_err() {
        state.log(&Event::Problem("unfinished requests were cancelled".to_owned()));
    }
    Ok(())
}

async fn accept(
    state: Arc<ServerState>,
    (listener, is_tls): (tokio::net::TcpListener, bool),
    graceful: Arc<GracefulShutdown>,
    connections: Arc<Connections>,
) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Some(slot) = connections.admit(address.ip()) {
                    let id = slot.id();
                    let (state, watcher) = (state.clone(), graceful.watcher());
                    let served = match is_tls {
                        true => tokio::spawn(connection::serve(state, stream, address, slot, watcher)),
                        false => tokio::spawn(connection::serve_plain(state, stream, address, slot, watcher)),
                    };
                    connections.set_task(id, served.abort_handle());
                }
                if let Some(closed) = connections.report() {
                    state.log(&Event::Problem(format!(
                        "{closed} idle connections were closed for new ones, or new ones refused: a client opens too many, or there are more clients than --connections"
                    )));
                }
            }
            Err(why) => {
                state.log(&Event::Problem(format!("a connection cannot be accepted: {why}")));
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Reloads the certificates periodically: a CRL may have been replaced or may expire soon.
async fn maintain(state: Arc<ServerState>) {
    loop {
        tokio::time::sleep(MAINTENANCE).await;
        let for_reload = state.clone();
        if let Ok(Err(why)) = tokio::task::spawn_blocking(move || for_reload.reload()).await {
            state.log(&Event::Problem(why.to_string()));
        }
    }
}

impl Handle {
    /// Stops accepting connections. The server ends when its running requests have ended, at the latest after `Limits::stop_time`.
    pub fn stop(&self) {
        self.state.stop.notify_one();
    }

    /// Reads the server's key and certificate, the certificates of authorities, the CRLs, `auth.conf` and `fileserver.conf` again, and signs the
    /// requests in `requests/` that the autosign policy allows, on a thread of its own. New connections use the new files. Open connections keep
    /// their keys, but each of their requests is checked against the current CRLs.
    ///
    /// # Errors
    /// A file cannot be read: the server keeps using what it has read before, and reads the other files.
    pub fn reload(&self) -> Result<(), ServerError> {
        let reloaded = self.state.reload();
        self.state.sign_stored_requests();
        reloaded
    }
}
