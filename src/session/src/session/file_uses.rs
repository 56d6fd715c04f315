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
use crate::session::answers::CurrentBlocks;
use crate::session::answers::Lines;
use crate::session::index::Compare;
use crate::session::index::EditEffect;
use crate::session::index::put;
use catwalk_catalog::Catalog;
use catwalk_program::program::LayoutChange;
use catwalk_program::program::ParsedSource;
use catwalk_program::program::RubyUse;
use catwalk_program::program::Use;

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
    pub(super) fn of(uses: &'a Uses, catalog: Option<&'a Catalog>) -> NodeFileUses<'a> {
        let mut noted = NodeFileUses { parts: Vec::new(), lines: FxHashMap::default() };
        let Some(catalog) = catalog.filter(|_| uses.complete && !uses.places) else { return noted };
        for (number, used) in uses.manifests.iter().enumerate() {
            if let Some(path) = used.parsed.path() {
                let used = FileUse::Manifest { used: used.clone(), main: number < uses.main };
                noted.parts.push((path.as_os_str(), used));
            }
        }
        noted.parts.extend(uses.ruby.iter().map(|used| (used.path.as_os_str(), FileUse::Ruby(used.clone()))));
        noted.parts.sort_by_key(|(path, _)| *path);
        for resource in &catalog.resources {
            if let (Some(file), Some(line)) = (&resource.file, resource.line) {
                noted.lines.entry(OsStr::new(&**file)).or_default().insert(line);
            }
        }
        noted
    }

    /// The used parts of a file.
    pub(super) fn of_path(&self, path: &OsStr) -> impl Iterator<Item = &FileUse> {
        let start = self.parts.partition_point(|(of, _)| *of < path);
        self.parts.get(start..).unwrap_or_default().iter().take_while(move |(of, _)| *of == path).map(|(_, used)| used)
    }
}

impl FileUses {
    /// Adds the parts of this file that a node used.
    pub(super) fn add(&mut self, number: u32, path: &OsStr, noted: &NodeFileUses<'_>, is_indexed: bool) {
        let lines = noted.lines.get(path);
        for used in noted.of_path(path) {
            let sharing = self.by_use.entry(used.key());
            let sharing = sharing.or_insert_with(|| SharedUse {
                used: used.clone(),
                nodes: Vec::new(),
                lines: FxHashSet::default(),
            });
            put(&mut sharing.nodes, number, is_indexed);
            sharing.lines.extend(lines.into_iter().flatten());
        }
    }

    /// Passes the nodes that an edit of this file affects to `report`; `names` are node names by number. Nodes for which more than lines
    /// may have changed are removed: add them again after they were checked or compiled.
    #[allow(clippy::iter_over_hash_type, reason = "a map again, and a map of nodes")]
    pub(super) fn compare(
        &mut self,
        names: &[Arc<str>],
        compare: &mut dyn Compare,
        report: &mut dyn FnMut(&[u32], EditEffect),
    ) {
        for sharing in std::mem::take(&mut self.by_use).into_values() {
            let Some(matching) = compare.blocks(&sharing.used) else {
                self.follow(sharing, None, compare, report);
                continue;
            };
            let mut unknown = Vec::new();
            let mut by_block: BTreeMap<Option<usize>, Vec<u32>> = BTreeMap::new();
            for number in &sharing.nodes {
                let block = names.get(*number as usize).and_then(|name| matching.of_node(name, &sharing.used));
                block.map_or(&mut unknown, |block| by_block.entry(block).or_default()).push(*number);
            }
            if !unknown.is_empty() {
                report(&unknown, EditEffect::Blocks);
            }
            for (block, nodes) in by_block {
                let sharing = SharedUse { used: sharing.used.clone(), nodes, lines: sharing.lines.clone() };
                self.follow(sharing, Some(block.as_slice()), compare, report);
            }
        }
    }

