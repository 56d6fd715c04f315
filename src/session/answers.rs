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
use crate::hiera::DataChange;
use crate::hiera::DataNow;
use crate::hiera::DataUse;
use crate::program::Moved;
use crate::program::Parsed;
use crate::program::Use;
use crate::session::Session;
use crate::syntax;
use crate::syntax::Placement;
use crate::world::Change;
use crate::world::Changed;
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
pub(super) struct Now {
    changed: Changed,
    manifests: FxHashMap<PathBuf, Option<Arc<Parsed>>>,
    /// By the place of the parsed file: whether it is of a file that changed.
    old: FxHashMap<usize, bool>,
    moved: FxHashMap<(usize, Arc<[usize]>), Moved>,
    /// By the place of the data as it was.
    data: FxHashMap<usize, (DataChange, DataNow)>,
    /// What the places are of.
    kept: Vec<Arc<Parsed>>,
    kept_data: Vec<DataUse>,
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
    /// What is there after these changes.
    pub(super) fn new(changes: &[Change]) -> Now {
        Now {
            changed: Changed::new(changes),
            manifests: FxHashMap::default(),
            old: FxHashMap::default(),
            moved: FxHashMap::default(),
            data: FxHashMap::default(),
            kept: Vec::new(),
            kept_data: Vec::new(),
        }
    }

    /// Whether a node gets the same answers. Its notes are of the new files then.
    pub(super) fn judge(&mut self, session: &Session, node: Known<'_>) -> Verdict {
        let mut lines = Lines::new();
        if self.changed.concern(node.reads, !node.uses.complete) {
            return Verdict::Again;
        }
        for used in &mut node.uses.data {
            if !self.changed.has_text(&used.path) {
                continue;
            }
            let strict = session.options.settings.strict;
            let (change, now) = self.data.entry(used.address()).or_insert_with(|| {
                let now = used.now(strict, session.world.as_ref());
                self.kept_data.push(used.clone());
                (used.compare(&now), now)
            });
            if !used.holds(change, now) {
                return Verdict::Again;
            }
        }
        for used in &mut node.uses.manifests {
            let address = Arc::as_ptr(&used.parsed).addr();
            let changed = &self.changed;
            let has_text = || used.parsed.path().is_some_and(|path| changed.has_text(path));
            if !*self.old.entry(address).or_insert_with(has_text) {
                continue;
            }
            // What is said of a node has places in the text as it was.
            if node.failed || tells_places(node.logs) {
                return Verdict::Again;
            }
            let path = used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
            let Some(now) = self.manifest(session, &path, used.parsed.template) else {
                return Verdict::Again;
            };
            let moved = self.moved.entry((address, used.definitions.clone()));
            match moved.or_insert_with(|| used.compare(&now)) {
                Moved::Changed => return Verdict::Again,
                Moved::Nowhere => {}
                Moved::Lines(_) if node.uses.places => return Verdict::Again,
                Moved::Lines(moved) => lines.push((Arc::from(path.to_string_lossy()), moved.clone())),
            }
            // The old one stays in memory until all nodes are judged: its place is not used again.
            self.kept.push(std::mem::replace(&mut used.parsed, now));
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
