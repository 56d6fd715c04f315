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
use catwalk_program::ParsedSource;
use catwalk_program::Use;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;

/// The node blocks of the current main manifest, which match nodes.
#[derive(Debug)]
pub(in crate::session) struct CurrentNodeBlocks {
    blocks: Blocks,
    files: Arc<[PathBuf]>,
    paths: FxHashSet<OsString>,
    /// File and definition of each block, by number.
    positions: Vec<(usize, usize)>,
    has_clash: bool,
}

impl CurrentAnswers {
    /// Updates the recorded files of the main manifest if added and removed files do not affect a compile: they contain only definitions
    /// that it did not search for, and node blocks, which are compared later. Returns the added paths, to be watched, and whether there are
    /// any; `None` if the compile may be affected.
    pub(super) fn update_main_files(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        logs_positions: bool,
    ) -> Option<(Vec<PathBuf>, bool)> {
        if !self.has_existence_changes && self.environments.is_empty() {
            return Some((Vec::new(), false));
        }
        let current = self.current_main_files(session)?;
        let main = uses.manifests.get(..uses.main_count).unwrap_or_default();
        let path_of = |used: &Use| used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
        if main.len() == current.len()
            && main.iter().zip(current.iter()).all(|(used, now)| used.parsed.path() == Some(now))
        {
            return Some((Vec::new(), false));
        }
        // Uses of other environments are not recorded in this detail.
        let queries = uses.environment.as_ref().and_then(|used| used.questions.as_ref())?;
        if logs_positions || queries.all || main.is_empty() {
            return None;
        }
        for removed in main.iter().filter(|used| !current.contains(&path_of(used))) {
            let unused = removed.definitions.is_empty()
                && contains_only_definitions(&removed.parsed, |name| uses.names.contains(&name));
            if !unused {
                return None;
            }
        }
        let mut files = Vec::with_capacity(current.len());
        let mut paths = Vec::new();
        for path in current.iter() {
            if let Some(used) = main.iter().find(|used| used.parsed.path() == Some(path)) {
                files.push(used.clone());
                continue;
            }
            let parsed = self.parse_manifest(session, path, false)?;
            let is_searched = |name: Name| {
                let defines = |used: &Use| {
                    used.parsed.file.definitions.iter().any(|definition| definition.name.normalized() == name)
                };
                uses.names.contains(&name) || uses.manifests.iter().any(defines)
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
        uses.manifests.splice(..uses.main_count, files);
        uses.main_count = count;
        Some((paths, is_added))
    }

    /// For a change of only the main manifest with different matches of node blocks: whether the parts that a node uses are unchanged.
    /// Then updates its records to the current files and returns the moved lines.
    pub(in crate::session) fn follow_main_manifest(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &mut Uses,
    ) -> Option<Lines> {
        let blocks = self.find_matching_block(session, certname, uses, false).ok()?;
        let count = uses.main_count;
        self.follow_manifests(session, uses, count, blocks.as_ref(), false)
    }

    /// The node block that matches a node now, with its file, if node blocks match different nodes. An error: more may have
    /// changed.
    pub(super) fn find_matching_block(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &Uses,
        has_added_files: bool,
    ) -> Result<Option<(PathBuf, usize)>, ()> {
        let main = uses.manifests.get(..uses.main_count).unwrap_or_default();
        let changed = &self.changed;
        let mut is_changed = |used: &Use| {
            let is_edited = || used.parsed.path().is_some_and(|path| changed.contents_changed(path));
            *self.edited.entry(Arc::as_ptr(&used.parsed).addr()).or_insert_with(is_edited)
        };
        // Most edits change other files.
        if !has_added_files && !main.iter().any(&mut is_changed) {
            return Ok(None);
        }
        let mut matches_differently = has_added_files;
        for used in main {
            let Some(path) = used.parsed.path().filter(|path| self.changed.contents_changed(path)) else { continue };
            let now = self.parse_manifest(session, path, false).ok_or(())?;
            matches_differently |= used.has_different_node_matches(&now);
        }
        if !matches_differently {
            return Ok(None);
        }
        let current = self.current_blocks(session).filter(|_| uses.records_environment()).ok_or(())?;
        let used_blocks: usize = main.iter().map(|used| used.blocks().count()).sum();
        if !current.has_clash && current.positions.is_empty() && used_blocks == 0 {
            return Ok(None);
        }
        if used_blocks != 1 {
            return Err(());
        }
        let (path, block) = current.block_of_node(certname).ok_or(())?;
        // A block in a new file may replace one in an unchanged file.
        let as_before = |used: &Use| {
            used.parsed.path() == Some(path)
                && (self.changed.contents_changed(path) || used.blocks().any(|used| used == block))
        };
        if has_added_files && !main.iter().any(as_before) {
            return Err(());
        }
        Ok(Some((path.to_path_buf(), block)))
    }

    /// The node blocks of the site's own main manifest; `None` if one of its files cannot be read.
    pub(super) fn current_blocks(&mut self, session: &Session) -> Option<Arc<CurrentNodeBlocks>> {
        if self.blocks.is_none() {
            self.blocks = Some(self.read_blocks(session));
        }
        self.blocks.clone()?
    }

    fn read_blocks(&mut self, session: &Session) -> Option<Arc<CurrentNodeBlocks>> {
        let files = self.current_main_files(session)?;
        let parsed: Option<Vec<Arc<ParsedSource>>> =
            files.iter().map(|path| self.parse_manifest(session, path, false)).collect();
        Some(Arc::new(CurrentNodeBlocks::new(files, &parsed?, session.options.settings.version)))
    }

    /// The files of the site's own main manifest.
    fn current_main_files(&mut self, session: &Session) -> Option<Arc<[PathBuf]>> {
        let find = || {
            let environment = session.open_environment().ok()?;
            environment.manifest_files(session.world.as_ref()).ok().map(Arc::from)
        };
        self.main_files.get_or_insert_with(find).clone()
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

impl CurrentNodeBlocks {
    fn new(files: Arc<[PathBuf]>, parsed: &[Arc<ParsedSource>], version: version::Version) -> CurrentNodeBlocks {
        let (mut nodes, mut positions) = (Vec::new(), Vec::new());
        let mut classes: FxHashSet<&str> = FxHashSet::default();
        for (file, parsed) in parsed.iter().enumerate() {
            for (number, definition) in parsed.file.definitions.iter().enumerate() {
                match &definition.kind {
                    DefinitionKind::Node(_) => {
                        nodes.push(&**definition);
                        positions.push((file, number));
                    }
                    DefinitionKind::Class(_) => drop(classes.insert(definition.name.normalized().as_str())),
                    _ => {}
                }
            }
        }
        let has_clash = Blocks::clash(&nodes, &classes, version);
        let paths = files.iter().map(|path| path.as_os_str().to_owned()).collect();
        CurrentNodeBlocks { blocks: Blocks::new(&nodes, version), files, paths, positions, has_clash }
    }

    /// The one block that a node uses, with its file; `None` if the node depends on more than that.
    fn block_of_node(&self, certname: &str) -> Option<(&Path, usize)> {
        let used = self.blocks.used_by(certname);
        let [block] = used.as_slice() else { return None };
        let (file, number) = self.positions.get(*block).filter(|_| !self.has_clash)?;
        Some((self.files.get(*file)?, *number))
    }

    /// The block of a file of the main manifest that a node uses now, if it used one of that file before; no block, if its block
    /// was and is in another file. `None`: the node depends on more than that.
    ///
    /// A block of an unchanged file is still the one that matches: any block that could take its place, in order of names and
    /// then of patterns, could have done so before.
    pub(in crate::session) fn block_in_file(&self, certname: &str, used: &Use) -> Option<Option<usize>> {
        let path = used.parsed.path().map(Path::as_os_str).filter(|path| self.paths.contains(*path))?;
        let (file, block) = self.block_of_node(certname)?;
        match (file.as_os_str() == path, used.blocks().count()) {
            (true, 1) => Some(Some(block)),
            (false, 0) => Some(None),
            _ => None,
        }
    }
}
