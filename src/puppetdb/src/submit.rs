//! Sends one command (docs: "Commands endpoint"; puppet/util/puppetdb/command.rb).
//!
//! In: a command. Out: the UUID that PuppetDB assigned. Addresses are tried in the configured order, beginning with the one that accepted
//! the last command; when all have failed, there is a pause, twice as long each time. Must not: discard a command that PuppetDB may accept
//! later.

use std::io::Write;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::command::Command;
use crate::server::PuppetDb;
use crate::server::failed_status;
use crate::server::quote;
use catwalk_world::HttpClient;
use catwalk_world::HttpResponse;
use catwalk_world::WorldError;
use catwalk_world::url_component;

/// PuppetDB's endpoint for commands.
const PATH: &str = "/pdb/cmd/v1";
/// The time limit of a request (`server_url_timeout` of the terminus).
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest response, in bytes.
const MAX_RESPONSE: u64 = 1 << 20;
/// The pause before the first retry; each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The default number of retries.
const RETRIES: u32 = 3;

/// Why PuppetDB did not accept a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// PuppetDB refused the command, and would refuse it again.
    Refused(String),
    /// PuppetDB cannot be reached, or its response is invalid.
    Unavailable(String),
}

/// Sends commands.
#[derive(Debug)]
pub struct Submitter {
    client: HttpClient,
    urls: Vec<String>,
    broadcast: Option<usize>,
    retries: u32,
    /// The index of the address that accepted the last command.
    last_good: AtomicUsize,
}

impl Submitter {
    /// Prepares to send commands. `retries`: how often to try all addresses again, by default 3 times.
    ///
    /// # Errors
    /// A certificate or key cannot be read.
    pub fn new(puppetdb: &PuppetDb, retries: Option<u32>) -> Result<Submitter, WorldError> {
        let urls = puppetdb.urls.iter().chain(&puppetdb.submit_only_urls);
        Ok(Submitter {
            client: puppetdb.client(TIMEOUT, MAX_RESPONSE)?,
            urls: urls.map(|url| url.trim_end_matches('/').to_owned()).collect(),
            broadcast: puppetdb.broadcast,
            retries: retries.unwrap_or(RETRIES),
            last_good: AtomicUsize::new(0),
        })
    }

    /// Sends a command, with retries. Returns the UUID that PuppetDB assigned.
    ///
    /// # Errors
    /// PuppetDB refused it, or was unavailable in all attempts.
    pub fn submit(&self, command: &Command) -> Result<String, Failure> {
        let mut pause = FIRST_PAUSE;
        for _ in 0..self.retries {
            match self.submit_once(command) {
                Err(Failure::Unavailable(_)) => std::thread::sleep(pause),
                result => return result,
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
        self.submit_once(command)
    }

    /// Sends a command without retries, to the first address that accepts it or to all addresses.
    ///
    /// # Errors
    /// As [`Submitter::submit`].
    pub fn submit_once(&self, command: &Command) -> Result<String, Failure> {
        let body = compressed(command.payload().as_bytes());
        let first = if self.broadcast.is_some() { 0 } else { self.last_good.load(Ordering::Relaxed) };
        let (mut accepted, mut uuid) = (0, None);
        let mut failure = Failure::Unavailable("there is no address of a PuppetDB".to_owned());
        for at in (first..self.urls.len()).chain(0..first) {
            let Some(base) = self.urls.get(at) else { continue };
            match self.send(base, command, &body) {
                Ok(assigned) => {
                    accepted += 1;
                    uuid = Some(assigned);
                    self.last_good.store(at, Ordering::Relaxed);
                    if self.broadcast.is_none() {
                        break;
                    }
                }
                // The servers at the other addresses have the same version and would refuse it too.
                Err(Failure::Refused(why)) => return Err(Failure::Refused(why)),
                Err(unavailable) => failure = unavailable,
            }
        }
        match uuid {
            Some(uuid) if accepted >= self.broadcast.unwrap_or(1) => Ok(uuid),
            _ => Err(failure),
        }
    }

    fn send(&self, base: &str, command: &Command, body: &[u8]) -> Result<String, Failure> {
        let url = format!(
            "{base}{PATH}?checksum={}&version={}&certname={}&command={}&producer-timestamp={}",
            command.checksum(),
            command.name().version(),
            url_component(command.certname()),
            command.name(),
            command.time().strftime("%Y-%m-%dT%H:%M:%S.%3fZ"),
        );
        let length = command.payload().len().to_string();
        let headers = [
            ("Accept", "application/json"),
            ("Content-Type", "application/json; charset=utf-8"),
            ("Content-Encoding", "gzip"),
            // PuppetDB compares this length with its limit for the size of commands.
            ("X-Uncompressed-Length", &length),
        ];
        let response = self.client.send(&url, &headers, Some(body)).map_err(|refused| match refused {
            WorldError::Unreachable(_, why) => Failure::Unavailable(format!("{base}: {why}")),
            other => Failure::Unavailable(format!("{base}: {other}")),
        })?;
        read_response(&response).map_err(|failure| match failure {
            Failure::Refused(why) => Failure::Refused(format!("{base}: {why}")),
            Failure::Unavailable(why) => Failure::Unavailable(format!("{base}: {why}")),
        })
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Reads the UUID in PuppetDB's response. Only PuppetDB's own error is final, since a proxy may respond with anything.
fn read_response(response: &HttpResponse) -> Result<String, Failure> {
    let document: Option<Value> = serde_json::from_slice(&response.body).ok();
    let string = |key: &str| document.as_ref()?.get(key)?.as_str().map(str::to_owned);
    match (response.status, string("uuid"), string("error")) {
        (200..=299, Some(uuid), _) => Ok(uuid),
        (200..=299, None, _) => {
            Err(Failure::Unavailable(format!("the response has no UUID: {}", quote(&response.body))))
        }
        (400 | 413 | 415, _, Some(why)) => Err(Failure::Refused(why)),
        (status, ..) => Err(Failure::Unavailable(failed_status(status, &response.body))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_an_error_of_puppetdb_is_final() {
        let unavailable = |why: &str| Err(Failure::Unavailable(why.to_owned()));
        for (status, body, expected) in [
            (200, r#"{"uuid": "u"}"#, Ok("u".to_owned())),
            (200, "<html>", unavailable("the response has no UUID: <html>")),
            (200, r#"{"uuid": 1}"#, unavailable(r#"the response has no UUID: {"uuid": 1}"#)),
            (200, "", unavailable("the response has no UUID: ")),
            (400, r#"{"error": "retired"}"#, Err(Failure::Refused("retired".to_owned()))),
            (400, "<html>", unavailable("[400 Bad Request] <html>")),
            (403, r#"{"error": "no"}"#, unavailable(r#"[403 Forbidden] {"error": "no"}"#)),
            (503, "", unavailable("[503 Service Unavailable] ")),
        ] {
            assert_eq!(
                read_response(&HttpResponse { status, body: Arc::from(body.as_bytes()) }),
                expected,
                "{status} {body}"
            );
        }
    }
}
