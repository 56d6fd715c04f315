//! Report processors: `store`, `log` and `http` of Puppet, JSON files, and scripts (Puppet::Reports).
//!
//! In: reports of agents as JSON. Out: files, lines of the log, requests to a web server. One processor that fails keeps no other one from the
//! report. Must not: know how scripts run.
//!
//! | file | what |
//! |---|---|
//! | `document` | a report in the order and form in which Puppet writes it |
//! | `sender` | the thread that posts reports |

mod document;
mod sender;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::Value as Json;

use crate::serve_log::ServeLog;
use catwalk_apply::report::iso8601;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::visible;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_world::Disk;
use catwalk_world::Identity;
use catwalk_world::World;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Kind;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;
pub(crate) use document::PuppetReport;
pub use sender::ReportSender;
pub use sender::without_login;

/// Directories of reports.
static REPORTS: Purpose = Purpose {
    name: "reports",
    description: "reports",
    option: "--reports DIR or --report-processor store=DIR",
    contents: Contents::Mixed,
};

/// The most lines of the log of a report that are logged.
const MAX_LINES: usize = 10_000;

/// The most characters of such a line.
const MAX_LINE: usize = 1000;

/// Puppet's levels of log lines (Puppet::Util::Log).
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit"];

/// A script that processes reports.
pub trait ReportScript: Send + Sync {
    /// Processes a report. Returns a message for the log, if there is one.
    ///
    /// # Errors
    /// The script fails: a message with the position.
    fn process(&self, report: &Value) -> Result<Option<String>, String>;

    /// The name in messages.
    fn name(&self) -> String;
}

/// A destination of reports.
pub enum ReportProcessor {
    /// JSON files `DIR/CERTNAME/TIME.json`.
    Json(PathBuf),
    /// Puppet's `store`: `DIR/CERTNAME/YYYYMMDDHHMM.yaml`.
    Store(PathBuf),
    /// Puppet's `log`: the lines of the report's log.
    Log,
    /// Puppet's `http`: the report as YAML to a URL.
    Http(ReportSender),
    Script(Arc<dyn ReportScript>),
}

impl ReportProcessor {
    /// A processor that posts reports to a URL. `identity`: the authority of its certificate, and the certificate of this server.
    ///
    /// # Errors
    /// The URL is not one of a web server, or the thread cannot be started.
    pub fn http(url: &str, identity: Identity, log: Arc<dyn ServeLog>) -> Result<ReportProcessor, Reason> {
        ReportSender::start(url, identity, log).map(ReportProcessor::Http)
    }

    /// The name in the response to the agent, which lists Puppet's names.
    fn name(&self) -> String {
        match self {
            ReportProcessor::Json(_) | ReportProcessor::Store(_) => "store".to_owned(),
            ReportProcessor::Log => "log".to_owned(),
            ReportProcessor::Http(_) => "http".to_owned(),
            ReportProcessor::Script(script) => script.name(),
        }
    }

    /// Checks that reports can be written, so that a server with a wrong path does not start.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        match self {
            ReportProcessor::Json(folder) | ReportProcessor::Store(folder) => check_folder(folder),
            ReportProcessor::Log | ReportProcessor::Http(_) | ReportProcessor::Script(_) => Ok(()),
        }
    }

    /// The directory in which reports are written.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            ReportProcessor::Json(folder) | ReportProcessor::Store(folder) => Some(folder),
            ReportProcessor::Log | ReportProcessor::Http(_) | ReportProcessor::Script(_) => None,
        }
    }

    /// Processes a report. Returns the name of the processor. `sent`: what the agent has sent.
    ///
    /// # Errors
    /// A file cannot be written, a script fails, or too many reports wait.
    pub(crate) fn process(
        &self,
        certname: &str,
        (report, sent): (&PuppetReport, &Json),
        log: &dyn ServeLog,
    ) -> Result<String, Reason> {
        match self {
            ReportProcessor::Json(folder) => {
                let time: String = now().chars().take(23).map(|c| if c == ':' { '-' } else { c }).collect();
                write(folder, certname, &format!("{time}.json"), &format!("{sent}\n"))?;
            }
            ReportProcessor::Store(folder) => {
                let minute: String = now().chars().take(16).filter(char::is_ascii_digit).collect();
                write(folder, certname, &format!("{minute}.yaml"), &report.to_yaml()?)?;
            }
            ReportProcessor::Log => log_lines(certname, report, log),
            ReportProcessor::Http(sender) => sender.send(certname, report.to_yaml()?)?,
            ReportProcessor::Script(script) => {
                let message = script.process(&from_json(report.document()));
                let message = message.map_err(|why| Reason::new(Code::BAD_REPORT, why))?;
                if let Some(message) = message {
                    log.note(&format!("{certname}: {}: {}", script.name(), visible::line(&message)));
                }
            }
        }
        Ok(self.name())
    }
}

