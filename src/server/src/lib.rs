//! Puppet's HTTPS protocol for agents: routes, certificates, files of modules.
//!
//! In: addresses, certificates, a [`ServedSite`]. Out: answers that unmodified agents of Puppet 7 and 8 take. Must not: compile, know
//! sessions and stores, print.
//!
//! | file | what |
//! |---|---|
//! | `served_site` | what a server asks of the site behind it |

mod served_site;

pub use served_site::CatalogRequest;
pub use served_site::Client;
pub use served_site::EnvironmentSettings;
pub use served_site::Failure;
pub use served_site::FailureKind;
pub use served_site::ModuleDirectory;
pub use served_site::NodeRequest;
pub use served_site::ServedSite;
