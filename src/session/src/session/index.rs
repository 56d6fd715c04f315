//! An index of nodes by the paths that their compiles read, by the keys of data that they looked up, and by the parts of code that they
//! used.
//!
//! In: what compiles read and used. Out: the nodes that a change may affect. These may include unaffected nodes: entries of earlier
//! compiles remain until the index is rebuilt. Must not: decide which nodes are recompiled.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::session::Uses;
use crate::session::file_uses::BlockMatcher;
use crate::session::file_uses::FileUse;
use crate::session::file_uses::FileUses;
use crate::session::file_uses::NodeFileUses;
use catwalk_catalog::Catalog;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataUse;
use catwalk_program::LayoutChange;
use catwalk_world::Change;
use catwalk_world::Reads;

/// Keys are indexed only for data files that at least this many nodes use; other nodes are checked one by one.
const MIN_SHARING_NODES: usize = 2;

/// The nodes that use a path.
#[derive(Debug, Default)]
struct PathUsers {
    /// Nodes that used the whole file.
    whole_file: Vec<u32>,
    /// Nodes that used only keys of data.
    data_keys: Vec<u32>,
    /// Nodes that used only parts of the code.
    code_parts: FileUses,
}

/// A node to index.
#[derive(Clone, Copy)]
pub(super) struct NodeToIndex<'a> {
    pub(super) name: &'a Arc<str>,
    pub(super) reads: &'a Reads,
    pub(super) uses: &'a Uses,
    /// The catalog; `None` if the last compile failed or logged a message with a position.
    pub(super) catalog: Option<&'a Catalog>,
}

/// How a node uses a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathUse {
    WholeFile,
    DataKeys,
    CodeParts,
}

/// The nodes that look up each key of a data file, found or not.
#[derive(Debug, Default)]
struct KeyUsers {
    by_key: FxHashMap<Arc<str>, Vec<u32>>,
    /// Nodes that used the list of all keys.
    key_list: Vec<u32>,
    /// The versions of the file that compiles read.
    versions: Vec<DataUse>,
}

/// Nodes by path.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
    paths: FxHashMap<OsString, PathUsers>,
    /// Keys of data files that several nodes use.
    data: FxHashMap<OsString, KeyUsers>,
    /// The number of additions.
    additions: usize,
    /// Whether there are new paths since [`Index::take_has_new_paths`].
    has_new_paths: bool,
    /// Nodes that are not indexed completely until they are added again.
    incomplete: Vec<Arc<str>>,
}

/// How changes may affect a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditEffect {
    /// Only keys of data that it looked up may have changed.
    Data,
    /// Only positions in its catalog have changed.
    Positions,
    /// Only the main manifest has changed, and a different node block may match.
    Blocks,
    /// Any input may have changed.
    AnyInput,
}

/// How changes may affect nodes; nodes that are missing are not affected.
pub(super) type AffectedNodes = FxHashMap<Arc<str>, EditEffect>;

/// Compares a file's definitions and data before and after an edit.
pub(super) trait Compare {
    /// The changes of a data file since compiles read it, and the current file.
    fn data(&mut self, used: &DataUse) -> (DataChange, Option<DataUse>);
    /// The change of a used part of code, and the current part. `blocks` are its node blocks that match now, if node blocks match
    /// differently.
    fn parts(&mut self, used: &FileUse, blocks: Option<&[usize]>) -> (LayoutChange, FileUse);
    /// The current node blocks, if this is a part of a main manifest whose node blocks match different nodes now.
    fn blocks(&mut self, used: &FileUse) -> Option<BlockMatcher>;
}

/// Adds a node to a list. With `is_indexed` the node may be anywhere in the list already.
pub(super) fn add_node(entries: &mut Vec<u32>, number: u32, is_indexed: bool) {
    let exists = if is_indexed { entries.contains(&number) } else { entries.last() == Some(&number) };
    if !exists {
        entries.push(number);
    }
}

