//! The main manifest: added and removed files, and the node blocks that match.
//!
//! In: the parts of its files that a compile used. Out: whether they are unchanged. Must not: look at other files.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::session::Session;
use crate::session::answers::CurrentAnswers;
use crate::session::answers::Lines;
use crate::session::answers::Uses;
use catwalk_base::names::Name;
use catwalk_base::version;
use catwalk_eval::Blocks;
use catwalk_program::program::ParsedSource;
use catwalk_program::program::Use;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;

/// The node blocks of the current main manifest, which match nodes.
#[derive(Debug)]
pub(in crate::session) struct CurrentBlocks {
    blocks: Blocks,
    files: Arc<[PathBuf]>,
    paths: FxHashSet<OsString>,
    /// File and definition of each block, by number.
    places: Vec<(usize, usize)>,
    clash: bool,
}

impl CurrentAnswers {
    /// Updates the recorded files of the main manifest if added and removed files do not affect a compile: they contain only definitions
    /// that it did not search for, and node blocks, which are compared later. Returns the added paths, to be watched, and whether there
    /// are any; `None` if the compile may be affected.
    pub(super) fn update_main_files(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        logs_positions: bool,
    ) -> Option<(Vec<PathBuf>, bool)> {
        if !self.moved_files && self.environments.is_empty() {
            return Some((Vec::new(), false));
        }
        let now = self.current_main_files(session)?;
        let main = uses.manifests.get(..uses.main).unwrap_or_default();
        let path_of = |used: &Use| used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
        if main.len() == now.len() && main.iter().zip(now.iter()).all(|(used, now)| used.parsed.path() == Some(now)) {
            return Some((Vec::new(), false));
        }
        // Uses of other environments are not recorded in this detail.
        let queries = uses.environment.as_ref().and_then(|used| used.questions.as_ref())?;
        if logs_positions || queries.all || main.is_empty() {
            return None;
        }
        for gone in main.iter().filter(|used| !now.contains(&path_of(used))) {
            let unused = gone.definitions.is_empty()
                && contains_only_definitions(&gone.parsed, |name| uses.names.contains(&name));
            if !unused {
                return None;
            }
        }
        let mut files = Vec::with_capacity(now.len());
        let mut paths = Vec::new();
        for path in now.iter() {
            if let Some(used) = main.iter().find(|used| used.parsed.path() == Some(path)) {
                files.push(used.clone());
                continue;
            }
            let parsed = self.manifest(session, path, false)?;
            let is_searched = |name: Name| {
                let is = |used: &Use| used.parsed.file.definitions.iter().any(|of| of.name.normalized() == name);
                uses.names.contains(&name) || uses.manifests.iter().any(is)
            };
            if !contains_only_definitions(&parsed, is_searched) {
                return None;
            }
            let folder = path.parent().filter(|folder| !main.iter().any(|used| path_of(used).starts_with(folder)));
            paths.extend([Some(path.as_path()), folder].into_iter().flatten().map(Path::to_path_buf));
            files.push(Use { parsed, definitions: Arc::from([]) });
        }
        let count = files.len();
        let is_added = !paths.is_empty();
        uses.manifests.splice(..uses.main, files);
        uses.main = count;
        Some((paths, is_added))
    }

    /// For a change of only the main manifest with different matches of node blocks: whether the parts that a node uses are unchanged.
    /// Then updates its records to the current files and returns the moved lines.
    pub(in crate::session) fn main_holds(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &mut Uses,
    ) -> Option<Lines> {
        let blocks = self.blocks(session, certname, uses, false).ok()?;
        let count = uses.main;
        self.manifests_hold(session, uses, count, blocks.as_ref(), false)
    }

    /// The node block that matches a node now, with its file, if node blocks match different nodes. An error: more may have
    /// changed.
    pub(super) fn blocks(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &Uses,
        added: bool,
    ) -> Result<Option<(PathBuf, usize)>, ()> {
        let main = uses.manifests.get(..uses.main).unwrap_or_default();
        let changed = &self.changed;
        let mut is_changed = |used: &Use| {
            let is_edited = || used.parsed.path().is_some_and(|path| changed.contents_changed(path));
            *self.old.entry(Arc::as_ptr(&used.parsed).addr()).or_insert_with(is_edited)
        };
        // Most edits change other files.
        if !added && !main.iter().any(&mut is_changed) {
            return Ok(None);
        }
        let mut otherwise = added;
        for used in main {
            let Some(path) = used.parsed.path().filter(|path| self.changed.contents_changed(path)) else { continue };
            let now = self.manifest(session, path, false).ok_or(())?;
            otherwise |= used.has_different_node_matches(&now);
        }
        if !otherwise {
            return Ok(None);
        }
        let now = self.current_blocks(session).filter(|_| uses.records_environment()).ok_or(())?;
        let before: usize = main.iter().map(|used| used.blocks().count()).sum();
        if !now.clash && now.places.is_empty() && before == 0 {
            return Ok(None);
        }
        if before != 1 {
            return Err(());
        }
        let (path, block) = now.used_by(certname).ok_or(())?;
        // A block in a new file may replace one in an unchanged file.
        let as_before = |used: &Use| {
            used.parsed.path() == Some(path)
                && (self.changed.contents_changed(path) || used.blocks().any(|of| of == block))
        };
        if added && !main.iter().any(as_before) {
            return Err(());
        }
        Ok(Some((path.to_path_buf(), block)))
    }

