//! `catwalk compile [CERTNAME…]`

mod destination;

use parking_lot::Mutex;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use rayon::prelude::*;

use crate::cli::Logger;
use crate::cli::catalog_format::CatalogFormat;
use crate::cli::catalog_format::CatalogWriter;
use crate::cli::catalog_format::FormatArgs;
use crate::cli::catalog_output::OrderedStdout;
use crate::cli::catalog_output::WriteFailure;
use crate::cli::catalog_output::to_file;
use crate::cli::commands::compile::destination::CATALOGS;
use crate::cli::commands::compile::destination::Destination;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::submission::SubmitArgs;
use crate::cli::submission::untrusted_error;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::group;
use catwalk_base::diag::visible;
use catwalk_base::profile;
use catwalk_base::profile::Profile;
use catwalk_base::source::SourceMap;
use catwalk_formats::wire;
use catwalk_formats::wire::PieceSink;
use catwalk_formats::wire::Threads;
use catwalk_puppetdb::Submission;
use catwalk_session::Compiled;
use catwalk_session::Session;
use catwalk_session::puppetfile;
use catwalk_session::selection;
use catwalk_world::Disk;
use catwalk_world::output;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::batch::Batch;

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub struct Compile {
    /// Nodes to compile: names or patterns such as 'web*' [default: all nodes of the site]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Format of the catalogs [default: native; on a terminal, a table of the nodes, unless a node and a format are named]
    #[arg(long, value_enum)]
    pub format: Option<CatalogFormat>,
    #[command(flatten)]
    pub content: FormatArgs,
    /// Write catalogs to a file (one node), a directory (as CERTNAME.json), or - for stdout
    #[arg(long, short, value_name = "FILE|DIR|-")]
    pub output: Option<PathBuf>,
    /// Write catalogs and facts to this store; those of nodes that fail stay unchanged
    #[arg(long, value_name = "FILE.db")]
    pub store: Option<PathBuf>,
    /// Send catalogs and facts to PuppetDB; a node that fails sends nothing
    #[arg(long)]
    pub submit: bool,
    /// Write a profile of the compiles to this file, as folded stacks for flame graphs; - for stdout
    #[arg(long, value_name = "FILE|-")]
    pub profile: Option<PathBuf>,
    /// Print a profile of the compiles to stderr: files, classes, functions, templates, Hiera keys, commands
    #[arg(long)]
    pub profile_table: bool,
    #[command(flatten)]
    pub puppetdb: SubmitArgs,
}

/// Compiles nodes and writes their catalogs. Returns the exit code.
pub fn run(args: &Compile) -> u8 {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let session = options::session(&args.site, world.as_ref()).and_then(|mut options| {
        options.store = args.store.as_deref().map(|path| options::place(path, &args.site)).transpose()?;
        options.settings.rich_data = args.content.has_rich_data();
        // Only this format contains them.
        options.settings.relationship_origins = args.format == Some(CatalogFormat::Dot);
        if args.submit || args.store.is_some() || !args.format.unwrap_or_default().has_secrets() {
            options.key = options::key_source();
        }
        Session::open(options, world)
    });
    let session = match session {
        Ok(mut session) => {
            session.options.keep_facts = args.submit || session.options.store.is_some();
            // Not freed, since the process ends: see `cli::leave`.
            ManuallyDrop::new(session)
        }
        Err(reason) => return usage(&logger, reason),
    };
    let selected =
        selection::select(&args.certnames, &session).and_then(|names| Ok((names, submission(args, &session)?)));
    let selected = selected.and_then(|(names, submission)| {
        let output = Destination::from_args(args, &session, names.len())?;
        session.options.store.as_ref().map(catwalk_session::store_path).transpose()?;
        Ok((names, submission, output))
    });
    let (names, submission, output) = match selected {
        Ok(selected) => selected,
        Err(reason) => return usage(&logger, reason),
    };
    if args.profile.is_some() || args.profile_table {
        profile::start();
    }
    session.version_note().iter().for_each(|note| logger.note(note));
    let root = session.options.root.as_ref().map(|root| root.display().to_string()).unwrap_or_default();
    let options = args.content.options(root, session.secrets_key().clone());
    let writer = CatalogWriter { format: args.format.unwrap_or_default().format(), options };
    let into = Targets { writer: &writer, output: &output, submission: submission.as_ref() };
    let (reports, stored) = compile_and_write(&names, &session, &into);
    let profile = profile::stop();
    write_messages(&reports, &session, &logger);
    for hint in
        catwalk_messages::slow_command_hints(&session.command_runs(), reports.iter().map(|report| report.elapsed).sum())
    {
        logger.note(&hint);
    }
    let failed = reports.iter().any(|report| report.outcome.is_err());
    if failed {
        warn_about_missing_modules(&reports, &session, &logger);
    }
    let profiled = profile.map_or(Ok(()), |profile| write_profile(args, &profile));
    let submitted = submission.map_or(Ok(true), |submission| submission.push(&|_| true, &logger));
    let finished = print_results(&reports, &output, args.site.verbosity.quiet);
    let is_all_sent = *submitted.as_ref().unwrap_or(&false);
    let failures = [profiled, stored, finished, submitted.map(|_| ())].into_iter().filter_map(Result::err);
    let failures = failures.map(|reason| logger.write(&Diagnostic::new(reason, None), session.sources(), None)).count();
    u8::from(failed || !is_all_sent || failures > 0)
}

