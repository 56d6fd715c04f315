//! The log of a server: a line for each request, and the messages of compiles, each once until the site changes.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::hash::RandomState;
use std::sync::Arc;

use serde_json::json;

use crate::serve_log::ServeLog;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::source::SourceMap;
use catwalk_messages::MessageLog;
use catwalk_server::Event;
use catwalk_server::logged_target;

/// The maximum number of recorded messages; a recorded message is not printed again.
const MAX_RECORDED: usize = 100_000;

/// The log of a server.
pub struct Console {
    log: Arc<dyn MessageLog>,
    /// The beginning of the command that signs a certificate request.
    sign: String,
    printed: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

impl Console {
    /// A log that names the command `sign` for waiting certificate requests.
    #[must_use]
    pub fn new(log: Arc<dyn MessageLog>, sign: String) -> Console {
        Console { log, sign, printed: Mutex::default(), hasher: RandomState::new() }
    }

    /// Whether a message is printed for the first time.
    fn is_new(&self, text: &str) -> bool {
        let mut printed = self.printed.lock();
        if printed.len() >= MAX_RECORDED {
            printed.clear();
        }
        printed.insert(self.hasher.hash_one(text))
    }

    /// Prints an event of the server.
    pub fn event(&self, event: &Event) {
        match event {
            Event::Request { client, certname, method, target, status, time } => {
                let path = logged_target(target);
                let certname = certname.as_deref().unwrap_or("-");
                let milliseconds = time.as_secs_f64() * 1000.0;
                let (address, name) = (client.ip(), field(certname));
                let text = format!("{address} {name} {method} {path} {status} {milliseconds:.1} ms");
                let object = json!({
                    "level": "info", "message": "request", "client": client.to_string(), "certname": certname,
                    "method": method, "path": path, "status": status, "milliseconds": milliseconds,
                });
                self.log.line(&text, &object);
            }
            Event::Signed { certname } => self.certificate(certname, "certificate signed", None),
            Event::NotSigned { certname, reason } => self.certificate(certname, "certificate not signed", Some(reason)),
            Event::Revoked { certname, is_removed } => {
                let text = if *is_removed { "certificate removed" } else { "certificate revoked" };
                self.certificate(certname, text, None);
            }
            Event::Waiting { certname, fingerprint, reason } => {
                let command = format!("{} {certname}", self.sign);
                let text = "certificate requested, not signed";
                let object = json!({
                    "level": "info", "message": text, "certname": certname, "fingerprint": fingerprint, "command": command,
                    "reason": reason,
                });
                let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
                let text =
                    format!("{certname}: {text}{reason}; fingerprint (SHA256) {fingerprint}; to sign it: {command}");
                self.log.line(&text, &object);
            }
            Event::Forbidden { client, reason } => {
                let object = json!({
                    "level": "info", "message": "forbidden", "client": client.to_string(), "reason": reason,
                });
                self.log.line(&format!("{} - forbidden: {reason}", client.ip()), &object);
            }
            Event::Handshake { client, reason } => {
                let object = json!({
                    "level": "info", "message": "no connection", "client": client.to_string(), "reason": reason,
                });
                self.log.line(&format!("{} - no connection: {reason}", client.ip()), &object);
            }
            Event::Problem(text) => {
                let warning = Diagnostic::new(Reason::new(Code::SERVER_FAILED, text.clone()), None);
                self.log.report(&warning.severity(Severity::Warning));
            }
        }
    }
}

impl Console {
    /// Prints what happened to the certificate of a node.
    fn certificate(&self, certname: &str, text: &str, reason: Option<&str>) {
        let object = match reason {
            Some(reason) => json!({ "level": "info", "message": text, "certname": certname, "reason": reason }),
            None => json!({ "level": "info", "message": text, "certname": certname }),
        };
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        self.log.line(&format!("{certname}: {text}{reason}"), &object);
    }
}

/// A name as one field of a line: a certificate may contain a name with blanks.
fn field(name: &str) -> String {
    name.replace(char::is_whitespace, "\u{2420}")
}

impl ServeLog for Console {
    fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        let text = self.log.text(&Group { diagnostic, nodes: node.into_iter().collect() }, sources);
        if self.is_new(&text) {
            self.log.write_group(&Group { diagnostic, nodes: node.into_iter().collect() }, sources);
        }
    }

    fn note(&self, text: &str) {
        self.log.line(text, &json!({"level": "info", "message": text}));
    }

    fn forget(&self) {
        self.printed.lock().clear();
    }
}
