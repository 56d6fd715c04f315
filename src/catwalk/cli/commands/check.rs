//! `catwalk check`: validates manifests, templates, data, configurations, test files and scripts.
//!
//! In: files, directories, or code. Out: diagnostics, for people, as JSON or as SARIF. Must not: compile.

mod documents;
mod placement;
mod report;
mod template;

use catwalk_session::site::Site;
use std::io::IsTerminal;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use documents::Document;
use documents::Documents;
use placement::Placements;
use rayon::prelude::*;

use crate::cli::Logger;
use crate::cli::options;
use crate::cli::options::NamedFiles;
use crate::cli::site::puppet_version;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::render;
use catwalk_base::diag::visible;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_base::version::Version;
use catwalk_program::Settings;
use catwalk_syntax as syntax;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::source_files;

/// Arguments of `check`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files, and directories: manifests, templates, YAML and JSON, hiera.yaml, metadata.json, environment.conf, catwalk.toml,
    /// Puppetfile, test files, scripts [default: the current directory]
    paths: Vec<PathBuf>,
    /// Check this code instead
    #[arg(short = 'e', long, value_name = "CODE", conflicts_with = "paths")]
    execute: Option<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Directories of modules: files in them must define what their path requires [default: those of the `environment.conf` above
    /// a file, otherwise every parent directory called "modules"]
    #[arg(long, value_name = "DIR:DIR")]
    modulepath: Option<String>,
    /// Version of the language: 7, 8, 9 or a release such as 8.28; from 8 on, `strict` is `error` [default: catwalk.toml, otherwise 8]
    #[arg(long, value_parser = puppet_version, value_name = "VERSION")]
    puppet: Option<Version>,
    /// Do not read outside of these paths and their sites: the code is untrusted
    #[arg(long)]
    untrusted: bool,
}

impl Arguments {
    /// The version of the option, or of the site in this directory or above it.
    fn version(&self, world: &Disk) -> Version {
        let site = || {
            let here = options::current_dir().ok()?;
            Site::open(&Site::find(&here, world)?, world).ok()?.puppet
        };
        self.puppet.or_else(site).unwrap_or_default()
    }
}

fn syntax_options(version: Version) -> syntax::Options {
    syntax::Options { version, strict: version.strict, ..syntax::Options::default() }
}

/// Formats of diagnostics.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Text with excerpts
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The diagnostics of one file.
struct FileDiagnostics {
    diagnostics: Vec<Diagnostic>,
}

/// Runs `check`: 0 no errors, 1 errors, 2 a path does not exist.
#[must_use]
pub fn run(arguments: &Arguments, logger: &Logger) -> ExitCode {
    let world = Disk::new();
    let sources = SourceMap::new();
    let mut checked = None;
    let mut unusable_rules = Vec::new();
    let results = match &arguments.execute {
        Some(code) => {
            // Only the code of the command line is checked.
            let _ = NamedFiles { paths: &[], output: None, untrusted: arguments.untrusted }.confine(&world);
            vec![check_text(&sources, None, "-e", code, &syntax_options(arguments.version(&world)))]
        }
        None => {
            let here = [PathBuf::from(".")];
            let paths = if arguments.paths.is_empty() { &here } else { arguments.paths.as_slice() };
            let named = paths
                .iter()
                .cloned()
                .chain(arguments.modulepath.iter().flat_map(|list| list.split(':')).map(PathBuf::from));
            let named: Vec<PathBuf> = named.collect();
            let named = NamedFiles { paths: &named, output: None, untrusted: arguments.untrusted };
            // Without a current directory, relative paths do not exist.
            named.confine(&world).unwrap_or(arguments.untrusted);
            let Some(listed) = list_files(paths, &world, logger) else { return ExitCode::from(2) };
            let FileList { files, ignored, unusable_rules: unusable } = listed;
            unusable_rules = unusable;
            let version = arguments.version(&world);
            let settings = Settings { version, ..Settings::default() };
            let placements = Placements::new(&files, arguments.modulepath.as_deref(), &settings, &world);
            let documents = Documents::new(&world, &sources, settings.clone());
            let checker = Checker { world: &world, sources: &sources, placements: &placements, documents: &documents };
            let check = |path: &PathBuf| checker.check(path, &syntax_options(version));
            checked = Some((files.len(), ignored));
            // The threads of rayon's global pool have small stacks.
            match catwalk_session::pool() {
                Some(pool) => pool.install(|| files.par_iter().map(check).collect()),
                None => files.iter().map(check).collect(),
            }
        }
    };
    let results = results.into_iter().flat_map(|checked| checked.diagnostics);
    let diagnostics: Vec<Diagnostic> = unusable_rules.into_iter().chain(results).collect();
    let _ = write(&diagnostics, &sources, arguments.format, checked, logger);
    let failed = diagnostics.iter().any(|found| found.severity >= Severity::Error);
    ExitCode::from(u8::from(failed))
}

