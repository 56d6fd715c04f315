//! Splits references into the parts of a URI by RFC 2396, which Ruby uses for references against URIs that were built from
//! parts, not parsed. The patterns are those of Ruby's `URI::RFC2396_Parser`.
//!
//! In: a string. Out: an absolute or relative URI.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;

use super::Uri;
use super::UriError;
use super::UriParts;

const ESCAPED: &str = "%[a-fA-F0-9]{2}";
const UNRESERVED: &str = r"\-_.!~*'()a-zA-Z0-9";

struct ReferencePatterns {
    absolute: Regex,
    relative: Regex,
}

/// The patterns of absolute and relative URIs; the groups are named after the parts.
static REFERENCE_PATTERNS: LazyLock<Option<ReferencePatterns>> = LazyLock::new(|| {
    let class = |marks: &str| format!(r"(?:[{UNRESERVED}{marks}]|{ESCAPED})");
    let uric = class(r";/?:@\&=+$,\[\]");
    let opaque = format!("{}{uric}*", class(r";?:@\&=+$,"));
    let userinfo = format!("{}*", class(r";:\&=+$,"));
    let registry = format!("{}+", class(r"$,;:@\&=+"));
    let segment = format!("{}+", class(r";@\&=+$,"));
    let path = format!("(?:/{}*)+", class(r":@\&=+$,;"));
    let four = "[a-fA-F0-9]{1,4}";
    let last = format!(r"(?:{four}|[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})");
    let groups = format!("(?:{four}:)*");
    let address = format!(r"\[(?:{groups}{last}|(?:{groups}{four})?::(?:{groups}{last})?)\]");
    let host = format!(r"(?:(?:[a-zA-Z0-9\-.]|{ESCAPED})+|{address})");
    let (start, end) = (r"\A[ \t\r\n\f\v]*", r"[ \t\r\n\f\v]*\z");
    let query = format!(r"(?:\?(?P<query>{uric}*))?");
    let fragment = format!("(?:#(?P<fragment>{uric}*))?");
    let absolute = format!(
        "{start}(?P<scheme>[a-zA-Z][-+.a-zA-Z0-9]*):(?:(?P<opaque>{opaque})|(?://(?:(?:(?:(?P<userinfo>{userinfo})@)?\
         (?P<host>{host})(?::(?P<port>[0-9]*))?)?|(?P<registry>{registry}))|)(?P<path>{path})?{query}){fragment}{end}"
    );
    let relative = format!(
        "{start}(?://(?:(?:(?P<userinfo>{userinfo})@)?(?P<host>{host})?(?::(?P<port>[0-9]*))?|(?P<registry>{registry}))\
         |(?P<segment>{segment}))?(?P<path>{path})?{query}{fragment}{end}"
    );
    Some(ReferencePatterns { absolute: Regex::new(&absolute).ok()?, relative: Regex::new(&relative).ok()? })
});

impl Uri {
    /// Parses a reference and resolves it against this URI: by RFC 3986 if this URI was parsed, by RFC 2396 if it was built.
    ///
    /// # Errors
    /// The string is not a URI, or both are relative.
    pub fn join(&self, text: &str) -> Result<Uri, UriError> {
        self.merge(&if self.parsed { Uri::parse(text)? } else { Uri::parse_rfc2396(text)? })
    }

    /// Parses a reference by RFC 2396.
    ///
    /// # Errors
    /// The string is not a URI (`bad URI(is not URI?): …`), or Ruby's class for the scheme requires a part that is missing.
    fn parse_rfc2396(text: &str) -> Result<Uri, UriError> {
        let bad_uri = |reason: &str| UriError::uri(format!("bad URI({reason}): {text}"));
        let Some(patterns) = REFERENCE_PATTERNS.as_ref() else { return Uri::parse(text) };
        let part = |found: &Captures<'_>, name: &str| found.name(name).map(|part| part.as_str().to_owned());
        let (parts, registry) = if text.is_empty() {
            (UriParts { path: Some(String::new()), ..UriParts::default() }, None)
        } else if let Some(found) = patterns.absolute.captures(text) {
            let mut parts = shared_parts(&found);
            parts.scheme = part(&found, "scheme");
            parts.opaque = part(&found, "opaque");
            let registry = part(&found, "registry");
            if parts.opaque.is_none() && parts.path.is_none() && parts.host.is_none() && registry.is_none() {
                return Err(bad_uri("absolute but no path"));
            }
            (parts, registry)
        } else if let Some(found) = patterns.relative.captures(text) {
            let mut parts = shared_parts(&found);
            if let Some(segment) = part(&found, "segment") {
                parts.path = Some(segment + parts.path.as_deref().unwrap_or_default());
            }
            (parts, part(&found, "registry"))
        } else {
            return Err(bad_uri("is not URI?"));
        };
        let parts = UriParts { path: parts.path.or_else(|| parts.opaque.is_none().then(String::new)), ..parts };
        let scheme = parts.scheme.clone().unwrap_or_default();
        let uri = Uri::from_parts(parts, true)?;
        if let Some(registry) = registry {
            let message = format!("the scheme {scheme} does not accept registry part: {registry} (or bad hostname?)");
            return Err(UriError::uri(message));
        }
        Ok(Uri { parsed: false, ..uri })
    }
}

/// The parts that absolute and relative URIs have in common.
fn shared_parts(found: &Captures<'_>) -> UriParts {
    let part = |name: &str| found.name(name).map(|part| part.as_str().to_owned());
    let path = part("path");
    UriParts {
        scheme: None,
        userinfo: part("userinfo"),
        host: part("host"),
        // Larger numbers become the largest of 128 bits.
        port: part("port").filter(|port| !port.is_empty()).map(|port| port.parse().unwrap_or(i128::MAX)),
        path,
        query: part("query"),
        fragment: part("fragment"),
        opaque: None,
    }
}
