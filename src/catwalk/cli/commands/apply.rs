//! `catwalk apply [MANIFEST]`: compiles a catalog and applies it to this machine.

pub(super) mod device;
mod embedded_types;
mod interrupt;
pub(super) mod machine_facts;
mod reporting;
mod results;
pub(super) mod run_context;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::compile::usage;
use crate::cli::console_log::ConsoleLog;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_apply as apply;
use catwalk_apply::LogLine;
use catwalk_apply::RunOutcome;
use catwalk_apply::State;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_session::NodeSource;
use catwalk_session::Options;
use catwalk_session::PreparedNode;
use catwalk_session::Session;
use catwalk_world::Disk;
use device::Device;
use device::DeviceArgs;
use device::Refusal;
use reporting::ReportArgs;
use reporting::ReportBuilder;
use run_context::RunContext;

/// Arguments of `apply`.
#[derive(Args, Debug)]
#[command(mut_arg("execute", |arg| arg.conflicts_with("manifest_file")))]
pub struct Apply {
    /// The manifest to apply [default: the site's]
    #[arg(value_name = "MANIFEST")]
    pub manifest_file: Option<PathBuf>,
    /// Apply this catalog, written by `catwalk compile`, instead of compiling one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["manifest_file", "execute"])]
    pub catalog: Option<PathBuf>,
    /// Report what would change, without changing anything
    #[arg(long)]
    pub noop: bool,
    /// Log how the contents of files change
    #[arg(long, alias = "show_diff")]
    pub show_diff: bool,
    /// Apply only resources with one of these tags
    #[arg(long, value_name = "TAG,TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Do not apply resources with one of these tags
    #[arg(long, alias = "skip_tags", value_name = "TAG,TAG", value_delimiter = ',')]
    pub skip_tags: Vec<String>,
    /// The node to compile the catalog of [default: this machine's host name]
    #[arg(long, value_name = "CERTNAME")]
    pub certname: Option<String>,
    /// Write what would change to this file, without changing anything
    #[arg(long, value_name = "FILE", conflicts_with = "apply_plan")]
    pub plan: Option<PathBuf>,
    /// Make exactly the changes of this plan, or none if the catalog or the machine has changed since
    #[arg(long, value_name = "FILE", conflicts_with = "noop")]
    pub apply_plan: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Store desired and audited values in this directory between runs
    #[arg(long, value_name = "DIR")]
    pub statedir: Option<PathBuf>,
    /// Accepted for compatibility with Puppet; exit codes are always detailed
    #[arg(long, hide_short_help = true)]
    pub detailed_exitcodes: bool,
    /// End the run if one call of a provider takes longer than this many seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = run_context::seconds)]
    pub timeout_provider: Option<Duration>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Applies; 0 nothing changed, 2 something changed, 4 something failed, 6 both, 1 nothing was applied.
pub fn run(args: &Apply) -> u8 {
    // Everything that becomes secret in the run is known to the log, whichever part reports it.
    secrets::collect(|| run_and_collect(args)).0
}

fn run_and_collect(args: &Apply) -> u8 {
    let started = apply::report::now();
    let logger = Logger::from_args(&args.site);
    let mut log = ConsoleLog::new();
    log.print_from(args.site.verbosity.level());
    let opened =
        options(args).map_err(Refusal::Usage).and_then(|options| device::open(&args.device, options, &mut log));
    let (session, device) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return refuse(&logger, refusal, &mut log),
    };
    log.print_from(session.options.log_level);
    log.hide(&session.no_secrets());
    let code = run_session(args, started, (&session, device.as_ref()), &logger, &mut log);
    if let Some(device) = device {
        device.close(&mut log);
    }
    code
}

/// Prints why nothing is done. The exit code is 1: 2, the usual code for wrong usage, means here that something was changed.
pub(super) fn refuse(logger: &Logger, refusal: Refusal, log: &mut ConsoleLog) -> u8 {
    match refusal {
        Refusal::Usage(reason) => {
            let secrets = log.secrets();
            usage(logger, Reason { message: secrets.redact(&reason.message).into_owned().into(), ..reason });
        }
        Refusal::Device(message) => log.log(Level::Err, None, &format!("Could not run: {message}")),
    }
    1
}

