//! URIs with the rules of Ruby's standard library for parts, printing and comparison.
//!
//! In: strings (`parse`) and hashes of parts (`build`). Out: URIs. Must not: know types.

mod build;
mod merge;
mod parse;
mod rfc2396;

use std::fmt;

use crate::value::Hash;
use crate::value::Value;

/// Ruby's class for the URIs of a scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Kind {
    #[default]
    Generic,
    Http,
    Https,
    Ftp,
    MailTo,
    Ldap,
    Ldaps,
    File,
    Ws,
    Wss,
}

impl Kind {
    fn from_scheme(scheme: Option<&str>) -> Kind {
        match scheme.map(str::to_ascii_lowercase).as_deref() {
            Some("http") => Kind::Http,
            Some("https") => Kind::Https,
            Some("ftp") => Kind::Ftp,
            Some("mailto") => Kind::MailTo,
            Some("ldap") => Kind::Ldap,
            Some("ldaps") => Kind::Ldaps,
            Some("file") => Kind::File,
            Some("ws") => Kind::Ws,
            Some("wss") => Kind::Wss,
            _ => Kind::Generic,
        }
    }

    fn default_port(self) -> Option<i128> {
        Some(match self {
            Kind::Http | Kind::Ws => 80,
            Kind::Https | Kind::Wss => 443,
            Kind::Ftp => 21,
            Kind::Ldap => 389,
            Kind::Ldaps => 636,
            Kind::Generic | Kind::MailTo | Kind::File => return None,
        })
    }
}

/// The parts of a URI as written.
#[derive(Default)]
struct UriParts {
    scheme: Option<String>,
    userinfo: Option<String>,
    host: Option<String>,
    port: Option<i128>,
    path: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
    opaque: Option<String>,
}

/// A URI.
#[derive(Clone, Debug, Default)]
pub struct Uri {
    kind: Kind,
    /// `https`
    scheme: Option<String>,
    /// `user:password`
    userinfo: Option<String>,
    host: Option<String>,
    /// The port as written, or the default port of the scheme.
    port: Option<i128>,
    path: Option<String>,
    /// After `?`.
    query: Option<String>,
    /// After `#`.
    fragment: Option<String>,
    /// Everything after the scheme of a URI without an absolute path: `a@b` in `mailto:a@b`.
    opaque: Option<String>,
    /// The letter after `;type=` in an FTP URI.
    typecode: Option<String>,
    /// Whether it was parsed from a string. A URI that was built is a different hash key.
    parsed: bool,
}

