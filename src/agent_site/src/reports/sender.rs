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
use catwalk_base::source::SourceMap;
use catwalk_world::HttpClient;
use catwalk_world::Identity;
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

/// A URL without its login, and the login as a header.
struct Target {
    url: String,
    /// The URL for messages.
    shown: Arc<str>,
    login: Option<String>,
}

impl Target {
    fn parse(url: &str) -> Result<Target, Reason> {
        let wrong = || Reason::usage(format!("'{}' is not the URL of a web server", url.escape_debug()));
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

    /// Posts a report. The client is created with the first one: a new authority writes its certificates later than the server starts.
    fn post(&self, client: &mut Option<HttpClient>, identity: &Identity, yaml: &str) -> Result<(), String> {
        let client = match client {
            Some(client) => client,
            None => {
                let new = HttpClient::new(identity, TIMEOUT, MAX_RESPONSE).map_err(|why| why.to_string())?;
                client.insert(new)
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
