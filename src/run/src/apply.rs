//! Compiles a catalog and applies it to this machine or to a device.

use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;

use crate::device;
use crate::device::Device;
use crate::device::DeviceOptions;
use crate::device::Refusal;
use crate::reporting;
use crate::reporting::ReportBuilder;
use crate::reporting::ReportOptions;
use crate::results;
use crate::run_context;
use crate::run_context::RunContext;
use crate::run_log::RunLog;
use crate::run_log::log_diagnostic;
use catwalk_apply as apply;
use catwalk_apply::LogLine;
use catwalk_apply::RunOutcome;
use catwalk_apply::State;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_messages::MessageLog;
use catwalk_puppetdb::Submission;
use catwalk_resource_api::Level;
use catwalk_session::NodeSource;
use catwalk_session::Options;
use catwalk_session::PreparedNode;
use catwalk_session::Session;
use catwalk_system::Clock;
use catwalk_system::MachineClock;

/// What to apply, and how.
#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// A catalog in a file, in place of compiling one.
    pub catalog: Option<PathBuf>,
    /// Whether to change nothing.
    pub noop: bool,
    /// Whether to log how the contents of files change.
    pub show_diff: bool,
    /// Apply only resources with one of these tags.
    pub tags: Vec<String>,
    /// Do not apply resources with one of these tags.
    pub skip_tags: Vec<String>,
    /// The node to compile the catalog of; by default this machine.
    pub certname: Option<String>,
    /// The file of a plan to write.
    pub plan: Option<PathBuf>,
    /// The file of the plan to apply.
    pub apply_plan: Option<PathBuf>,
    /// The report.
    pub report: ReportOptions,
    /// The directory of the state of runs.
    pub statedir: Option<PathBuf>,
    /// The time limit of a call of a provider.
    pub timeout_provider: Option<Duration>,
    /// The device to manage.
    pub device: DeviceOptions,
}

impl ApplyOptions {
    /// Whether nothing is changed.
    fn is_noop(&self) -> bool {
        self.noop || self.plan.is_some()
    }
}

/// What a run needs from its caller.
pub struct Services<'s> {
    /// The connection to PuppetDB for the report of a session, if it is submitted.
    pub submission: &'s dyn Fn(&Session) -> Result<Option<Submission>, Reason>,
    /// Receives messages of the submission.
    pub messages: &'s dyn MessageLog,
    /// Whether the run ends after the current resource. The first call, before the catalog is applied, may install handlers of signals.
    pub is_interrupted: &'s dyn Fn() -> bool,
}

/// Applies; 0 nothing changed, 2 something changed, 4 something failed, 6 both, 1 nothing was applied.
/// `site` returns the options of the site; the run has begun when it is called.
pub fn apply(
    args: &ApplyOptions,
    site: impl FnOnce() -> Result<Options, Reason>,
    services: &Services<'_>,
    log: &mut dyn RunLog,
) -> u8 {
    let clock = MachineClock::new();
    let started = clock.now();
    let opened = site().map_err(Refusal::Usage).and_then(|options| device::open(&args.device, options, log));
    let (session, device) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return refuse(refusal, log),
    };
    log.print_from(session.options.log_level);
    log.hide(&session.no_secrets());
    let code = run_session(args, (started, &clock), (&session, device.as_ref()), services, log);
    if let Some(device) = device {
        device.close(log);
    }
    code
}

/// Prints why nothing is done. The exit code is 1: 2, the usual code for wrong usage, means here that something was changed.
pub(crate) fn refuse(refusal: Refusal, log: &mut dyn RunLog) -> u8 {
    match refusal {
        Refusal::Usage(reason) => log.usage(reason),
        Refusal::Device(message) => log.log(Level::Err, None, &format!("Could not run: {message}")),
    }
    1
}

