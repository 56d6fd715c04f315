//! The main manifest: files that came or went, and the node blocks that match.
//!
//! In: what a compile used of its files. Out: whether it would use the same of those of now. Must not: look at other files.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::eval::Blocks;
use crate::names::Name;
use crate::program::Parsed;
use crate::program::Use;
use crate::session::Session;
use crate::session::answers::Lines;
use crate::session::answers::Now;
use crate::session::answers::Uses;
use crate::syntax::ast::DefinitionKind;
use crate::syntax::ast::Expr;
use crate::syntax::ast::ExprKind;
use crate::version;

/// What node blocks of the main manifest match now.
pub(super) struct BlocksNow {
    blocks: Blocks,
    /// File and definition of each block.
    places: Vec<(PathBuf, usize)>,
    clash: bool,
}

impl Now {
    /// Whether files that are new in the main manifest, or gone from it, leave a compile as it was: they hold nothing but
    /// definitions that it did not look for, and node blocks, which are looked at later. Then its files are those of now; the
    /// paths to watch for new ones, and whether there are some.
    pub(super) fn main_files(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        told: bool,
    ) -> Option<(Vec<PathBuf>, bool)> {
        if !self.moved_files && self.environments.is_empty() {
            return Some((Vec::new(), false));
        }
        let find = || {
            let environment = session.open_environment().ok()?;
            environment.manifest_files(session.world.as_ref()).ok().map(Arc::from)
        };
        let now: Arc<[PathBuf]> = self.main.get_or_insert_with(find).clone()?;
        let main = uses.manifests.get(..uses.main).unwrap_or_default();
        let path_of = |used: &Use| used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
        if main.len() == now.len() && main.iter().zip(now.iter()).all(|(used, now)| used.parsed.path() == Some(now)) {
            return Some((Vec::new(), false));
        }
        // What was used of other environments, or of nothing, is not known that well.
        let asked = uses.environment.as_ref().and_then(|used| used.asked.as_ref())?;
        if told || asked.all || main.is_empty() {
            return None;
        }
        for gone in main.iter().filter(|used| !now.contains(&path_of(used))) {
            let unused = gone.definitions.is_empty() && only_defines(&gone.parsed, |name| uses.names.contains(&name));
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
            let known = |name: Name| {
                let is = |used: &Use| used.parsed.file.definitions.iter().any(|of| of.name.normalized() == name);
                uses.names.contains(&name) || uses.manifests.iter().any(is)
            };
            if !only_defines(&parsed, known) {
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

    /// Whether a node would use the same of the main manifest, of which node blocks match otherwise and which is all that is
    /// other. Then its notes are of the files as they are now; where lines went.
    pub(in crate::session) fn main_holds(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &mut Uses,
    ) -> Option<Lines> {
        let blocks = self.blocks(session, certname, uses, false).ok()?;
        let count = uses.main;
        self.manifests_hold(session, uses, count, blocks.as_deref(), false)
    }

    /// The node blocks that a node has now, where blocks match otherwise. An error: there is more to it.
    #[allow(clippy::type_complexity, reason = "one place")]
    pub(super) fn blocks(
        &mut self,
        session: &Session,
        certname: &str,
        uses: &Uses,
        added: bool,
    ) -> Result<Option<Vec<(PathBuf, usize)>>, ()> {
        let main = uses.manifests.get(..uses.main).unwrap_or_default();
        let changed = &self.changed;
        let mut is_changed = |used: &Use| {
            let has_text = || used.parsed.path().is_some_and(|path| changed.has_text(path));
            *self.old.entry(Arc::as_ptr(&used.parsed).addr()).or_insert_with(has_text)
        };
        // Most edits are of other files.
        if !added && !main.iter().any(&mut is_changed) {
            return Ok(None);
        }
        let mut files = Vec::new();
        let mut otherwise = added;
        for used in main {
            let path = used.parsed.path().unwrap_or(Path::new("")).to_path_buf();
            if !self.changed.has_text(&path) {
                files.push((path, used.parsed.clone()));
                continue;
            }
            let now = self.manifest(session, &path, false).ok_or(())?;
            otherwise |= used.matches_otherwise(&now);
            files.push((path, now));
        }
        if !otherwise {
            return Ok(None);
        }
        let version = session.options.settings.version;
        let now = self.blocks.get_or_insert_with(|| Arc::new(BlocksNow::new(&files, version))).clone();
        let before: usize = main.iter().map(|used| used.blocks().count()).sum();
        let used = now.blocks.used_by(certname);
        if !now.clash && now.places.is_empty() && before == 0 {
            return Ok(None);
        }
        if now.clash || used.len() != 1 || before != 1 {
            return Err(());
        }
        let places: Vec<(PathBuf, usize)> =
            used.into_iter().filter_map(|block| now.places.get(block).cloned()).collect();
        // A block in a new file may take the place of one in a file that is as it was.
        let as_before = |(path, block): &(PathBuf, usize)| {
            let is = |used: &Use| {
                used.parsed.path() == Some(path)
                    && (self.changed.has_text(path) || used.blocks().any(|of| of == *block))
            };
            main.iter().any(is)
        };
        if added && !places.iter().all(as_before) {
            return Err(());
        }
        Ok(Some(places))
    }
}

/// Whether a file has nothing but definitions whose names are not `known`, and node blocks.
fn only_defines(parsed: &Parsed, known: impl Fn(Name) -> bool) -> bool {
    let defines = |statement: &Expr| matches!(statement.kind, ExprKind::Definition(_) | ExprKind::Nop);
    parsed.diagnostics.is_empty()
        && parsed.file.body.statements.iter().all(defines)
        && parsed.file.definitions.iter().all(|definition| match &definition.kind {
            DefinitionKind::Node(_) => true,
            DefinitionKind::Class(_) | DefinitionKind::Define(_) => !known(definition.name.normalized()),
            _ => false,
        })
}

impl BlocksNow {
    fn new(files: &[(PathBuf, Arc<Parsed>)], version: version::Version) -> BlocksNow {
        let (mut nodes, mut places) = (Vec::new(), Vec::new());
        let mut classes: FxHashSet<&str> = FxHashSet::default();
        for (path, parsed) in files {
            for (number, definition) in parsed.file.definitions.iter().enumerate() {
                match &definition.kind {
                    DefinitionKind::Node(_) => {
                        nodes.push(&**definition);
                        places.push((path.clone(), number));
                    }
                    DefinitionKind::Class(_) => drop(classes.insert(definition.name.normalized().as_str())),
                    _ => {}
                }
            }
        }
        let clash = Blocks::clash(&nodes, &classes, version);
        BlocksNow { blocks: Blocks::new(&nodes, version), places, clash }
    }
}
