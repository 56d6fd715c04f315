//! A site for agents: environments in memory, their catalogs, what is kept of each request.
//!
//! In: requests of [`catwalk_server`], files that change. Out: catalogs, nodes, lists of modules; a filled store, commands for PuppetDB,
//! reports in files. Must not: speak HTTP, print.
//!
//! | file | what |
//! |---|---|
//! | `agent_site` | the answers to requests |
//! | `environments` | which environments exist; each is opened with its first request |
//! | `environment` | one environment, which sees every edit |
//! | `facts` | facts as agents send them, and the last ones of each node |
//! | `records` | what is kept: the store, PuppetDB's queue, reports |

mod agent_site;
mod environment;
mod environments;
mod facts;
mod records;

pub use agent_site::AgentSite;
pub use environment::untrusted_site;
pub use environments::Environments;
pub use environments::Layout;
pub use records::Records;
pub use records::Submit;

use catwalk_base::diag::Diagnostic;
use catwalk_base::source::SourceMap;

/// Receives what happens while requests are answered; called from many threads.
pub trait ServeLog: Send + Sync {
    /// A message of a compile of a node, or of the server itself.
    fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>);

    /// A line for people.
    fn note(&self, text: &str);

    /// The site has changed: messages that were printed once may be printed again.
    fn forget(&self);
}