/// Writes the diagnostics and, in the format for people, the number of checked files and of ignored ones. Messages in another format than
/// that for people go to stderr; then stdout has only documents.
fn write(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    format: Format,
    files: Option<(usize, usize)>,
    logger: &Logger,
) -> std::io::Result<()> {
    if !logger.is_human() {
        diagnostics.iter().for_each(|diagnostic| logger.write(diagnostic, sources, None));
    }
    let stdout = std::io::stdout();
    let color = stdout.is_terminal();
    let mut out = std::io::BufWriter::new(stdout.lock());
    match format {
        Format::Human if !logger.is_human() => {}
        Format::Human => {
            for diagnostic in diagnostics {
                writeln!(out, "{}\n", render::human(diagnostic, sources, color))?;
            }
            let errors = diagnostics.iter().filter(|found| found.severity >= Severity::Error).count();
            let warnings = diagnostics.len() - errors;
            let found = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
            let ignored = match files {
                None | Some((_, 0)) => String::new(),
                Some((_, 1)) => " (1 more is ignored by git)".to_owned(),
                Some((_, ignored)) => format!(" ({ignored} more are ignored by git)"),
            };
            match (files, errors + warnings) {
                (None, 0) => {}
                (None, _) => eprintln!("{found}"),
                (Some((files, _)), 0) => eprintln!("{}, no mistakes{ignored}", count(files, "file")),
                (Some((files, _)), _) => eprintln!("{}: {found}{ignored}", count(files, "file")),
            }
        }
        Format::Json => writeln!(out, "{}", visible::json(&report::json(diagnostics, sources).to_string()))?,
        Format::Sarif => {
            writeln!(out, "{}", visible::json(&report::sarif(diagnostics, sources, &Disk::new()).to_string()))?
        }
    }
    out.flush()
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The files to check.
#[derive(Default)]
struct FileList {
    /// Named files, and those of directories, sorted by path.
    files: Vec<PathBuf>,
    /// How many files of directories are not checked because git ignores them.
    ignored: usize,
    /// Warnings about files with rules for ignored files that cannot be used.
    unusable_rules: Vec<Diagnostic>,
}

/// The files to check. `None` if a path does not exist, which is reported.
fn list_files(paths: &[PathBuf], world: &Disk, logger: &Logger) -> Option<FileList> {
    let mut list = FileList::default();
    let mut complete = true;
    for path in paths {
        match world.kind(path) {
            Kind::Missing => {
                let reason = match world.read(path) {
                    Err(refused @ WorldError::Untrusted(_)) => refused.to_string(),
                    _ => format!("no such file or directory: {}", path.display()),
                };
                logger.write(&Diagnostic::new(Reason::usage(reason), None), &SourceMap::new(), None);
                complete = false;
            }
            Kind::File => list.files.push(path.clone()),
            Kind::Directory => {
                let is_checked = |path: &Path| is_source(path) || Document::from_path(path, world).is_some();
                let found = source_files(path, world, &is_checked);
                list.files.extend(found.files);
                list.ignored += found.ignored;
                list.unusable_rules.extend(found.unusable_rules.iter().map(unusable_rules));
            }
        }
    }
    complete.then_some(list)
}

/// The warning about a file with rules for ignored files that is not used.
fn unusable_rules(refused: &WorldError) -> Diagnostic {
    let reason = Reason::new(Code::UNREADABLE_FILE, refused.to_string())
        .help("its rules have no effect: files that they ignore are checked");
    Diagnostic::new(reason, None).severity(Severity::Warning)
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["pp", "epp", "erb"].iter().any(|known| extension == *known))
}

/// The state that the files of one run share.
struct Checker<'c> {
    world: &'c Disk,
    sources: &'c SourceMap,
    placements: &'c Placements,
    documents: &'c Documents<'c>,
}

impl Checker<'_> {
    fn check(&self, path: &Path, options: &syntax::Options) -> FileDiagnostics {
        let (world, sources) = (self.world, self.sources);
        let name = path.to_string_lossy();
        if world.kind(path) == Kind::Directory {
            // A directory called `x.pp`: its files are listed separately.
            return FileDiagnostics { diagnostics: Vec::new() };
        }
        let bytes = match world.read(path) {
            Ok(bytes) => bytes,
            Err(refused) => {
                let reason = Reason::new(Code::UNREADABLE_FILE, refused.to_string());
                return FileDiagnostics { diagnostics: vec![Diagnostic::new(reason, None)] };
            }
        };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                return FileDiagnostics {
                    diagnostics: vec![not_utf8(path, &name, &bytes, error.valid_up_to(), sources)],
                };
            }
        };
        if path.extension().is_some_and(|extension| extension == "erb") {
            return FileDiagnostics { diagnostics: template::check(sources, path, &name, text).into_iter().collect() };
        }
        if let Some(document) = Document::from_path(path, world).filter(|_| !is_source(path)) {
            return FileDiagnostics { diagnostics: self.documents.check(document, path, text) };
        }
        let template = path.extension().is_some_and(|extension| extension == "epp");
        let tasks = !template && placement::is_plan(path, world);
        let placement = self.placements.placement(path);
        let options = syntax::Options { template, tasks, placement, ..options.clone() };
        check_text(sources, Some(path), &name, text, &options)
    }
}

fn check_text(
    sources: &SourceMap,
    path: Option<&Path>,
    name: &str,
    text: &str,
    options: &syntax::Options,
) -> FileDiagnostics {
    let id = sources.add(path, name, Arc::from(text));
    let (_, diagnostics) = syntax::parse_with(sources, id, options);
    FileDiagnostics { diagnostics }
}

/// An error at the first byte that is not UTF-8; the excerpt replaces invalid bytes.
fn not_utf8(path: &Path, name: &str, bytes: &[u8], at: usize, sources: &SourceMap) -> Diagnostic {
    let text = String::from_utf8_lossy(bytes);
    let id = sources.add(Some(path), name, Arc::from(&*text));
    let line = 1 + bytes.get(..at).map_or(0, |head| memchr::memchr_iter(b'\n', head).count());
    let message = format!("{name} is not UTF-8 text: invalid byte at offset {at} (line {line})");
    // Up to the first invalid byte both strings are equal.
    let span = Span::new(id, at, at + '\u{fffd}'.len_utf8());
    Diagnostic::new(Reason::new(Code::NOT_UTF8, message), Some(span))
}
