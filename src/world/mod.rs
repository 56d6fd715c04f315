//! The one door to the outside: everything a compile asks of disk, clock, processes and services goes through [`World`].
//!
//! In: questions. Out: answers, cached for the process ([`Disk`]) or made up for a test ([`Memory`]); [`Recorded`] wraps
//! either, one for each compile, and remembers every question, so that the watcher knows what a catalog depends on,
//! including files that were looked for and not there. Between the two, [`Tape`] writes the answers that are not files of the
//! site to a folder, or gives them from there, so that a site compiles without its outside and always alike (see `tape`).
//! Must not: know the language.

mod asked;
mod boundary;
mod descent;
mod disk;
pub mod dns;
pub mod git;
pub mod glob;
mod guard;
mod http;
mod memory;
mod overlay;
mod pages;
mod recorded;
pub mod tape;
pub mod wall;
pub mod worker;

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use asked::Asked;
pub use asked::Query;
pub use asked::Reply;
pub use boundary::Boundary;
pub use boundary::Outside;
pub use descent::Descent;
pub use disk::DEFAULT_FILE_LIMIT;
pub use disk::Disk;
pub use disk::allow_named_devices;
#[cfg(unix)]
pub use disk::keep_signals;
#[cfg(unix)]
pub use disk::kill_children;
pub use disk::read_file;
pub use guard::Guard;
pub use http::PuppetDb;
pub use memory::Memory;
pub use overlay::Overlay;
pub use pages::small_pages;
pub use pages::touched_by_thread;
pub use recorded::Change;
pub use recorded::Changed;
pub use recorded::Reads;
pub use recorded::Recorded;
pub use tape::Tape;
pub use tape::Tapes;

/// What stands at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing, or nothing that can be reached.
    Missing,
    /// A regular file (links are followed).
    File,
    /// A directory.
    Directory,
}

/// One entry of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name without the directory. Names that are not UTF-8 are left out.
    pub name: Arc<str>,
    /// What it is.
    pub kind: Kind,
    /// Whether it is a symbolic link to that.
    pub link: bool,
}

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is nothing at that path.
    Missing(PathBuf),
    /// It is there but cannot be read; the text is the system's reason.
    Unreadable(PathBuf, Arc<str>),
    /// This world does not answer such questions (no processes in a sandbox).
    NotAllowed(Arc<str>),
    /// A server (its URL) gives no answer; the text says why.
    Unreachable(Arc<str>, Arc<str>),
    /// A replay has no answer to this question; the text says so.
    NoAnswer(Arc<str>),
    /// A process was killed since it printed too much; the text says so.
    Flooded(Arc<str>),
    /// Untrusted code may not ask this; the text says what it tried.
    Untrusted(Arc<str>),
}

/// How the text of [`Refused::Flooded`] begins after the program.
const FLOODED: &str = ": it printed more than ";

impl Refused {
    /// A program that printed more than so many bytes.
    #[must_use]
    pub fn flooded(program: &str, limit: usize) -> Refused {
        Refused::Flooded(Arc::from(format!("{program}{FLOODED}{} MiB and was stopped", limit >> 20)))
    }

    /// A refusal of a program, from the text that a tape kept.
    fn of_program(program: &str, why: &str) -> Refused {
        match why.contains(FLOODED) {
            true => Refused::Flooded(Arc::from(why)),
            false => Refused::Unreadable(PathBuf::from(program), Arc::from(why)),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Missing(path) => write!(f, "No such file or directory: {}", path.display()),
            Refused::Unreadable(path, why) => write!(f, "cannot read {}: {why}", path.display()),
            Refused::NotAllowed(what) => write!(f, "not allowed here: {what}"),
            Refused::Unreachable(url, why) => write!(f, "cannot reach {url}: {why}"),
            Refused::NoAnswer(text) | Refused::Flooded(text) | Refused::Untrusted(text) => f.write_str(text),
        }
    }
}

/// A process to run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Command {
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// Text for its standard input.
    pub stdin: Option<String>,
    /// It is killed after this time, or when the time of the compile that runs it is over.
    pub limit: Duration,
    /// It is killed when it prints more bytes than this.
    pub output: usize,
    /// Whether its answer decides what a catalog holds: a compile that asked is repeated after every change.
    pub decisive: bool,
}

impl Command {
    /// The bytes that a command of a compile may print.
    pub const OUTPUT: usize = 16 << 20;
}

/// What an error quotes of something that was printed or sent: its first kilobyte.
#[must_use]
pub fn excerpt(text: &str) -> std::borrow::Cow<'_, str> {
    const MOST: usize = 1024;
    if text.len() <= MOST {
        return text.into();
    }
    let end = (0..=MOST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    format!("{head} … ({} more bytes)", text.len() - head.len()).into()
}

/// What a process gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Exit status; `None` when it was killed.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: Arc<[u8]>,
    /// Standard error.
    pub stderr: Arc<[u8]>,
}

