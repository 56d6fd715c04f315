//! A client for PuppetDB: it sends commands, answers queries, and finds exported resources.
//!
//! In: the addresses of a PuppetDB with certificates, payloads as JSON, a directory for the queue. Out: commands that PuppetDB has
//! taken or that are still in the queue; rows. Must not: make payloads, know sites and stores, print.
//!
//! | file | what |
//! |---|---|
//! | `server` | where PuppetDB is; its addresses are tried in turn |
//! | `conf` | `puppetdb.conf` of PuppetDB's terminus |
//! | `command` | one command; its checksum |
//! | `check` | the rules of payloads: PuppetDB answers 200 to anything and discards what breaks them |
//! | `submit` | sends one command, with retries |
//! | `queue` | commands that PuppetDB has not taken yet, a file each |
//! | `push` | sends the queue |
//! | `query` | queries, as the function `puppetdb_query` sends them |
//! | `exports` | exported resources, as collectors select them |

mod check;
mod command;
mod conf;
mod exports;
mod push;
mod query;
mod queue;
mod server;
mod submit;

pub use command::Command;
pub use command::CommandName;
pub use conf::read_conf;
pub use push::Pushed;
pub use push::push;
pub use queue::Queue;
pub use queue::QueueError;
pub use queue::Queued;
pub use queue::ReadError;
pub use server::PuppetDb;
pub use server::check_url;
pub use server::is_url;
pub use submit::Failure;
pub use submit::Submitter;
