//! Who used the same parts of a file: an edit of it is looked at once for all of them.
//!
//! In: what compiles used of manifests, templates and Ruby. Out: of an edit, for whom only places are others, and for whom more
//! may be other; for all others the parts they used are the same. A node may be told of that used the parts before. Must not:
//! decide who is compiled.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::Uses;
use crate::session::answers::BlocksNow;
use crate::session::answers::Lines;
use crate::session::index::Compare;
use crate::session::index::Concern;
use crate::session::index::put;
use catwalk_catalog::Catalog;
use catwalk_program::program::LayoutChange;
use catwalk_program::program::Parsed;
use catwalk_program::program::RubyUse;
use catwalk_program::program::Use;

/// What was used of a file.
#[derive(Clone, Debug)]
pub(super) enum Used {
    /// A manifest or template; `main`: it is the main manifest, or one of its files.
    Manifest { used: Use, main: bool },
    /// A file in Ruby or a template in ERB.
    Ruby(RubyUse),
}

/// What is the same for nodes that used the same: where the text is kept, and which definitions of it.
type Key = (usize, Arc<[usize]>, bool);

impl Used {
    fn key(&self) -> Key {
        match self {
            Used::Manifest { used, main } => (Arc::as_ptr(&used.parsed).addr(), used.definitions.clone(), *main),
            Used::Ruby(used) => (used.bytes.as_ptr().addr(), Arc::from([]), false),
        }
    }
}

/// The nodes that used the same.
#[derive(Debug)]
struct Sharing {
    used: Used,
    nodes: Vec<u32>,
    /// Lines of the file that stand in their catalogs.
    lines: FxHashSet<u32>,
}

/// Who used which parts of a file.
#[derive(Debug, Default)]
pub(super) struct Parts {
    by_use: FxHashMap<Key, Sharing>,
}

/// What a compile used of files of which nothing else counts than parts, by path, sorted; with the lines of these files in its
/// catalog.
pub(super) struct Noted<'a> {
    parts: Vec<(&'a OsStr, Used)>,
    lines: FxHashMap<&'a OsStr, FxHashSet<u32>>,
}

impl<'a> Noted<'a> {
    /// Of a compile that ended well. Nothing where places in these files reached more than the places of resources.
    pub(super) fn of(uses: &'a Uses, catalog: Option<&'a Catalog>) -> Noted<'a> {
        let mut noted = Noted { parts: Vec::new(), lines: FxHashMap::default() };
        let Some(catalog) = catalog.filter(|_| uses.complete && !uses.places) else { return noted };
        for (number, used) in uses.manifests.iter().enumerate() {
            if let Some(path) = used.parsed.path() {
                let used = Used::Manifest { used: used.clone(), main: number < uses.main };
                noted.parts.push((path.as_os_str(), used));
            }
        }
        noted.parts.extend(uses.ruby.iter().map(|used| (used.path.as_os_str(), Used::Ruby(used.clone()))));
        noted.parts.sort_by_key(|(path, _)| *path);
        for resource in &catalog.resources {
            if let (Some(file), Some(line)) = (&resource.file, resource.line) {
                noted.lines.entry(OsStr::new(&**file)).or_default().insert(line);
            }
        }
        noted
    }

    /// What was used of a file.
    pub(super) fn of_path(&self, path: &OsStr) -> impl Iterator<Item = &Used> {
        let start = self.parts.partition_point(|(of, _)| *of < path);
        self.parts.get(start..).unwrap_or_default().iter().take_while(move |(of, _)| *of == path).map(|(_, used)| used)
    }
}

impl Parts {
    /// Adds what a node used of this file.
    pub(super) fn add(&mut self, number: u32, path: &OsStr, noted: &Noted<'_>, known: bool) {
        let lines = noted.lines.get(path);
        for used in noted.of_path(path) {
            let sharing = self.by_use.entry(used.key());
            let sharing = sharing.or_insert_with(|| Sharing {
                used: used.clone(),
                nodes: Vec::new(),
                lines: FxHashSet::default(),
            });
            put(&mut sharing.nodes, number, known);
            sharing.lines.extend(lines.into_iter().flatten());
        }
    }

