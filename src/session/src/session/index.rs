//! Who asked what: nodes by the paths that their compiles touched, by the keys that they asked of data, by the parts of code that
//! they used.
//!
//! In: what compiles asked and used. Out: the nodes that a change may concern. A node may be told of that did not ask: what it
//! asked before stays until all is made anew. Must not: decide who is compiled.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::session::Uses;
use crate::session::parts::Matching;
use crate::session::parts::Noted;
use crate::session::parts::Parts;
use crate::session::parts::Used;
use catwalk_catalog::Catalog;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataUse;
use catwalk_program::program::LayoutChange;
use catwalk_world::Change;
use catwalk_world::Reads;

/// Of data files that fewer nodes use it is not noted who asks for which key: they are looked at one by one.
const SHARED: usize = 2;

/// The nodes that use a path.
#[derive(Debug, Default)]
struct Users {
    /// For more than keys of data.
    all: Vec<u32>,
    /// For nothing but keys of data.
    data: Vec<u32>,
    /// For nothing but parts of it.
    parts: Parts,
}

/// What a node is to the index.
#[derive(Clone, Copy)]
pub(super) struct Indexed<'a> {
    pub(super) name: &'a Arc<str>,
    pub(super) reads: &'a Reads,
    pub(super) uses: &'a Uses,
    /// Its catalog; nothing where the last compile failed, or said something that has a place.
    pub(super) catalog: Option<&'a Catalog>,
}

/// What a path is to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    All,
    Data,
    Parts,
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
    /// There are paths that nobody was told of.
    grew: bool,
    /// Nodes of which too little is noted, until they are added again.
    lost: Vec<Arc<str>>,
}

/// What changes may mean to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// Keys of data that it asked for may be other, and nothing else.
    Data,
    /// Nothing is other, but places in its catalog are.
    Places,
    /// It may get another node block, and nothing else is other than the main manifest.
    Blocks,
    /// More may be other.
    More,
}

/// What changes may mean to nodes; nothing to those that are not there.
pub(super) type Concerned = FxHashMap<Arc<str>, Concern>;

/// Who knows what is other in a file now.
pub(super) trait Compare {
    /// What is other in a data file, against one that compiles read, and the file as it is now.
    fn data(&mut self, used: &DataUse) -> (DataChange, Option<DataUse>);
    /// What became of used parts of code, and those parts as they are now. `blocks` are the node blocks among them that are used
    /// now, where they match otherwise.
    fn parts(&mut self, used: &Used, blocks: Option<&[usize]>) -> (LayoutChange, Used);
    /// Where used parts are of a main manifest in which node blocks match otherwise now: what they match.
    fn blocks(&mut self, used: &Used) -> Option<Matching>;
}

/// Adds a node to a list in which it may stand already.
pub(super) fn put(entries: &mut Vec<u32>, number: u32, known: bool) {
    let there = if known { entries.contains(&number) } else { entries.last() == Some(&number) };
    if !there {
        entries.push(number);
    }
}