/// Percent-encodes the bytes that `keep` rejects, and removes tabs and line breaks.
fn escape(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes().filter(|byte| !b"\t\r\n".contains(byte)) {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Whether a string contains only ASCII letters, digits, escapes and the characters of `allowed`.
fn contains_only(text: &str, allowed: [&str; 2]) -> bool {
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = match (byte, after) {
            (b'%', [a, b, after @ ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => after,
            (byte, after) if byte.is_ascii_alphanumeric() => after,
            (byte, after) if allowed.iter().any(|allowed| allowed.as_bytes().contains(byte)) => after,
            _ => return false,
        };
    }
    true
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// The path on an FTP server, without the slash after the host; `%2F` begins an absolute path.
fn ftp_path(path: &str) -> String {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.strip_prefix("%2F").map_or_else(|| path.to_owned(), |rest| format!("/{rest}"))
}

/// The reverse of [`ftp_path`].
fn to_url_path(path: &str) -> String {
    path.strip_prefix('/').map_or_else(|| format!("/{path}"), |rest| format!("/%2F{rest}"))
}

/// The error for an invalid URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriError {
    /// The class of the error that Ruby's library raises.
    pub class: &'static str,
    /// The message.
    pub message: String,
}

impl UriError {
    fn new(class: &'static str, message: impl Into<String>) -> UriError {
        UriError { class, message: message.into() }
    }

    /// An error about the whole URI.
    fn uri(message: impl Into<String>) -> UriError {
        UriError::new("URI::InvalidURIError", message)
    }

    /// An error about one part.
    fn component(message: impl Into<String>) -> UriError {
        UriError::new("URI::InvalidComponentError", message)
    }
}

impl From<UriError> for String {
    fn from(error: UriError) -> String {
        error.message
    }
}

impl Uri {
    /// The names of the readable parts.
    pub const MEMBERS: [&'static str; 8] =
        ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

    /// Creates a URI from its parts as Ruby's class for the scheme does. (`URI::Generic#initialize` and its overrides)
    fn from_parts(parts: UriParts, parsed: bool) -> Result<Uri, UriError> {
        let kind = Kind::from_scheme(parts.scheme.as_deref());
        let mut uri = Uri {
            kind,
            scheme: parts.scheme.map(|scheme| scheme.to_lowercase()),
            userinfo: parts.userinfo.filter(|userinfo| !userinfo.is_empty()),
            host: parts.host,
            port: parts.port,
            path: parts.path,
            query: parts.query.map(|query| escape_query(&query)).transpose()?,
            fragment: parts.fragment.map(|fragment| escape(&fragment, |byte| byte.is_ascii_graphic())),
            opaque: parts.opaque,
            typecode: None,
            parsed,
        };
        match kind {
            Kind::Ftp => uri.read_ftp()?,
            Kind::File => {
                uri.host = Some(uri.host.filter(|host| host != "localhost").unwrap_or_default());
                (uri.userinfo, uri.port) = (None, None);
            }
            _ => {}
        }
        if uri.path.is_none() && uri.opaque.is_none() {
            uri.path = Some(String::new());
        }
        uri.port = uri.port.or(kind.default_port());
        match kind {
            Kind::MailTo => uri.read_mail()?,
            Kind::Ldap | Kind::Ldaps if uri.fragment.is_some() || uri.path.is_none() => {
                return Err(UriError::uri("bad LDAP URL"));
            }
            _ => {}
        }
        Ok(uri)
    }

    fn read_ftp(&mut self) -> Result<(), UriError> {
        let Some(path) = &self.path else { return Err(UriError::uri("URI::InvalidURIError")) };
        let path = if self.parsed { ftp_path(path) } else { path.clone() };
        let path = to_url_path(&path);
        let (path, typecode) = match path.split_once(";type=") {
            Some((path, typecode)) => (path.to_owned(), Some(typecode.to_owned())),
            None => (path, None),
        };
        if let Some(typecode) = typecode.as_deref().filter(|code| !self.parsed && !["a", "i", "d"].contains(code)) {
            return Err(UriError::component(format!("bad typecode(expected a, i, d): {typecode}")));
        }
        (self.path, self.typecode) = (Some(path), typecode);
        Ok(())
    }

    fn read_mail(&mut self) -> Result<(), UriError> {
        if let (Some(query), None) = (&self.query, &self.opaque) {
            self.opaque = Some(format!("?{query}"));
        }
        let Some(opaque) = &self.opaque else { return Err(UriError::component("missing opaque part for mailto URL")) };
        let to = opaque.split_once('?').map_or(&**opaque, |(to, _)| to);
        let list = to.strip_suffix([',', ';']).unwrap_or(to);
        let address = |text: &str| {
            let parts = text.split_once('@');
            parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        };
        if !to.is_empty() && !list.split([',', ';']).all(address) {
            return Err(UriError::component(format!("unrecognised opaque part for mailtoURL: {opaque}")));
        }
        Ok(())
    }

    /// The path that Ruby's method `path` returns.
    fn path_in_ruby(&self) -> Option<String> {
        let path = self.path.as_deref()?;
        Some(if self.kind == Kind::Ftp { ftp_path(path) } else { path.to_owned() })
    }

    /// The name of Ruby's class: some schemes have their own.
    pub fn class_name(&self) -> &'static str {
        match self.kind {
            Kind::Generic => "URI::Generic",
            Kind::Http => "URI::HTTP",
            Kind::Https => "URI::HTTPS",
            Kind::Ftp => "URI::FTP",
            Kind::MailTo => "URI::MailTo",
            Kind::Ldap => "URI::LDAP",
            Kind::Ldaps => "URI::LDAPS",
            Kind::File => "URI::File",
            Kind::Ws => "URI::WS",
            Kind::Wss => "URI::WSS",
        }
    }

    /// A part by its name: `scheme`, `userinfo`, `host`, `port`, `path`, `query`, `fragment`, `opaque`.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<Value> {
        let part = match name {
            "scheme" => &self.scheme,
            "userinfo" => &self.userinfo,
            "host" => &self.host,
            "port" => return self.port.map(Value::integer),
            "path" => return self.path_in_ruby().map(Value::from),
            "query" => &self.query,
            "fragment" => &self.fragment,
            "opaque" => &self.opaque,
            _ => return None,
        };
        part.as_deref().map(Value::str)
    }

    /// The parts as the parameters of the type `URI[{…}]`; `None` when there are none.
    #[must_use]
    pub(crate) fn type_parameters(&self) -> Option<Hash> {
        let mut parts = Hash::new();
        let mut set = |name: &str, part: &Option<String>, keep_empty: bool| {
            if let Some(part) = part.as_ref().filter(|part| keep_empty || !part.is_empty()) {
                parts.set(name, Value::str(part));
            }
        };
        let scheme = self.scheme.as_ref().map(|scheme| scheme.to_lowercase());
        set("scheme", &scheme, true);
        set("userinfo", &self.userinfo, true);
        set("host", &self.host.as_ref().map(|host| host.to_lowercase()), false);
        let standard = matches!((scheme.as_deref(), self.port), (Some("http"), Some(80)) | (Some("https"), Some(443)));
        set("port", &self.port.filter(|_| !standard).map(|port| port.to_string()), true);
        set("path", &self.path_in_ruby(), false);
        set("query", &self.query, true);
        set("fragment", &self.fragment, true);
        set("opaque", &self.opaque, true);
        (!parts.is_empty()).then_some(parts)
    }
}

impl Uri {
    /// The parts that Ruby's class compares; `None` for parts that the class does not have. (`component_ary`)
    fn components(&self) -> [Option<String>; 9] {
        let unless = |kinds: &[Kind], part: &Option<String>| part.clone().filter(|_| !kinds.contains(&self.kind));
        let mail = self.kind == Kind::MailTo;
        let ldap = [Kind::Ldap, Kind::Ldaps, Kind::MailTo];
        let opaque = if self.kind == Kind::Generic || mail { self.opaque.clone() } else { None };
        [
            self.scheme.clone(),
            unless(&ldap, &self.userinfo),
            unless(&[Kind::MailTo], &self.host),
            self.port.map(|port| port.to_string()),
            self.path_in_ruby().filter(|_| !mail),
            unless(&[Kind::File, Kind::Ftp, Kind::MailTo], &self.query),
            unless(&[Kind::Ws, Kind::Wss, Kind::File, Kind::Ftp, Kind::MailTo], &self.fragment),
            opaque,
            self.typecode.clone(),
        ]
    }

    /// Compares like `URI::Generic#==`: the case of scheme and host is ignored, and an empty path equals `/`.
    #[must_use]
    pub fn equals_in_ruby(&self, other: &Uri) -> bool {
        let normal = |uri: &Uri| {
            let path = uri.path.clone().map(|path| if path.is_empty() { "/".to_owned() } else { path });
            let lower = |part: &Option<String>| part.as_ref().map(|part| part.to_lowercase());
            Uri { scheme: lower(&uri.scheme), host: lower(&uri.host), path, ..uri.clone() }.components()
        };
        self.kind == other.kind && normal(self) == normal(other)
    }

    /// The headers of a `mailto` URI: `?a=b&c=d`, or an empty string.
    fn headers(&self) -> String {
        let headers =
            self.opaque.as_deref().and_then(|opaque| opaque.split_once('?')).map_or("", |(_, headers)| headers);
        match headers.trim_end_matches('&') {
            "" => String::new(),
            headers => format!("?{headers}"),
        }
    }
}

/// Checks and escapes a query. (`URI::Generic#query=`)
fn escape_query(query: &str) -> Result<String, UriError> {
    let wrong = |three: &&[u8]| matches!(three, [b'%', a, b] if !a.is_ascii_hexdigit() && !b.is_ascii_hexdigit());
    if let Some(wrong) = query.as_bytes().windows(3).find(wrong) {
        return Err(UriError::uri(format!("invalid percent escape: {}", String::from_utf8_lossy(wrong))));
    }
    Ok(escape(query, |byte| byte.is_ascii_graphic() && !b"\"#'<>`".contains(&byte)))
}

/// Equality of hash keys (`URI::Generic#eql?`).
impl PartialEq for Uri {
    fn eq(&self, other: &Uri) -> bool {
        self.kind == other.kind && self.parsed == other.parsed && self.components() == other.components()
    }
}
impl Eq for Uri {}
impl std::hash::Hash for Uri {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.components().hash(state);
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        match &self.opaque {
            Some(opaque) if self.kind == Kind::MailTo => {
                f.write_str(opaque.split_once('?').map_or(&**opaque, |(to, _)| to))?;
                f.write_str(&self.headers())?;
            }
            Some(opaque) => f.write_str(opaque)?,
            None => {
                if self.host.is_some() || matches!(self.scheme.as_deref(), Some("file" | "postgres")) {
                    f.write_str("//")?;
                }
                if let Some(userinfo) = &self.userinfo {
                    write!(f, "{userinfo}@")?;
                }
                f.write_str(self.host.as_deref().unwrap_or_default())?;
                if let Some(port) = self.port.filter(|port| Some(*port) != self.kind.default_port()) {
                    write!(f, ":{port}")?;
                }
                f.write_str(self.path.as_deref().unwrap_or_default())?;
                if let Some(typecode) = &self.typecode {
                    write!(f, ";type={typecode}")?;
                }
                if let Some(query) = &self.query {
                    write!(f, "?{query}")?;
                }
            }
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}
