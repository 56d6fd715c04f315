//! The thread that posts reports to a web server (the report processor `http`).
//!
//! In: reports as YAML. Out: POST requests, one after the other. Agents do not wait: if the web server is slower than the reports, those that
//! find no room are dropped, with a line in the log. Must not: retry, since Puppet does not.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use base64::Engine;

use crate::serve_log::ServeLog;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::source::SourceMap;
use catwalk_world::Disk;
use catwalk_world::HttpClient;
use catwalk_world::Identity;
use catwalk_world::World;
use catwalk_world::status_reason;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The largest response, in bytes.
const MAX_RESPONSE: u64 = 1 << 20;
/// The most bytes of reports that wait.
const MAX_WAITING: usize = 64 << 20;

/// Posts reports to a URL.
pub struct ReportSender {
    url: Arc<str>,
    reports: mpsc::Sender<(String, String)>,
    /// Bytes of the reports that wait.
    waiting: Arc<AtomicUsize>,
}

impl ReportSender {
    pub(super) fn start(url: &str, identity: Identity, log: Arc<dyn ServeLog>) -> Result<ReportSender, Reason> {
        let target = Target::parse(url)?;
        // A server without TLS needs no certificates.
        let identity = if target.url.starts_with("https:") { identity } else { Identity::default() };
        let (reports, received) = mpsc::channel::<(String, String)>();
        let waiting = Arc::<AtomicUsize>::default();
        let (shown, counted) = (target.shown.clone(), waiting.clone());
        let work = move || {
            let mut client = None;
            for (certname, yaml) in received {
                if let Err(why) = target.post(&mut client, &identity, &yaml) {
                    let reason = Reason::new(Code::SERVER_FAILED, why);
                    log.diagnostic(&Diagnostic::new(reason, None), &SourceMap::new(), Some(&certname));
                }
                counted.fetch_sub(yaml.len(), Ordering::Relaxed);
            }
        };
        let thread = std::thread::Builder::new().name("reports".to_owned()).spawn(work);
        thread.map_err(|error| Reason::new(Code::SERVER_FAILED, error.to_string()))?;
        Ok(ReportSender { url: shown, reports, waiting })
    }

    /// Passes a report to the thread.
    pub(super) fn send(&self, certname: &str, yaml: String) -> Result<(), Reason> {
        let failed = |why: &str| {
            Reason::new(Code::SERVER_FAILED, format!("the report of {certname} is not sent to {}: {why}", self.url))
        };
        let length = yaml.len();
        if self.waiting.fetch_add(length, Ordering::Relaxed) + length > MAX_WAITING {
            self.waiting.fetch_sub(length, Ordering::Relaxed);
            return Err(failed("too many reports wait for the web server"));
        }
        self.reports.send((certname.to_owned(), yaml)).map_err(|_| failed("its thread has ended"))
    }
}

/// A URL for messages: what is up to the last `@` may contain a password.
#[must_use]
pub fn without_login(url: &str) -> &str {
    url.rsplit_once('@').map_or(url, |(_, rest)| rest)
}

/// The client of the thread, and the certificates that it was created with.
struct CurrentClient {
    client: HttpClient,
    files: Fingerprint,
}

/// A fingerprint of the contents of the files of an identity.
fn fingerprint(identity: &Identity) -> Fingerprint {
    let Identity { ca, cert, key, crl, token: _ } = identity;
    let disk = Disk::new();
    let contents = [ca, cert, key, crl].map(|path| path.as_ref().and_then(|path| disk.read(path).ok()));
    Fingerprint::of(&contents)
}

/// A URL without its login, and the login as a header.
struct Target {
    url: String,
    /// The URL for messages.
    shown: Arc<str>,
    login: Option<String>,
}

impl Target {
    fn parse(url: &str) -> Result<Target, Reason> {
        let wrong = || {
            let shown = without_login(url).escape_debug();
            Reason::usage(format!("'{shown}' is not the URL of a web server"))
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
        if !matches!(scheme, "http" | "https") || rest.is_empty() || !is_plain {
            return Err(wrong());
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).ok_or_else(wrong)?;
        let (login, host) = match authority.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, authority),
        };
        let url = format!("{scheme}://{host}{path}");
        let login = login.map(|login| format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(login)));
        Ok(Target { shown: Arc::from(url.as_str()), url, login })
    }

    /// Posts a report. The client is created with the first one, since a new authority writes its certificates later than the server starts,
    /// and again when a certificate or a revocation list has changed.
    fn post(&self, current: &mut Option<CurrentClient>, identity: &Identity, yaml: &str) -> Result<(), String> {
        let files = fingerprint(identity);
        let CurrentClient { client, .. } = match current.take().filter(|current| current.files == files) {
            Some(known) => current.insert(known),
            None => {
                let client = HttpClient::new(identity, TIMEOUT, MAX_RESPONSE).map_err(|why| why.to_string())?;
                current.insert(CurrentClient { client, files })
            }
        };
        let mut headers = vec![("Content-Type", "application/x-yaml")];
        headers.extend(self.login.as_deref().map(|login| ("Authorization", login)));
        let response = client.send(&self.url, &headers, Some(yaml.as_bytes())).map_err(|why| why.to_string())?;
        match response.status {
            200..=299 => Ok(()),
            status => Err(format!("Unable to submit report to {} [{status}] {}", self.shown, status_reason(status))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn messages_have_no_password() {
        let why = Target::parse("htps://user:secret@host/reports").err().unwrap();
        assert_eq!(why.message, "'host/reports' is not the URL of a web server");
        let target = Target::parse("https://user:se@cret@host/reports").unwrap();
        assert_eq!(&*target.shown, "https://host/reports");
    }

    #[test]
    fn changed_files_have_another_fingerprint() {
        let of = |name: &str| {
            let crl = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            fingerprint(&Identity { crl: Some(crl), ..Identity::default() })
        };
        assert!(of("Cargo.toml") == of("Cargo.toml"));
        assert!(of("Cargo.toml") != of("src/lib.rs") && of("Cargo.toml") != of("missing"));
    }
}
