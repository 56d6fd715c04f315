//! Who asked what: nodes by the paths that their compiles touched, and by the keys that they asked of data.
//!
//! In: what compiles asked and used. Out: the nodes that a change may concern. A node may be told of that did not ask: what it
//! asked before stays until all is made anew. Must not: decide who is compiled.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::hiera::DataChange;
use crate::hiera::DataUse;
use crate::session::Uses;
use crate::world::Change;
use crate::world::Reads;

/// Of data files that fewer nodes use it is not noted who asks for which key: they are looked at one by one.
const SHARED: usize = 2;
/// Of more texts of a data file that compiles read, it is not known any more what an edit changes.
const VERSIONS: usize = 16;

/// The nodes that use a path.
#[derive(Debug, Default)]
struct Users {
    /// For more than keys of data.
    all: Vec<u32>,
    /// For nothing but keys of data.
    data: Vec<u32>,
}

/// Who asks for which keys of a data file, there or not.
#[derive(Debug, Default)]
struct Keys {
    keys: FxHashMap<Arc<str>, Vec<u32>>,
    /// For whom the list of all keys counts.
    names: Vec<u32>,
    /// The file as compiles read it.
    versions: Vec<DataUse>,
}

/// Nodes by path.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
    paths: FxHashMap<OsString, Users>,
    /// Of data files that several nodes use.
    data: FxHashMap<OsString, Keys>,
    /// How often a node was added.
    added: usize,
    /// It says too little of some path.
    poor: bool,
    /// There are paths that nobody was told of.
    grew: bool,
}

/// What changes are to the nodes that they may concern: keys of data and nothing else, or more.
pub(super) type Concerned = FxHashMap<Arc<str>, bool>;

/// Adds a node to a list in which it may stand already.
fn put(entries: &mut Vec<u32>, number: u32, known: bool) {
    let there = if known { entries.contains(&number) } else { entries.last() == Some(&number) };
    if !there {
        entries.push(number);
    }
}

impl Index {
    /// Of all nodes with what they ask.
    pub(super) fn of<'a>(nodes: impl Iterator<Item = (&'a Arc<str>, &'a Reads, &'a Uses)> + Clone) -> Index {
        let mut index = Index::default();
        nodes.clone().for_each(|(name, reads, uses)| index.add(name, reads, uses));
        #[allow(clippy::iter_over_hash_type, reason = "a map again")]
        for (path, users) in &index.paths {
            if users.data.len() >= SHARED {
                index.data.insert(path.clone(), Keys::default());
            }
        }
        for (number, (_, _, uses)) in (0..).zip(nodes) {
            index.add_keys(number, uses, false);
        }
        index
    }

    /// Adds what a node asks.
    pub(super) fn add(&mut self, name: &Arc<str>, reads: &Reads, uses: &Uses) {
        self.added += 1;
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        let known = number != next;
        if !known {
            self.names.push(name.clone());
        }
        let mut data: Vec<&OsStr> =
            uses.data.iter().filter(|_| uses.complete).map(|used| used.path.as_os_str()).collect();
        data.sort_unstable();
        for path in reads.own() {
            let only = data.binary_search(&path.as_os_str()).is_ok() && !reads.is_whole(path);
            self.add_path(path, number, known, only);
        }
        for path in reads.common() {
            self.add_path(path, number, known, false);
        }
        self.add_keys(number, uses, known);
    }

    fn add_path(&mut self, path: &OsString, number: u32, known: bool, only_data: bool) {
        match self.paths.get_mut(path) {
            Some(users) => put(if only_data { &mut users.data } else { &mut users.all }, number, known),
            None => {
                let (data, all) = if only_data { (vec![number], Vec::new()) } else { (Vec::new(), vec![number]) };
                self.paths.insert(path.clone(), Users { all, data });
                self.grew = true;
            }
        }
    }

    /// Adds the keys that a node asks of data files that several use.
    fn add_keys(&mut self, number: u32, uses: &Uses, known: bool) {
        for used in uses.data.iter().filter(|_| uses.complete) {
            let Some(of) = self.data.get_mut(used.path.as_os_str()) else { continue };
            if !of.versions.iter().any(|version| version.address() == used.address()) {
                of.versions.push(used.without_keys());
            }
            if used.counts_names() {
                put(&mut of.names, number, known);
            }
            for key in used.keys() {
                match of.keys.get_mut(key) {
                    Some(entries) => put(entries, number, known),
                    None => drop(of.keys.insert(key.clone(), vec![number])),
                }
            }
        }
    }

    /// Whether so much was added that much of it may be old.
    pub(super) fn is_old(&self) -> bool {
        self.added > 2 * self.names.len() || self.poor
    }

    /// Who is concerned; whether each by its keys of data only. `keys` gives what is other in a data file, against one that
    /// compiles read, and the file as it is now. Who is told of is asked, or compiled, before the next change.
    pub(super) fn concerned(
        &mut self,
        changes: &[Change],
        keys: &mut dyn FnMut(&DataUse) -> (DataChange, Option<DataUse>),
    ) -> Concerned {
        let mut concerned = Concerned::default();
        for change in changes {
            let Some(users) = self.paths.get(change.path.as_os_str()) else { continue };
            let mut put = |entries: &[u32], only: bool| {
                for name in entries.iter().filter_map(|entry| self.names.get(*entry as usize)) {
                    match concerned.get_mut(name) {
                        Some(all) => *all &= only,
                        None => drop(concerned.insert(name.clone(), only)),
                    }
                }
            };
            put(&users.all, false);
            let of = self.data.get_mut(change.path.as_os_str()).filter(|_| change.text_only && !users.data.is_empty());
            let Some(of) = of else {
                put(&users.data, change.text_only);
                continue;
            };
            self.poor |= of.versions.len() > VERSIONS;
            let mut latest = None;
            for version in of.versions.iter().take(VERSIONS + 1) {
                let (change, now) = keys(version);
                latest = now;
                if change.is_unknown() || of.versions.len() > VERSIONS {
                    put(&users.data, true);
                    break;
                }
                if change.is_of_names() {
                    put(&of.names, true);
                }
                for key in change.keys() {
                    of.keys.get(key).into_iter().for_each(|entries| put(entries, true));
                }
            }
            // Who is not concerned would read the same there: for all of them it is the file as it is now.
            if let Some(latest) = latest {
                of.versions = vec![latest];
            }
        }
        concerned
    }

    /// Whether there are more paths than when this was asked last.
    pub(super) fn take_grown(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    /// All paths, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who takes them makes a set of them")]
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.keys().map(Path::new)
    }
}
