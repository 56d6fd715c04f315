//! A site for agents: environments in memory, their catalogs, and records of requests.
//!
//! In: requests of [`catwalk_server`], changed files. Out: catalogs, nodes, lists of modules; data in a store, commands for PuppetDB,
//! reports in files. Must not: know HTTP, print.
//!
//! | file | what |
//! |---|---|
//! | `agent_site` | the responses to requests |
//! | `environments` | the environments; each is opened with its first request |
//! | `environment` | one environment, updated after every edit |
//! | `facts` | facts in requests of agents, and the latest facts of each node |
//! | `records` | records in the store, in PuppetDB's queue and in report files |

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

/// Receives messages while requests are handled; called from many threads.
pub trait ServeLog: Send + Sync {
    /// A message of a compile of a node, or of the server itself.
    fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>);

    /// An event, as one line.
    fn note(&self, text: &str);

    /// Called after a change of the site: messages that were printed may be printed again.
    fn forget(&self);
}