/// The connection to PuppetDB, if `--submit` is set.
///
/// # Errors
/// The code is untrusted, or the address of PuppetDB is unknown.
fn submission(args: &Compile, session: &Session) -> Result<Option<Submission>, Reason> {
    match args.submit {
        false => Ok(None),
        true if session.options.untrusted || session.site.untrusted == Some(true) => Err(untrusted_error()),
        true => args.puppetdb.open(&session.site).map(Some),
    }
}

/// Writes a profile to the file or to stderr, depending on the options.
fn write_profile(args: &Compile, profile: &Profile) -> Result<(), Reason> {
    if args.profile_table {
        // Errors of a closed stderr are ignored.
        let _ = write!(std::io::stderr(), "{}", visible::visible(&profile.table()));
    }
    match &args.profile {
        None => Ok(()),
        Some(path) if path.as_os_str() == "-" => print(&profile.folded_stacks()),
        Some(path) => write_report(&options::place(path, &args.site)?, &profile.folded_stacks()),
    }
}

/// Warns about modules of the Puppetfile that are not installed and that an error mentions.
fn warn_about_missing_modules(reports: &[CompileReport], session: &Session, logger: &Logger) {
    let failures = reports.iter().filter_map(|report| report.outcome.as_ref().err()).map(|failure| &*failure.message);
    let missing = session.modules_that_failures_need(failures);
    if missing.is_empty() {
        return;
    }
    let text = format!("modules that the Puppetfile names are not installed: {}", puppetfile::join_names(&missing));
    let help = format!("{}; --modulepath A:B names the directories of modules", puppetfile::INSTALL_HINT);
    let reason = Reason::new(Code::MISSING_MODULES, text).help(help);
    logger.write(&Diagnostic::new(reason, None).severity(Severity::Warning), session.sources(), None);
}

/// Prints a table of the nodes, except for files with `quiet`. Returns the first failure to write a catalog.
fn print_results(reports: &[CompileReport], output: &Destination, quiet: bool) -> Result<(), Reason> {
    match output {
        Destination::Table => {
            print_summary(reports, "compiled; --output DIR writes them, `catwalk show NODE` shows one")?
        }
        Destination::Directory(target) if !quiet => {
            print_summary(reports, &format!("written to {}", target.path.display()))?;
        }
        _ => {}
    }
    let mut failures = reports.iter().filter_map(|report| report.write_failure.clone());
    match (failures.next(), failures.count()) {
        (None, _) => Ok(()),
        (Some(first), 0) => Err(first),
        (Some(first), more) => Err(first.help(format!("{more} more files could not be written and are unchanged"))),
    }
}

/// Reports wrong usage. Returns the exit code.
pub(super) fn usage(logger: &Logger, reason: Reason) -> u8 {
    logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
    2
}

