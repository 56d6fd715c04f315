//! `catwalk compile [CERTNAME…]`

mod slow_commands;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use clap::Args;
use rayon::prelude::*;

use crate::cli::Logger;
use crate::cli::nodes;
use crate::cli::options;
use crate::cli::site::CatalogFormat;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::group;
use catwalk_base::diag::visible::visible;
use catwalk_base::diag::visible::visible_styled;
use catwalk_base::profile;
use catwalk_base::profile::Profile;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_formats::wire;
use catwalk_session::session;
use catwalk_session::session::Compiled;
use catwalk_session::session::Session;
use catwalk_session::session::puppetfile;
use catwalk_world::Disk;
use catwalk_world::output;
use catwalk_world::output::batch::Batch;

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub struct Compile {
    /// Nodes to compile [default: all nodes of the site]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Form of the catalogs [default: native; on a terminal a table of the nodes is printed instead, unless a node and a form are given]
    #[arg(long, value_enum)]
    pub format: Option<CatalogFormat>,
    /// Where catalogs go: a file (one node), a directory (CERTNAME.json in it), or - for stdout
    #[arg(long, short, value_name = "FILE|DIR|-")]
    pub output: Option<PathBuf>,
    /// Write what the compiles spent their time on, as folded stacks for flame graphs, to this file; - for stdout
    #[arg(long, value_name = "FILE|-")]
    pub profile: Option<PathBuf>,
    /// Print tables of what the compiles spent their time on to stderr: files, classes, functions, templates, Hiera keys, commands
    #[arg(long)]
    pub profile_table: bool,
}

/// Compiles and writes.
pub fn run(args: &Compile) -> u8 {
    let logger = Logger::of(&args.site);
    let world = Arc::new(Disk::new());
    let session = options::session(&args.site, world.as_ref()).and_then(|options| Session::open(options, world));
    let session = match session {
        // The process ends with it: see `cli::leave`.
        Ok(session) => ManuallyDrop::new(session),
        Err(reason) => return usage(&logger, reason),
    };
    let names = match nodes::chosen(&args.certnames, &session) {
        Ok(names) => names,
        Err(reason) => return usage(&logger, reason),
    };
    if args.profile.is_some() || args.profile_table {
        profile::start();
    }
    let done = progress(names.len());
    let mut results = ManuallyDrop::new(session.compile_all(&names, &|_| done()));
    let profile = profile::stop();
    let output = Destination::of(args, &session, results.len());
    let printed = emit_all(&mut results, &session, &logger, args.format.unwrap_or_default(), &output);
    for hint in slow_commands::hints(&session.commands_ran(), results.iter().map(|compiled| compiled.elapsed).sum()) {
        logger.note(&hint);
    }
    let failed = results.iter().any(|compiled| compiled.result.is_err());
    if failed {
        name_missing_modules(&results, &session, &logger);
    }
    let profiled = profile.map_or(Ok(()), |profile| write_profile(args, &profile));
    match profiled.and(finish(&results, printed, &output, args.site.verbosity.quiet)) {
        Ok(()) => u8::from(failed),
        Err(reason) => {
            logger.write(&Diagnostic::new(reason, None), session.sources(), None);
            1
        }
    }
}

/// Writes a profile where the options say.
fn write_profile(args: &Compile, profile: &Profile) -> Result<(), Reason> {
    if args.profile_table {
        // A closed stderr is no reason to stop.
        let _ = write!(std::io::stderr(), "{}", visible(&profile.table()));
    }
    match &args.profile {
        None => Ok(()),
        Some(path) if path.as_os_str() == "-" => print(&profile.folded()),
        Some(path) => write_report(&options::absolute(path)?, &profile.folded()),
    }
}

/// Warns of modules that the Puppetfile names, that are not installed, and that a failure is about.
fn name_missing_modules(results: &[Compiled], session: &Session, logger: &Logger) {
    let failures = results.iter().filter_map(|compiled| compiled.result.as_ref().err()).map(|failure| &**failure);
    let missing = session.modules_that_failures_need(failures);
    if missing.is_empty() {
        return;
    }
    let text = format!("modules that the Puppetfile names are not installed: {}", puppetfile::listed(&missing));
    let help = format!("{}; --modulepath A:B says where they are", puppetfile::INSTALL);
    let reason = Reason::new(Code("MISSING_MODULES"), text).help(help);
    logger.write(&Diagnostic::new(reason, None).severity(Severity::Warning), session.sources(), None);
}

/// Prints catalogs or a table of the nodes (for files not if `quiet`). Where files could not be written, the first failure is the error.
fn finish(results: &[Compiled], printed: Vec<Printed>, output: &Destination, quiet: bool) -> Result<(), Reason> {
    let mut failures = Vec::new();
    for Printed { catalog, unwritten } in printed {
        if let Some(catalog) = catalog {
            print_pieces(&catalog)?;
        }
        failures.push(unwritten);
    }
    let end = match output {
        Destination::Table => Some("compiled; --output DIR writes them, `catwalk show NODE` shows one".to_owned()),
        Destination::Directory(directory) if !quiet => Some(format!("written to {}", directory.display())),
        _ => None,
    };
    if let Some(end) = end {
        let unwritten: Vec<bool> = failures.iter().map(Option::is_some).collect();
        summary(results, &unwritten, &end)?;
    }
    let mut failures = failures.into_iter().flatten();
    match (failures.next(), failures.count()) {
        (None, _) => Ok(()),
        (Some(first), 0) => Err(first),
        (Some(first), more) => Err(first.help(format!("{more} more files were not written, nor changed"))),
    }
}

