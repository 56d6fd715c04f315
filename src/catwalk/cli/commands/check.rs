//! `catwalk check`: validates manifests, templates, data, configurations, test files and scripts.
//!
//! In: files, directories, or code. Out: diagnostics, for people, as JSON or as SARIF. Must not: compile.

use catwalk_session::site::Site;
use std::io::IsTerminal;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::Logger;
use crate::cli::options;
use crate::cli::options::NamedFiles;
use crate::cli::site::puppet_version;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::render;
use catwalk_base::diag::visible;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_check::FileList;
use catwalk_world::Disk;

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
            catwalk_check::check_code(code, arguments.version(&world), &sources)
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
            let (listed, missing) = catwalk_check::list_files(paths, &world);
            missing.iter().for_each(|error| logger.write(error, &SourceMap::new(), None));
            if !missing.is_empty() {
                return ExitCode::from(2);
            }
            let FileList { files, ignored, unusable_rules: unusable } = listed;
            unusable_rules = unusable;
            checked = Some((files.len(), ignored));
            let version = arguments.version(&world);
            catwalk_check::check_files(&files, arguments.modulepath.as_deref(), version, &sources, &world)
        }
    };
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
        Format::Json => writeln!(out, "{}", visible::json(&catwalk_check::json(diagnostics, sources).to_string()))?,
        Format::Sarif => {
            let here = options::current_dir().unwrap_or_default();
            writeln!(
                out,
                "{}",
                visible::json(&catwalk_check::sarif(diagnostics, sources, &here, &Disk::new()).to_string())
            )?
        }
    }
    out.flush()
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