/// A page to get from a web server.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fetch {
    /// Its address.
    pub url: String,
    /// Name and password.
    pub login: Option<(String, String)>,
    /// A document to post, JSON if the headers do not say otherwise; without one the page is got.
    pub post: Option<String>,
    /// Headers of the request. They may hold secrets: no tape has them.
    pub headers: Vec<(String, String)>,
    /// Who asks.
    pub identity: Identity,
}

/// Who asks a server: certificates in PEM, or a token.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Identity {
    /// The certificate of the authority that signed the server's.
    pub ca: Option<PathBuf>,
    /// Our certificate.
    pub cert: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
    /// The file of a token of Puppet Enterprise's access control; `~/` is the user's home.
    pub token: Option<PathBuf>,
}

/// What a web server gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// The code of its answer.
    pub status: u16,
    /// The page.
    pub body: Arc<[u8]>,
}

/// The closed list of questions.
pub trait World: Send + Sync {
    /// The bytes of a file. The same `Arc` is given while the file is unchanged, so caches may compare by pointer.
    ///
    /// # Errors
    /// Missing or unreadable file.
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused>;

    /// The same for someone who tells elsewhere which parts of the file he used: that its text changed does not count.
    ///
    /// # Errors
    /// As [`World::read`].
    fn read_parts(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.read(path)
    }

    /// The same for someone who tells elsewhere also what it means when the file comes or goes.
    ///
    /// # Errors
    /// As [`World::read`].
    fn read_listed(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.read_parts(path)
    }

    /// The entries of a directory, sorted by name.
    ///
    /// # Errors
    /// Missing or unreadable directory.
    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused>;

    /// The same for someone who tells elsewhere which of the entries count for him.
    ///
    /// # Errors
    /// As [`World::list`].
    fn list_parts(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.list(path)
    }

    /// What stands at a path.
    fn kind(&self, path: &Path) -> Kind;

    /// The path without symbolic links, `.` and `..`, as the system resolves it.
    ///
    /// # Errors
    /// Nothing is there, a directory on the way cannot be searched, or links lead in a circle.
    fn canonical(&self, path: &Path) -> Result<PathBuf, Refused> {
        match self.kind(path) {
            Kind::Missing => Err(Refused::Missing(path.to_path_buf())),
            Kind::File | Kind::Directory => Ok(path.to_path_buf()),
        }
    }

    /// Where a symbolic link leads, as it is written in the link; `None` for everything else. The directories on the way to it
    /// must be none.
    fn link(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<Arc<str>>;

    /// The names of all environment variables, in their order. Each one's value is a question of its own.
    fn env_names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Runs a process.
    ///
    /// # Errors
    /// It cannot be started, or this world runs none.
    fn run(&self, command: &Command) -> Result<Output, Refused>;

    /// The same for a command whose answer holds until something is forgotten: it need not run again before that.
    ///
    /// # Errors
    /// As [`World::run`].
    fn run_once(&self, command: &Command) -> Result<Output, Refused> {
        self.run(command)
    }

    /// Asks the domain name system. The same question has the same answer until everything is forgotten.
    ///
    /// # Errors
    /// No server answers, or this world asks none.
    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, Refused> {
        let asked = format!("the question for {} {} (no name servers in this world)", question.record, question.name);
        Err(Refused::NotAllowed(Arc::from(asked)))
    }

    /// The wall clock: time since 1970-01-01 UTC.
    fn now(&self) -> Duration;

    /// Random bytes for values that are meant to differ (`catalog_uuid`).
    fn random(&self) -> u128;

    /// Bytes of memory that this process holds, where that is known. Decides nothing but whether there is enough.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Gets a page from a web server.
    ///
    /// # Errors
    /// No server answers, or this world has no network.
    fn fetch(&self, asked: &Fetch) -> Result<Fetched, Refused> {
        Err(Refused::NotAllowed(Arc::from(format!("getting {}", asked.url))))
    }

    /// Asks PuppetDB a query, a text of PQL or an AST, and gives its result.
    ///
    /// # Errors
    /// There is no PuppetDB, it does not answer, or it refuses the query.
    fn puppetdb(&self, _query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        Err(Refused::NotAllowed(Arc::from("asking PuppetDB")))
    }

    /// Whether this world has a PuppetDB to ask. Where it has none, there is no function `puppetdb_query` either.
    fn has_puppetdb(&self) -> bool {
        false
    }

    /// A number that is another one as soon as an answer may be another one. While it stays, what was made of answers may
    /// be used again without asking. `None`: this world cannot tell.
    fn generation(&self) -> Option<u64> {
        None
    }

    /// Notes paths (sorted by their texts) as if each had been asked for: what was made of the answers is used again.
    fn touch_all(&self, _paths: &Arc<[OsString]>) {}

    /// The same for files of which only parts were used.
    fn touch_parts(&self, _paths: &Arc<[OsString]>) {}

    /// The same for paths of which it is told elsewhere what they mean.
    fn touch_elsewhere(&self, _paths: &Arc<[OsString]>) {}
}
