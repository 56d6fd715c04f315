//! The addresses of PuppetDB.
//!
//! In: addresses, certificates, a time limit. Out: the response of the first address that succeeds. Must not: know what is sent.

use std::sync::Arc;
use std::time::Duration;

use catwalk_base::meter;
use catwalk_world::HttpClient;
use catwalk_world::HttpResponse;
use catwalk_world::Identity;
use catwalk_world::WorldError;
use catwalk_world::excerpt;
use catwalk_world::status_reason;

/// The addresses of PuppetDB, and the client's certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuppetDb {
    /// Addresses such as `https://puppetdb.example.com:8081`, tried in turn.
    pub urls: Vec<String>,
    /// Addresses that accept commands but no queries; they are tried last.
    pub submit_only_urls: Vec<String>,
    /// Send each command to all addresses, at least this many of which must accept it. `None`: to the first address that accepts it.
    pub broadcast: Option<usize>,
    /// The client's certificate and key, and the authority that signed the server's certificate.
    pub identity: Identity,
    /// The time limit of a request. `None`: 60 seconds for queries, 30 seconds for commands, the terminus' defaults.
    pub timeout: Option<Duration>,
}

/// Why a request to one address failed.
pub(crate) enum AttemptError {
    /// The next address may succeed.
    TryNext(WorldError),
    /// The request is invalid, so all addresses would fail.
    Final(WorldError),
}

impl PuppetDb {
    /// Whether an address is configured.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        !self.urls.is_empty()
    }

    /// The first address, for messages.
    #[must_use]
    pub fn location(&self) -> String {
        self.urls.first().cloned().unwrap_or_default()
    }

    /// An HTTP client whose requests end at the time limit, or at that of the running compile. `max_bytes`: the largest response.
    ///
    /// # Errors
    /// A certificate or key cannot be read.
    pub(crate) fn client(&self, limit: Duration, max_bytes: u64) -> Result<HttpClient, WorldError> {
        let limit = self.timeout.unwrap_or(limit);
        HttpClient::new(&self.identity, meter::time_left().map_or(limit, |left| left.min(limit)), max_bytes)
    }

    /// Calls `attempt` with each address, without a trailing slash, until it succeeds.
    ///
    /// # Errors
    /// The error of the last address.
    pub(crate) fn try_addresses<T>(&self, attempt: impl Fn(&str) -> Result<T, AttemptError>) -> Result<T, WorldError> {
        let mut last = WorldError::NotAllowed(Arc::from("a PuppetDB without an address"));
        for url in &self.urls {
            match attempt(url.trim_end_matches('/')) {
                Ok(result) => return Ok(result),
                Err(AttemptError::Final(refused)) => return Err(refused),
                Err(AttemptError::TryNext(refused)) => last = refused,
            }
        }
        Err(last)
    }
}

/// The JSON of a response to a query for `url`.
///
/// # Errors
/// The status is not a success, or the body is not JSON.
pub(crate) fn parse_response(url: &str, response: &HttpResponse) -> Result<serde_json::Value, AttemptError> {
    let unreachable = |why: String| WorldError::Unreachable(Arc::from(url), Arc::from(why));
    match response.status {
        200..=299 => serde_json::from_slice(&response.body).map_err(|error| {
            // The beginning of an HTML page shows which server responded. Rows of PuppetDB are not quoted, since they may contain secrets.
            let is_page = !response.body.trim_ascii_start().starts_with(b"[");
            let page = if is_page { format!(": {}", quote(&response.body)) } else { String::new() };
            AttemptError::TryNext(unreachable(format!("the response is not JSON: {error}{page}")))
        }),
        status => {
            let refused = unreachable(failed_status(status, &response.body));
            // While PuppetDB starts, its server responds with 404 and an HTML page.
            match status {
                500.. => Err(AttemptError::TryNext(refused)),
                404 if !response.body.starts_with(b"{") => Err(AttemptError::TryNext(refused)),
                _ => Err(AttemptError::Final(refused)),
            }
        }
    }
}

/// A status and the beginning of the response, in one line.
pub(crate) fn failed_status(status: u16, body: &[u8]) -> String {
    format!("[{status} {}] {}", status_reason(status), quote(body))
}

/// The beginning of a response, in one line.
pub(crate) fn quote(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).replace(['\r', '\n'], "");
    excerpt(text.trim()).into_owned()
}

/// Whether a string is a URL with the scheme `http` or `https`.
#[must_use]
pub fn is_url(text: &str) -> bool {
    after_scheme(text).is_some_and(|rest| !rest.is_empty())
}

fn after_scheme(text: &str) -> Option<&str> {
    ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme))
}

/// Checks an address of PuppetDB. It must not contain a user and password, since addresses appear in messages, and clients of PuppetDB have
/// certificates.
///
/// # Errors
/// It is not a valid address. The message does not contain it if it may contain a password.
pub fn check_url(text: &str) -> Result<(), String> {
    if text.contains('@') {
        return Err("an address of PuppetDB has no user and password: clients have certificates".to_owned());
    }
    match is_url(text) {
        true => Ok(()),
        false => Err(format!("an address of PuppetDB begins with https:// or http://, got {text}")),
    }
}
