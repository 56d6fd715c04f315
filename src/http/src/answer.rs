//! Responses, with gzip.

use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::body::Bytes;

/// The smallest body to compress, in bytes: a smaller one fits into a packet uncompressed.
const MIN_GZIP_BYTES: usize = 512;

/// Plain text.
pub const TEXT: &str = "text/plain";
/// Plain text in UTF-8.
pub const TEXT_UTF8: &str = "text/plain;charset=utf-8";
/// JSON.
pub const JSON: &str = "application/json;charset=utf-8";
/// Bytes.
pub const OCTETS: &str = "application/octet-stream";

/// The body of a response.
#[derive(Debug)]
pub enum Content {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file, which is read while it is sent, and its size in bytes.
    File(File, u64),
}

/// The response to a request.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The type of the content.
    pub content_type: &'static str,
    /// The body.
    pub content: Content,
    /// Whether the content is compressed.
    pub is_gzip: bool,
    /// The header `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// Whether to close the connection afterwards.
    pub closes: bool,
    /// The header `Last-Modified`, in seconds since 1970.
    pub modified: Option<i64>,
    /// The header `Allow`.
    pub allow: Option<&'static str>,
    /// The header `ETag`.
    pub etag: Option<Box<str>>,
}

impl Answer {
    /// A response with a body.
    pub fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
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
            etag: None,
        }
    }

    /// A response with status 200.
    pub fn ok(content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer::new(StatusCode::OK, content_type, body)
    }

    /// A response in plain text, in UTF-8.
    pub fn text(status: StatusCode, message: impl Into<String>) -> Answer {
        Answer::new(status, TEXT_UTF8, message.into())
    }

    /// Compresses the body if the client accepts gzip and the result is smaller.
    pub fn compressed(mut self, takes_gzip: bool) -> Answer {
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
pub fn takes_gzip(header: &str) -> bool {
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
