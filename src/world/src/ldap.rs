//! Searches in LDAP directories.
//!
//! In: the address of a server, a base, a filter. Out: the entries that the server finds. A search opens a connection, logs in (anonymously
//! without a name), asks once and closes it. Referrals to other servers are not followed. Must not: know what entries mean, or write the
//! password anywhere but into the connection.
//!
//! The crate `ldap3` encodes requests and parses filters. Its connection is not used: it panics when a server sends malformed messages, and
//! it has no limit of their size.
//!
//! | file | what |
//! |---|---|
//! | `address` | URLs of servers |
//! | `connection` | a TCP or TLS connection with one deadline |
//! | `messages` | requests and responses as bytes |

mod address;
mod connection;
mod messages;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Identity;
use crate::WorldError;
use catwalk_base::secrets::SecretCollection;
use connection::Connection;
use messages::Response;

pub use address::check_url as check_ldap_url;
pub use ldap3::ldap_escape as escape_filter_value;
pub use messages::check_filter as check_ldap_filter;

/// The default time limit of a search.
const LIMIT: Duration = Duration::from_secs(60);
/// The longest time limit that can be configured: the clock cannot count to every time.
const MAX_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// How much of a server's message is quoted, in characters.
const MAX_QUOTED: usize = 300;
/// The most entries of an answer.
const MAX_ENTRIES: usize = 10_000;

/// A search in a directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LdapSearch {
    /// The server: `ldap://ldap.example.com`, `ldaps://ldap.example.com:636`.
    pub url: String,
    /// Whether a connection to `ldap://` continues with TLS (StartTLS).
    pub start_tls: bool,
    /// The DN and password to log in with; `None`: anonymous.
    pub login: Option<(String, Password)>,
    /// Certificates in PEM; the token is unused.
    pub identity: Identity,
    /// The DN where the search begins.
    pub base: String,
    /// Which entries below the base are searched.
    pub scope: LdapScope,
    /// The filter (RFC 4515).
    pub filter: String,
    /// The attributes to return; if empty, all.
    pub attributes: Vec<String>,
    /// The time limit; `None`: 60 seconds. The compile's deadline applies, too.
    pub timeout: Option<Duration>,
}

/// A password, which is not printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Password {
    /// The password itself.
    Text(String),
    /// The file that holds it, which only its owner or group may read.
    File(PathBuf),
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Which entries are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LdapScope {
    /// The base itself.
    Base,
    /// Its children.
    One,
    /// The base and everything below it.
    #[default]
    Sub,
}

impl LdapScope {
    /// The scope with a name of LDAP URLs: `base`, `one`, `sub`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<LdapScope> {
        [LdapScope::Base, LdapScope::One, LdapScope::Sub].into_iter().find(|scope| scope.as_str() == name)
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LdapScope::Base => "base",
            LdapScope::One => "one",
            LdapScope::Sub => "sub",
        }
    }
}

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LdapEntry {
    /// Its distinguished name.
    pub dn: String,
    /// Its attributes with their values, in the server's order.
    pub attributes: Vec<(String, Vec<Arc<[u8]>>)>,
}

impl LdapEntry {
    /// The values of an attribute; the case of its name does not matter.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<&[Arc<[u8]>]> {
        let mut attributes = self.attributes.iter();
        attributes.find(|(attribute, _)| attribute.eq_ignore_ascii_case(name)).map(|(_, values)| values.as_slice())
    }

    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        let values = |values: &[Arc<[u8]>]| values.iter().map(|value| value.len() + 32).sum::<usize>();
        self.dn.len() + self.attributes.iter().map(|(name, all)| name.len() + values(all) + 64).sum::<usize>()
    }
}

/// Searches a directory.
pub(super) fn search(search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
    let limit = search.timeout.unwrap_or(LIMIT).min(MAX_LIMIT);
    let limit = catwalk_base::meter::time_left().map_or(limit, |left| left.min(limit));
    let (name, password) = match &search.login {
        None => ("", Cow::Borrowed("")),
        Some((name, Password::Text(password))) => (name.as_str(), Cow::Borrowed(password.as_str())),
        Some((name, Password::File(path))) => (name.as_str(), Cow::Owned(read_password(path, secrets)?)),
    };
    let failed = |why: &str| {
        // A server may repeat the password in its messages. They are cut afterwards, since a cut password would not be found.
        let why = if password.is_empty() { why.to_owned() } else { why.replace(&*password, "[password]") };
        let why: String = why.chars().take(MAX_QUOTED).collect();
        WorldError::Unreachable(Arc::from(search.url.as_str()), Arc::from(why))
    };
    let address = address::parse(&search.url).map_err(|why| failed(&why))?;
    let filter = messages::parse_filter(&search.filter).map_err(|why| failed(&why))?;
    // Files of certificates are read first: their errors do not concern the server.
    let tls = match address.is_tls || search.start_tls {
        true => Some(crate::http::tls::config(&search.identity)?),
        false => None,
    };
    let converse = || {
        let mut connection = Connection::open(&address, limit)?;
        if let Some(tls) = tls {
            if !address.is_tls {
                connection.send(&messages::start_tls(1)?)?;
                connection.receive_result(1, messages::EXTENDED, "it refuses TLS")?;
            }
            connection = connection.encrypt(tls, &address.host, search.identity.crl.as_deref())?;
        }
        connection.send(&messages::bind(2, name, &password)?)?;
        let refused = if name.is_empty() { "it refuses anonymous users" } else { "it refuses the login" };
        connection.receive_result(2, messages::BIND, refused)?;
        connection.send(&messages::search(3, search, filter)?)?;
        let entries = receive_entries(&mut connection)?;
        // The server closes the connection on its own if it does not get this.
        let _ = connection.send(&messages::unbind(4)?);
        Ok(entries)
    };
    converse().map(Arc::from).map_err(|why: String| failed(&why))
}

/// The password in a file, its first line, which is reported to `secrets`.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn read_password(path: &Path, secrets: &SecretCollection) -> Result<String, WorldError> {
    let invalid = |why: &str| WorldError::Unreadable(path.to_path_buf(), Arc::from(why));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = std::fs::metadata(path).map_err(|error| invalid(&error.to_string()))?;
        if metadata.permissions().mode() & 0o004 != 0 {
            return Err(invalid("it holds a password, and every user may read it (chmod o-r)"));
        }
    }
    let bytes = crate::read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| invalid("it is not UTF-8"))?;
    let password = text.lines().next().unwrap_or_default();
    if password.is_empty() {
        return Err(invalid("it holds no password"));
    }
    secrets.report(password);
    Ok(password.to_owned())
}

fn receive_entries(connection: &mut Connection) -> Result<Vec<LdapEntry>, String> {
    let mut entries = Vec::new();
    loop {
        match connection.receive(3)? {
            Response::Entry(_) if entries.len() == MAX_ENTRIES => {
                return Err(format!("it finds more than {MAX_ENTRIES} entries"));
            }
            Response::Entry(entry) => entries.push(entry),
            Response::Other => {}
            Response::Result(messages::SEARCH_DONE, result) => {
                return result.check("the search failed").map(|()| entries);
            }
            Response::Result(..) => return Err(messages::NONSENSE.to_owned()),
        }
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::indexing_slicing, reason = "tests")]
mod tests;
