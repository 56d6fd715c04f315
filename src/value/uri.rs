//! URIs as Ruby's standard library splits them.

use std::fmt;

use crate::value::Hash;
use crate::value::Value;

/// A parsed URI.
#[derive(Clone, Debug, Default)]
pub struct Uri {
    /// `https`
    pub scheme: Option<String>,
    /// `user:password`
    pub userinfo: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The port that was written, or the scheme's own.
    pub port: Option<i64>,
    /// The path.
    pub path: Option<String>,
    /// After `?`.
    pub query: Option<String>,
    /// After `#`.
    pub fragment: Option<String>,
    /// Everything after the scheme where no path starts with a slash: `mailto:a@b`.
    pub opaque: Option<String>,
    explicit_port: bool,
}

fn default_port(scheme: &str) -> Option<i64> {
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

/// Two hexadecimal digits follow each `%`.
fn well_escaped(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let mut digits = after.bytes();
        let mut next = || digits.next().is_some_and(|byte| byte.is_ascii_hexdigit());
        next() && next()
    })
}

impl Uri {
    /// The names of the parts that code can ask for.
    pub const MEMBERS: [&'static str; 8] =
        ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

    /// Parses a URI.
    ///
    /// # Errors
    /// Ruby's message: `bad URI(is not URI?): "…"`.
    pub fn parse(text: &str) -> Result<Uri, String> {
        let bad = || format!("bad URI(is not URI?): {text:?}");
        if text.chars().any(|c| !is_legal(c)) || !well_escaped(text) {
            return Err(bad());
        }
        let mut uri = Uri::default();
        let (rest, fragment) = text.split_once('#').map_or((text, None), |(rest, f)| (rest, Some(f)));
        uri.fragment = fragment.map(str::to_owned);
        let mut rest = rest;
        if let Some((scheme, after)) = rest.split_once(':')
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        {
            uri.scheme = Some(scheme.to_owned());
            rest = after;
            if !rest.starts_with('/') && !rest.is_empty() && !rest.starts_with('?') {
                uri.opaque = Some(rest.to_owned());
                return Ok(uri);
            }
        }
        let (before, query) = rest.split_once('?').map_or((rest, None), |(rest, q)| (rest, Some(q)));
        uri.query = query.map(str::to_owned);
        rest = before;
        if let Some(after) = rest.strip_prefix("//") {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at_checked(end).ok_or_else(bad)?;
            uri.authority(authority).ok_or_else(bad)?;
            rest = path;
        }
        uri.path = Some(rest.to_owned());
        if uri.port.is_none()
            && let Some(scheme) = &uri.scheme
        {
            uri.port = default_port(scheme);
        }
        Ok(uri)
    }

    fn authority(&mut self, authority: &str) -> Option<()> {
        let (userinfo, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        self.userinfo = userinfo.map(str::to_owned);
        let bracket = host.rfind(']').map_or(0, |at| at + 1);
        let (name, port) = match host.get(bracket..)?.find(':') {
            Some(at) => (host.get(..bracket + at)?, host.get(bracket + at + 1..)),
            None => (host, None),
        };
        if let Some(port) = port.filter(|port| !port.is_empty()) {
            self.port = Some(port.parse().ok()?);
            self.explicit_port = true;
        }
        self.host = Some(name.to_owned());
        Some(())
    }

    /// A part by its name: `scheme`, `userinfo`, `host`, `port`, `path`, `query`, `fragment`, `opaque`.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<Value> {
        let part = match name {
            "scheme" => &self.scheme,
            "userinfo" => &self.userinfo,
            "host" => &self.host,
            "port" => return self.port.map(Value::Int),
            "path" => &self.path,
            "query" => &self.query,
            "fragment" => &self.fragment,
            "opaque" => &self.opaque,
            _ => return None,
        };
        part.as_deref().map(Value::str)
    }

    /// What a reference leads to, seen from this URI (URI::Generic#merge).
    ///
    /// # Errors
    /// Ruby's message: both are relative.
    pub fn merge(&self, reference: &Uri) -> Result<Uri, String> {
        if reference.scheme.is_some() {
            return Ok(reference.clone());
        }
        if self.scheme.is_none() {
            return Err("both URI are relative".to_owned());
        }
        let mut merged = self.clone();
        merged.fragment.clone_from(&reference.fragment);
        if reference.host.is_some() {
            merged.userinfo.clone_from(&reference.userinfo);
            merged.host.clone_from(&reference.host);
            if reference.port.is_some() {
                merged.port = reference.port;
                merged.explicit_port = reference.explicit_port;
            }
            merged.path.clone_from(&reference.path);
            merged.query.clone_from(&reference.query);
            return Ok(merged);
        }
        let path = reference.path.as_deref().unwrap_or("");
        if path.is_empty() {
            if reference.query.is_some() {
                merged.query.clone_from(&reference.query);
            }
            return Ok(merged);
        }
        merged.query.clone_from(&reference.query);
        merged.path = Some(merged_path(self.path.as_deref().unwrap_or(""), path));
        Ok(merged)
    }

    /// Builds a URI from its parts.
    #[must_use]
    pub fn from_parts(parts: &Hash) -> Uri {
        let text = |name: &str| parts.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut uri = Uri {
            scheme: text("scheme"),
            userinfo: text("userinfo"),
            host: text("host"),
            port: None,
            path: text("path"),
            query: text("query"),
            fragment: text("fragment"),
            opaque: text("opaque"),
            explicit_port: false,
        };
        if let Some(Value::Int(port)) = parts.get("port") {
            uri.port = Some(*port);
            uri.explicit_port = true;
        } else if let Some(scheme) = &uri.scheme {
            uri.port = default_port(scheme);
        }
        uri
    }

    /// The parts as the parameters of the type `URI[{…}]`; `None` when there are none.
    #[must_use]
    pub fn type_parameters(&self) -> Option<Hash> {
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
        set("path", &self.path, false);
        set("query", &self.query, true);
        set("fragment", &self.fragment, true);
        set("opaque", &self.opaque, true);
        (!parts.is_empty()).then_some(parts)
    }
}

/// `base` up to its last slash, then `path`, without `.` and `..`. (URI::Generic#merge_path)
fn merged_path(base: &str, path: &str) -> String {
    let joined = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", base.rsplit_once('/').map_or("", |(before, _)| before)),
    };
    let mut parts: Vec<&str> = Vec::new();
    let all: Vec<&str> = joined.split('/').skip(1).collect();
    for (n, part) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        match *part {
            "." if last => parts.push(""),
            "." => {}
            ".." => {
                parts.pop();
                if last {
                    parts.push("");
                }
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

impl Uri {
    /// Scheme and host without case, and `/` for an empty path of a host. (`URI::Generic#normalize`)
    fn normalized(&self) -> [Option<String>; 8] {
        let lower = |part: &Option<String>| part.as_ref().map(|part| part.to_ascii_lowercase());
        let path =
            self.path.clone().map(|path| if path.is_empty() && self.host.is_some() { "/".to_owned() } else { path });
        [
            lower(&self.scheme),
            self.userinfo.clone(),
            lower(&self.host),
            self.port.map(|port| port.to_string()),
            path,
            self.query.clone(),
            self.fragment.clone(),
            self.opaque.clone(),
        ]
    }
}

impl PartialEq for Uri {
    fn eq(&self, other: &Uri) -> bool {
        self.normalized() == other.normalized()
    }
}
impl Eq for Uri {}
impl std::hash::Hash for Uri {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.normalized().hash(state);
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(opaque) = &self.opaque {
            f.write_str(opaque)?;
        } else {
            if let Some(host) = &self.host {
                f.write_str("//")?;
                if let Some(userinfo) = &self.userinfo {
                    write!(f, "{userinfo}@")?;
                }
                f.write_str(host)?;
                let standard = self.scheme.as_deref().and_then(default_port);
                if let Some(port) = self.port.filter(|port| Some(*port) != standard) {
                    write!(f, ":{port}")?;
                }
            }
            f.write_str(self.path.as_deref().unwrap_or(""))?;
            if let Some(query) = &self.query {
                write!(f, "?{query}")?;
            }
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}
