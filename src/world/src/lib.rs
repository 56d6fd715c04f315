//! All external data: everything a compile reads from disk, clock, processes and services goes through [`World`].
//!
//! In: questions. Out: answers. Must not: know the language.
//!
//! Worlds are layers over each other. A layer answers the questions that it changes; all others go to the world below.
//!
//! | layer | what it changes |
//! |---|---|
//! | [`RecordingWorld`] | nothing; it records one compile's questions in a `ReadLog`, which the watcher compares with changes |
//! | [`worker::restricted`] | refuses questions that isolated scripts may not cause |
//! | [`Tape`] | records the answers of processes, servers and the clock, or replays them |
//! | [`Overlay`] | adds files that a test defines |
//! | [`Disk`] | the lowest: the machine, cached; behind a [`Guard`] for untrusted code |
//! | [`Memory`] | the lowest in tests: files in a map |
//!
//! The layers that refuse ([`worker::restricted`], [`Guard`]) have an access policy: its list of questions is complete, and a question that
//! it lacks is refused (see `access`).

mod access;
mod boundary;
mod cpu_time;
mod descent;
mod disk;
pub mod dns;
pub mod git;
pub mod glob;
mod guard;
mod http;
pub mod ignore_rules;
mod launcher;
mod ldap;
mod memory;
mod memory_pages;
pub mod output;
mod overlay;
#[cfg(unix)]
mod pipes;
mod query;
mod query_service;
mod question;
mod reads;
mod recording_world;
pub mod sandbox;
mod source_walk;
pub mod tape;
mod tree_state;
pub mod worker;

use catwalk_base::diag::Cause;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use boundary::Boundary;
pub use boundary::OutsidePath;
pub use cpu_time::thread_cpu_time;
pub use descent::Descent;
pub use descent::files_below;
pub use disk::CommandRuns;
pub use disk::DEFAULT_FILE_LIMIT;
pub use disk::DEFAULT_RESPONSE_LIMIT;
pub use disk::Disk;
#[cfg(unix)]
pub use disk::Group;
pub use disk::allow_named_devices;
pub use disk::delegate_signals;
pub use disk::ignored_signals;
pub use disk::is_named_device;
#[cfg(unix)]
pub use disk::kill_children;
#[cfg(unix)]
pub use disk::mark_signals_non_fatal;
pub use disk::read_file;
pub use disk::resident_memory;
pub use guard::Guard;
pub use http::HttpClient;
pub use http::status_reason;
pub use http::url_component;
pub use ldap::LdapEntry;
pub use ldap::LdapScope;
pub use ldap::LdapSearch;
pub use ldap::Password;
pub use ldap::check_ldap_filter;
pub use ldap::check_ldap_url;
pub use ldap::escape_filter_value;
pub use memory::Memory;
pub use memory_pages::disable_large_pages;
pub use memory_pages::memory_touched_by_thread;
pub use overlay::Overlay;
#[cfg(unix)]
pub use pipes::End;
#[cfg(unix)]
pub use pipes::Pipes;
pub use query::Exchange;
pub use query::Query;
pub use query::Reply;
pub use query_service::QueryService;
pub use question::World;
pub use reads::Asked;
pub use reads::Change;
pub use reads::Dependency;
pub(crate) use reads::ReadLog;
pub use reads::Reads;
pub use recording_world::RecordingWorld;
pub use source_walk::SourceFiles;
pub use source_walk::source_files;
pub use tape::Tape;
pub use tape::Tapes;
pub use tree_state::TreeState;
pub use tree_state::Trees;

/// The kind of the entry at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Missing or unreachable.
    Missing,
    /// Anything but a directory (links are followed).
    File,
    /// A directory.
    Directory,
}

/// One entry of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name without the directory. Entries whose names are not UTF-8 are left out.
    pub name: Arc<str>,
    /// The kind, with links followed.
    pub kind: Kind,
    /// Whether it is a symbolic link.
    pub link: bool,
}

/// Why a world does not answer a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorldError {
    /// Nothing exists at the path.
    Missing(PathBuf),
    /// It exists but cannot be read; the string is the system's reason.
    Unreadable(PathBuf, Arc<str>),
    /// This world does not answer such questions (no processes in a sandbox).
    NotAllowed(Arc<str>),
    /// A server (its URL) sends no response; the string is the reason.
    Unreachable(Arc<str>, Arc<str>),
    /// A replay has no answer to this question; the string is the message.
    NoAnswer(Arc<str>),
    /// A program exists but may not be started; the string is the system's reason.
    NotExecutable(PathBuf, Arc<str>),
    /// A process was killed because it printed too much; the string is the message.
    Flooded(Arc<str>),
    /// Untrusted code may not ask this; the string names the attempt.
    Untrusted(Arc<str>),
}