fn run_session(
    args: &Apply,
    started: SystemTime,
    (session, device): (&Session, Option<&Device>),
    logger: &Logger,
    log: &mut ConsoleLog,
) -> u8 {
    let name = args.certname.as_deref().or(args.device.target.as_deref());
    let prepared = run_context::certname(name, session).and_then(|name| Ok((name, args.report.submission(session)?)));
    let (certname, submission) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => return refuse(logger, Refusal::Usage(reason), log),
    };
    let mut reporting = ReportBuilder::new(&args.report, submission, started);
    let retrieving = Instant::now();
    let (catalog, prepared) = match retrieve(args, session, &certname, logger, log) {
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
            apply_catalog(args, &context, (&catalog, device), session, log, &mut reporting)
        })
    });
    let outcome = match applied {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(reason)) => {
            log.log(Level::Err, None, &reason);
            RunOutcome { logs: vec![LogLine::new(Level::Err, reason)], ..failed() }
        }
        Err(failure) => {
            log.error(logger, &failure, session.sources(), None);
            RunOutcome { logs: vec![reporting::compile_error(&failure, session.sources(), &certname)], ..failed() }
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
fn exit(code: Result<u8, String>, log: &mut ConsoleLog) -> u8 {
    code.unwrap_or_else(|reason| {
        log.log(Level::Err, None, &reason);
        1
    })
}

impl Apply {
    /// Whether nothing is changed.
    fn is_noop(&self) -> bool {
        self.noop || self.plan.is_some()
    }
}

fn options(args: &Apply) -> Result<Options, Reason> {
    let world = Disk::new();
    let mut site = args.site.clone();
    if args.manifest_file.is_some() {
        site.manifest.clone_from(&args.manifest_file);
    }
    if args.catalog.is_some() && site.execute.is_none() {
        site.execute = Some(String::new());
    }
    let mut options = options::for_changes(&site, &world)?;
    // This machine calls deferred functions with all modules.
    options.settings.deferred_warnings = false;
    if !options.has_facts() && args.device.target.is_none() {
        options.fact_set = Some(Arc::new(machine_facts::facts(options::agent(&site)?)));
    }
    // The agent's check and message.
    options.cycles = Some(catwalk_eval::Cycles::Ignore);
    Ok(options)
}

/// The catalog to apply and its node, which is prepared once: for the compile and for the run. Prints the log of the compile.
///
/// # Errors
/// Returns why there is no catalog, after printing it.
fn retrieve(
    args: &Apply,
    session: &Session,
    certname: &str,
    logger: &Logger,
    log: &mut ConsoleLog,
) -> Result<(Catalog, Result<PreparedNode, Box<Diagnostic>>), Vec<LogLine>> {
    let source = NodeSource::Site(certname);
    if let Some(path) = &args.catalog {
        let key = session.secrets_key();
        let catalog = run_context::read_catalog(path, key).map_err(|reason| {
            let line = LogLine::new(Level::Err, reason.message.to_string());
            refuse(logger, Refusal::Usage(reason), log);
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
            errors.push(reporting::compile_error(line, session.sources(), certname));
        }
        match line.severity >= Severity::Error && line.span.is_some() {
            true => log.error(logger, line, session.sources(), None),
            false => log.diagnostic(line, session.sources()),
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
            log.error(logger, &failure, session.sources(), Some(certname));
            errors.push(reporting::compile_error(&failure, session.sources(), certname));
            Err(errors)
        }
    }
}

fn apply_catalog(
    args: &Apply,
    context: &RunContext<'_>,
    (catalog, device): (&Catalog, Option<&Device>),
    session: &Session,
    log: &mut ConsoleLog,
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
        let now = results::plan_now(context, catalog, &options, &state, key.clone(), log)?;
        let differences = plan.differences(&now);
        if !differences.is_empty() {
            return Err(format!("the plan cannot be applied, create a new one:\n  {}", differences.join("\n  ")));
        }
        options.record_plan = None;
        options.plan = Some(plan.with_secrets(log.secrets().union(&Secrets::default(), &key)));
    }
    let mut outcome = run_catalog(context, catalog, &options, &mut state, log);
    log.end_progress();
    reporting.application = Some(started.elapsed()).filter(|_| outcome.failure.is_none());
    results::log_end(&mut outcome, started.elapsed(), log);
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
fn run_catalog(
    context: &RunContext<'_>,
    catalog: &Catalog,
    options: &apply::Options,
    state: &mut State,
    log: &mut ConsoleLog,
) -> RunOutcome {
    let interrupted = interrupt::flag();
    let shared = std::cell::RefCell::new(log);
    let mut machine = run_context::machine();
    let mut shared_log = run_context::SharedLog(&shared);
    let kinds = context.kinds(None);
    let mut environment = apply::Environment {
        system: &mut machine,
        log: &mut shared_log,
        resolver: &mut context.resolver(),
        state,
        is_interrupted: &|| interrupted.load(std::sync::atomic::Ordering::Relaxed),
        progress: &mut |done, total| shared.borrow_mut().show_progress(done, total),
    };
    apply::apply(catalog, &kinds, &mut environment, options)
}