/// Reports a failure of usage: its exit code.
pub(super) fn usage(logger: &Logger, reason: Reason) -> u8 {
    logger.write(&Diagnostic::new(reason, None), &catwalk_base::source::SourceMap::new(), None);
    2
}

/// A progress bar on stderr when it is a terminal and there is something to wait for.
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

/// Where catalogs go.
enum Destination {
    Stdout,
    /// Nowhere: a terminal gets a line for each node.
    Table,
    File(PathBuf),
    /// `CERTNAME.json` in it
    Directory(PathBuf),
}

impl Destination {
    fn of(args: &Compile, session: &Session, nodes: usize) -> Destination {
        let many = args.certnames.is_empty() && !session.options.has_facts();
        match args.output.clone().or_else(|| session.site.output.clone().filter(|_| many)) {
            Some(path) if path.as_os_str() != "-" && (nodes > 1 || is_directory(&path)) => Destination::Directory(path),
            Some(path) if path.as_os_str() != "-" => Destination::File(path),
            Some(_) => Destination::Stdout,
            None if args.format.is_some() && !args.certnames.is_empty() => Destination::Stdout,
            None if std::io::stdout().is_terminal() => Destination::Table,
            None => Destination::Stdout,
        }
    }

    /// Whether catalogs go to files.
    fn is_written(&self) -> bool {
        !matches!(self, Destination::Stdout | Destination::Table)
    }

    /// The file of a node's catalog.
    fn file(&self, certname: &str) -> Option<(PathBuf, output::Kind)> {
        match self {
            Destination::Stdout | Destination::Table => None,
            Destination::File(path) => Some((path.clone(), output::Kind::Catalog)),
            Destination::Directory(directory) => {
                Some((directory.join(format!("{certname}.json")), output::Kind::NodeCatalog))
            }
        }
    }
}

/// What there is to print of one compile.
struct Printed {
    /// The catalog, in pieces, where it goes to stdout and the compile did not fail.
    catalog: Option<Vec<String>>,
    /// Why its file could not be written.
    unwritten: Option<Reason>,
}

/// Why a catalog is not where it should be.
enum Unwritten {
    /// It cannot be had in this form.
    Catalog(Reason),
    /// The place cannot be written to.
    Place(Reason),
}

impl From<Reason> for Unwritten {
    fn from(reason: Reason) -> Unwritten {
        Unwritten::Catalog(reason)
    }
}

/// From how many messages on they are worth another thread.
const MANY_MESSAGES: usize = 20;
/// From how many bytes on messages become texts one by one when they are printed: all at once would double their memory.
const LONG_LOG: usize = 4 << 20;

/// Writes or makes the catalogs of all compiles, and meanwhile the messages; then prints the messages. A compile whose catalog cannot be
/// had in this form is counted as failed, as if it had not compiled.
fn emit_all(
    results: &mut [Compiled],
    session: &Session,
    logger: &Logger,
    form: CatalogFormat,
    output: &Destination,
) -> Vec<Printed> {
    if let Destination::Directory(directory) = output {
        output::sweep(directory);
    }
    let batch = output.is_written().then(|| Batch::begin("catalogs were written", results.len()));
    let one = |compiled: &Compiled| {
        let emitted = emit(compiled, form, output);
        if let Some(batch) = batch.as_ref().filter(|_| compiled.result.is_ok() && emitted.is_ok()) {
            batch.count();
        }
        emitted
    };
    let shared: &[Compiled] = results;
    let groups = messages(shared, session.sources());
    let length: usize = groups.iter().map(|group| group.diagnostic.message.len()).sum();
    let texts = || match length > LONG_LOG {
        true => Vec::new(),
        false => groups.par_iter().map(|group| logger.text(group, session.sources())).collect::<Vec<String>>(),
    };
    let many = shared.len() > 1 || groups.len() >= MANY_MESSAGES;
    let (emitted, texts): (Vec<Result<Option<Vec<String>>, Unwritten>>, Vec<String>) =
        match session::pool().filter(|_| many) {
            Some(pool) => pool.install(|| rayon::join(|| shared.par_iter().map(one).collect(), texts)),
            None => (
                shared.iter().map(one).collect(),
                groups.iter().map(|group| logger.text(group, session.sources())).collect(),
            ),
        };
    match length > LONG_LOG && many {
        true => groups.iter().for_each(|group| logger.write_group(group, session.sources())),
        false => logger.write_texts(&texts),
    }
    let (mut printed, mut refused) = (Vec::with_capacity(results.len()), Vec::new());
    for (compiled, emitted) in results.iter_mut().zip(emitted) {
        let (catalog, unwritten) = match emitted {
            Ok(catalog) => (catalog, None),
            Err(Unwritten::Place(reason)) => (None, Some(reason)),
            Err(Unwritten::Catalog(reason)) => {
                refused.push((compiled.certname.clone(), Diagnostic::new(reason.clone(), None)));
                compiled.result = Err(Box::new(Diagnostic::new(reason, None)));
                (None, None)
            }
        };
        printed.push(Printed { catalog, unwritten });
    }
    for group in group(refused.iter().map(|(name, diagnostic)| (diagnostic, &**name)), session.sources()) {
        logger.write_group(&group, session.sources());
    }
    printed
}

