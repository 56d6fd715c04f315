//! `catwalk script`: checks and tests scripts in Rhai, prints the script API.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::Subcommand;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_messages::site_in_repository;
use catwalk_scripting as scripting;
use catwalk_scripting::ScriptCoverage;
use catwalk_session::PROPERTIES;
use catwalk_session::ScriptTestResult;
use catwalk_session::Session;
use catwalk_snapshot::report::junit;
use catwalk_snapshot::report::junit::Failure;
use catwalk_snapshot::report::junit::TestCase;
use catwalk_world::Disk;

/// Arguments of `script`.
#[derive(Args, Debug)]
pub struct Script {
    #[command(subcommand)]
    pub command: ScriptCommand,
}

/// What is done with scripts.
#[derive(Subcommand, Debug)]
pub enum ScriptCommand {
    /// Find mistakes in scripts without running them
    Check(Check),
    /// Run the tests of scripts, test_…() in scripts/tests/*_test.rhai, and the checks of every provider
    Test(Test),
    /// Print the script API
    Definitions(Definitions),
}

/// Arguments of `script check`.
#[derive(Args, Debug)]
pub struct Check {
    /// Scripts or directories [default: all scripts of the site and its modules]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Arguments of `script test`.
#[derive(Args, Debug)]
pub struct Test {
    /// Test files or directories [default: all of the site and its modules]
    pub paths: Vec<PathBuf>,
    /// Only tests whose names contain this string
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Format of the results
    #[arg(long, value_enum, default_value = "human")]
    pub format: TestFormat,
    /// Also show the lines of scripts that no test ran
    #[arg(long)]
    pub coverage: bool,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Forms of test results.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestFormat {
    /// A line for each test
    Human,
    /// The Test Anything Protocol
    Tap,
    /// XML as JUnit writes it
    Junit,
}

/// Arguments of `script definitions`.
#[derive(Args, Debug)]
pub struct Definitions {
    /// Output format
    #[arg(long, value_enum, default_value = "rhai")]
    pub format: DefinitionFormat,
}

/// Forms of definitions.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionFormat {
    /// A file of definitions for editors
    Rhai,
    /// A page in Markdown
    Markdown,
}

/// Runs the command: 0 done, 1 mistakes were found or tests failed, 2 usage.
pub fn run(script: &Script, logger: &Logger) -> u8 {
    let result = match &script.command {
        ScriptCommand::Check(args) => check(args),
        ScriptCommand::Test(args) => test(args),
        ScriptCommand::Definitions(args) => print(&match args.format {
            DefinitionFormat::Rhai => scripting::definitions(),
            DefinitionFormat::Markdown => scripting::reference_page(),
        })
        .map(|()| 0),
    };
    result.unwrap_or_else(|reason| {
        logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
        2
    })
}

/// The named scripts, or all.
fn select_scripts(session: &Session, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Reason> {
    if paths.is_empty() {
        return session.scripts().map_err(|diagnostic| Reason::new(diagnostic.code, diagnostic.message));
    }
    let mut scripts = Vec::new();
    for path in paths {
        let path = options::absolute(path)?;
        let below = session.scripts_below(&path);
        if below.is_empty() {
            return Err(Reason::usage(format!("there is no script at {}", path.display())));
        }
        scripts.extend(below);
    }
    Ok(scripts)
}

fn check(args: &Check) -> Result<u8, Reason> {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let session = Session::open(options::session(&args.site, world.as_ref())?, world)?;
    let files = select_scripts(&session, &args.paths)?;
    let diagnostics =
        session.check_scripts(&files).map_err(|diagnostic| Reason::new(diagnostic.code, diagnostic.message))?;
    for diagnostic in &diagnostics {
        logger.write(diagnostic, session.sources(), None);
    }
    let count = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    let mistakes = diagnostics.iter().filter(|diagnostic| diagnostic.severity >= Severity::Error).count();
    let result = if mistakes == 0 { "no mistakes".to_owned() } else { count(mistakes, "mistake") };
    print(&format!("{result} in {}", count(files.len(), "script")))?;
    Ok(u8::from(mistakes > 0))
}

fn test(args: &Test) -> Result<u8, Reason> {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let session = Session::open(options::session(&args.site, world.as_ref())?, world)?.into_testing();
    let to_reason = |diagnostic: Box<Diagnostic>| Reason::new(diagnostic.code, diagnostic.message);
    let scripts = select_scripts(&session, &args.paths)?;
    let providers = session.provider_files(&scripts);
    let files = session.test_files(scripts);
    let only = args.only.as_deref().unwrap_or_default();
    let human = args.format == TestFormat::Human;
    let done = |tested: &ScriptTestResult| {
        if human {
            print_result(tested, &session, &logger);
        }
    };
    let mut all = session.run_script_tests(&files, only, &done).map_err(to_reason)?;
    if PROPERTIES.contains(only) {
        all.extend(session.check_properties(&providers, &done).map_err(to_reason)?);
    }
    let failed = all.iter().filter(|tested| tested.failure.is_some()).count();
    match args.format {
        TestFormat::Human => print(&format!("{} passed, {failed} failed", all.len() - failed))?,
        TestFormat::Tap => print(&for_people(&render_tap(&all, &session)))?,
        TestFormat::Junit => print(&render_junit(&all, &session))?,
    }
    if args.coverage {
        // The other formats allow only comments after the results.
        let sign = match args.format {
            TestFormat::Human => ("", ""),
            TestFormat::Tap => ("# ", ""),
            TestFormat::Junit => ("<!-- ", " -->"),
        };
        print(&for_people(&render_coverage(&session, sign)))?;
    }
    Ok(u8::from(failed > 0))
}

/// A path for output: relative to the site.
fn display_path(path: &Path, session: &Session) -> String {
    let root = session.options.root.as_deref();
    root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).display().to_string()
}

fn print_result(tested: &ScriptTestResult, session: &Session, logger: &Logger) {
    for diagnostic in &tested.logs {
        logger.write(diagnostic, session.sources(), None);
    }
    let milliseconds = tested.elapsed.as_secs_f64() * 1000.0;
    let word = if tested.failure.is_some() { "FAILED" } else { "ok    " };
    let line = format!("{word} {} {} ({milliseconds:.1} ms)", display_path(&tested.path, session), tested.name);
    // Errors of a closed stdout are ignored.
    let notes: String = tested.notes.iter().map(|note| format!("\n           {note}")).collect();
    let _ = print(&for_people(&format!("{line}{notes}")));
    if let Some(failure) = &tested.failure {
        logger.write(failure, session.sources(), None);
    }
}

fn render_tap(all: &[ScriptTestResult], session: &Session) -> String {
    let mut text = format!("TAP version 13\n1..{}\n", all.len());
    for (at, tested) in all.iter().enumerate() {
        let name = format!("{} {}", display_path(&tested.path, session), tested.name);
        tested.notes.iter().for_each(|note| text.push_str(&format!("# {note}\n")));
        match &tested.failure {
            None => text.push_str(&format!("ok {} - {name}\n", at + 1)),
            Some(failure) => {
                let message = serde_json::Value::from(failure.puppet_text(session.sources()));
                text.push_str(&format!("not ok {} - {name}\n  ---\n  message: {message}\n  ...\n", at + 1));
            }
        }
    }
    text
}

fn render_junit(all: &[ScriptTestResult], session: &Session) -> String {
    let site = site_in_repository(session.home(), &Disk::new());
    let cases: Vec<TestCase> = all
        .iter()
        .map(|tested| {
            let path = display_path(&tested.path, session);
            let failure = tested.failure.as_ref().map(|failure| Failure {
                kind: None,
                message: failure.message.to_string(),
                text: failure.puppet_text(session.sources()),
            });
            TestCase {
                class: path.clone(),
                name: tested.name.clone(),
                file: site.join(path).display().to_string(),
                line: line(tested, session),
                elapsed: tested.elapsed,
                failure,
                output: tested.notes.iter().map(|note| format!("{note}\n")).collect(),
            }
        })
        .collect();
    junit::document("scripts", all.iter().map(|tested| tested.elapsed).sum(), &cases)
}

/// The line of a test: that of its function, if its file has one of its name.
fn line(tested: &ScriptTestResult, session: &Session) -> Option<u32> {
    let sources = session.sources();
    let source = sources.find(&tested.path.to_string_lossy()).and_then(|id| sources.get(id))?;
    let start = source.text.find(&format!("fn {}(", tested.name))?;
    Some(source.line(u32::try_from(start).ok()?))
}

fn render_coverage(session: &Session, (before, after): (&str, &str)) -> String {
    let line = |covered: &ScriptCoverage| {
        let missed =
            if covered.missed.is_empty() { String::new() } else { format!("; not run: {}", covered.missed_ranges()) };
        format!("{before}{:>3} % of {}{missed}{after}", covered.percent(), display_path(&covered.path, session))
    };
    session.script_coverage().iter().map(line).collect::<Vec<_>>().join("\n")
}
