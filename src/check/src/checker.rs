//! Lists the files to check and checks each by its kind.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::documents::Document;
use crate::documents::Documents;
use crate::placement;
use crate::placement::Placements;
use crate::template;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
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

fn syntax_options(version: Version) -> syntax::Options {
    syntax::Options { version, strict: version.strict, ..syntax::Options::default() }
}

/// The diagnostics of one file.
struct FileDiagnostics {
    diagnostics: Vec<Diagnostic>,
}

/// The files to check.
#[derive(Default)]
pub struct FileList {
    /// Named files, and those of directories, sorted by path.
    pub files: Vec<PathBuf>,
    /// How many files of directories are not checked because git ignores them.
    pub ignored: usize,
    /// Warnings about files with rules for ignored files that cannot be used.
    pub unusable_rules: Vec<Diagnostic>,
}

/// The files to check, and an error for each path that does not exist.
#[must_use]
pub fn list_files(paths: &[PathBuf], world: &Disk) -> (FileList, Vec<Diagnostic>) {
    let mut list = FileList::default();
    let mut missing = Vec::new();
    for path in paths {
        match world.kind(path) {
            Kind::Missing => {
                let reason = match world.read(path) {
                    Err(refused @ WorldError::Untrusted(_)) => refused.to_string(),
                    _ => format!("no such file or directory: {}", path.display()),
                };
                missing.push(Diagnostic::new(Reason::usage(reason), None));
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
    (list, missing)
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

/// Checks code.
#[must_use]
pub fn check_code(code: &str, version: Version, sources: &SourceMap) -> Vec<Diagnostic> {
    check_text(sources, None, "-e", code, &syntax_options(version)).diagnostics
}

/// Checks files. `modulepath`: the directories of modules, separated by colons.
#[must_use]
pub fn check_files(
    files: &[PathBuf],
    modulepath: Option<&str>,
    version: Version,
    sources: &SourceMap,
    world: &Disk,
) -> Vec<Diagnostic> {
    let settings = Settings { version, ..Settings::default() };
    let placements = Placements::new(files, modulepath, &settings, world);
    let documents = Documents::new(world, sources, settings.clone());
    let checker = Checker { world, sources, placements: &placements, documents: &documents };
    let check = |path: &PathBuf| checker.check(path, &syntax_options(version));
    // The threads of rayon's global pool have small stacks.
    let checked: Vec<FileDiagnostics> = match catwalk_session::pool() {
        Some(pool) => pool.install(|| files.par_iter().map(check).collect()),
        None => files.iter().map(check).collect(),
    };
    checked.into_iter().flat_map(|checked| checked.diagnostics).collect()
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
