//! Nodes that used the same parts of a file: an edit is compared once for all of them.
//!
//! In: the parts of manifests, templates and Ruby files that compiles used. Out: the nodes for which an edit moves only lines, and those
//! for which it may change more. The latter may contain nodes that used these parts before. Must not: decide which nodes are
//! recompiled.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::Uses;
use crate::session::answers::CurrentNodeBlocks;
use crate::session::answers::Lines;
use crate::session::index::Compare;
use crate::session::index::EditEffect;
use crate::session::index::add_node;
use catwalk_catalog::Catalog;
use catwalk_program::LayoutChange;
use catwalk_program::ParsedSource;
use catwalk_program::RubyUse;
use catwalk_program::Use;

/// A part of a file that a compile used.
#[derive(Clone, Debug)]
pub(super) enum FileUse {
    /// A manifest or template; `main`: a file of the main manifest.
    Manifest { used: Use, main: bool },
    /// A file in Ruby or a template in ERB.
    Ruby(RubyUse),
}

/// Equal for nodes that used the same part: the address of the file, the used definitions, and whether it is the main manifest.
type Key = (usize, Arc<[usize]>, bool);

impl FileUse {
    fn key(&self) -> Key {
        match self {
            FileUse::Manifest { used, main } => (Arc::as_ptr(&used.parsed).addr(), used.definitions.clone(), *main),
            FileUse::Ruby(used) => (used.bytes.as_ptr().addr(), Arc::from([]), false),
        }
    }
}

/// Nodes that used the same part.
#[derive(Debug)]
struct SharedUse {
    used: FileUse,
    nodes: Vec<u32>,
    /// Lines of the file that occur in their catalogs.
    lines: FxHashSet<u32>,
}

/// The used parts of a file, with the nodes that used them.
#[derive(Debug, Default)]
pub(super) struct FileUses {
    by_use: FxHashMap<Key, SharedUse>,
}

/// The parts of files that one compile used, sorted by path, with the lines of these files in its catalog. Other parts of these
/// files do not affect the compile.
pub(super) struct NodeFileUses<'a> {
    parts: Vec<(&'a OsStr, FileUse)>,
    lines: FxHashMap<&'a OsStr, FxHashSet<u32>>,
}

impl<'a> NodeFileUses<'a> {
    /// The parts that a successful compile used; empty if line numbers are used for more than the positions of resources.
    pub(super) fn new(uses: &'a Uses, catalog: Option<&'a Catalog>) -> NodeFileUses<'a> {
        let mut node_uses = NodeFileUses { parts: Vec::new(), lines: FxHashMap::default() };
        let Some(catalog) = catalog.filter(|_| uses.complete && !uses.reads_lines) else { return node_uses };
        for (number, used) in uses.manifests.iter().enumerate() {
            if let Some(path) = used.parsed.path() {
                let used = FileUse::Manifest { used: used.clone(), main: number < uses.main_count };
                node_uses.parts.push((path.as_os_str(), used));
            }
        }
        node_uses.parts.extend(uses.ruby.iter().map(|used| (used.path.as_os_str(), FileUse::Ruby(used.clone()))));
        node_uses.parts.sort_by_key(|(path, _)| *path);
        for resource in &catalog.resources {
            if let (Some(file), Some(line)) = (&resource.file, resource.line) {
                node_uses.lines.entry(OsStr::new(&**file)).or_default().insert(line);
            }
        }
        node_uses
    }

    /// The used parts of a file.
    pub(super) fn parts_of_file(&self, path: &OsStr) -> impl Iterator<Item = &FileUse> {
        let start = self.parts.partition_point(|(part, _)| *part < path);
        self.parts
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(move |(part, _)| *part == path)
            .map(|(_, used)| used)
    }
}

impl FileUses {
    /// Adds the parts of this file that a node used.
    pub(super) fn add(&mut self, number: u32, path: &OsStr, node_uses: &NodeFileUses<'_>, is_indexed: bool) {
        let lines = node_uses.lines.get(path);
        for used in node_uses.parts_of_file(path) {
            let entry = self.by_use.entry(used.key());
            let shared = entry.or_insert_with(|| SharedUse {
                used: used.clone(),
                nodes: Vec::new(),
                lines: FxHashSet::default(),
            });
            add_node(&mut shared.nodes, number, is_indexed);
            shared.lines.extend(lines.into_iter().flatten());
        }
    }

    /// Passes the nodes that an edit of this file affects to `report`; `names` are node names by number. Nodes for which more than lines
    /// may have changed are removed: add them again after they were checked or compiled.
    #[allow(clippy::iter_over_hash_type, reason = "a map again, and a map of nodes")]
    pub(super) fn compare(
        &mut self,
        names: &[Arc<str>],
        comparer: &mut dyn Compare,
        report: &mut dyn FnMut(&[u32], EditEffect),
    ) {
        for shared in std::mem::take(&mut self.by_use).into_values() {
            let Some(matcher) = comparer.blocks(&shared.used) else {
                self.follow(shared, None, comparer, report);
                continue;
            };
            let mut unknown = Vec::new();
            let mut by_block: BTreeMap<Option<usize>, Vec<u32>> = BTreeMap::new();
            for number in &shared.nodes {
                let block = names.get(*number as usize).and_then(|name| matcher.block_of_node(name, &shared.used));
                block.map_or(&mut unknown, |block| by_block.entry(block).or_default()).push(*number);
            }
            if !unknown.is_empty() {
                report(&unknown, EditEffect::Blocks);
            }
            for (block, nodes) in by_block {
                let shared = SharedUse { used: shared.used.clone(), nodes, lines: shared.lines.clone() };
                self.follow(shared, Some(block.as_slice()), comparer, report);
            }
        }
    }

