//! `--report FILE`, `--submit`: collects the report of a run, writes it to a file and sends it to PuppetDB.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

use catwalk_apply as apply;
use catwalk_apply::LogLine;
use catwalk_apply::RunOutcome;
use catwalk_apply::report::Subject;
use catwalk_apply::report::Times;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_messages::MessageLog;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_puppetdb::Submission;
use catwalk_resource_api::Level;
use catwalk_session::Session;
use catwalk_system::Clock;
use catwalk_system::MachineClock;
use catwalk_world::output;
use catwalk_world::output::Place;

/// The report of a run.
#[derive(Debug, Clone, Default)]
pub struct ReportOptions {
    /// The file to write: JSON, or YAML if its name ends with `.yaml`.
    pub file: Option<PathBuf>,
    /// The format of the file.
    pub format: ReportFormat,
}

/// Report formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReportFormat {
    /// Puppet's report format 12
    #[default]
    Puppet,
    /// The payload of PuppetDB's command `store report`, version 8
    Puppetdb,
}

/// Collects the data of one run's report.
pub(crate) struct ReportBuilder<'a> {
    options: &'a ReportOptions,
    /// The connection to PuppetDB, if the report is submitted.
    submission: Option<(Submission, &'a dyn MessageLog)>,
    /// The start of the program.
    started: SystemTime,
    /// The clock that was started then.
    pub(crate) clock: &'a MachineClock,
    /// The time for compiling or reading the catalog.
    pub(crate) retrieval: Option<Duration>,
    /// The time for applying it; `None` if it was refused.
    pub(crate) application: Option<Duration>,
}

impl<'a> ReportBuilder<'a> {
    pub(crate) fn new(
        options: &'a ReportOptions,
        submission: Option<(Submission, &'a dyn MessageLog)>,
        (started, clock): (SystemTime, &'a MachineClock),
    ) -> ReportBuilder<'a> {
        ReportBuilder { options, submission, started, clock, retrieval: None, application: None }
    }

    /// Writes the report of a run of a catalog, if one is requested.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(
        &self,
        catalog: &Catalog,
        outcome: &RunOutcome,
        noop: bool,
        secrets: &Secrets,
    ) -> Result<(), String> {
        self.write_redacted(&Subject::from(catalog), outcome, noop, secrets)
    }

    /// Writes the report of a run without a catalog, if one is requested: its messages are those of the compile.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write_without_catalog(
        &self,
        (session, certname): (&Session, &str),
        messages: Vec<LogLine>,
        noop: bool,
        secrets: &Secrets,
    ) -> Result<(), String> {
        let subject = Subject {
            host: Arc::from(certname),
            environment: session.reported_environment(),
            transaction_uuid: session.new_uuid(),
            catalog: None,
        };
        let outcome = RunOutcome { logs: messages, ..RunOutcome::default() };
        self.write_redacted(&subject, &outcome, noop, secrets)
    }

    fn write_redacted(
        &self,
        subject: &Subject,
        outcome: &RunOutcome,
        noop: bool,
        secrets: &Secrets,
    ) -> Result<(), String> {
        if self.options.file.is_none() && self.submission.is_none() {
            return Ok(());
        }
        let options = apply::Options { noop, ..apply::Options::default() };
        let times = Times {
            started: self.started,
            total: self.clock.elapsed(),
            retrieval: self.retrieval,
            application: self.application,
        };
        let report = apply::report::build_report(outcome, subject, &options, &times);
        let mut report = Redacted::report(report, secrets).into_inner();
        // The file is written even if the report cannot be submitted.
        let submitted = self.submission.as_ref().map_or(Ok(()), |(submission, log)| {
            submit(submission, *log, &apply::report::store_report(&report, &subject.host))
        });
        let Some(path) = &self.options.file else { return submitted };
        if self.options.format == ReportFormat::Puppetdb {
            report = apply::report::store_report(&report, &subject.host);
        }
        write(path, &report).and(submitted)
    }
}

/// Puts a report into the queue and sends the queue. Commands that PuppetDB does not accept are reported and stay in the queue.
fn submit(submission: &Submission, log: &dyn MessageLog, payload: &serde_json::Value) -> Result<(), String> {
    let command = Command::new(CommandName::StoreReport, payload).map_err(|violations| {
        let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
        format!("the report is not submitted, since PuppetDB would discard it: {}", rules.join("; "))
    })?;
    submission.add(&[command]).map_err(|reason| reason.message.to_string())?;
    submission.push(&|_| true, log).map(|_| ()).map_err(|reason| reason.message.to_string())
}

fn write(path: &Path, report: &serde_json::Value) -> Result<(), String> {
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let text = if is_yaml { apply::report::to_yaml(report) } else { format!("{report:#}\n") };
    let written = output::write(&Place::named(path), output::Kind::RunReport, text.as_bytes());
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// An error of a compile as Puppet logs it.
pub(crate) fn compile_error(error: &Diagnostic, sources: &SourceMap, certname: &str, time: SystemTime) -> LogLine {
    let mut line = LogLine::new(Level::Err, format!("{} on node {certname}", error.puppet_text(sources)), time);
    if let Some((source, number, _)) = error.span.and_then(|span| sources.locate(span)) {
        line.file = Some(source.name.clone());
        line.line = Some(number).filter(|_| !error.hide_line);
    }
    line
}