    /// Reports nodes that used the same part, and records the current part.
    fn follow(
        &mut self,
        mut sharing: SharedUse,
        blocks: Option<&[usize]>,
        compare: &mut dyn Compare,
        report: &mut dyn FnMut(&[u32], EditEffect),
    ) {
        let (moved, now) = compare.parts(&sharing.used, blocks);
        let lines = match &moved {
            LayoutChange::Changed => None,
            LayoutChange::Unmoved => Some(std::mem::take(&mut sharing.lines)),
            // A resource in an unknown line may be anywhere.
            LayoutChange::Lines(moved) => sharing.lines.iter().map(|line| moved.get(line).copied()).collect(),
        };
        let Some(lines) = lines else { return report(&sharing.nodes, EditEffect::AnyInput) };
        // Numbers of node blocks are compared between nodes: all must refer to the same file.
        if moved != LayoutChange::Unmoved || matches!(now, FileUse::Manifest { main: true, .. }) {
            report(&sharing.nodes, EditEffect::Positions);
        }
        match self.by_use.entry(now.key()) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(SharedUse { used: now, lines, ..sharing });
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let same = entry.get_mut();
                same.nodes.extend(&sharing.nodes);
                same.nodes.sort_unstable();
                same.nodes.dedup();
                same.lines.extend(lines);
            }
        }
    }

    /// Reports all nodes that used parts of the file.
    #[allow(clippy::iter_over_hash_type, reason = "a map of nodes")]
    pub(super) fn report_all(&self, report: &mut dyn FnMut(&[u32], EditEffect)) {
        for sharing in self.by_use.values() {
            report(&sharing.nodes, EditEffect::AnyInput);
        }
    }
}

/// The node blocks of the current main manifest; `None` if they are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockMatcher(pub(super) Option<Arc<CurrentBlocks>>);

impl BlockMatcher {
    /// The node block of a file that a node uses now; `None` if more than the node block may have changed.
    fn of_node(&self, certname: &str, used: &FileUse) -> Option<Option<usize>> {
        let FileUse::Manifest { used, .. } = used else { return None };
        self.of_manifest(certname, used)
    }

    fn of_manifest(&self, certname: &str, used: &Use) -> Option<Option<usize>> {
        self.0.as_ref()?.of_file(certname, used)
    }
}

/// Moved definitions and lines of manifests, for nodes that an edit affects in no other way.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The affected nodes.
    pub(super) nodes: Vec<Arc<str>>,
    /// The current files.
    files: FxHashMap<PathBuf, Arc<ParsedSource>>,
    /// What their node blocks match, if that has changed.
    matching: BlockMatcher,
    moved: FxHashMap<(Key, Option<Option<usize>>), (LayoutChange, Arc<[usize]>)>,
    /// Old files, kept in memory so that their addresses in the keys stay unique.
    kept_files: Vec<Arc<ParsedSource>>,
}

impl Places {
    /// Moved lines for these nodes, in these current files.
    pub(super) fn new(
        nodes: Vec<Arc<str>>,
        files: FxHashMap<PathBuf, Arc<ParsedSource>>,
        blocks: Option<Arc<CurrentBlocks>>,
    ) -> Places {
        Places { nodes, files, matching: BlockMatcher(blocks), ..Places::default() }
    }

    /// Updates what a compile used to the current files and returns the moved lines; `None` if more has changed.
    pub(super) fn follow(&mut self, certname: &str, uses: &mut Uses) -> Option<Lines> {
        let mut lines = Lines::new();
        for (number, used) in uses.manifests.iter_mut().enumerate() {
            let Some(path) = used.parsed.path() else { continue };
            let Some(now) = self.files.get(path).filter(|now| !Arc::ptr_eq(now, &used.parsed)) else { continue };
            let block = match number < uses.main && used.has_different_node_matches(now) {
                true => Some(self.matching.of_manifest(certname, used)?),
                false => None,
            };
            let key = (Arc::as_ptr(&used.parsed).addr(), used.definitions.clone(), false);
            let (moved, definitions) = self.moved.entry((key, block)).or_insert_with(|| {
                self.kept_files.push(used.parsed.clone());
                used.compare(now, block.as_ref().map(Option::as_slice))
            });
            match moved {
                LayoutChange::Changed => return None,
                LayoutChange::Unmoved => {}
                LayoutChange::Lines(moved) => lines.push((Arc::from(path.to_string_lossy()), moved.clone())),
            }
            used.definitions = definitions.clone();
            used.parsed = now.clone();
        }
        Some(lines)
    }
}