/// A progress bar on stderr, if that is a terminal and there are several nodes.
pub(super) fn progress(nodes: usize) -> Box<dyn Fn() + Sync> {
    if nodes < 2 || !std::io::stderr().is_terminal() {
        return Box::new(|| ());
    }
    let bar = indicatif::ProgressBar::new(nodes as u64);
    let style = indicatif::ProgressStyle::with_template("compiling {wide_bar} {pos}/{len} nodes");
    bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
    let count = AtomicUsize::new(0);
    Box::new(move || {
        bar.inc(1);
        if count.fetch_add(1, Ordering::Relaxed) + 1 == nodes {
            bar.finish_and_clear();
        }
    })
}

/// The result of a compile whose catalog has been written.
struct CompileReport {
    certname: Arc<str>,
    elapsed: Duration,
    /// The number of resources, or the error of the compile.
    outcome: Result<usize, Box<Diagnostic>>,
    logs: Vec<Diagnostic>,
    /// Why the catalog could not be written.
    write_failure: Option<Reason>,
}

/// The minimum number of messages that are rendered in parallel.
const MANY_MESSAGES: usize = 20;
/// Messages of at least this size in bytes are rendered one by one: rendering all of them at once would double their memory.
const LONG_LOG: usize = 4 << 20;

/// The destinations of catalogs.
struct Targets<'a> {
    writer: &'a CatalogWriter,
    output: &'a Destination,
    submission: Option<&'a Submission>,
}

/// Compiles nodes in parallel. Each thread writes its catalog before it compiles the next node, to limit the memory.
fn compile_and_write(
    names: &[Arc<str>],
    session: &Session,
    into: &Targets<'_>,
) -> (Vec<CompileReport>, Result<(), Reason>) {
    let Targets { writer, output, submission } = *into;
    if let Destination::Directory(target) = output
        && let Ok(Some(directory)) = Directory::open_existing(&target.place, &CATALOGS)
    {
        directory.sweep("");
    }
    let store = session.options.store.as_ref();
    let nodes = Mutex::new(Vec::new());
    let batch = output.writes_files().then(|| Batch::begin("catalogs were written", names.len()));
    let done = progress(names.len());
    let stdout = OrderedStdout::new(names);
    let reports = session.compile_all_into(names, |mut compiled| {
        if store.is_some()
            && let Some(node) = session.to_store(&mut compiled)
        {
            nodes.lock().push(node);
        }
        let commands = submission.map_or(Ok(Vec::new()), |_| session.commands(&compiled, &writer.options.submission));
        let mut report = emit(compiled, writer, (output, &stdout), names.len() == 1);
        // Commands are in the queue on disk before the next node is compiled.
        let added = commands.and_then(|commands| match submission.filter(|_| report.outcome.is_ok()) {
            Some(submission) => submission.add(&commands),
            None => Ok(()),
        });
        if let Err(reason) = added {
            let failure: Box<Diagnostic> = reason.into();
            if let Err(earlier) = std::mem::replace(&mut report.outcome, Err(failure)) {
                report.logs.push(*earlier);
            }
        }
        if let Some(batch) = batch.as_ref().filter(|_| report.outcome.is_ok() && report.write_failure.is_none()) {
            batch.count();
        }
        done();
        report
    });
    let nodes = nodes.into_inner();
    (reports, store.map_or(Ok(()), |path| session.fill_store(path, nodes)))
}

/// Writes the catalog of a compile. If the format cannot represent the catalog, the compile has failed. The last catalog of the process
/// (`is_last`) is not freed.
fn emit(
    compiled: Compiled,
    writer: &CatalogWriter,
    (output, stdout): (&Destination, &OrderedStdout),
    is_last: bool,
) -> CompileReport {
    let Compiled { certname, result, logs, elapsed, .. } = compiled;
    // Other threads compile and write in parallel.
    let threads = if is_last { Threads::All } else { Threads::One };
    let write = |take: PieceSink<'_, WriteFailure>| match &result {
        Ok(catalog) => wire::format::write_to(catalog, writer.format, &writer.options, threads, take),
        Err(_) => Ok(()),
    };
    let written = match (&result, output.path(&certname)) {
        (Ok(_), Some(path)) => to_file(&path, || output.create(&certname), write),
        (_, None) if matches!(output, Destination::Stdout) => stdout.write(&certname, |take| {
            // Output on stdout cannot be undone: a catalog that cannot be written completely must not be started.
            if let Ok(catalog) = &result {
                wire::format::check(catalog, writer.format, &writer.options, threads)?;
            }
            write(take)
        }),
        _ => Ok(()),
    };
    let mut outcome = match result {
        Ok(catalog) => {
            let resources = catalog.len();
            if is_last {
                std::mem::forget(catalog);
            }
            Ok(resources)
        }
        Err(failure) => Err(failure),
    };
    let write_failure = match written {
        Ok(()) => None,
        Err(WriteFailure::Output(reason)) => Some(reason),
        Err(WriteFailure::Catalog(reason)) => {
            outcome = Err(Box::from(reason));
            None
        }
    };
    CompileReport { certname, elapsed, outcome, logs, write_failure }
}

