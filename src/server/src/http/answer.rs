//! Responses, with gzip.

use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::json;

use crate::served_site::Failure;
use crate::served_site::FailureKind;

/// The smallest body to compress, in bytes: a smaller one fits into a packet uncompressed.
const MIN_GZIP_BYTES: usize = 512;

pub(crate) const TEXT: &str = "text/plain";
pub(crate) const TEXT_UTF8: &str = "text/plain;charset=utf-8";
pub(crate) const JSON: &str = "application/json;charset=utf-8";
pub(crate) const OCTETS: &str = "application/octet-stream";

/// The body of a response.
#[derive(Debug)]
pub(crate) enum Content {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file, which is read while it is sent, and its size in bytes.
    File(File, u64),
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) content: Content,
    /// Whether the content is compressed.
    pub(crate) is_gzip: bool,
    /// The header `Retry-After`, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// Whether to close the connection afterwards.
    pub(crate) closes: bool,
    /// The header `Last-Modified`, in seconds since 1970.
    pub(crate) modified: Option<i64>,
    /// The header `Allow`.
    pub(crate) allow: Option<&'static str>,
}

/// The member `issue_kind` of Puppet's error responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issue {
    RuntimeError,
    ResourceNotFound,
    UnsupportedFormat,
    UnsupportedMediaType,
    MissingHeaderField,
}

impl Issue {
    fn name(self) -> &'static str {
        match self {
            Issue::RuntimeError => "RUNTIME_ERROR",
            Issue::ResourceNotFound => "RESOURCE_NOT_FOUND",
            Issue::UnsupportedFormat => "UNSUPPORTED_FORMAT",
            Issue::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Issue::MissingHeaderField => "MISSING_HEADER_FIELD",
        }
    }
}

impl Answer {
    /// A response with a body.
    pub(crate) fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        let content = Content::Bytes(body.into());
        Answer {
            status,
            content_type,
            content,
            is_gzip: false,
            retry_after: None,
            closes: false,
            modified: None,
            allow: None,
        }
    }

    /// A response with status 200.
    pub(crate) fn ok(content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer::new(StatusCode::OK, content_type, body)
    }

    /// A response in plain text, as puppetserver sends it outside of Puppet's own routes.
    pub(crate) fn text(status: StatusCode, message: impl Into<String>) -> Answer {
        Answer::new(status, TEXT_UTF8, message.into())
    }

    /// An error response of Puppet's own routes (`Puppet::Network::HTTP::Error`).
    pub(crate) fn error(status: StatusCode, issue: Issue, message: &str) -> Answer {
        let prefix = match status {
            StatusCode::BAD_REQUEST => "Bad Request: ",
            StatusCode::NOT_FOUND => "Not Found: ",
            StatusCode::NOT_ACCEPTABLE => "Not Acceptable: ",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Unsupported Media Type: ",
            _ => "Server Error: ",
        };
        let body = json!({ "message": format!("{prefix}{message}"), "issue_kind": issue.name() });
        Answer::new(status, JSON, body.to_string())
    }

    /// An error of the classifier service.
    pub(crate) fn classifier_error(
        status: StatusCode,
        kind: &str,
        message: &str,
        details: serde_json::Value,
    ) -> Answer {
        let document = json!({ "kind": kind, "msg": message, "details": details });
        Answer::new(status, JSON, document.to_string())
    }

    /// The response if the requested object does not exist.
    pub(crate) fn not_found(message: &str) -> Answer {
        Answer::error(StatusCode::NOT_FOUND, Issue::ResourceNotFound, message)
    }

    /// The response to a failure of the server.
    pub(crate) fn server_error(message: &str) -> Answer {
        Answer::error(StatusCode::INTERNAL_SERVER_ERROR, Issue::RuntimeError, message)
    }

    /// The response to a failure of the site.
    pub(crate) fn failure(failure: &Failure) -> Answer {
        let status = match failure.kind {
            FailureKind::BadRequest => StatusCode::BAD_REQUEST,
            FailureKind::NotFound => StatusCode::NOT_FOUND,
            FailureKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Answer::error(status, Issue::RuntimeError, &failure.message)
    }

    /// Compresses the body if the client accepts gzip and the result is smaller.
    pub(crate) fn compressed(mut self, takes_gzip: bool) -> Answer {
        let Content::Bytes(bytes) = &self.content else { return self };
        if !takes_gzip || self.is_gzip || bytes.len() < MIN_GZIP_BYTES {
            return self;
        }
        let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
        if encoder.write_all(bytes).is_err() {
            return self;
        }
        match encoder.finish() {
            Ok(smaller) if smaller.len() < bytes.len() => {
                self.content = Content::Bytes(smaller.into());
                self.is_gzip = true;
                self
            }
            _ => self,
        }
    }
}

/// Whether the header `Accept-Encoding` allows gzip.
pub(crate) fn takes_gzip(header: &str) -> bool {
    let mut any = None;
    for part in header.split(',') {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0));
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => return weight > 0.0,
            "*" => any = Some(weight > 0.0),
            _ => {}
        }
    }
    any.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::takes_gzip;

    #[test]
    fn encodings_are_weighed() {
        let cases = [
            ("gzip;q=1.0,deflate;q=0.6,identity;q=0.3", true),
            ("gzip", true),
            ("deflate, GZIP ; q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=x", false),
            ("identity", false),
            ("", false),
            ("*", true),
            ("*, gzip;q=0", false),
        ];
        for (header, expected) in cases {
            assert_eq!(takes_gzip(header), expected, "{header}");
        }
    }
}
