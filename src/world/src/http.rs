//! Requests to web servers.
//!
//! In: an address, headers, a document. Out: the response. Certificates are checked against the public authorities, or against those
//! that [`Identity`] names. Must not: depend on the kind of service.
//!
//! | file | what |
//! |---|---|
//! | `connector` | TLS connections for ureq |
//! | `tls` | certificates, keys and revocation lists; how a server's certificate is checked |
//! | `common_name` | hosts that only the subject of a certificate names |
//! | `validity` | times of authorities and revocation lists |

mod common_name;
mod connector;
pub(crate) mod tls;
mod validity;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;

use crate::HttpRequest;
use crate::HttpResponse;
use crate::Identity;
use crate::WorldError;
use crate::read_file;

/// The default time limit of a request.
const LIMIT: Duration = Duration::from_secs(60);
/// The largest response, in bytes.
const MAX_BODY: u64 = 64 << 20;
/// The ASCII characters that [`url_component`] encodes.
const RESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A client that keeps its connections open from one request to the next.
#[derive(Debug)]
pub struct HttpClient {
    agent: ureq::Agent,
    max_body: u64,
    /// The file of revocation lists, for messages.
    crl: Option<PathBuf>,
}

impl HttpClient {
    /// A client with this identity. A request fails when it takes longer than `timeout`, or when the response is longer than
    /// `max_body` bytes.
    ///
    /// # Errors
    /// A certificate or key cannot be read.
    pub fn new(identity: &Identity, timeout: Duration, max_body: u64) -> Result<HttpClient, WorldError> {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .user_agent(concat!("catwalk/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = connector::agent(config, tls::config(identity)?);
        Ok(HttpClient { agent, max_body, crl: identity.crl.clone() })
    }

    /// Sends a request: GET, or POST with a body.
    ///
    /// # Errors
    /// The server does not respond in time or as HTTP requires, its certificate is not valid, or its response is too long.
    pub fn send(&self, url: &str, headers: &[(&str, &str)], post: Option<&[u8]>) -> Result<HttpResponse, WorldError> {
        self.request(if post.is_some() { "POST" } else { "GET" }, url, headers, post)
    }

    /// Sends a request with any method.
    ///
    /// # Errors
    /// As [`HttpClient::send`], or the method, the URL or a header is malformed.
    pub fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<HttpResponse, WorldError> {
        let failed = |error: ureq::Error| {
            let why = tls::certificate_error(&error, self.crl.as_deref()).unwrap_or_else(|| error.to_string());
            WorldError::Unreachable(Arc::from(url), Arc::from(why))
        };
        let builder = ureq::http::Request::builder().method(method).uri(url);
        let builder = headers.iter().fold(builder, |request, (name, value)| request.header(*name, *value));
        let mut response = match body {
            None => builder.body(()).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
            Some(body) => builder.body(body).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
        }
        .map_err(failed)?;
        let body = response.body_mut().with_config().limit(self.max_body).read_to_vec().map_err(failed)?;
        Ok(HttpResponse { status: response.status().as_u16(), body: Arc::from(body) })
    }
}

/// The reason phrase of a status, such as `Not Found`; empty if it has none.
#[must_use]
pub fn status_reason(status: u16) -> &'static str {
    ureq::http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or_default()
}

/// Percent-encodes a string for a URL: all bytes except letters, digits, `-`, `.`, `_` and `~`.
#[must_use]
pub fn url_component(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, RESERVED).to_string()
}

/// Gets a page.
pub(super) fn fetch(request: &HttpRequest) -> Result<HttpResponse, WorldError> {
    let limit = request.timeout.unwrap_or(LIMIT);
    let limit = catwalk_base::meter::time_left().map_or(limit, |left| left.min(limit));
    let client = HttpClient::new(&request.identity, limit, MAX_BODY)?;
    let login = request.login.as_ref().map(|(name, password)| {
        let login = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
        format!("Basic {login}")
    });
    let mut headers: Vec<(&str, String)> = login.into_iter().map(|login| ("Authorization", login)).collect();
    headers.extend(request.headers.iter().map(|(name, value)| (name.as_str(), value.clone())));
    if let Some(path) = &request.identity.token {
        headers.push(("X-Authentication", read_token(path)?));
    }
    if request.post.is_some() {
        let is_set = |name: &str| request.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        let missing = ["Content-Type", "Accept"].into_iter().filter(|name| !is_set(name));
        headers.splice(0..0, missing.map(|name| (name, "application/json".to_owned())).collect::<Vec<_>>());
    }
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    client.send(&request.url, &headers, request.post.as_deref().map(str::as_bytes))
}

/// The token in a file.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn read_token(path: &Path) -> Result<String, WorldError> {
    let home = path.strip_prefix("~").ok().and_then(|rest| Some(Path::new(&std::env::var_os("HOME")?).join(rest)));
    let path = home.as_deref().unwrap_or(path);
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| invalid_file(path, &error))?;
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(invalid_file(path, &"it holds no token"));
    }
    Ok(token.to_owned())
}

fn invalid_file(path: &Path, error: &dyn std::fmt::Display) -> WorldError {
    WorldError::Unreadable(path.to_path_buf(), Arc::from(error.to_string()))
}