    /// The node blocks of the site's own main manifest; `None` if one of its files cannot be read.
    pub(super) fn current_blocks(&mut self, session: &Session) -> Option<Arc<CurrentBlocks>> {
        if self.blocks.is_none() {
            self.blocks = Some(self.read_blocks(session));
        }
        self.blocks.clone()?
    }

    fn read_blocks(&mut self, session: &Session) -> Option<Arc<CurrentBlocks>> {
        let files = self.current_main_files(session)?;
        let parsed: Option<Vec<Arc<ParsedSource>>> =
            files.iter().map(|path| self.manifest(session, path, false)).collect();
        Some(Arc::new(CurrentBlocks::new(files, &parsed?, session.options.settings.version)))
    }

    /// The files of the site's own main manifest.
    fn current_main_files(&mut self, session: &Session) -> Option<Arc<[PathBuf]>> {
        let find = || {
            let environment = session.open_environment().ok()?;
            environment.manifest_files(session.world.as_ref()).ok().map(Arc::from)
        };
        self.main.get_or_insert_with(find).clone()
    }
}

/// Whether a file contains only node blocks, and classes and defines that no compile searched for.
fn contains_only_definitions(parsed: &ParsedSource, is_searched: impl Fn(Name) -> bool) -> bool {
    let defines = |statement: &Expr| matches!(statement.kind, ExprKind::Definition(_) | ExprKind::Nop);
    parsed.diagnostics.is_empty()
        && parsed.file.body.statements.iter().all(defines)
        && parsed.file.definitions.iter().all(|definition| match &definition.kind {
            DefinitionKind::Node(_) => true,
            DefinitionKind::Class(_) | DefinitionKind::Define(_) => !is_searched(definition.name.normalized()),
            _ => false,
        })
}

impl CurrentBlocks {
    fn new(files: Arc<[PathBuf]>, parsed: &[Arc<ParsedSource>], version: version::Version) -> CurrentBlocks {
        let (mut nodes, mut places) = (Vec::new(), Vec::new());
        let mut classes: FxHashSet<&str> = FxHashSet::default();
        for (file, parsed) in parsed.iter().enumerate() {
            for (number, definition) in parsed.file.definitions.iter().enumerate() {
                match &definition.kind {
                    DefinitionKind::Node(_) => {
                        nodes.push(&**definition);
                        places.push((file, number));
                    }
                    DefinitionKind::Class(_) => drop(classes.insert(definition.name.normalized().as_str())),
                    _ => {}
                }
            }
        }
        let clash = Blocks::clash(&nodes, &classes, version);
        let paths = files.iter().map(|path| path.as_os_str().to_owned()).collect();
        CurrentBlocks { blocks: Blocks::new(&nodes, version), files, paths, places, clash }
    }

    /// The one block that a node uses, with its file; `None` if the node depends on more than that.
    fn used_by(&self, certname: &str) -> Option<(&Path, usize)> {
        let used = self.blocks.used_by(certname);
        let [block] = used.as_slice() else { return None };
        let (file, number) = self.places.get(*block).filter(|_| !self.clash)?;
        Some((self.files.get(*file)?, *number))
    }

    /// The block of a file of the main manifest that a node uses now, if it used one of that file before; no block, if its block
    /// was and is in another file. `None`: the node depends on more than that.
    ///
    /// A block of an unchanged file is still the one that matches: any block that could take its place, in order of names and
    /// then of patterns, could have done so before.
    pub(in crate::session) fn of_file(&self, certname: &str, used: &Use) -> Option<Option<usize>> {
        let path = used.parsed.path().map(Path::as_os_str).filter(|path| self.paths.contains(*path))?;
        let (file, block) = self.used_by(certname)?;
        match (file.as_os_str() == path, used.blocks().count()) {
            (true, 1) => Some(Some(block)),
            (false, 0) => Some(None),
            _ => None,
        }
    }
}