fn run_session(
    args: &ApplyOptions,
    (started, clock): (SystemTime, &MachineClock),
    (session, device): (&Session, Option<&Device>),
    services: &Services<'_>,
    log: &mut dyn RunLog,
) -> u8 {
    let name = args.certname.as_deref().or(args.device.target.as_deref());
    let prepared = run_context::certname(name, session).and_then(|name| Ok((name, (services.submission)(session)?)));
    let (certname, submission) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => return refuse(Refusal::Usage(reason), log),
    };
    let submission = submission.map(|submission| (submission, services.messages));
    let mut reporting = ReportBuilder::new(&args.report, submission, (started, clock));
    let retrieving = Instant::now();
    let (catalog, prepared) = match retrieve(args, session, &certname, clock, log) {
        Ok(retrieved) => retrieved,
        Err(messages) => {
            let written =
                reporting.write_without_catalog((session, &certname), messages, args.is_noop(), &log.secrets());
            return exit(written.map(|()| 1), log);
        }
    };
    reporting.retrieval = Some(retrieving.elapsed());
    let applied = prepared.and_then(|prepared| {
        session.with_prepared(&prepared, |input, _| {
            let mut context = RunContext::for_catalog(input, &catalog, args.timeout_provider, log)?;
            context.show_diff = args.show_diff;
            context.device = device.map(|device| device.value().clone());
            apply_catalog((args, services), &context, (&catalog, device), session, log, &mut reporting)
        })
    });
    let outcome = match applied {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(reason)) => {
            log.log(Level::Err, None, &reason);
            RunOutcome { logs: vec![LogLine::new(Level::Err, reason, clock.now())], ..failed() }
        }
        Err(failure) => {
            log.error(&failure, session.sources(), None);
            let line = reporting::compile_error(&failure, session.sources(), &certname, clock.now());
            RunOutcome { logs: vec![line], ..failed() }
        }
    };
    let written = reporting.write(&catalog, &outcome, args.is_noop(), &log.secrets());
    exit(written.map(|()| results::exit_code(&outcome)), log)
}

/// The outcome of a run that did not start.
fn failed() -> RunOutcome {
    RunOutcome { failure: Some(String::new()), ..RunOutcome::default() }
}

/// Returns the exit code; prints an error.
fn exit(code: Result<u8, String>, log: &mut dyn RunLog) -> u8 {
    code.unwrap_or_else(|reason| {
        log.log(Level::Err, None, &reason);
        1
    })
}

/// The catalog to apply and its node, which is prepared once: for the compile and for the run. Prints the log of the compile.
///
/// # Errors
/// Returns why there is no catalog, after printing it.
fn retrieve(
    args: &ApplyOptions,
    session: &Session,
    certname: &str,
    clock: &MachineClock,
    log: &mut dyn RunLog,
) -> Result<(Catalog, Result<PreparedNode, Box<Diagnostic>>), Vec<LogLine>> {
    let source = NodeSource::Site(certname);
    if let Some(path) = &args.catalog {
        let key = session.secrets_key();
        let catalog = run_context::read_catalog(path, key).map_err(|reason| {
            let line = LogLine::new(Level::Err, reason.message.to_string(), clock.now());
            refuse(Refusal::Usage(reason), log);
            vec![line]
        })?;
        log.hide(&catalog.secrets);
        return Ok((catalog, session.prepare(source)));
    }
    let started = Instant::now();
    let (logs, result) = match session.prepare_or_log(source) {
        Err((failure, logs)) => (logs, Err(failure)),
        Ok(prepared) => {
            let compiled = session.compile_prepared(&prepared);
            (compiled.logs, compiled.result.map(|catalog| (catalog, prepared)))
        }
    };
    let mut errors = Vec::new();
    for line in &logs {
        if line.severity >= Severity::Error {
            errors.push(reporting::compile_error(line, session.sources(), certname, clock.now()));
        }
        match line.severity >= Severity::Error && line.span.is_some() {
            true => log.error(line, session.sources(), None),
            false => log_diagnostic(log, line, session.sources()),
        }
    }
    match result {
        Ok((catalog, prepared)) => {
            log.hide(&catalog.secrets);
            let seconds = started.elapsed().as_secs_f64();
            let environment = &catalog.environment;
            let text = format!("Compiled catalog for {certname} in environment {environment} in {seconds:.2} seconds");
            log.log(Level::Notice, None, &text);
            Ok((catalog, Ok(prepared)))
        }
        Err(failure) => {
            log.error(&failure, session.sources(), Some(certname));
            errors.push(reporting::compile_error(&failure, session.sources(), certname, clock.now()));
            Err(errors)
        }
    }
}