/// The current time, as in reports.
fn now() -> String {
    iso8601(UNIX_EPOCH + Disk::new().now())
}

/// Logs the lines of a report: `LEVEL: //CERTNAME/SOURCE: MESSAGE`. A line with an unknown level is a notice: a node must not choose how lines
/// of the log begin.
fn log_lines(certname: &str, report: &PuppetReport, log: &dyn ServeLog) {
    let lines = report.log();
    lines.iter().take(MAX_LINES).for_each(|line| log.note(&logged_line(certname, line)));
    if lines.len() > MAX_LINES {
        log.note(&format!("{certname}: {} further lines of the report are not logged", lines.len() - MAX_LINES));
    }
}

fn logged_line(certname: &str, line: &Json) -> String {
    let field = |name: &str| line.get(name).and_then(Json::as_str).unwrap_or_default();
    let level = Some(field("level")).filter(|level| LEVELS.contains(level)).unwrap_or("notice");
    // Characters that are not copied cost nothing.
    let start = |name: &str| field(name).chars().take(MAX_LINE).collect::<String>();
    let text = format!("{level}: //{certname}/{}: {}", start("source"), start("message"));
    let text = visible::line(&text);
    match text.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}

fn check_folder(folder: &Path) -> Result<(), Reason> {
    const PROBE: &str = ".catwalk-probe";
    let failed = |why: &str| {
        let text = format!("reports cannot be written to the directory {}: {why}", folder.display());
        Reason::new(Code::SERVER_FAILED, text).help("name a directory that this user may write to")
    };
    let directory = Directory::open(&Place::named(folder), &REPORTS);
    let directory = directory.map_err(|error| failed(&Reason::from(error).message))?;
    let written = directory.write(PROBE, Kind::NodeReport, b"").and_then(|()| directory.remove(PROBE));
    written.map_err(|error| failed(&error.to_string()))
}

/// Writes `FOLDER/CERTNAME/NAME`.
fn write(folder: &Path, certname: &str, name: &str, text: &str) -> Result<(), Reason> {
    let is_name = certname.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_name || certname.starts_with('.') || certname.is_empty() {
        return Err(Reason::new(Code::BAD_REPORT, format!("'{certname}' cannot name a directory for reports")));
    }
    let name = format!("{certname}/{name}");
    let path = folder.join(&name);
    let failed = |error: std::io::Error| Reason::runtime(format!("cannot write {}: {error}", path.display()));
    let directory = Directory::open(&Place::named(folder), &REPORTS)?;
    directory.write(&name, Kind::NodeReport, text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::logged_line;
    use serde_json::json;

    #[test]
    fn lines_of_the_log_begin_with_a_level_of_puppet_and_are_short() {
        let line = |level: &str, message: &str| {
            logged_line("a.example.com", &json!({ "level": level, "source": "Puppet", "message": message }))
        };
        assert_eq!(line("err", "failed"), "err: //a.example.com/Puppet: failed");
        assert_eq!(line("2026-01-01 server", "a\nb"), line("notice", "a\nb"));
        assert!(!line("notice", "a\nb").contains('\n'));
        let long = line("info", &"ä".repeat(5000));
        assert_eq!((long.chars().count(), long.ends_with('…')), (1001, true));
    }
}
