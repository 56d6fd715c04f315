//! Answers, with gzip.

use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::json;

use crate::served_site::Failure;
use crate::served_site::FailureKind;

/// Bodies from this size on are compressed for clients that take gzip. A smaller one fits into a packet anyway.
const GZIP_FROM: usize = 512;

pub(crate) const TEXT: &str = "text/plain";
pub(crate) const TEXT_UTF8: &str = "text/plain;charset=utf-8";
pub(crate) const JSON: &str = "application/json;charset=utf-8";
pub(crate) const OCTETS: &str = "application/octet-stream";

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Content {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file of this size, which is read while it is sent.
    File(File, u64),
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) content: Content,
    /// Whether the content is compressed.
    pub(crate) is_gzip: bool,
    /// Seconds after which the client may ask again.
    pub(crate) retry_after: Option<u64>,
    /// Whether the connection is closed afterwards.
    pub(crate) closes: bool,
    /// When the content was changed, in seconds since 1970.
    pub(crate) modified: Option<i64>,
}

/// What Puppet calls the kind of an error.
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
    /// An answer with a body.
    pub(crate) fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        let content = Content::Bytes(body.into());
        Answer { status, content_type, content, is_gzip: false, retry_after: None, closes: false, modified: None }
    }

    /// A successful answer.
    pub(crate) fn ok(content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer::new(StatusCode::OK, content_type, body)
    }

    /// An answer that is a sentence, as puppetserver gives it outside of Puppet's own routes.
    pub(crate) fn text(status: StatusCode, message: impl Into<String>) -> Answer {
        Answer::new(status, TEXT_UTF8, message.into())
    }

    /// An error of Puppet's own routes (`Puppet::Network::HTTP::Error`).
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

    /// What does not exist.
    pub(crate) fn not_found(message: &str) -> Answer {
        Answer::error(StatusCode::NOT_FOUND, Issue::ResourceNotFound, message)
    }

    /// A failure that is not the fault of the request.
    pub(crate) fn server_error(message: &str) -> Answer {
        Answer::error(StatusCode::INTERNAL_SERVER_ERROR, Issue::RuntimeError, message)
    }

    /// A failure of the site.
    pub(crate) fn failure(failure: &Failure) -> Answer {
        let status = match failure.kind {
            FailureKind::BadRequest => StatusCode::BAD_REQUEST,
            FailureKind::NotFound => StatusCode::NOT_FOUND,
            FailureKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Answer::error(status, Issue::RuntimeError, &failure.message)
    }

    /// Compresses the body if the client takes gzip and it is large. Content that cannot be compressed is sent as it is.
    pub(crate) fn compressed(mut self, takes_gzip: bool) -> Answer {
        let Content::Bytes(bytes) = &self.content else { return self };
        if !takes_gzip || self.is_gzip || bytes.len() < GZIP_FROM {
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

/// Whether a header `Accept-Encoding` allows gzip.
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
