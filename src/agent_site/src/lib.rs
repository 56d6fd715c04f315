//! A site for agents: environments in memory, their catalogs, and records of requests.
//!
//! In: requests of [`catwalk_server`], changed files. Out: catalogs, nodes, lists of modules; data in a store, commands for PuppetDB,
//! reports in files. Must not: answer requests itself, print.
//!
//! | file | what |
//! |---|---|
//! | `agent_site` | the responses to requests |
//! | `code` | documents about classes and modules |
//! | `environments` | the environments; each is opened with its first request |
//! | `environment` | one environment: each request is answered from one state of its files |
//! | `kept` | the catalogs that an environment keeps |
//! | `follower` | when files have changed, and when the changes are complete |
//! | `facts` | facts in requests of agents, and the latest facts of each node |
//! | `console` | the log of a server: events and messages, each message once |
//! | `sending` | sends the queue of commands to PuppetDB |
//! | `on_behalf` | catalogs that a client other than their node requests |
//! | `puppet_conf` | `puppet.conf` |
//! | `records` | records in the store and in PuppetDB's queue |
//! | `reports` | report processors |

mod agent_site;
mod code;
mod console;
mod environment;
mod environments;
mod facts;
mod follower;
mod kept;
mod on_behalf;
mod puppet_conf;
mod records;
mod reports;
mod sending;
mod serve_log;

pub use agent_site::AgentSite;
pub use agent_site::Keeping;
pub use console::Console;
pub use environment::untrusted_site;
pub use environments::Environments;
pub use environments::Layout;
pub use follower::Detection;
pub use puppet_conf::read_puppet_conf;
pub use records::Records;
pub use records::Submit;
pub use reports::ReportProcessor;
pub use reports::ReportScript;
pub use reports::ReportSender;
pub use reports::without_login;
pub use sending::start as start_sending;
pub use serve_log::ServeLog;
