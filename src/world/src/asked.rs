//! Questions to processes and servers with their answers: no path tells when these change, so they are asked again.
//!
//! In: what a compile asked. Out: whether it would get the same now. Must not: remember by itself.

use crate::Command;
use crate::Fetch;
use crate::Fetched;
use crate::Output;
use crate::Refused;
use crate::World;

/// A question to a process or server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// A process.
    Run(Command),
    /// A page of a web server.
    Fetch(Fetch),
    /// A query of PuppetDB, as JSON.
    PuppetDb(String),
}

/// Its answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// Of a process.
    Run(Result<Output, Refused>),
    /// Of a web server.
    Fetch(Result<Fetched, Refused>),
    /// Of PuppetDB.
    PuppetDb(Result<serde_json::Value, Refused>),
}

/// A question that was answered.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The question.
    pub query: Query,
    /// The answer.
    pub reply: Reply,
}

impl Query {
    /// Asks it.
    #[must_use]
    pub fn ask(&self, world: &dyn World) -> Reply {
        match self {
            Query::Run(command) => Reply::Run(world.run(command)),
            Query::Fetch(page) => Reply::Fetch(world.fetch(page)),
            Query::PuppetDb(text) => Reply::PuppetDb(world.puppetdb(&serde_json::from_str(text).unwrap_or_default())),
        }
    }
}