/// The beginning of the message of [`WorldError::Flooded`] after the program's name.
const FLOODED: &str = ": it printed more than ";

/// The system's reason of [`WorldError::NotExecutable`], which a tape records.
const DENIED: &str = "Permission denied";

impl WorldError {
    /// The refusal of a program that printed more than `limit` bytes.
    #[must_use]
    pub(crate) fn flooded(program: &str, limit: usize) -> WorldError {
        WorldError::Flooded(Arc::from(format!("{program}{FLOODED}{} MiB and was stopped", limit >> 20)))
    }

    /// The cause of a failure that this error leads to.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match self {
            WorldError::Untrusted(_) => Cause::Forbidden,
            WorldError::NoAnswer(_) => Cause::NotRecorded,
            _ => Cause::Other,
        }
    }

    /// The refusal for a program's error message on a tape.
    fn from_recorded_message(program: &str, why: &str) -> WorldError {
        let why: Arc<str> = Arc::from(why);
        if why.contains(FLOODED) {
            return WorldError::Flooded(why);
        }
        match why.contains(DENIED) {
            true => WorldError::NotExecutable(PathBuf::from(program), why),
            false => WorldError::Unreadable(PathBuf::from(program), why),
        }
    }
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldError::Missing(path) => write!(f, "No such file or directory: {}", path.display()),
            WorldError::Unreadable(path, why) | WorldError::NotExecutable(path, why) => {
                write!(f, "cannot read {}: {why}", path.display())
            }
            WorldError::NotAllowed(what) => write!(f, "not allowed here: {what}"),
            WorldError::Unreachable(url, why) => write!(f, "cannot reach {url}: {why}"),
            WorldError::NoAnswer(text) | WorldError::Flooded(text) | WorldError::Untrusted(text) => f.write_str(text),
        }
    }
}

/// A process to run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Command {
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// Its standard input.
    pub stdin: Option<String>,
    /// It is killed after this time, or at the end of the compile's time.
    pub limit: Duration,
    /// It is killed when it prints more than this many bytes.
    pub output: usize,
    /// How often it runs, and whether a catalog depends on its output.
    pub runs: Runs,
}

/// How often a command runs, and whether a catalog depends on its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Runs {
    /// Each time. A catalog depends on its output: a compile that ran it is repeated after every change.
    Decisive,
    /// Each time. No catalog depends on its output.
    Incidental,
    /// Once; its output is reused until a file changes. No catalog depends on it.
    Once,
}

impl Command {
    /// How many bytes a command of a compile may print.
    pub const OUTPUT: usize = 16 << 20;
}

/// The part of some output or response that an error quotes: its first kilobyte.
#[must_use]
pub fn excerpt(text: &str) -> std::borrow::Cow<'_, str> {
    const MAX_BYTES: usize = 1024;
    if text.len() <= MAX_BYTES {
        return text.into();
    }
    let end = (0..=MAX_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    format!("{head} … ({} more bytes)", text.len() - head.len()).into()
}

/// The output and exit status of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Exit status; `None` when it was killed.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: Arc<[u8]>,
    /// Standard error.
    pub stderr: Arc<[u8]>,
}

/// A request for a page of a web server.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct HttpRequest {
    /// Its address.
    pub url: String,
    /// Name and password.
    pub login: Option<(String, String)>,
    /// A document to post, JSON unless the headers name another type; `None`: a GET request.
    pub post: Option<String>,
    /// Headers of the request. They may hold secrets: no tape has them.
    pub headers: Vec<(String, String)>,
    /// The client's identity.
    pub identity: Identity,
    /// The time limit; `None`: 60 seconds. The compile's deadline applies, too.
    pub timeout: Option<Duration>,
    /// Whether the page is requested only once and then reused until the caches are cleared.
    pub once: bool,
}

/// How the client identifies itself to a server: certificates in PEM, or a token.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Identity {
    /// The certificate of the authority that signed the server's.
    pub ca: Option<PathBuf>,
    /// Our certificate.
    pub cert: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
    /// Revocation lists of the authorities in the server's chain; `None`: revocation is not checked.
    pub crl: Option<PathBuf>,
    /// The file of a token of Puppet Enterprise's access control; `~/` is the user's home.
    pub token: Option<PathBuf>,
}

/// The response of a web server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpResponse {
    /// The HTTP status code.
    pub status: u16,
    /// The page.
    pub body: Arc<[u8]>,
}
