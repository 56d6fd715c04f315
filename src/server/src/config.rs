//! The settings of a server, and the events that it logs.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::metrics::Metrics;
use crate::served_site::Client;
use catwalk_world::output::Place;

/// The settings of a server.
#[derive(Clone)]
pub struct Config {
    /// Where its certificates come from.
    pub certificates: CertificateSource,
    /// The version of Puppet in the header `X-Puppet-Version` of each response.
    pub puppet_version: String,
    /// The clients that may classify any node; every node may classify itself.
    pub classifier_clients: Vec<ClassifierClient>,
    /// Clients that may announce that a deploy is complete.
    pub deployers: Vec<ClassifierClient>,
    /// Counts requests; the site counts its compiles in the same one.
    pub metrics: Arc<Metrics>,
    /// Limits on requests.
    pub limits: Limits,
    /// Receives the server's events; called from several threads.
    pub log: Log,
}

/// A function that receives the events of a server.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// Where the certificates of a server come from.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files that an existing certificate authority issued: the server sends its certificate and CRL to agents, and signs nothing.
    Files(CertificateFiles),
    /// A certificate authority in a directory, which is created if it does not exist.
    Authority(AuthorityConfig),
}

/// Files in PEM that an existing certificate authority issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificates of all authorities in the chain.
    pub ca: PathBuf,
    /// The server's certificate, optionally followed by intermediate certificates.
    pub certificate: PathBuf,
    /// The server's private key.
    pub key: PathBuf,
    /// A CRL of each authority in the chain.
    pub crl: PathBuf,
}

impl CertificateFiles {
    /// The files of `certname` in Puppet's `ssldir`.
    #[must_use]
    pub fn in_ssldir(ssldir: &Path, certname: &str) -> CertificateFiles {
        CertificateFiles {
            ca: ssldir.join("certs/ca.pem"),
            certificate: ssldir.join(format!("certs/{certname}.pem")),
            key: ssldir.join(format!("private_keys/{certname}.pem")),
            crl: ssldir.join("crl.pem"),
        }
    }
}

/// A certificate authority in a directory, with the same files as Puppet's: `ca_crt.pem`, `ca_key.pem`, `ca_crl.pem`, `serial`,
/// `inventory.txt`, `signed/`, `requests/`. The server's own certificate is `signed/CERTNAME.pem`, its key
/// `private/CERTNAME.pem`.
#[derive(Clone, Debug)]
pub struct AuthorityConfig {
    /// Its directory.
    pub directory: Place,
    /// The server's certname.
    pub certname: String,
    /// Additional DNS names and IP addresses of the server.
    pub alt_names: Vec<String>,
    /// The requests for certificates to sign immediately. All others are stored in `requests/`.
    pub autosign: Autosign,
    /// The size of the RSA key of a new authority, in bits. Puppet uses 4096.
    pub key_bits: usize,
}

/// The requests for certificates to sign immediately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Autosign {
    /// Every request.
    All,
    /// Requests whose certname matches a pattern: a name, or `*.` followed by a domain.
    Names(Vec<String>),
    /// No request.
    None,
}

impl Autosign {
    /// Whether requests of the node `certname` are signed immediately.
    #[must_use]
    pub fn allows(&self, certname: &str) -> bool {
        match self {
            Autosign::All => true,
            Autosign::None => false,
            Autosign::Names(patterns) => patterns.iter().any(|pattern| matches(pattern, certname)),
        }
    }
}

/// Clients that may use the classifier for any node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassifierClient {
    /// Those whose certname matches a pattern: a name, or `*.` followed by a domain.
    Certname(String),
    /// Those whose certificate has this extension, by its short name or OID, with this value.
    Extension(String, String),
}

impl ClassifierClient {
    /// Whether this is the client.
    #[must_use]
    pub(crate) fn is(&self, client: &Client) -> bool {
        match self {
            ClassifierClient::Certname(pattern) => matches(pattern, &client.certname),
            ClassifierClient::Extension(name, value) => {
                client.extensions.iter().any(|found| *found == (name.clone(), value.clone()))
            }
        }
    }
}

/// Whether a pattern of `autosign.conf` matches a name: it is `*`, a name, or `*.` followed by a domain.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some("") => true,
        Some(end) => end.starts_with('.') && name.len() > end.len() && name.ends_with(end),
        None => pattern == name,
    }
}