    /// Reports nodes that used the same part, and records the current part.
    fn follow(
        &mut self,
        mut shared: SharedUse,
        blocks: Option<&[usize]>,
        comparer: &mut dyn Compare,
        report: &mut dyn FnMut(&[u32], EditEffect),
    ) {
        let (change, current) = comparer.parts(&shared.used, blocks);
        let lines = match &change {
            LayoutChange::Changed => None,
            LayoutChange::Unmoved => Some(std::mem::take(&mut shared.lines)),
            // A resource in an unknown line may be anywhere.
            LayoutChange::Lines(moved) => shared.lines.iter().map(|line| moved.get(line).copied()).collect(),
        };
        let Some(lines) = lines else { return report(&shared.nodes, EditEffect::AnyInput) };
        // Numbers of node blocks are compared between nodes: all must refer to the same file.
        if change != LayoutChange::Unmoved || matches!(current, FileUse::Manifest { main: true, .. }) {
            report(&shared.nodes, EditEffect::Positions);
        }
        match self.by_use.entry(current.key()) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(SharedUse { used: current, lines, ..shared });
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let existing = entry.get_mut();
                existing.nodes.extend(&shared.nodes);
                existing.nodes.sort_unstable();
                existing.nodes.dedup();
                existing.lines.extend(lines);
            }
        }
    }

    /// Reports all nodes that used parts of the file.
    #[allow(clippy::iter_over_hash_type, reason = "a map of nodes")]
    pub(super) fn report_all(&self, report: &mut dyn FnMut(&[u32], EditEffect)) {
        for shared in self.by_use.values() {
            report(&shared.nodes, EditEffect::AnyInput);
        }
    }
}

/// The node blocks of the current main manifest; `None` if they are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockMatcher(pub(super) Option<Arc<CurrentNodeBlocks>>);

impl BlockMatcher {
    /// The node block of a file that a node uses now; `None` if more than the node block may have changed.
    fn block_of_node(&self, certname: &str, used: &FileUse) -> Option<Option<usize>> {
        let FileUse::Manifest { used, .. } = used else { return None };
        self.block_in_manifest(certname, used)
    }

    fn block_in_manifest(&self, certname: &str, used: &Use) -> Option<Option<usize>> {
        self.0.as_ref()?.block_in_file(certname, used)
    }
}

/// Moved definitions and lines of manifests, for nodes that an edit affects in no other way.
#[derive(Debug, Default)]
pub(super) struct MovedLines {
    /// The affected nodes.
    pub(super) nodes: Vec<Arc<str>>,
    /// The current files.
    files: FxHashMap<PathBuf, Arc<ParsedSource>>,
    /// What their node blocks match, if that has changed.
    block_matcher: BlockMatcher,
    layout_changes: FxHashMap<(Key, Option<Option<usize>>), (LayoutChange, Arc<[usize]>)>,
    /// Old files, kept in memory so that their addresses in the keys stay unique.
    old_files: Vec<Arc<ParsedSource>>,
}

impl MovedLines {
    /// Moved lines for these nodes, in these current files.
    pub(super) fn new(
        nodes: Vec<Arc<str>>,
        files: FxHashMap<PathBuf, Arc<ParsedSource>>,
        blocks: Option<Arc<CurrentNodeBlocks>>,
    ) -> MovedLines {
        MovedLines { nodes, files, block_matcher: BlockMatcher(blocks), ..MovedLines::default() }
    }

    /// Updates what a compile used to the current files and returns the moved lines; `None` if more has changed.
    pub(super) fn follow(&mut self, certname: &str, uses: &mut Uses) -> Option<Lines> {
        let mut lines = Lines::new();
        for (number, used) in uses.manifests.iter_mut().enumerate() {
            let Some(path) = used.parsed.path() else { continue };
            let Some(current) = self.files.get(path).filter(|current| !Arc::ptr_eq(current, &used.parsed)) else {
                continue;
            };
            let block = match number < uses.main_count && used.has_different_node_matches(current) {
                true => Some(self.block_matcher.block_in_manifest(certname, used)?),
                false => None,
            };
            let key = (Arc::as_ptr(&used.parsed).addr(), used.definitions.clone(), false);
            let (change, definitions) = self.layout_changes.entry((key, block)).or_insert_with(|| {
                self.old_files.push(used.parsed.clone());
                used.compare(current, block.as_ref().map(Option::as_slice))
            });
            match change {
                LayoutChange::Changed => return None,
                LayoutChange::Unmoved => {}
                LayoutChange::Lines(moved) => lines.push((Arc::from(path.to_string_lossy()), moved.clone())),
            }
            used.definitions = definitions.clone();
            used.parsed = current.clone();
        }
        Some(lines)
    }
}
