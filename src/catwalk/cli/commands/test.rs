//! `catwalk test`: compiles nodes and cases of test files, compares them with snapshots, checks expectations.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::commands::compile::write_report;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::site::SuiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::globs;
use catwalk_base::names::did_you_mean;
use catwalk_eval::coverage::Hits;
use catwalk_messages::site_in_repository;
use catwalk_session::selection;
use catwalk_snapshot::Case;
use catwalk_snapshot::Suite;
use catwalk_snapshot::annotations;
use catwalk_snapshot::classify;
use catwalk_snapshot::coverage;
use catwalk_snapshot::report::document;
use catwalk_snapshot::report::human;
use catwalk_snapshot::report::junit;
use catwalk_snapshot::report::markdown;
use catwalk_snapshot::run;
use catwalk_snapshot::run::ClassifiedCase;
use catwalk_snapshot::run::Report;
use catwalk_snapshot::run::Settings;
use catwalk_snapshot::run::Unreferenced;
use catwalk_snapshot::suite;
use catwalk_world::Disk;
use catwalk_world::World;

/// Arguments of `test`.
#[derive(Args, Debug)]
#[command(
    mut_arg("verbose", |arg| arg.help("Print a line for each case, and messages of manifests, including informational ones")),
    mut_arg("debug", |arg| arg.help("Print a line for each case, and all messages of manifests")),
    after_help = "Exit codes: 0 all tests passed; 1 a catalog differs from its snapshot, has none, or does not \
    meet an expectation; 2 the tests cannot run"
)]
pub struct Arguments {
    /// Cases to run: names or patterns such as 'web*' or 'ntp/*' [default: all]
    pub cases: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
    /// Write nothing; the default if the environment variable CI is set
    #[arg(long)]
    pub ci: bool,
    /// Accept all changes, except errors in place of catalogs and catalogs that fail an expectation
    #[arg(long, conflicts_with = "ci")]
    pub accept: bool,
    /// How to treat snapshots that belong to no case; only when all cases run
    #[arg(long, value_enum, default_value = "warn", value_name = "HOW")]
    pub unreferenced: Orphans,
    /// Format of the result
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Also write the result as JUnit to this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write a summary for a pull request, in Markdown, to this file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Report which lines, branches and resources of the code were reached
    #[arg(long)]
    pub coverage: bool,
    /// Write coverage in the format of LCOV to this file; implies --coverage
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Only list the cases
    #[arg(long)]
    pub list: bool,
}

impl Arguments {
    fn is_verbose(&self) -> bool {
        self.site.verbosity.verbose || self.site.verbosity.debug
    }
}

/// Forms of results.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Human,
    /// For programs
    Json,
    /// For build servers
    Junit,
    /// For a comment on a pull request
    Markdown,
}

/// How to treat snapshots that belong to no case.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orphans {
    /// They are named
    Warn,
    /// They are removed
    Delete,
    /// They fail the run
    Reject,
    /// Nothing
    Ignore,
}

impl Orphans {
    fn unreferenced(self) -> Unreferenced {
        match self {
            Orphans::Warn => Unreferenced::Warn,
            Orphans::Delete => Unreferenced::Delete,
            Orphans::Reject => Unreferenced::Reject,
            Orphans::Ignore => Unreferenced::Ignore,
        }
    }
}

/// The site or module to test. `frozen`: nothing is written, not even a key for secrets.
///
/// # Errors
/// There is no site or module, or its configuration is invalid.
pub(super) fn suite(args: &SiteArgs, frozen: bool, coverage: Option<Arc<Hits>>) -> Result<Suite, Reason> {
    let world = Arc::new(Disk::new());
    let mut options = options::with_optional_site(args, world.as_ref())?;
    if !frozen {
        options.key = options::key_source();
    }
    options.settings.coverage = coverage;
    let root = root(args, world.as_ref())?.ok_or_else(|| {
        let text =
            "nothing to test: neither this directory nor a parent has catwalk.toml, environment.conf or metadata.json";
        Reason::usage(text).help("go to a control repository or a module, or give --site DIR")
    })?;
    Suite::open_with(&root, options, world)
}

/// The directory of the site or module, if there is one.
///
/// # Errors
/// The current directory does not exist.
pub(super) fn root(args: &SiteArgs, world: &dyn World) -> Result<Option<PathBuf>, Reason> {
    match &args.site {
        Some(site) => options::absolute(site).map(Some),
        None => Ok(suite::find(&options::current_dir()?, world)),
    }
}

/// Runs tests.
pub fn run(args: &Arguments) -> u8 {
    let logger = Logger::from_args(&args.site);
    let hits = (args.coverage || args.lcov.is_some()).then(|| Arc::new(Hits::default()));
    let suite = match suite(&args.site, args.ci, hits.clone()) {
        Ok(suite) => suite,
        Err(reason) => return usage(&logger, reason),
    };
    match run_tests(args, &suite, hits.as_deref(), &logger) {
        Ok(code) => code,
        Err(diagnostic) => {
            logger.write(&diagnostic, suite.session.sources(), None);
            2
        }
    }
}

