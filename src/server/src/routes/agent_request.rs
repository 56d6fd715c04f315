//! A request of an agent, and the formats that the agent accepts.

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header;

use crate::puppet_answer::Issue;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use crate::served_site::Client;
use catwalk_http::Answer;
use catwalk_http::Parameters;
use catwalk_http::takes_gzip;
use catwalk_value::Value;

/// The formats of request and response bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A catalog in JSON with rich data.
    RichJson,
    Json,
    /// PSON, for agents before version 5. Written as JSON, since all strings are UTF-8.
    Pson,
    /// Bytes.
    Binary,
}

impl Format {
    /// The value of `Content-Type`, as puppetserver writes it.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Format::RichJson => "application/vnd.puppet.rich+json; charset=utf-8",
            Format::Json => catwalk_http::JSON,
            Format::Pson => "text/pson;charset=utf-8",
            Format::Binary => catwalk_http::OCTETS,
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
/// The format of the contents of files.
pub(crate) const CONTENTS: &[(&str, Format)] = &[(catwalk_http::OCTETS, Format::Binary)];

/// A request of an agent.
pub(crate) struct AgentRequest {
    /// The client that sent it; its certname is empty if it has no certificate.
    pub(crate) client: Client,
    /// Whether the client may classify every node.
    pub(crate) may_classify_all: bool,
    /// The client's certificate in DER.
    pub(crate) certificate: Option<Vec<u8>>,
    /// The parameters of the query.
    pub(crate) parameters: Parameters,
    pub(crate) body: Bytes,
    /// The facts in the body, if it is a JSON object, with the size of the body in bytes.
    pub(crate) facts: Option<(Value, usize)>,
    /// The body as JSON, once a handler has parsed it.
    pub(crate) document: Option<Result<Value, String>>,
    /// The media type of the body, without parameters, in lower case.
    pub(crate) content_type: Option<String>,
    /// The header `Accept`.
    accept: Option<String>,
    /// The header `If-Modified-Since`, in seconds since 1970.
    pub(crate) modified_since: Option<i64>,
    /// The header `If-None-Match`, without the suffix that Jetty adds to the tags of compressed responses.
    pub(crate) none_match: Option<String>,
    pub(crate) takes_gzip: bool,
    /// Whether the agent understands `Retry-After`, as agents do from version 5.3.1 on.
    pub(crate) takes_retry: bool,
}

impl AgentRequest {
    /// Reads the headers of a request.
    pub(crate) fn new(client: Client, parameters: Parameters, headers: &HeaderMap) -> AgentRequest {
        let header = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let version = headers.get("x-puppet-version").and_then(|value| value.to_str().ok());
        let media_type = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        AgentRequest {
            client,
            may_classify_all: false,
            certificate: None,
            parameters,
            body: Bytes::new(),
            facts: None,
            document: None,
            content_type: header(header::CONTENT_TYPE).map(media_type),
            accept: header(header::ACCEPT).map(str::to_owned),
            modified_since: header(header::IF_MODIFIED_SINCE).and_then(seconds),
            none_match: header(header::IF_NONE_MATCH).map(|tag| tag.strip_suffix("--gzip").unwrap_or(tag).to_owned()),
            takes_gzip: header(header::ACCEPT_ENCODING).is_some_and(takes_gzip),
            takes_retry: version.is_some_and(takes_retry),
        }
    }

    /// The first of the client's accepted formats that is in `formats` (`request.response_formatters_for`).
    ///
    /// # Errors
    /// The client accepts none of them.
    pub(crate) fn format(&self, formats: &[(&str, Format)]) -> Result<Format, Answer> {
        let message = "Missing required Accept header";
        let no_header = || Answer::error(StatusCode::BAD_REQUEST, Issue::MissingHeaderField, message);
        let accept = self.accept.as_deref().ok_or_else(no_header)?;
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

    /// Whether the client accepts one of these media types; one without the header accepts all.
    pub(crate) fn accepts(&self, types: &[&str]) -> bool {
        let Some(accept) = self.accept.as_deref() else { return true };
        accept.split(',').any(|name| types.contains(&name.split(';').next().unwrap_or_default().trim()))
    }

    /// Checks that the body is JSON or PSON.
    ///
    /// # Errors
    /// The body has a different media type.
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
    /// The request names no environment, or the name is invalid.
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
    /// The request names no environment, or one that does not exist.
    pub(crate) fn existing_environment(&self, state: &ServerState) -> Result<&str, Answer> {
        let name = self.environment()?;
        match state.site.has_environment(name) {
            true => Ok(name),
            false => {
                let message = format!("Could not find environment '{name}'");
                Err(Answer::error(StatusCode::NOT_FOUND, Issue::RuntimeError, &message))
            }
        }
    }
}

/// Whether a string is a valid name of an environment (`Puppet::Node::Environment.valid_name?`).
fn is_environment(name: &str) -> bool {
    !name.is_empty() && name.len() <= 255 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// An HTTP date in seconds since 1970.
fn seconds(date: &str) -> Option<i64> {
    let date = date.strip_suffix("GMT").map(|date| format!("{date}+0000"))?;
    Some(jiff::fmt::rfc2822::parse(&date).ok()?.timestamp().as_second())
}

/// Whether an agent's version is 5.3.1 or later.
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
