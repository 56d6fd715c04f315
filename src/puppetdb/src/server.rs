//! Where PuppetDB is.
//!
//! In: addresses, certificates, a time limit. Out: a response of the first address that has one. Must not: know what is sent.

use std::sync::Arc;
use std::time::Duration;

use catwalk_base::meter;
use catwalk_world::Fetched;
use catwalk_world::HttpClient;
use catwalk_world::Identity;
use catwalk_world::Refused;
use catwalk_world::excerpt;
use catwalk_world::status_reason;

/// Where PuppetDB is, and how the client identifies itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuppetDb {
    /// Addresses such as `https://puppetdb.example.com:8081`, tried in turn.
    pub urls: Vec<String>,
    /// Addresses that take commands and answer no queries; they are tried last.
    pub submit_only_urls: Vec<String>,
    /// Commands are sent to all addresses, and at least this many must take each; `None`: to the first that takes it.
    pub broadcast: Option<usize>,
    /// The client's certificate and key, and the authority that signed the server's certificate.
    pub identity: Identity,
    /// The time for one request; `None`: 60 seconds for queries, 30 seconds for commands, as the terminus has it.
    pub timeout: Option<Duration>,
}

/// Why one address does not do.
pub(crate) enum Unsuccessful {
    /// Another address may.
    Here(Refused),
    /// The request is wrong: no address will.
    Anywhere(Refused),
}

impl PuppetDb {
    /// Whether there is an address.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.urls.is_empty()
    }

    /// The first address, for messages.
    #[must_use]
    pub fn location(&self) -> String {
        self.urls.first().cloned().unwrap_or_default()
    }

    /// A client whose requests end at the time limit, or when the running compile must end.
    ///
    /// # Errors
    /// A certificate or key cannot be read.
    pub(crate) fn client(&self, limit: Duration, largest: u64) -> Result<HttpClient, Refused> {
        let limit = self.timeout.unwrap_or(limit);
        HttpClient::new(&self.identity, meter::time_left().map_or(limit, |left| left.min(limit)), largest)
    }

    /// The result of the first address at which `attempt` succeeds; it gets the address without a slash at its end.
    ///
    /// # Errors
    /// The reason of the last address.
    pub(crate) fn in_turn<T>(&self, attempt: impl Fn(&str) -> Result<T, Unsuccessful>) -> Result<T, Refused> {
        let mut last = Refused::NotAllowed(Arc::from("a PuppetDB without an address"));
        for url in &self.urls {
            match attempt(url.trim_end_matches('/')) {
                Ok(result) => return Ok(result),
                Err(Unsuccessful::Anywhere(refused)) => return Err(refused),
                Err(Unsuccessful::Here(refused)) => last = refused,
            }
        }
        Err(last)
    }
}

/// The JSON of a response to a query for `url`.
///
/// # Errors
/// The status is not a success, or the body is not JSON.
pub(crate) fn json_of(url: &str, response: &Fetched) -> Result<serde_json::Value, Unsuccessful> {
    let unreachable = |why: String| Refused::Unreachable(Arc::from(url), Arc::from(why));
    match response.status {
        200..=299 => serde_json::from_slice(&response.body).map_err(|error| {
            // The beginning of a page helps to see who answered; rows of PuppetDB may hold values that are nobody's business.
            let is_page = !response.body.trim_ascii_start().starts_with(b"[");
            let page = if is_page { format!(": {}", quote(&response.body)) } else { String::new() };
            Unsuccessful::Here(unreachable(format!("the response is not JSON: {error}{page}")))
        }),
        status => {
            let refused = unreachable(failed_status(status, &response.body));
            // While PuppetDB starts, its server answers 404 with a page.
            match status {
                500.. => Err(Unsuccessful::Here(refused)),
                404 if !response.body.starts_with(b"{") => Err(Unsuccessful::Here(refused)),
                _ => Err(Unsuccessful::Anywhere(refused)),
            }
        }
    }
}

/// A status with the response, in one line.
pub(crate) fn failed_status(status: u16, body: &[u8]) -> String {
    format!("[{status} {}] {}", status_reason(status), quote(body))
}

/// The beginning of a response, in one line.
pub(crate) fn quote(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).replace(['\r', '\n'], "");
    excerpt(text.trim()).into_owned()
}

/// Whether a string begins with a scheme that Catwalk can use.
#[must_use]
pub fn is_url(text: &str) -> bool {
    after_scheme(text).is_some_and(|rest| !rest.is_empty())
}

fn after_scheme(text: &str) -> Option<&str> {
    ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme))
}

/// Checks an address of PuppetDB. It has no user and password: addresses are part of messages, and clients of PuppetDB have certificates.
///
/// # Errors
/// It is no such address; the message does not contain it if it may have a password.
pub fn check_url(text: &str) -> Result<(), String> {
    if text.contains('@') {
        return Err("an address of PuppetDB has no user and password: clients have certificates".to_owned());
    }
    match is_url(text) {
        true => Ok(()),
        false => Err(format!("an address of PuppetDB begins with https:// or http://, got {text}")),
    }
}
