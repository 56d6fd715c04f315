//! Puppet's HTTPS protocol for agents: routes, certificates, files of modules.
//!
//! In: addresses, certificates, a [`ServedSite`]. Out: answers that unmodified agents of Puppet 7 and 8 take. Must not: compile, know
//! sessions and stores, print.
//!
//! | file | what |
//! |---|---|
//! | `served_site` | what a server asks of the site behind it |

mod config;
mod running;
mod served_site;

pub use config::AuthorityConfig;
pub use config::Autosign;
pub use config::CertificateFiles;
pub use config::CertificateSource;
pub use config::Config;
pub use config::Event;
pub use config::Limits;
pub use config::Log;
pub use config::ServerError;
pub use running::Handle;
pub use running::Server;
pub use served_site::CatalogRequest;
pub use served_site::Client;
pub use served_site::EnvironmentSettings;
pub use served_site::Failure;
pub use served_site::FailureKind;
pub use served_site::ModuleDirectory;
pub use served_site::NodeRequest;
pub use served_site::ServedSite;