/// Limits on requests, so that no client can exhaust the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Simultaneous connections, fewer if the system's limit of open files is lower. When this or one of the next limits is reached, the
    /// connection that has been idle for the longest time is closed for a new one.
    pub connections: usize,
    /// Simultaneous connections of clients that have not shown a certificate, at most half of all connections.
    pub unauthenticated_connections: usize,
    /// Of these, the connections from one address (of IPv6: from one network /64).
    pub connections_per_address: usize,
    /// Simultaneous connections of one node.
    pub connections_per_node: usize,
    /// The number of threads that compile catalogs, and of those that handle other requests.
    pub workers: usize,
    /// How many requests of each kind (catalogs, certificates, others) may wait for a thread; further ones get a 503 with
    /// `Retry-After`.
    pub queue: usize,
    /// Bytes of the request line and headers of a request.
    pub header_bytes: usize,
    /// The time limit for a TLS handshake.
    pub handshake_time: Duration,
    /// The time limit for the headers of a request, and so for an idle connection; for clients without a certificate, that for the body
    /// of a request, too.
    pub header_time: Duration,
    /// The time limit for the body of a request.
    pub body_time: Duration,
    /// How long a client may read nothing of a response before the connection is closed.
    pub write_time: Duration,
    /// Bytes of the facts of a node, and of a request for a catalog.
    pub facts_bytes: usize,
    /// Bytes of a report.
    pub report_bytes: usize,
    /// Bytes of a request for a certificate.
    pub certificate_request_bytes: usize,
    /// Bytes of memory for the bodies of all requests that are being read, waiting or answered: a quarter for the bodies, the rest for what is
    /// parsed from them. A request that finds no memory gets a 503 with `Retry-After`.
    pub request_memory: usize,
    /// How long a request waits for memory.
    pub memory_time: Duration,
    /// Requests for certificates that wait for a decision of the operator; further ones are refused.
    pub waiting_certificate_requests: usize,
    /// Files in a response to `file_metadatas`.
    pub files: usize,
    /// Bytes of a file that is served.
    pub file_bytes: u64,
    /// The time that running requests have to finish after a stop.
    pub stop_time: Duration,
}

impl Limits {
    /// The default of [`Limits::connections`].
    pub const CONNECTIONS: usize = 20_000;
    /// The default of [`Limits::request_memory`].
    pub const REQUEST_MEMORY: usize = 512 << 20;
    /// The default of [`Limits::waiting_certificate_requests`].
    pub const WAITING_CERTIFICATE_REQUESTS: usize = 5000;
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            connections: Limits::CONNECTIONS,
            unauthenticated_connections: 1000,
            connections_per_address: 256,
            connections_per_node: 32,
            workers: cores,
            queue: 20 * cores,
            header_bytes: 32 << 10,
            handshake_time: Duration::from_secs(10),
            header_time: Duration::from_secs(30),
            body_time: Duration::from_secs(120),
            write_time: Duration::from_secs(60),
            facts_bytes: 10 << 20,
            report_bytes: 50 << 20,
            certificate_request_bytes: 64 << 10,
            request_memory: Limits::REQUEST_MEMORY,
            memory_time: Duration::from_secs(10),
            waiting_certificate_requests: Limits::WAITING_CERTIFICATE_REQUESTS,
            files: 100_000,
            file_bytes: 1 << 30,
            stop_time: Duration::from_secs(30),
        }
    }
}

/// An event to log.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request was handled.
    Request {
        /// The address of the client.
        client: SocketAddr,
        /// The certname of the client, if it has a certificate.
        certname: Option<String>,
        /// The HTTP method.
        method: String,
        /// The path with its query, percent-encoded as it was sent.
        target: String,
        /// The HTTP status of the response.
        status: u16,
        /// The time from the last byte of the headers to the response.
        time: Duration,
    },
    /// A request for a certificate was signed.
    Certificate {
        /// The certname.
        certname: String,
        /// Always true; see [`Event::Waiting`].
        signed: bool,
    },
    /// A request for a certificate waits to be signed by an operator.
    Waiting {
        /// The certname.
        certname: String,
        /// The SHA-256 digest of the request, as Puppet's agent prints it: `AA:BB:…`.
        fingerprint: String,
    },
    /// The TLS handshake of a connection failed.
    Handshake {
        /// The address of the client.
        client: SocketAddr,
        /// The reason, as a sentence, with the name in the client's certificate if it was refused.
        reason: String,
    },
    /// A problem that an operator should know about, as a sentence.
    Problem(String),
}

/// The reason why a server cannot start or reload its certificates: a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError(pub(crate) String);

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServerError {}
