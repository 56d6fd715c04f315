//! Queries to processes and servers with their replies. No file shows when a reply would change, so they are sent again.
//!
//! In: the query of a compile. Out: the current reply. Must not: cache replies.

use crate::Command;
use crate::HttpRequest;
use crate::HttpResponse;
use crate::LdapEntry;
use crate::LdapSearch;
use crate::Output;
use crate::World;
use crate::WorldError;
use catwalk_base::secrets::SecretCollection;
use std::sync::Arc;

/// A query to a process or server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// A process.
    Run(Command),
    /// A page of a web server.
    Fetch(HttpRequest),
    /// A search in a directory.
    SearchLdap(LdapSearch),
    /// A query of PuppetDB, as JSON.
    PuppetDb(String),
}

/// The reply to a [`Query`].
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// The output of a process.
    Run(Result<Output, WorldError>),
    /// The response of a web server.
    Fetch(Result<HttpResponse, WorldError>),
    /// The entries of a directory.
    SearchLdap(Result<Arc<[LdapEntry]>, WorldError>),
    /// The result of a PuppetDB query.
    PuppetDb(Result<serde_json::Value, WorldError>),
}

/// A query with its reply.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    /// The query.
    pub query: Query,
    /// The reply.
    pub reply: Reply,
}

impl Query {
    /// Who is asked, without arguments, which may be secret: the program, or the kind of service.
    #[must_use]
    pub fn recipient(&self) -> String {
        match self {
            Query::Run(command) => format!("the command {}", command.argv.first().map_or("", String::as_str)),
            Query::Fetch(_) => "a web server".to_owned(),
            Query::SearchLdap(_) => "an LDAP directory".to_owned(),
            Query::PuppetDb(_) => "PuppetDB".to_owned(),
        }
    }

    /// Sends the query.
    #[must_use]
    pub fn send(&self, world: &dyn World, secrets: &SecretCollection) -> Reply {
        match self {
            Query::Run(command) => Reply::Run(world.run(command)),
            Query::Fetch(page) => Reply::Fetch(world.fetch(page)),
            Query::SearchLdap(search) => Reply::SearchLdap(world.search_ldap(search, secrets)),
            Query::PuppetDb(text) => Reply::PuppetDb(world.puppetdb(&serde_json::from_str(text).unwrap_or_default())),
        }
    }
}
