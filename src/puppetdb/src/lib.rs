//! A client for PuppetDB: sends commands and queries, and finds exported resources.
//!
//! In: the addresses of a PuppetDB with certificates, payloads as JSON, a directory for the queue. Out: commands that PuppetDB has
//! accepted or that are still in the queue; the rows of queries. Must not: create payloads, know sites and stores, print.
//!
//! | file | what |
//! |---|---|
//! | `server` | the addresses of PuppetDB, which are tried in turn |
//! | `conf` | the terminus' configuration file `puppetdb.conf` |
//! | `command` | a command and its checksum |
//! | `kept_command` | a command whose catalog is submitted again for later runs |
//! | `check` | the rules of payloads: PuppetDB responds with 200 to invalid ones too, and discards them later |
//! | `submit` | sends one command, with retries |
//! | `queue` | commands that PuppetDB has not accepted yet, each in a file |
//! | `push` | sends the commands of a queue |
//! | `submission` | a queue and the connection for it, with messages about what is left |
//! | `query` | the queries of the function `puppetdb_query` |
//! | `exports` | the exported resources that a collector selects |

mod check;
mod command;
mod conf;
mod exports;
mod kept_command;
mod push;
mod query;
mod queue;
mod server;
mod submission;
mod submit;

pub use command::Command;
pub use command::CommandName;
pub use conf::read_conf;
pub use kept_command::KeptCommand;
pub use kept_command::RunMembers;
pub use push::PushResult;
pub use push::push;
pub use queue::Queue;
pub use queue::QueueError;
pub use queue::QueuedCommand;
pub use queue::ReadError;
pub use server::PuppetDb;
pub use server::check_url;
pub use server::is_url;
pub use submission::Submission;
pub use submission::count_commands;
pub use submission::queue_error;
pub use submit::Failure;
pub use submit::Submitter;