/// Prints the messages of all compiles. Equal messages of several nodes are printed once.
fn write_messages(reports: &[CompileReport], session: &Session, logger: &Logger) {
    let groups = group_messages(reports, session.sources());
    let length: usize = groups.iter().map(|group| group.diagnostic.message.len()).sum();
    if length > LONG_LOG {
        return groups.iter().for_each(|group| logger.write_group(group, session.sources()));
    }
    let string = |group: &Group<'_>| logger.text(group, session.sources());
    let strings: Vec<String> = match catwalk_session::pool().filter(|_| groups.len() >= MANY_MESSAGES) {
        Some(pool) => pool.install(|| groups.par_iter().map(string).collect()),
        None => groups.iter().map(string).collect(),
    };
    logger.write_texts(&strings);
}

/// Groups equal messages of different nodes. Messages of a single node are not merged.
fn group_messages<'d>(reports: &'d [CompileReport], sources: &SourceMap) -> Vec<Group<'d>> {
    let diagnostics_of = |report: &'d CompileReport| {
        let failure = report.outcome.as_ref().err().map(|failure| &**failure);
        report.logs.iter().chain(failure).map(|diagnostic| (diagnostic, &*report.certname))
    };
    match reports {
        [report] => diagnostics_of(report).map(|(diagnostic, node)| Group { diagnostic, nodes: vec![node] }).collect(),
        several => group(several.iter().flat_map(diagnostics_of), sources),
    }
}

/// Prints a line for each node, and the number of catalogs followed by `end`.
fn print_summary(reports: &[CompileReport], end: &str) -> Result<(), Reason> {
    let width = reports.iter().map(|report| report.certname.len()).max().unwrap_or(0);
    let (mut text, mut written) = (String::new(), 0);
    for report in reports {
        let time = format!("{:.1} ms", report.elapsed.as_secs_f64() * 1000.0);
        let result = match &report.outcome {
            Ok(_) if report.write_failure.is_some() => "not written".to_owned(),
            Ok(resources) => {
                written += 1;
                format!("{resources:>5} resources  {time:>9}")
            }
            Err(_) => "failed".to_owned(),
        };
        text.push_str(&format!("{:width$}  {result}\n", visible::line(&report.certname)));
    }
    text.push_str(&format!("{written} of {} catalogs {end}", reports.len()));
    print(&for_people(&text))
}

/// Escapes control characters other than styles in text for people.
#[must_use]
pub(super) fn for_people(text: &str) -> Cow<'_, str> {
    let styled = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    if styled { visible::visible_styled(text) } else { visible::visible(text) }
}

/// Writes to stdout, with one newline at the end.
///
/// # Errors
/// Stdout cannot be written to. A closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<(), Reason> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.trim_end_matches('\n').as_bytes()).and_then(|()| out.write_all(b"\n"));
    match written.and_then(|()| out.flush()) {
        // The reader (`head`) has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Reason::runtime(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Reason {
    Reason::runtime(format!("cannot write {}: {error}", path.display()))
}

/// Writes a report to the file that the user named.
///
/// # Errors
/// It cannot be written.
pub(super) fn write_report(place: &Place, text: &str) -> Result<(), Reason> {
    output::write(place, output::Kind::Report, text.as_bytes()).map_err(|error| unwritable(&place.path(), &error))
}
