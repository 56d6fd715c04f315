//! The settings of a server, and the events that it logs.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::metrics::Metrics;
use crate::served_site::Client;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::AuthorityError;
use catwalk_authority::CertificateFiles;
use catwalk_authority::matches;

/// The settings of a server.
#[derive(Clone)]
pub struct Config {
    /// Where its certificates come from.
    pub certificates: CertificateSource,
    /// The version of Puppet in the header `X-Puppet-Version` of each response.
    pub puppet_version: String,
    /// The clients that may classify any node; every node may classify itself.
    pub classifier_clients: Vec<ClassifierClient>,
    /// Clients that may announce that a deploy is complete, list classes and modules, and request catalogs of other nodes.
    pub deployers: Vec<ClassifierClient>,
    /// Counts requests; the site counts its compiles in the same one.
    pub metrics: Arc<Metrics>,
    /// puppetserver's `auth.conf`: it decides in place of the built-in rules.
    pub auth: Option<PathBuf>,
    /// Short names of certificate extensions that Puppet does not know, with their object identifiers, for `auth`.
    pub extension_names: Vec<(String, String)>,
    /// Puppet's `fileserver.conf`: mounts that serve directories.
    pub fileserver: Option<PathBuf>,
    /// The file bucket, if the server has one.
    pub bucket: Option<BucketConfig>,
    /// Limits on requests.
    pub limits: Limits,
    /// Receives the server's events; called from several threads.
    pub log: Log,
    /// Receives what takes long when an authority is created.
    pub progress: Progress,
}

/// The file bucket of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketConfig {
    /// Its directory, which has no other files.
    pub directory: PathBuf,
    /// The most bytes of all files in it.
    pub max_bytes: u64,
}

/// A function that receives the events of a server.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// A function that receives sentences about what takes long.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Where the certificates of a server come from.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files that an existing certificate authority issued: the server sends its certificate and CRL to agents, and signs nothing.
    Files(CertificateFiles),
    /// A certificate authority in a directory, which is created if it does not exist.
    Authority(AuthorityConfig),
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
                let name = catwalk_certificate::extension_name(name, &[]).unwrap_or_else(|| name.clone());
                client.extensions.iter().any(|found| (&found.0, &found.1) == (&name, value))
            }
        }
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
    /// How many requests of each kind (catalogs, certificates, requests for certificates, others) may wait for a thread; further ones get a 503 with
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
    /// Bytes of a report, and of a file for the file bucket.
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

/// The maximum number of logged characters of a request's path, since any client can send a long one.
const MAX_TARGET: usize = 1000;

/// The path of a request for the log, truncated. Of the query, only the environment is logged, since other parameters may be facts.
#[must_use]
pub fn logged_target(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let environment = query.split('&').find(|part| part.starts_with("environment="));
    let logged = environment.map_or_else(|| path.to_owned(), |environment| format!("{path}?{environment}"));
    match logged.char_indices().nth(MAX_TARGET) {
        Some((end, _)) => format!("{}…", logged.get(..end).unwrap_or_default()),
        None => logged,
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
    /// A certificate was signed or renewed.
    Signed {
        /// The certname.
        certname: String,
    },
    /// A request for a certificate waits to be signed by an operator.
    Waiting {
        /// The certname.
        certname: String,
        /// The SHA-256 digest of the request, as Puppet's agent prints it: `AA:BB:…`.
        fingerprint: String,
        /// Why the policy does not sign it, if it says so.
        reason: Option<String>,
    },
    /// A request for a certificate, or for its renewal, is refused.
    NotSigned {
        /// The certname.
        certname: String,
        /// The reason, as a sentence.
        reason: String,
    },
    /// A client of the authority has revoked a certificate, or removed the files of a node.
    Revoked {
        /// The certname.
        certname: String,
        /// Whether the files were removed.
        is_removed: bool,
    },
    /// The access rules refuse a request.
    Forbidden {
        /// The address of the client.
        client: SocketAddr,
        /// What the endpoint requires, as a sentence.
        reason: &'static str,
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

impl From<AuthorityError> for ServerError {
    fn from(error: AuthorityError) -> ServerError {
        ServerError(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::logged_target;

    #[test]
    fn a_logged_request_has_no_facts() {
        let target = "/puppet/v3/catalog/a?facts=%7Bsecret%7D&environment=production&x=1";
        assert_eq!(logged_target(target), "/puppet/v3/catalog/a?environment=production");
        assert_eq!(logged_target("/puppet/v3/catalog/a?facts=1"), "/puppet/v3/catalog/a");
        assert_eq!(logged_target("/status/v1/simple"), "/status/v1/simple");
        assert_eq!(logged_target(&"ä".repeat(2000)), format!("{}…", "ä".repeat(1000)));
    }
}