    /// Tells of the nodes that an edit of this file concerns; `names` are those of nodes by number. Those for whom more may be
    /// other are no longer noted here: they have to be added again when they were asked or compiled.
    #[allow(clippy::iter_over_hash_type, reason = "a map again, and a map of nodes")]
    pub(super) fn compare(
        &mut self,
        names: &[Arc<str>],
        compare: &mut dyn Compare,
        tell: &mut dyn FnMut(&[u32], Concern),
    ) {
        for sharing in std::mem::take(&mut self.by_use).into_values() {
            let Some(matching) = compare.blocks(&sharing.used) else {
                self.follow(sharing, None, compare, tell);
                continue;
            };
            let mut unknown = Vec::new();
            let mut by_block: BTreeMap<Option<usize>, Vec<u32>> = BTreeMap::new();
            for number in &sharing.nodes {
                let block = names.get(*number as usize).and_then(|name| matching.of_node(name, &sharing.used));
                block.map_or(&mut unknown, |block| by_block.entry(block).or_default()).push(*number);
            }
            if !unknown.is_empty() {
                tell(&unknown, Concern::Blocks);
            }
            for (block, nodes) in by_block {
                let sharing = Sharing { used: sharing.used.clone(), nodes, lines: sharing.lines.clone() };
                self.follow(sharing, Some(block.as_slice()), compare, tell);
            }
        }
    }

    /// Tells of nodes that used the same, and notes what they use now.
    fn follow(
        &mut self,
        mut sharing: Sharing,
        blocks: Option<&[usize]>,
        compare: &mut dyn Compare,
        tell: &mut dyn FnMut(&[u32], Concern),
    ) {
        let (moved, now) = compare.parts(&sharing.used, blocks);
        let lines = match &moved {
            LayoutChange::Changed => None,
            LayoutChange::Unmoved => Some(std::mem::take(&mut sharing.lines)),
            // What stands in a line that is not known may be anywhere.
            LayoutChange::Lines(moved) => sharing.lines.iter().map(|line| moved.get(line).copied()).collect(),
        };
        let Some(lines) = lines else { return tell(&sharing.nodes, Concern::More) };
        // Numbers of node blocks are compared between nodes: all have to be of the same text.
        if moved != LayoutChange::Unmoved || matches!(now, Used::Manifest { main: true, .. }) {
            tell(&sharing.nodes, Concern::Places);
        }
        match self.by_use.entry(now.key()) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(Sharing { used: now, lines, ..sharing });
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

    /// All nodes that used parts of it.
    #[allow(clippy::iter_over_hash_type, reason = "a map of nodes")]
    pub(super) fn tell_all(&self, tell: &mut dyn FnMut(&[u32], Concern)) {
        for sharing in self.by_use.values() {
            tell(&sharing.nodes, Concern::More);
        }
    }
}

/// What node blocks of the main manifest match now; nothing inside where that cannot be told.
#[derive(Clone, Debug, Default)]
pub(super) struct Matching(pub(super) Option<Arc<BlocksNow>>);

impl Matching {
    /// The block of a file that a node uses now where it used this of it; nothing: there is more to it.
    fn of_node(&self, certname: &str, used: &Used) -> Option<Option<usize>> {
        let Used::Manifest { used, .. } = used else { return None };
        self.of_manifest(certname, used)
    }

    fn of_manifest(&self, certname: &str, used: &Use) -> Option<Option<usize>> {
        self.0.as_ref()?.of_file(certname, used)
    }
}

/// Where definitions and lines of manifests went in an edit that was nothing else to some nodes.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The nodes.
    pub(super) nodes: Vec<Arc<str>>,
    /// The files as they are now.
    files: FxHashMap<PathBuf, Arc<Parsed>>,
    /// What their node blocks match, where that is other.
    matching: Matching,
    moved: FxHashMap<(Key, Option<Option<usize>>), (LayoutChange, Arc<[usize]>)>,
    /// What the keys are of.
    kept: Vec<Arc<Parsed>>,
}

impl Places {
    /// Of these nodes, in files that are these now.
    pub(super) fn new(
        nodes: Vec<Arc<str>>,
        files: FxHashMap<PathBuf, Arc<Parsed>>,
        blocks: Option<Arc<BlocksNow>>,
    ) -> Places {
        Places { nodes, files, matching: Matching(blocks), ..Places::default() }
    }

    /// Where lines of the files that a compile used went; its notes are of the files as they are now then. Nothing where more
    /// is other.
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
                self.kept.push(used.parsed.clone());
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
