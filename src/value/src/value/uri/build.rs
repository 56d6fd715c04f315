//! Builds URIs from their parts, and checks each part. (`URI::Generic.build` and similar methods; RFC 2396)

use std::sync::LazyLock;

use super::Kind;
use super::Uri;
use super::UriError;
use super::UriParts;
use super::contains_only;
use super::is_scheme;
use crate::value::Hash;
use crate::value::Value;

const HOST: &str = r"^(?:(?:[a-zA-Z0-9\-.]|%[a-fA-F0-9]{2})+|\[(?:(?:[a-fA-F0-9]{1,4}:)*(?:[a-fA-F0-9]{1,4}|\d{1,3}(?:\.\d{1,3}){3})|(?:(?:[a-fA-F0-9]{1,4}:)*[a-fA-F0-9]{1,4})?::(?:(?:[a-fA-F0-9]{1,4}:)*(?:[a-fA-F0-9]{1,4}|\d{1,3}(?:\.\d{1,3}){3}))?)\])$";

fn is_host(text: &str) -> bool {
    static SHAPE: LazyLock<Option<regex::Regex>> = LazyLock::new(|| regex::Regex::new(HOST).ok());
    SHAPE.as_ref().is_some_and(|shape| shape.is_match(text) && !text.ends_with('\n'))
}

/// The marks that are allowed everywhere.
const MARKS: &str = "-_.!~*'()";

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') && contains_only(path, [MARKS, ":@&=+$,;/"])
}

fn is_relative(path: &str) -> bool {
    let first = path.find('/').unwrap_or(path.len());
    let (first, rest) = path.split_at_checked(first).unwrap_or((path, ""));
    !first.is_empty() && contains_only(first, [MARKS, ";@&=+$,"]) && (rest.is_empty() || is_absolute(rest))
}

fn is_opaque(text: &str) -> bool {
    !text.starts_with(['/', '[', ']']) && !text.is_empty() && contains_only(text, [MARKS, ";/?:@&=+$,[]"])
}

fn component(expected: &str, part: &str) -> UriError {
    UriError::component(format!("bad component(expected {expected} component): {part}"))
}

fn check(parts: &UriParts, kind: Kind) -> Result<(), UriError> {
    let scheme = parts.scheme.as_deref();
    if let Some(scheme) = scheme.filter(|scheme| !is_scheme(scheme)) {
        return Err(component("scheme", scheme));
    }
    if let Some(userinfo) = &parts.userinfo {
        if kind == Kind::File {
            return Err(UriError::uri("can not set userinfo for file URI"));
        }
        let (user, password) = userinfo.split_once(':').map_or((&**userinfo, ""), |(user, password)| (user, password));
        if !contains_only(user, [MARKS, ";:&=+$,"]) {
            return Err(component("userinfo component or user", user));
        }
        if !contains_only(password, [MARKS, ";:&=+$,"]) {
            return Err(UriError::component("bad password component"));
        }
    }
    if let Some(host) = parts.host.as_deref().filter(|host| !is_host(host)) {
        return Err(component("host", host));
    }
    if let Some(path) = parts.path.as_deref().filter(|path| !is_absolute(path)) {
        if scheme.is_some_and(|scheme| !scheme.eq_ignore_ascii_case("ftp")) {
            return Err(component("absolute path", path));
        }
        if !is_relative(path) {
            return Err(component("relative path", path));
        }
    }
    if let Some(opaque) = &parts.opaque {
        let has_port = parts.port.is_some() && kind != Kind::File;
        let others = parts.host.is_some() || has_port || parts.userinfo.is_some() || parts.path.is_some();
        if others || kind == Kind::File {
            return Err(UriError::uri("can not set opaque with host, port, userinfo or path"));
        }
        if !is_opaque(opaque) {
            return Err(component("opaque", opaque));
        }
    }
    Ok(())
}

impl Uri {
    /// Creates a URI from parts without checking them, as Ruby's `new` does.
    ///
    /// # Errors
    /// Ruby's class for the scheme requires a part that is missing.
    pub fn assemble(components: &Hash) -> Result<Uri, UriError> {
        let text = |name: &str| components.get(name).and_then(Value::as_str).map(str::to_owned);
        let port = match components.get("port") {
            Some(port @ (Value::Int(_) | Value::BigInt(_))) => port.as_big().and_then(|port| i128::try_from(port).ok()),
            Some(Value::Str(port)) => port.parse().ok(),
            _ => None,
        };
        let parts = UriParts {
            scheme: text("scheme"),
            userinfo: text("userinfo"),
            host: text("host"),
            port,
            path: text("path"),
            query: text("query"),
            fragment: text("fragment"),
            opaque: text("opaque"),
        };
        let kind = Kind::from_scheme(parts.scheme.as_deref());
        let mut uri = Uri::from_parts(parts, kind != Kind::Ftp)?;
        uri.port = port;
        Ok(uri)
    }

    /// The URI as a `URI::Generic`, which has no default port.
    #[must_use]
    pub fn into_generic(self, port: Option<i128>) -> Uri {
        Uri { kind: Kind::Generic, port, ..self }
    }

    /// The default port of a scheme.
    #[must_use]
    pub fn default_port(scheme: &str) -> Option<i128> {
        Kind::from_scheme(Some(scheme)).default_port()
    }

    /// Builds a URI from its parts.
    ///
    /// # Errors
    /// A part is invalid; the message is that of Ruby's library.
    pub fn build(components: &Hash) -> Result<Uri, UriError> {
        let text = |name: &str| components.get(name).and_then(Value::as_str).map(str::to_owned);
        let scheme = text("scheme");
        let kind = Kind::from_scheme(scheme.as_deref());
        let host = text("host").map(|host| {
            let bracketed = host.starts_with('[') && host.ends_with(']');
            if host.contains(':') && !bracketed { format!("[{host}]") } else { host }
        });
        let port = match components.get("port") {
            Some(port @ (Value::Int(_) | Value::BigInt(_))) => port.as_big().and_then(|port| i128::try_from(port).ok()),
            _ => None,
        };
        let mut parts = UriParts {
            scheme: if kind == Kind::Generic { scheme } else { scheme.map(|scheme| scheme.to_ascii_lowercase()) },
            userinfo: text("userinfo"),
            host,
            port,
            path: text("path"),
            query: text("query"),
            fragment: text("fragment"),
            opaque: text("opaque"),
        };
        match kind {
            Kind::Ftp if parts.path.is_none() => {
                return Err(UriError::new("NoMethodError", "undefined method `sub' for nil:NilClass"));
            }
            // Ruby builds these from parts that Puppet does not pass, such as `to` and `headers`.
            Kind::MailTo => parts.opaque = Some(String::new()),
            Kind::Ldap | Kind::Ldaps => parts.query = Some(String::new()),
            _ => {}
        }
        check(&parts, kind)?;
        Uri::from_parts(parts, false)
    }
}
