//! A server for Puppet agents over HTTPS: catalogs, certificates, files of modules.
//!
//! In: listening sockets, certificates or a certificate authority, a [`ServedSite`]. Out: responses for unmodified agents of Puppet 7 and 8. Must not: compile, know
//! sessions and stores, print.
//!
//! | module | what |
//! |---|---|
//! | `auth_conf` | `auth.conf`: which clients may send which requests |
//! | `config` | the settings of a server, and the events that it logs |
//! | `connection` | one connection: TLS, HTTP, access rules |
//! | `facts` | facts in requests |
//! | `files` | files of modules for agents |
//! | `puppet_answer`, `refusal` | responses of Puppet and of the classifier service |
//! | `metrics` | counters and times, for monitoring |
//! | `pki` | certificates of clients and of this server: reading, verifying |
//! | `reload` | reads changed certificates and CRLs, signs certificate requests that wait |
//! | `routes` | the handlers of requests |
//! | `rules` | the endpoints and their access rules |
//! | `running` | starting, reloading and stopping a server |
//! | `served_site` | the interface to the site that the server serves |
//!
//! The server runs on Unix. Async code ends at `connection`: a [`ServedSite`] is called on threads that may block and have a stack
//! large enough for compiles.

#[cfg(unix)]
mod auth_conf;
mod config;
#[cfg(unix)]
mod connection;
mod facts;
#[cfg(unix)]
mod files;
mod metrics;
#[cfg(unix)]
mod pki;
#[cfg(unix)]
mod puppet_answer;
#[cfg(unix)]
mod refusal;
#[cfg(unix)]
mod reload;
#[cfg(unix)]
mod routes;
#[cfg(unix)]
mod rules;
#[cfg(unix)]
mod running;
mod served_site;
mod shared_end;

pub use config::BucketConfig;
pub use config::CertificateSource;
pub use config::ClassifierClient;
pub use config::Config;
pub use config::Event;
pub use config::Limits;
pub use config::Log;
pub use config::Progress;
pub use config::ServerError;
pub use config::logged_target;
pub use facts::Facts;
pub use facts::FactsError;
pub use metrics::CompileResult;
pub use metrics::KeptFigures;
pub use metrics::Metrics;
#[cfg(unix)]
pub use running::Handle;
#[cfg(unix)]
pub use running::Listeners;
#[cfg(unix)]
pub use running::Server;
pub use served_site::CatalogDocument;
pub use served_site::CatalogRequest;
pub use served_site::ClassificationFailure;
pub use served_site::ClassificationRequest;
pub use served_site::Client;
pub use served_site::EnvironmentSettings;
pub use served_site::Failure;
pub use served_site::FailureKind;
pub use served_site::Journal;
pub use served_site::ModuleDirectory;
pub use served_site::NodeRequest;
pub use served_site::OnBehalf;
pub use served_site::ServedSite;
pub use shared_end::SharedEnd;

#[cfg(all(test, unix))]
mod tests;
