//! Splits strings into the parts of a URI by RFC 3986. (`URI::RFC3986_Parser#split`)

use std::net::Ipv6Addr;

use super::Uri;
use super::UriError;
use super::UriParts;
use super::contains_only;
use super::is_scheme;
use crate::value::ruby::inspect_string;

/// The marks that are allowed everywhere.
const MARKS: &str = "!$&'()*+,-.;=_~";

/// `[::1]`, `[v1.x]`
fn is_ip_literal(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else { return false };
    if inner.parse::<Ipv6Addr>().is_ok() {
        return true;
    }
    let future = inner.strip_prefix('v').and_then(|inner| inner.split_once('.'));
    future.is_some_and(|(version, name)| {
        !version.is_empty()
            && version.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !name.is_empty()
            && !name.contains('%')
            && contains_only(name, [MARKS, ":"])
    })
}

/// Reads the user, host and port of `//user@host:port`; the host of a relative URI may be missing.
fn parse_authority(text: &str, absolute: bool, parts: &mut UriParts) -> Option<()> {
    let rest = match text.split_once('@') {
        Some((user, rest)) => {
            parts.userinfo = Some(user.to_owned()).filter(|user| contains_only(user, [MARKS, ":"]));
            parts.userinfo.as_ref()?;
            rest
        }
        None => text,
    };
    let (host, port) = match rest.find(']') {
        Some(end) => {
            let (host, port) = rest.split_at_checked(end + 1)?;
            (host, (!port.is_empty()).then(|| port.strip_prefix(':')))
        }
        None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(Some(port)))),
    };
    if let Some(port) = port {
        let port = port.filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()))?;
        // Larger numbers become the largest of 128 bits.
        parts.port = (!port.is_empty()).then(|| port.parse().unwrap_or(i128::MAX));
    }
    if !is_ip_literal(host) && !contains_only(host, [MARKS, ""]) {
        return None;
    }
    parts.host = Some(host.to_owned()).filter(|host| absolute || !host.is_empty());
    Some(())
}

fn split(text: &str) -> Option<UriParts> {
    let mut parts = UriParts::default();
    let (rest, fragment) = text.split_once('#').map_or((text, None), |(rest, fragment)| (rest, Some(fragment)));
    if !fragment.is_none_or(|fragment| contains_only(fragment, [MARKS, ":@/?"])) {
        return None;
    }
    parts.fragment = fragment.map(str::to_owned);
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    parts.query = query.map(str::to_owned);
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, rest),
    };
    parts.scheme = scheme.map(str::to_owned);
    if let Some(after) = rest.strip_prefix("//") {
        let (before, path) = after.split_at_checked(after.find('/').unwrap_or(after.len()))?;
        parse_authority(before, scheme.is_some(), &mut parts)?;
        parts.path = Some(path.to_owned()).filter(|path| contains_only(path, [MARKS, ":@/"]));
        parts.path.as_ref()?;
        return Some(parts);
    }
    if !contains_only(rest, [MARKS, ":@/"]) {
        return None;
    }
    match scheme {
        Some(_) if !rest.is_empty() && !rest.starts_with('/') => {
            parts.opaque = Some(match parts.query.take() {
                Some(query) => format!("{rest}?{query}"),
                None => rest.to_owned(),
            });
        }
        None if rest.split('/').next().is_some_and(|first| first.contains(':')) => return None,
        _ => parts.path = Some(rest.to_owned()),
    }
    Some(parts)
}

/// `String#dump`
fn dump(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match u32::from(c) {
            0..0x80 => {
                let inspected = inspect_string(&c.to_string());
                let inner = inspected.trim_start_matches('"');
                let inner = inner.strip_suffix('"').unwrap_or(inner);
                match inner.strip_prefix("\\u00") {
                    Some(code) => out.push_str(&format!("\\x{code}")),
                    None if c == '"' => out.push_str("\\\""),
                    None => out.push_str(inner),
                }
            }
            code @ 0x80..0x10000 => out.push_str(&format!("\\u{code:04X}")),
            code => out.push_str(&format!("\\u{{{code:X}}}")),
        }
    }
    out.push('"');
    out
}

impl Uri {
    /// Parses a URI.
    ///
    /// # Errors
    /// The string is not a URI (`bad URI(is not URI?): "…"`), or Ruby's class for the scheme requires a part that is missing.
    pub fn parse(text: &str) -> Result<Uri, UriError> {
        if !text.is_ascii() {
            return Err(UriError::uri(format!("URI must be ascii only {}", dump(text))));
        }
        let parts =
            split(text).ok_or_else(|| UriError::uri(format!("bad URI(is not URI?): {}", inspect_string(text))))?;
        Uri::from_parts(parts, true)
    }

    /// Whether a string contains a scheme with a colon anywhere; `URI['…']` checks nothing else. (`Pcore::TYPE_URI`)
    #[must_use]
    pub(crate) fn contains_scheme(text: &str) -> bool {
        let mut colons = text.match_indices(':');
        colons.any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().bytes().rev();
            let mut run = before.take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
            run.any(|byte| byte.is_ascii_alphabetic())
        })
    }
}