fn run_tests(args: &Arguments, suite: &Suite, hits: Option<&Hits>, logger: &Logger) -> Result<u8, Box<Diagnostic>> {
    let frozen = args.ci || options::is_ci();
    if frozen && args.accept {
        return Err(Box::from(Reason::usage("nothing is accepted in CI: the environment variable CI is set")));
    }
    suite.session.version_note().iter().for_each(|note| logger.note(note));
    let files = suite.files()?;
    if let Some(warning) = suite::systems_without_facts(&files) {
        logger.write(&warning, suite.session.sources(), None);
    }
    let all = suite.cases(&files)?;
    let cases = select_cases(&args.cases, &all)?;
    if args.list {
        let text: String = cases.iter().map(|case| format!("{}\n", case.name)).collect();
        return print(&for_people(&text)).map(|()| 0).map_err(Box::from);
    }
    let settings = Settings {
        frozen,
        accept: args.accept,
        complete: args.cases.is_empty(),
        unreferenced: args.unreferenced.unreferenced(),
    };
    if cases.iter().any(|case| case.expect.has_logs()) {
        suite.session.options.settings.log_level.include(Severity::Debug);
    }
    let mut report = run::run(&suite.session, &suite.root, cases, &suite.store(), &settings)?;
    if settings.complete {
        for (file, (document, groups)) in files.iter().filter_map(|file| Some((file, file.classify.as_ref()?))) {
            let verdicts =
                classify::check_expectations(&suite.session, document, groups.as_deref(), &suite.root, suite.world())?;
            let lines = file.classify_lines.iter().copied().chain(std::iter::repeat(1));
            report.classified.extend(verdicts.into_iter().zip(lines).map(|(verdict, line)| ClassifiedCase {
                verdict,
                source: file.source.clone(),
                line,
            }));
        }
    }
    for result in &report.results {
        // What scripts print is for the person who runs the tests.
        let is_shown = |line: &&Diagnostic| args.is_verbose() || line.code == Code::SCRIPT_OUTPUT;
        let lines = result.logs.iter().filter(is_shown);
        for line in lines.filter(|line| suite.session.options.prints(line.severity)) {
            logger.write(line, suite.session.sources(), Some(&result.case.name));
        }
    }
    if logger.annotates() {
        logger.annotate(&annotations(&report, &suite.root, suite.session.sources()));
    }
    write_results(args, &report, (frozen, suite), logger)?;
    if let Some(hits) = hits {
        let coverage = coverage::measure(suite, hits);
        if let Some(path) = &args.lcov {
            let place = options::place(path, &args.site)?;
            write_report(&place, &coverage.lcov(&suite.root))?;
        }
        if args.coverage && args.format == Format::Human {
            print(&for_people(&coverage.table()))?;
        }
    }
    Ok(u8::from(!report.is_ok()))
}

/// The cases that match the names and patterns.
fn select_cases(patterns: &[String], cases: &[Case]) -> Result<Vec<Case>, Reason> {
    if patterns.is_empty() {
        return Ok(cases.to_vec());
    }
    let mut matches = vec![false; cases.len()];
    for pattern in patterns {
        let glob = globs::matcher(pattern, false).map_err(Reason::usage)?;
        let mut any = false;
        for (matches, case) in matches.iter_mut().zip(cases) {
            if case.name == *pattern || glob.is_match(&case.name) {
                (*matches, any) = (true, true);
            }
        }
        if !any {
            let suggestion = did_you_mean(pattern, cases.iter().map(|case| case.name.as_str()));
            let help = suggestion.unwrap_or_else(|| "--list names all cases".to_owned());
            return Err(Reason::usage(format!("no case is called '{pattern}'")).help(help));
        }
    }
    Ok(cases.iter().zip(matches).filter(|(_, matches)| *matches).map(|(case, _)| case.clone()).collect())
}

fn write_results(
    args: &Arguments,
    report: &Report,
    (frozen, suite): (bool, &Suite),
    logger: &Logger,
) -> Result<(), Reason> {
    let junit = || junit::write(report, &site_in_repository(Some(&suite.root), suite.world()));
    if let Some(path) = &args.junit {
        write_report(&options::place(path, &args.site)?, &junit())?;
    }
    if let Some(path) = &args.markdown {
        write_report(&options::place(path, &args.site)?, &markdown::write(report))?;
    }
    let text = match args.format {
        Format::Human => {
            let color = logger.color() && std::io::stdout().is_terminal();
            for_people(&human::write(report, human::Style { color }, args.is_verbose())).into_owned()
        }
        Format::Json => serde_json::to_string_pretty(&document::of(report)).unwrap_or_default(),
        Format::Junit => junit(),
        Format::Markdown => markdown::write(report),
    };
    print(&text)?;
    let counts = catwalk_snapshot::report::Counts::of(report);
    if args.format == Format::Human && report.results.is_empty() && report.classified.is_empty() {
        logger.note(if suite.session.options.root.is_some() {
            selection::NODES_HELP
        } else {
            "write cases to tests/*.yaml, such as tests/default.yaml with `class: NAME` and `fact_sets: metadata`"
        });
    }
    if args.format == Format::Human && counts.changed + counts.new > 0 {
        logger.note(if frozen {
            "nothing was written: run `catwalk test` outside of CI, then `catwalk snapshot review`"
        } else {
            "`catwalk snapshot review` shows each change, `catwalk snapshot accept PATTERN` accepts it"
        });
    }
    Ok(())
}
