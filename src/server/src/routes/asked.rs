//! A request as the routes see it: what its client accepts, what it is about.

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header;

use crate::http::answer::Answer;
use crate::http::answer::Issue;
use crate::http::answer::takes_gzip;
use crate::http::form::Parameters;
use crate::running::Shared;
use crate::served_site::Client;

/// Formats in which Puppet's objects are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON of catalogs with rich data.
    RichJson,
    /// JSON.
    Json,
    /// PSON of agents before 5: JSON, as all strings are UTF-8.
    Pson,
    /// Octets.
    Binary,
}

impl Format {
    /// The value of `Content-Type`, as puppetserver writes it.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Format::RichJson => "application/vnd.puppet.rich+json; charset=utf-8",
            Format::Json => crate::http::answer::JSON,
            Format::Pson => "text/pson;charset=utf-8",
            Format::Binary => crate::http::answer::OCTETS,
        }
    }
}

/// The formats of most objects.
pub(crate) const DATA: &[(&str, Format)] = &[("application/json", Format::Json), ("text/pson", Format::Pson)];
/// The formats of catalogs.
pub(crate) const CATALOGS: &[(&str, Format)] = &[
    ("application/vnd.puppet.rich+json", Format::RichJson),
    ("application/json", Format::Json),
    ("text/pson", Format::Pson),
];
/// The format of contents of files.
pub(crate) const CONTENTS: &[(&str, Format)] = &[(crate::http::answer::OCTETS, Format::Binary)];

/// A request.
pub(crate) struct Asked {
    /// Who sent it; without a name where it needs no certificate.
    pub(crate) client: Client,
    /// Its certificate in DER, if it has one.
    pub(crate) certificate: Option<Vec<u8>>,
    /// The parameters of its query.
    pub(crate) parameters: Parameters,
    /// Its body.
    pub(crate) body: Bytes,
    /// The media type of its body, without parameters, in lower case.
    pub(crate) content_type: Option<String>,
    /// The header `Accept`.
    accept: Option<String>,
    /// The header `If-Modified-Since`, in seconds since 1970.
    pub(crate) modified_since: Option<i64>,
    pub(crate) takes_gzip: bool,
    /// Whether the agent asks again after `Retry-After`: those from 5.3.1 on do.
    pub(crate) takes_retry: bool,
}

impl Asked {
    /// Takes a request apart.
    pub(crate) fn new(client: Client, parameters: Parameters, headers: &HeaderMap) -> Asked {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let version = headers.get("x-puppet-version").and_then(|value| value.to_str().ok());
        let media_type = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Asked {
            client,
            certificate: None,
            parameters,
            body: Bytes::new(),
            content_type: text(header::CONTENT_TYPE).map(media_type),
            accept: text(header::ACCEPT).map(str::to_owned),
            modified_since: text(header::IF_MODIFIED_SINCE).and_then(seconds),
            takes_gzip: text(header::ACCEPT_ENCODING).is_some_and(takes_gzip),
            takes_retry: version.is_some_and(takes_retry),
        }
    }

    /// The first format that the client accepts of those that an object has (`request.response_formatters_for`).
    ///
    /// # Errors
    /// None is accepted.
    pub(crate) fn format(&self, formats: &[(&str, Format)]) -> Result<Format, Answer> {
        let none = "Missing required Accept header";
        let missing = || Answer::error(StatusCode::BAD_REQUEST, Issue::MissingHeaderField, none);
        let accept = self.accept.as_deref().ok_or_else(missing)?;
        let named = |name: &str| match name {
            "*/*" => formats.first(),
            name => formats.iter().find(|(known, _)| *known == name),
        };
        let names = accept.split(',').map(|name| name.split(';').next().unwrap_or_default().trim());
        names.filter_map(named).next().map(|(_, format)| *format).ok_or_else(|| {
            let message = format!("No supported formats are acceptable (Accept: {accept})");
            Answer::error(StatusCode::NOT_ACCEPTABLE, Issue::UnsupportedFormat, &message)
        })
    }

    /// Whether the body is in a format of JSON.
    ///
    /// # Errors
    /// It is in another format.
    pub(crate) fn check_json(&self) -> Result<(), Answer> {
        if matches!(self.content_type.as_deref(), Some("application/json" | "text/pson")) {
            return Ok(());
        }
        let name = self.content_type.as_deref().unwrap_or_default();
        let message = format!("Client sent a mime-type ({name}) that doesn't correspond to a format we support");
        Err(Answer::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, Issue::UnsupportedMediaType, &message))
    }

    /// The environment that the request names.
    ///
    /// # Errors
    /// It names none, or what cannot be the name of one.
    pub(crate) fn environment(&self) -> Result<&str, Answer> {
        let name = self.parameters.get("environment");
        match name.filter(|name| is_environment(name)) {
            Some(name) => Ok(name),
            None => {
                let name = name.unwrap_or("null");
                let message = format!("The environment must be purely alphanumeric, not '{name}'");
                Err(Answer::text(StatusCode::BAD_REQUEST, message))
            }
        }
    }

    /// The environment that the request names, if it exists.
    ///
    /// # Errors
    /// It names none, or one that does not exist.
    pub(crate) fn existing_environment(&self, shared: &Shared) -> Result<&str, Answer> {
        let name = self.environment()?;
        match shared.site.has_environment(name) {
            true => Ok(name),
            false => {
                let message = format!("Could not find environment '{name}'");
                Err(Answer::error(StatusCode::NOT_FOUND, Issue::RuntimeError, &message))
            }
        }
    }
}

/// Whether a string can be the name of an environment (`Puppet::Node::Environment.valid_name?`).
fn is_environment(name: &str) -> bool {
    !name.is_empty() && name.len() <= 255 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The seconds since 1970 of a date of HTTP.
fn seconds(date: &str) -> Option<i64> {
    let date = date.strip_suffix("GMT").map(|date| format!("{date}+0000"))?;
    Some(jiff::fmt::rfc2822::parse(&date).ok()?.timestamp().as_second())
}

/// Whether a version of an agent is 5.3.1 or later.
fn takes_retry(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) >= (5, 3, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        assert_eq!(seconds("Fri, 20 Nov 2026 16:04:20 GMT"), Some(1_795_190_660));
        assert_eq!(seconds("yesterday"), None);
        let versions =
            [("7.23.0", true), ("5.3.1", true), ("5.3.0", false), ("4.10.12", false), ("8.0", true), ("x", false)];
        for (version, expected) in versions {
            assert_eq!(takes_retry(version), expected, "{version}");
        }
        let names = [("production", true), ("a_1", true), ("", false), ("a-b", false), ("../x", false), ("ä", false)];
        for (name, expected) in names {
            assert_eq!(is_environment(name), expected, "{name}");
        }
    }
}
