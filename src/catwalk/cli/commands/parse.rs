//! `catwalk parse`: shows the syntax tree.
//!
//! In: files or code. Out: the syntax tree in Puppet notation, or as JSON. Must not: validate; only syntax errors are reported.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::Logger;
use crate::cli::options::NamedFiles;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_syntax as syntax;
use catwalk_world::Disk;
use catwalk_world::World;

/// Arguments of `parse`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Manifests, and templates (.epp)
    #[arg(required_unless_present = "execute")]
    files: Vec<PathBuf>,
    /// Parse this code instead
    #[arg(short = 'e', long, value_name = "CODE", conflicts_with = "files")]
    execute: Option<String>,
    /// The code is a template
    #[arg(long, requires = "execute")]
    epp: bool,
    /// Puppet notation or JSON
    #[arg(long, value_enum, default_value_t = Format::Pn)]
    format: Format,
    /// Do not read outside of the directories of the files and their sites: the code is untrusted
    #[arg(long)]
    untrusted: bool,
}

/// How a tree is written.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Puppet notation on one line
    Pn,
    /// JSON on one line
    Json,
}

/// Runs `parse`: 0 parsed, 1 syntax errors, 2 a file that cannot be read.
#[must_use]
pub fn run(arguments: &Arguments, logger: &Logger) -> ExitCode {
    let sources = SourceMap::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut code = 0;
    let world = Disk::new();
    let files = NamedFiles { paths: &arguments.files, output: None, untrusted: arguments.untrusted };
    // Without a current directory, no relative path can be read.
    let _ = files.confine(&world);
    if let Some(text) = &arguments.execute {
        let id = sources.add(None, "-e", Arc::from(text.as_str()));
        code = show(&mut out, (&sources, id, text), arguments.epp, arguments.format, logger);
    }
    for path in &arguments.files {
        let name = path.to_string_lossy();
        let bytes = match world.read(path) {
            Ok(bytes) => bytes,
            Err(refused) => {
                let reason = Reason::new(Code::UNREADABLE_FILE, refused.to_string());
                logger.write(&Diagnostic::new(reason, None), &sources, None);
                code = 2;
                continue;
            }
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let reason = Reason::new(Code::NOT_UTF8, format!("{name} is not UTF-8 text"));
            logger.write(&Diagnostic::new(reason, None), &sources, None);
            code = code.max(1);
            continue;
        };
        if arguments.files.len() > 1 {
            let _ = writeln!(out, "--- {name}");
        }
        let id = sources.add(Some(path), &name, Arc::from(text));
        let template = path.extension().is_some_and(|extension| extension == "epp");
        code = code.max(show(&mut out, (&sources, id, text), template, arguments.format, logger));
    }
    let _ = out.flush();
    ExitCode::from(code)
}

fn show(
    out: &mut impl Write,
    (sources, id, text): (&SourceMap, FileId, &str),
    template: bool,
    format: Format,
    logger: &Logger,
) -> u8 {
    let (file, diagnostics) = syntax::parse_only(sources, id, template);
    diagnostics.iter().for_each(|diagnostic| logger.write(diagnostic, sources, None));
    if diagnostics.iter().any(|found| found.severity >= Severity::Error) {
        return 1;
    }
    let _ = match format {
        Format::Pn => writeln!(out, "{}", syntax::pn::dump(&file, text)),
        Format::Json => writeln!(out, "{}", syntax::pn::json(&file, text)),
    };
    0
}
