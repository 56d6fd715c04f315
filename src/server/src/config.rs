//! What a server is set up with.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a server.
#[derive(Clone)]
pub struct Config {
    /// Where its certificates come from.
    pub certificates: CertificateSource,
    /// The version of Puppet that each answer states in `X-Puppet-Version`.
    pub puppet_version: String,
    /// Limits on requests.
    pub limits: Limits,
    /// Receives what happens; called from many threads.
    pub log: Log,
}

/// Receives what happens in a server.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// Where the certificates of a server come from.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files that an existing certificate authority issued: the server hands out its certificate and CRL, and signs nothing.
    Files(CertificateFiles),
    /// A certificate authority in a directory, which is made where it does not exist.
    Authority(AuthorityConfig),
}

/// Files in PEM that an existing certificate authority issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificates of all authorities of the chain.
    pub ca: PathBuf,
    /// The server's certificate; intermediate ones may follow.
    pub certificate: PathBuf,
    /// The server's private key.
    pub key: PathBuf,
    /// A CRL of each authority of the chain.
    pub crl: PathBuf,
}

impl CertificateFiles {
    /// The files of `certname` in an `ssldir` of Puppet.
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

/// A certificate authority in a directory, with the files that Puppet's has: `ca_crt.pem`, `ca_key.pem`, `ca_crl.pem`, `serial`,
/// `inventory.txt`, `signed/`, `requests/`. The server's own certificate is `signed/CERTNAME.pem`, its key
/// `private/CERTNAME.pem`.
#[derive(Clone, Debug)]
pub struct AuthorityConfig {
    /// Its directory.
    pub directory: PathBuf,
    /// The server's certname.
    pub certname: String,
    /// Further DNS names and IP addresses by which agents reach the server.
    pub alt_names: Vec<String>,
    /// Which requests for certificates are signed at once. All others are kept in `requests/`.
    pub autosign: Autosign,
    /// The size of the RSA key of a new authority in bits. Puppet's is 4096.
    pub key_bits: usize,
}

/// Which requests for certificates are signed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Autosign {
    /// All.
    All,
    /// Those whose certname matches a pattern: a name, or `*.` and the end of names.
    Names(Vec<String>),
    /// None.
    None,
}

impl Autosign {
    /// Whether requests of a node are signed.
    #[must_use]
    pub fn names(&self, certname: &str) -> bool {
        match self {
            Autosign::All => true,
            Autosign::None => false,
            Autosign::Names(patterns) => patterns.iter().any(|pattern| matches(pattern, certname)),
        }
    }
}

/// Whether a pattern of `autosign.conf` is that of a name: a name, or `*.` and the end of names.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some("") => true,
        Some(end) => end.starts_with('.') && name.len() > end.len() && name.ends_with(end),
        None => pattern == name,
    }
}

/// Limits on requests, so that no client can use up the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once, as far as the system allows that many open files; more wait.
    pub connections: usize,
    /// Catalogs that are compiled at once; as many other requests are answered at once. Each takes a thread.
    pub workers: usize,
    /// Requests of each kind (catalogs, certificates, others) that wait for a thread; beyond them 503 with `Retry-After`.
    pub queue: usize,
    /// Bytes of a request line with its headers.
    pub header_bytes: usize,
    /// The time for a TLS handshake, and that for the headers of a request: a connection may be idle for this long.
    pub header_time: Duration,
    /// The time for the body of a request.
    pub body_time: Duration,
    /// The time in which a client has to take some part of an answer.
    pub write_time: Duration,
    /// Bytes of facts: the body of a request for a catalog.
    pub facts_bytes: usize,
    /// Bytes of a report.
    pub report_bytes: usize,
    /// Bytes of a request for a certificate.
    pub certificate_request_bytes: usize,
    /// Entries in an answer with the metadata of files.
    pub files: usize,
    /// Bytes of a file that is served.
    pub file_bytes: u64,
    /// The time that running requests have after a stop.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            connections: 20_000,
            workers: cores,
            queue: 20 * cores,
            header_bytes: 64 << 10,
            header_time: Duration::from_secs(30),
            body_time: Duration::from_secs(120),
            write_time: Duration::from_secs(60),
            facts_bytes: 10 << 20,
            report_bytes: 50 << 20,
            certificate_request_bytes: 64 << 10,
            files: 100_000,
            file_bytes: 1 << 30,
            stop_time: Duration::from_secs(30),
        }
    }
}

/// Something that happened in a server.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request was answered.
    Request {
        /// The address of the client.
        client: SocketAddr,
        /// The certname of the client, if it has a certificate.
        certname: Option<String>,
        /// The method.
        method: String,
        /// The path with its query, percent-encoded as it was sent.
        target: String,
        /// The status.
        status: u16,
        /// The time from the last byte of the headers to the answer.
        time: Duration,
    },
    /// A certificate was signed or a request for one kept.
    Certificate {
        /// The certname.
        certname: String,
        /// Whether it was signed.
        signed: bool,
    },
    /// A connection ended before its first request: TLS failed.
    Handshake {
        /// The address of the client.
        client: SocketAddr,
        /// Why, as a sentence.
        reason: String,
    },
    /// Something failed that no client is to blame for or that an operator should know, as a sentence.
    Problem(String),
}

/// A server cannot start, or its certificates cannot be read: a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError(pub(crate) String);

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServerError {}
