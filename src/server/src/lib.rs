//! Puppet's HTTPS protocol for agents: routes, certificates, files of modules.
//!
//! In: addresses, certificates, a [`ServedSite`]. Out: answers that unmodified agents of Puppet 7 and 8 take. Must not: compile, know
//! sessions and stores, print.
//!
//! | module | what |
//! |---|---|
//! | `config` | what a server is set up with |
//! | `connection` | one connection: TLS, HTTP, the rules |
//! | `files` | files of modules, never beyond a module |
//! | `http` | requests taken apart, answers put together |
//! | `pki` | certificates: made, signed, checked |
//! | `routes` | requests answered |
//! | `rules` | which requests there are, who may make them, and what is not built |
//! | `running` | a server: started, reloaded, stopped |
//! | `served_site` | what a server asks of the site behind it |
//! | `work` | threads with a limited queue |
//!
//! The server runs on Unix. Async code ends at `connection`: a [`ServedSite`] is called on threads that may block, whose stack is
//! large enough for compiles.

mod config;
#[cfg(unix)]
mod connection;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod pki;
#[cfg(unix)]
mod routes;
#[cfg(unix)]
mod rules;
#[cfg(unix)]
mod running;
mod served_site;
#[cfg(unix)]
mod work;

pub use config::AuthorityConfig;
pub use config::Autosign;
pub use config::CertificateFiles;
pub use config::CertificateSource;
pub use config::Config;
pub use config::Event;
pub use config::Limits;
pub use config::Log;
pub use config::ServerError;
#[cfg(unix)]
pub use running::Handle;
#[cfg(unix)]
pub use running::Server;
pub use served_site::CatalogRequest;
pub use served_site::Client;
pub use served_site::EnvironmentSettings;
pub use served_site::Failure;
pub use served_site::FailureKind;
pub use served_site::ModuleDirectory;
pub use served_site::NodeRequest;
pub use served_site::ServedSite;

#[cfg(all(test, unix))]
mod tests;