impl Index {
    /// Of all nodes with what they ask.
    pub(super) fn of<'a>(nodes: impl Iterator<Item = Indexed<'a>> + Clone) -> Index {
        let mut index = Index::default();
        nodes.clone().for_each(|node| index.add(node));
        #[allow(clippy::iter_over_hash_type, reason = "a map again")]
        for (path, users) in &index.paths {
            if users.data.len() >= SHARED {
                index.data.insert(path.clone(), Keys::default());
            }
        }
        for (number, node) in (0..).zip(nodes) {
            index.add_keys(number, node.uses, false);
        }
        index
    }

    /// Adds what a node asks.
    pub(super) fn add(&mut self, node: Indexed<'_>) {
        let Indexed { name, reads, uses, catalog } = node;
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
        let noted = Noted::of(uses, catalog);
        let used = |path: &OsString| {
            let is_data = data.binary_search(&path.as_os_str()).is_ok();
            match (is_data, noted.of_path(path).next().is_some()) {
                _ if reads.is_whole(path) => Use::All,
                (true, false) => Use::Data,
                (false, true) => Use::Parts,
                _ => Use::All,
            }
        };
        for path in reads.own() {
            self.add_path(path, number, known, used(path), &noted);
        }
        for path in reads.common_parts() {
            let used = if used(path) == Use::Parts { Use::Parts } else { Use::All };
            self.add_path(path, number, known, used, &noted);
        }
        // Nobody who tells elsewhere what a path means reads the text of a manifest.
        for path in reads.elsewhere() {
            let is_manifest = || Path::new(path).extension().is_some_and(|extension| extension == "pp");
            let is_part = uses.knows_environment() && is_manifest() && used(path) == Use::Parts;
            let used = if is_part { Use::Parts } else { Use::All };
            self.add_path(path, number, known, used, &noted);
        }
        for path in reads.common_whole() {
            self.add_path(path, number, known, Use::All, &noted);
        }
        self.add_keys(number, uses, known);
    }

    fn add_path(&mut self, path: &OsString, number: u32, known: bool, used: Use, noted: &Noted<'_>) {
        let users = match self.paths.get_mut(path) {
            Some(users) => users,
            None => {
                self.grew = true;
                self.paths.entry(path.clone()).or_default()
            }
        };
        match used {
            Use::All => put(&mut users.all, number, known),
            Use::Data => put(&mut users.data, number, known),
            Use::Parts => users.parts.add(number, path, noted, known),
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
        self.added > 2 * self.names.len()
    }

    /// Who is concerned, and how. Who is told of is asked, or compiled, before the next change.
    pub(super) fn concerned(&mut self, changes: &[Change], now: &mut dyn Compare) -> Concerned {
        let mut concerned = Concerned::default();
        for change in changes {
            let Some(users) = self.paths.get_mut(change.path.as_os_str()) else { continue };
            let names = &self.names;
            let mut put = |entries: &[u32], concern: Concern| {
                for name in entries.iter().filter_map(|entry| names.get(*entry as usize)) {
                    match concerned.get_mut(name) {
                        Some(known) if *known != concern => *known = Concern::More,
                        Some(_) => {}
                        None => drop(concerned.insert(name.clone(), concern)),
                    }
                }
            };
            put(&users.all, Concern::More);
            if change.text_only {
                let lost = &mut self.lost;
                users.parts.compare(names, now, &mut |entries, concern| {
                    put(entries, concern);
                    if matches!(concern, Concern::More | Concern::Blocks) {
                        lost.extend(entries.iter().filter_map(|entry| names.get(*entry as usize)).cloned());
                    }
                });
            } else {
                users.parts.tell_all(&mut put);
            }
            let of = self.data.get_mut(change.path.as_os_str()).filter(|_| change.text_only && !users.data.is_empty());
            let Some(of) = of else {
                put(&users.data, if change.text_only { Concern::Data } else { Concern::More });
                continue;
            };
            let mut latest = None;
            for version in &of.versions {
                let (change, now) = now.data(version);
                if change.is_unknown() {
                    // All of them are compiled again, and added with the file as it is then.
                    put(&users.data, Concern::Data);
                    latest = None;
                    break;
                }
                latest = now;
                if change.is_of_names() {
                    put(&of.names, Concern::Data);
                }
                for key in change.keys() {
                    of.keys.get(key).into_iter().for_each(|entries| put(entries, Concern::Data));
                }
            }
            // Who is not concerned would read the same there: for all of them it is the file as it is now.
            of.versions = latest.into_iter().collect();
        }
        concerned
    }

    /// Lets the notes of a node be of the data files as they are now: it was not concerned by what became other in them since it
    /// was added. What it reads is compared with fewer texts then.
    pub(super) fn refresh(&self, uses: &mut Uses) {
        for used in &mut uses.data {
            if let Some([latest]) = self.data.get(used.path.as_os_str()).map(|of| of.versions.as_slice()) {
                used.follow(latest);
            }
        }
    }

    /// Nodes of which too little is noted since this was asked last: they are to be added again.
    pub(super) fn take_lost(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.lost)
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