/// The messages of compiles, equal ones of several nodes together. Those of one node stay as they are.
fn messages<'d>(results: &'d [Compiled], sources: &SourceMap) -> Vec<Group<'d>> {
    let of = |compiled: &'d Compiled| {
        let failure = compiled.result.as_ref().err().map(|failure| &**failure);
        compiled.logs.iter().chain(failure).map(|diagnostic| (diagnostic, &*compiled.certname))
    };
    match results {
        [one] => of(one).map(|(diagnostic, node)| Group { diagnostic, nodes: vec![node] }).collect(),
        several => group(several.iter().flat_map(of), sources),
    }
}

/// Writes the catalog of a compile, or makes the pieces to print.
fn emit(compiled: &Compiled, form: CatalogFormat, output: &Destination) -> Result<Option<Vec<String>>, Unwritten> {
    match (&compiled.result, output.file(&compiled.certname)) {
        (Ok(catalog), Some((path, kind))) => write_file(&path, kind, catalog, form).map(|()| None),
        (Ok(catalog), None) if matches!(output, Destination::Stdout) => Ok(Some(pieces(catalog, form)?)),
        _ => Ok(None),
    }
}

fn pieces(catalog: &Catalog, form: CatalogFormat) -> Result<Vec<String>, Reason> {
    match form {
        CatalogFormat::Native => wire::native::pieces(catalog),
        CatalogFormat::Wire4 => wire::wire4::write(catalog).map(|text| vec![text]),
    }
}

/// Prints a line for each node, and how many catalogs there are; `end` says what became of them.
fn summary(results: &[Compiled], unwritten: &[bool], end: &str) -> Result<(), Reason> {
    let width = results.iter().map(|compiled| compiled.certname.len()).max().unwrap_or(0);
    let (mut text, mut good) = (String::new(), 0);
    for (compiled, unwritten) in results.iter().zip(unwritten) {
        let time = format!("{:.1} ms", compiled.elapsed.as_secs_f64() * 1000.0);
        let what = match &compiled.result {
            Ok(_) if *unwritten => "not written".to_owned(),
            Ok(catalog) => {
                good += 1;
                format!("{:>5} resources  {time:>9}", catalog.len())
            }
            Err(_) => "failed".to_owned(),
        };
        text.push_str(&format!("{:width$}  {what}\n", compiled.certname));
    }
    text.push_str(&format!("{good} of {} catalogs {end}", results.len()));
    print(&for_people(&text))
}

/// Text for people as stdout may get it: control characters that are not styles are shown, not obeyed.
#[must_use]
pub(super) fn for_people(text: &str) -> Cow<'_, str> {
    let styled = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    if styled { visible_styled(text) } else { visible(text) }
}

/// Writes to stdout, with one newline at the end.
///
/// # Errors
/// Stdout cannot be written to; a reader that went away is none.
pub(super) fn print(text: &str) -> Result<(), Reason> {
    print_pieces(&[text.trim_end_matches('\n'), "\n"])
}

fn print_pieces(pieces: &[impl AsRef<str>]) -> Result<(), Reason> {
    let mut out = std::io::stdout().lock();
    let written = pieces.iter().try_for_each(|piece| out.write_all(piece.as_ref().as_bytes()));
    match written.and_then(|()| out.flush()) {
        // The reader (`head`) has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Reason::runtime(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}

#[allow(clippy::disallowed_methods, reason = "where the user wants output")]
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/')
}

fn unwritable(path: &Path, error: &std::io::Error) -> Reason {
    Reason::runtime(format!("cannot write {}: {error}", path.display()))
}

/// Writes a report to the file that the user named.
///
/// # Errors
/// It cannot be written.
pub(super) fn write_report(path: &Path, text: &str) -> Result<(), Reason> {
    output::write(path, output::Kind::Report, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn write_file(path: &Path, kind: output::Kind, catalog: &Catalog, form: CatalogFormat) -> Result<(), Unwritten> {
    let fail = |error: &std::io::Error| Unwritten::Place(unwritable(path, error));
    let mut file = output::Output::open(path, kind).map_err(|error| fail(&error))?;
    let mut take = |piece: String| file.write_all(piece.as_bytes()).map_err(|error| fail(&error));
    match form {
        CatalogFormat::Native => wire::native::write_to(catalog, &mut take)?,
        CatalogFormat::Wire4 => take(wire::wire4::write(catalog)?)?,
    }
    file.commit().map_err(|error| fail(&error))
}
