//! `catwalk apply [MANIFEST]`: compiles a catalog and applies it to this machine.

mod interrupt;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::console_log::ConsoleLog;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::submission::SubmitArgs;
use catwalk_base::diag::Reason;
use catwalk_run::ApplyOptions;
use catwalk_run::DeviceOptions;
use catwalk_run::ReportOptions;
use catwalk_run::RunLog;
use catwalk_run::Services;
use catwalk_session::Options;
use catwalk_world::Disk;

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
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout_provider: Option<Duration>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Options that select a device.
#[derive(Args, Debug, Clone, Default)]
pub struct DeviceArgs {
    /// Manage this device of the file of devices instead of this machine
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// The file of devices [default: /etc/puppetlabs/puppet/device.conf]
    #[arg(long, value_name = "FILE", requires = "target")]
    pub deviceconfig: Option<PathBuf>,
}

impl DeviceArgs {
    /// The options themselves.
    pub(super) fn options(&self) -> DeviceOptions {
        DeviceOptions { target: self.target.clone(), deviceconfig: self.deviceconfig.clone() }
    }
}

/// Options of the report.
#[derive(Args, Debug, Clone, Default)]
pub struct ReportArgs {
    /// Write a report to this file: JSON, or YAML if the name ends with .yaml
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t, requires = "report")]
    pub report_format: ReportFormat,
    /// Send the report to PuppetDB
    #[arg(long)]
    pub submit: bool,
    #[command(flatten)]
    pub puppetdb: SubmitArgs,
}

/// Report formats.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReportFormat {
    /// Puppet's report format 12
    #[default]
    Puppet,
    /// The payload of PuppetDB's command `store report`, version 8
    Puppetdb,
}

impl ReportFormat {
    /// The format itself.
    fn format(self) -> catwalk_run::ReportFormat {
        match self {
            ReportFormat::Puppet => catwalk_run::ReportFormat::Puppet,
            ReportFormat::Puppetdb => catwalk_run::ReportFormat::Puppetdb,
        }
    }
}

/// Applies; 0 nothing changed, 2 something changed, 4 something failed, 6 both, 1 nothing was applied.
pub fn run(args: &Apply) -> u8 {
    let logger = Logger::from_args(&args.site);
    let mut log = ConsoleLog::new(logger);
    log.print_from(args.site.verbosity.level());
    let report = &args.report;
    let apply = ApplyOptions {
        catalog: args.catalog.clone(),
        noop: args.noop,
        show_diff: args.show_diff,
        tags: args.tags.clone(),
        skip_tags: args.skip_tags.clone(),
        certname: args.certname.clone(),
        plan: args.plan.clone(),
        apply_plan: args.apply_plan.clone(),
        report: ReportOptions { file: report.report.clone(), format: report.report_format.format() },
        statedir: args.statedir.clone(),
        timeout_provider: args.timeout_provider,
        device: args.device.options(),
    };
    let services = Services {
        submission: &|session| report.submit.then(|| report.puppetdb.open(&session.site)).transpose(),
        messages: &Logger::plain(),
        is_interrupted: &|| interrupt::flag().load(std::sync::atomic::Ordering::Relaxed),
    };
    catwalk_run::apply(&apply, || options(args), &services, &mut log)
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
        options.fact_set = Some(Arc::new(catwalk_run::machine_facts(options::agent(&site)?)));
    }
    // The agent's check and message.
    options.cycles = Some(catwalk_eval::Cycles::Ignore);
    Ok(options)
}

/// Parses a positive number of seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e9);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a positive number of seconds is needed".to_owned())
}
