//! What a compile used of the outside beyond whole answers, and whether it would get the same now.
//!
//! In: what compiles noted, the questions that have other answers now. Out: for each node whether it must be compiled again,
//! and where lines of its manifests went. Must not: compile.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::catalog::Catalog;
use crate::diag::Diagnostic;
use crate::hiera::DataNow;
use crate::hiera::DataUse;
use crate::program::Moved;
use crate::program::Parsed;
use crate::program::Use;
use crate::session::Session;
use crate::syntax;
use crate::syntax::Placement;
use crate::world::Change;
use crate::world::Reads;

/// What a compile used of files of which not all counts.
#[derive(Debug, Default)]
pub struct Uses {
    /// Manifests and templates.
    pub(super) manifests: Vec<Use>,
    /// Data files.
    pub(super) data: Vec<DataUse>,
    /// Lines reached more than the places of resources.
    pub(super) places: bool,
    /// The notes are all there: the compile did not end in the middle.
    pub(super) complete: bool,
}

/// What files are now, asked once for all nodes.
#[derive(Default)]
pub(super) struct Now {
    manifests: FxHashMap<PathBuf, Option<Arc<Parsed>>>,
    data: FxHashMap<PathBuf, DataNow>,
    moved: FxHashMap<(PathBuf, usize, Arc<[usize]>), Moved>,
}

/// New lines by file and line.
pub(super) type Lines = Vec<(Arc<str>, FxHashMap<u32, u32>)>;

/// What a node is to the changes.
pub(super) enum Verdict {
    /// Some answer differs.
    Again,
    /// Its answers are the same; where lines went.
    Same(Lines),
}

/// What is known of a node.
pub(super) struct Known<'a> {
    pub(super) reads: &'a Reads,
    pub(super) uses: &'a mut Uses,
    pub(super) logs: &'a [Diagnostic],
    pub(super) failed: bool,
}

impl Now {
    /// Whether a node gets the same answers. Its notes are of the new files then.
    pub(super) fn judge(&mut self, session: &Session, changes: &[Change], node: Known<'_>) -> Verdict {
        let mut lines = Lines::new();
        if changes.iter().any(|change| node.reads.concern(change)) {
            return Verdict::Again;
        }
        for change in changes.iter().filter(|change| change.text_only) {
            if !node.uses.complete {
                if node.reads.concern(&Change { text_only: false, ..change.clone() }) {
                    return Verdict::Again;
                }
                continue;
            }
            for used in node.uses.data.iter_mut().filter(|used| used.path == change.path) {
                let strict = session.options.settings.strict;
                let now = self.data.entry(change.path.clone());
                if !used.holds(now.or_insert_with(|| used.now(strict, session.world.as_ref()))) {
                    return Verdict::Again;
                }
            }
            for used in node.uses.manifests.iter_mut().filter(|used| used.parsed.path() == Some(&change.path)) {
                let Some(now) = self.manifest(session, &change.path, used.parsed.template) else {
                    return Verdict::Again;
                };
                let key = (change.path.clone(), Arc::as_ptr(&used.parsed).addr(), used.definitions.clone());
                match self.moved.entry(key).or_insert_with(|| used.compare(&now)) {
                    Moved::Changed => return Verdict::Again,
                    Moved::Nowhere => {}
                    Moved::Lines(_) if node.uses.places || node.failed || tells_places(node.logs) => {
                        return Verdict::Again;
                    }
                    Moved::Lines(moved) => {
                        lines.push((Arc::from(change.path.to_string_lossy()), moved.clone()));
                    }
                }
                used.parsed = now;
            }
        }
        Verdict::Same(lines)
    }

    fn manifest(&mut self, session: &Session, path: &Path, template: bool) -> Option<Arc<Parsed>> {
        if let Some(known) = self.manifests.get(path) {
            return known.clone();
        }
        let environment = session.open_environment().ok();
        let options = || {
            let placement = match &environment {
                Some(environment) if !template => {
                    Placement::of(path, &environment.modulepath, environment.manifest.as_deref())
                }
                _ => Placement::default(),
            };
            syntax::Options { template, placement, ..syntax::Options::default() }
        };
        let parsed = session.cache.parse_file(path, session.world.as_ref(), options).ok();
        self.manifests.insert(path.to_path_buf(), parsed.clone());
        parsed
    }
}

/// Whether something was logged that has a place, or names one.
fn tells_places(logs: &[Diagnostic]) -> bool {
    logs.iter().any(|log| log.span.is_some() || log.message.contains("line"))
}

/// Moves the places of a catalog's resources. `false`: a line is not known.
pub(super) fn move_lines(catalog: &mut Catalog, lines: &Lines) -> bool {
    for resource in &mut catalog.resources {
        let (Some(file), Some(line)) = (&resource.file, &mut resource.line) else { continue };
        if let Some((_, moved)) = lines.iter().find(|(path, _)| path == file) {
            let Some(now) = moved.get(line) else { return false };
            *line = *now;
        }
    }
    true
}