impl Index {
    /// Builds the index of all nodes.
    pub(super) fn new<'a>(nodes: impl Iterator<Item = NodeToIndex<'a>> + Clone) -> Index {
        let mut index = Index::default();
        nodes.clone().for_each(|node| index.add(node));
        #[allow(clippy::iter_over_hash_type, reason = "a map again")]
        for (path, users) in &index.paths {
            if users.data_keys.len() >= MIN_SHARING_NODES {
                index.data.insert(path.clone(), KeyUsers::default());
            }
        }
        for (number, node) in (0..).zip(nodes) {
            index.add_keys(number, node.uses, false);
        }
        index
    }

    /// Adds a node.
    pub(super) fn add(&mut self, node: NodeToIndex<'_>) {
        let NodeToIndex { name, reads, uses, catalog } = node;
        self.additions += 1;
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        let is_indexed = number != next;
        if !is_indexed {
            self.names.push(name.clone());
        }
        let mut data: Vec<&OsStr> =
            uses.data.iter().filter(|_| uses.complete).map(|used| used.path.as_os_str()).collect();
        data.sort_unstable();
        let node_uses = NodeFileUses::new(uses, catalog);
        let used = |path: &OsString| {
            let is_data = data.binary_search(&path.as_os_str()).is_ok();
            match (is_data, node_uses.parts_of_file(path).next().is_some()) {
                _ if reads.is_whole(path) => PathUse::WholeFile,
                (true, false) => PathUse::DataKeys,
                (false, true) => PathUse::CodeParts,
                _ => PathUse::WholeFile,
            }
        };
        for path in reads.unshared_paths() {
            self.add_path(path, number, is_indexed, used(path), &node_uses);
        }
        for path in reads.shared_parts() {
            let used = if used(path) == PathUse::CodeParts { PathUse::CodeParts } else { PathUse::WholeFile };
            self.add_path(path, number, is_indexed, used, &node_uses);
        }
        // Environments and modules, whose changes are compared separately, do not read the contents of manifests.
        for path in reads.caller_compared() {
            let is_manifest = || Path::new(path).extension().is_some_and(|extension| extension == "pp");
            let is_part = uses.records_environment() && is_manifest() && used(path) == PathUse::CodeParts;
            let used = if is_part { PathUse::CodeParts } else { PathUse::WholeFile };
            self.add_path(path, number, is_indexed, used, &node_uses);
        }
        for path in reads.other_shared_paths() {
            self.add_path(path, number, is_indexed, PathUse::WholeFile, &node_uses);
        }
        self.add_keys(number, uses, is_indexed);
    }

    fn add_path(
        &mut self,
        path: &OsString,
        number: u32,
        is_indexed: bool,
        used: PathUse,
        node_uses: &NodeFileUses<'_>,
    ) {
        let users = match self.paths.get_mut(path) {
            Some(users) => users,
            None => {
                self.has_new_paths = true;
                self.paths.entry(path.clone()).or_default()
            }
        };
        match used {
            PathUse::WholeFile => add_node(&mut users.whole_file, number, is_indexed),
            PathUse::DataKeys => add_node(&mut users.data_keys, number, is_indexed),
            PathUse::CodeParts => users.code_parts.add(number, path, node_uses, is_indexed),
        }
    }

    /// Adds the keys that a node looks up in shared data files.
    fn add_keys(&mut self, number: u32, uses: &Uses, is_indexed: bool) {
        for used in uses.data.iter().filter(|_| uses.complete) {
            let Some(key_users) = self.data.get_mut(used.path.as_os_str()) else { continue };
            if !key_users.versions.iter().any(|version| version.address() == used.address()) {
                key_users.versions.push(used.without_keys());
            }
            if used.depends_on_names() {
                add_node(&mut key_users.key_list, number, is_indexed);
            }
            for key in used.keys() {
                match key_users.by_key.get_mut(key) {
                    Some(entries) => add_node(entries, number, is_indexed),
                    None => drop(key_users.by_key.insert(key.clone(), vec![number])),
                }
            }
        }
    }

    /// Whether many entries may be outdated.
    pub(super) fn is_outdated(&self) -> bool {
        self.additions > 2 * self.names.len()
    }

    /// The nodes that changes may affect, and how. The caller checks or compiles them before the next change.
    pub(super) fn affected_nodes(&mut self, changes: &[Change], comparer: &mut dyn Compare) -> AffectedNodes {
        let mut affected = AffectedNodes::default();
        for change in changes {
            let Some(users) = self.paths.get_mut(change.path.as_os_str()) else { continue };
            let names = &self.names;
            let mut mark = |entries: &[u32], effect: EditEffect| {
                for name in entries.iter().filter_map(|entry| names.get(*entry as usize)) {
                    match affected.get_mut(name) {
                        Some(known) if *known != effect => *known = EditEffect::AnyInput,
                        Some(_) => {}
                        None => drop(affected.insert(name.clone(), effect)),
                    }
                }
            };
            mark(&users.whole_file, EditEffect::AnyInput);
            if change.contents_only {
                let incomplete = &mut self.incomplete;
                users.code_parts.compare(names, comparer, &mut |entries, effect| {
                    mark(entries, effect);
                    if matches!(effect, EditEffect::AnyInput | EditEffect::Blocks) {
                        incomplete.extend(entries.iter().filter_map(|entry| names.get(*entry as usize)).cloned());
                    }
                });
            } else {
                users.code_parts.report_all(&mut mark);
            }
            let key_users = self
                .data
                .get_mut(change.path.as_os_str())
                .filter(|_| change.contents_only && !users.data_keys.is_empty());
            let Some(key_users) = key_users else {
                mark(&users.data_keys, if change.contents_only { EditEffect::Data } else { EditEffect::AnyInput });
                continue;
            };
            let mut latest = None;
            for version in &key_users.versions {
                let (change, current) = comparer.data(version);
                if change.is_unknown() {
                    // All of them are recompiled, and added with the current file.
                    mark(&users.data_keys, EditEffect::Data);
                    latest = None;
                    break;
                }
                latest = current;
                if change.has_changed_names() {
                    mark(&key_users.key_list, EditEffect::Data);
                }
                for key in change.keys() {
                    key_users.by_key.get(key).into_iter().for_each(|entries| mark(entries, EditEffect::Data));
                }
            }
            // Unaffected nodes read the same values from the current file.
            key_users.versions = latest.into_iter().collect();
        }
        affected
    }

    /// Updates the records of an unaffected node to the current data files, so that fewer versions have to be compared.
    pub(super) fn refresh(&self, uses: &mut Uses) {
        for used in &mut uses.data {
            if let Some([latest]) = self.data.get(used.path.as_os_str()).map(|key_users| key_users.versions.as_slice())
            {
                used.update_from(latest);
            }
        }
    }

    /// Nodes that are not indexed completely, since the last call: add them again.
    pub(super) fn take_incomplete(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.incomplete)
    }

    /// Whether there are new paths since the last call.
    pub(super) fn take_has_new_paths(&mut self) -> bool {
        std::mem::take(&mut self.has_new_paths)
    }

    /// All paths, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who takes them makes a set of them")]
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.keys().map(Path::new)
    }
}