fn apply_catalog(
    (args, services): (&ApplyOptions, &Services<'_>),
    context: &RunContext<'_>,
    (catalog, device): (&Catalog, Option<&Device>),
    session: &Session,
    log: &mut dyn RunLog,
    reporting: &mut ReportBuilder<'_>,
) -> Result<RunOutcome, String> {
    let started = Instant::now();
    let key = match args.plan.as_deref().or(args.apply_plan.as_deref()) {
        Some(plan) => results::key_of_plan(plan),
        None => session.secrets_key().clone(),
    };
    let plan = args.apply_plan.as_deref().map(|path| results::read_plan(path, key.clone())).transpose()?;
    let mut options = apply::Options {
        noop: args.is_noop(),
        version: context.version,
        preprocess_deferred: context.preprocess_deferred,
        strict: context.strict,
        tags: args.tags.iter().map(|tag| tag.to_lowercase()).collect(),
        skip_tags: args.skip_tags.iter().map(|tag| tag.to_lowercase()).collect(),
        is_device: device.is_some(),
        plan: None,
        record_plan: (args.plan.is_some() || plan.is_some()).then(|| key.clone()),
    };
    let mut state = results::read_state(args.statedir.as_deref(), log.secrets())?;
    if let Some(plan) = plan {
        let now = results::plan_now((context, services.is_interrupted), catalog, &options, &state, key.clone(), log)?;
        let differences = plan.differences(&now);
        if !differences.is_empty() {
            return Err(format!("the plan cannot be applied, create a new one:\n  {}", differences.join("\n  ")));
        }
        options.record_plan = None;
        options.plan = Some(plan.with_secrets(log.secrets().union(&Secrets::default(), &key)));
    }
    let mut outcome = run_catalog(context, catalog, &options, &mut state, log, services.is_interrupted);
    log.end_progress();
    reporting.application = Some(started.elapsed()).filter(|_| outcome.failure.is_none());
    results::log_end(&mut outcome, (started.elapsed(), reporting.clock.now()), log);
    if let Some(path) = &args.plan {
        results::write_plan(path, &results::plan_of(&outcome, catalog, &key, &log.secrets()))?;
    }
    if !options.noop || args.plan.is_none() {
        state.hide(log.secrets());
        results::write_state(args.statedir.as_deref(), &state)?;
    }
    Ok(outcome)
}

/// One run on this machine.
pub(crate) fn run_catalog(
    context: &RunContext<'_>,
    catalog: &Catalog,
    options: &apply::Options,
    state: &mut State,
    log: &mut dyn RunLog,
    is_interrupted: &dyn Fn() -> bool,
) -> RunOutcome {
    // From here on a signal ends the run in order: also while the state of resources is read.
    let _ = is_interrupted();
    let shared = std::cell::RefCell::new(log);
    let mut machine = run_context::machine();
    let mut shared_log = run_context::SharedLog(&shared);
    let kinds = context.kinds(None);
    let mut environment = apply::Environment {
        system: &mut machine,
        log: &mut shared_log,
        secrets: context.secrets(),
        resolver: &mut context.resolver(),
        state,
        is_interrupted,
        progress: &mut |done, total| shared.borrow_mut().show_progress(done, total),
    };
    apply::apply(catalog, &kinds, &mut environment, options)
}
