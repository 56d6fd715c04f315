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

struct Shapes {
    absolute: Regex,
    relative: Regex,
}

/// The patterns of absolute and relative URIs; the groups are named after the parts.
static SHAPES: LazyLock<Option<Shapes>> = LazyLock::new(|| {
    let any = |more: &str| format!(r"(?:[{UNRESERVED}{more}]|{ESCAPED})");
    let uric = any(r";/?:@\&=+$,\[\]");
    let opaque = format!("{}{uric}*", any(r";?:@\&=+$,"));
    let userinfo = format!("{}*", any(r";:\&=+$,"));
    let registry = format!("{}+", any(r"$,;:@\&=+"));
    let segment = format!("{}+", any(r";@\&=+$,"));
    let path = format!("(?:/{}*)+", any(r":@\&=+$,;"));
    let four = "[a-fA-F0-9]{1,4}";
    let last = format!(r"(?:{four}|[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})");
    let groups = format!("(?:{four}:)*");
    let address = format!(r"\[(?:{groups}{last}|(?:{groups}{four})?::(?:{groups}{last})?)\]");
    let host = format!(r"(?:(?:[a-zA-Z0-9\-.]|{ESCAPED})+|{address})");
    let (start, end) = (r"\A[ \t\r\n\f\v]*", r"[ \t\r\n\f\v]*\z");
    let ends = format!(r"(?:\?(?P<query>{uric}*))?");
    let fragment = format!("(?:#(?P<fragment>{uric}*))?");
    let absolute = format!(
        "{start}(?P<scheme>[a-zA-Z][-+.a-zA-Z0-9]*):(?:(?P<opaque>{opaque})|(?://(?:(?:(?:(?P<userinfo>{userinfo})@)?\
         (?P<host>{host})(?::(?P<port>[0-9]*))?)?|(?P<registry>{registry}))|)(?P<path>{path})?{ends}){fragment}{end}"
    );
    let relative = format!(
        "{start}(?://(?:(?:(?P<userinfo>{userinfo})@)?(?P<host>{host})?(?::(?P<port>[0-9]*))?|(?P<registry>{registry}))\
         |(?P<segment>{segment}))?(?P<path>{path})?{ends}{fragment}{end}"
    );
    Some(Shapes { absolute: Regex::new(&absolute).ok()?, relative: Regex::new(&relative).ok()? })
});

impl Uri {
    /// Parses a reference and resolves it against this URI: by RFC 3986 if this URI was parsed, by RFC 2396 if it was built.
    ///
    /// # Errors
    /// The string is not a URI, or both are relative.
    pub fn join(&self, text: &str) -> Result<Uri, UriError> {
        self.merge(&if self.parsed { Uri::parse(text)? } else { Uri::reference(text)? })
    }

    /// Parses a reference by RFC 2396.
    ///
    /// # Errors
    /// The string is not a URI (`bad URI(is not URI?): …`), or Ruby's class for the scheme requires a part that is missing.
    fn reference(text: &str) -> Result<Uri, UriError> {
        let wrong = |what: &str| UriError::uri(format!("bad URI({what}): {text}"));
        let Some(shapes) = SHAPES.as_ref() else { return Uri::parse(text) };
        let part = |found: &Captures<'_>, name: &str| found.name(name).map(|part| part.as_str().to_owned());
        let (parts, registry) = if text.is_empty() {
            (UriParts { path: Some(String::new()), ..UriParts::default() }, None)
        } else if let Some(found) = shapes.absolute.captures(text) {
            let mut parts = common(&found);
            parts.scheme = part(&found, "scheme");
            parts.opaque = part(&found, "opaque");
            let registry = part(&found, "registry");
            if parts.opaque.is_none() && parts.path.is_none() && parts.host.is_none() && registry.is_none() {
                return Err(wrong("absolute but no path"));
            }
            (parts, registry)
        } else if let Some(found) = shapes.relative.captures(text) {
            let mut parts = common(&found);
            if let Some(segment) = part(&found, "segment") {
                parts.path = Some(segment + parts.path.as_deref().unwrap_or_default());
            }
            (parts, part(&found, "registry"))
        } else {
            return Err(wrong("is not URI?"));
        };
        let parts = UriParts { path: parts.path.or_else(|| parts.opaque.is_none().then(String::new)), ..parts };
        let scheme = parts.scheme.clone().unwrap_or_default();
        let uri = Uri::of_parts(parts, true)?;
        if let Some(registry) = registry {
            let message = format!("the scheme {scheme} does not accept registry part: {registry} (or bad hostname?)");
            return Err(UriError::uri(message));
        }
        Ok(Uri { parsed: false, ..uri })
    }
}

/// The parts that absolute and relative URIs have in common.
fn common(found: &Captures<'_>) -> UriParts {
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
