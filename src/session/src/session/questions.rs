//! The questions of all compiles of a site, each with the fingerprint of its answer and the nodes that asked it.
//!
//! In: what compiles read and used; changed paths. Out: the nodes whose answers have changed, and the new lines of unchanged code.
//! Must not: compile.
//!
//! A question is a [`Part`] of a [`Source`]: the value of a key of data, a definition of a manifest, the node block of a node, the
//! contents of a file. A compile is valid while each of its questions has the answer that it got. Questions are kept once for all
//! nodes, as numbers: each node has the list of its questions, each question the list of its nodes, so the two lists are one table,
//! read by rows or by columns.
//!
//! After an edit, the fingerprints of the questions about the changed paths are compared, each once. A fingerprint is computed when its
//! source changes for the first time, from the source that the compile read, so compiles hash nothing. Positions of code are part of
//! an answer only for nodes whose messages or values contain positions; for all others, the lines in their catalogs are moved.
//!
//! The environment, the hierarchies and the inputs of a node (facts, classes) are compared by [`CurrentAnswers`] for each node
//! that read one of their paths: their answers depend on the node.

mod main_manifest;
mod record;
mod source;

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

pub(super) use record::Recorded;
pub(super) use source::Part;
pub(super) use source::Source;

use crate::session::Session;
use crate::session::answers::CurrentAnswers;
use crate::session::answers::Lines;
use crate::session::questions::main_manifest::MainManifest;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_program::CodePart;
use catwalk_program::MovedLines;
use catwalk_world::Change;

/// The key of questions about the main manifest as a whole.
const MAIN: &str = "";

/// A question with its answer.
#[derive(Debug, Default)]
struct Question {
    /// `None`: not computed yet.
    fingerprint: Option<Fingerprint>,
    /// The nodes that asked it, sorted.
    nodes: Vec<u32>,
}

/// A source as compiles read it.
#[derive(Debug)]
struct Version {
    source: Source,
    questions: FxHashMap<Part, u32>,
    /// Lines of the file that occur in catalogs.
    lines: FxHashSet<u32>,
}

/// The questions of all nodes.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// By path.
    files: FxHashMap<OsString, Vec<Version>>,
    questions: Vec<Question>,
    /// Numbers of questions that are free.
    free: Vec<u32>,
    numbers: FxHashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    /// Numbers of nodes that are free.
    free_nodes: Vec<u32>,
    /// By node: its questions, sorted.
    lists: Vec<Vec<u32>>,
    /// How many lists were replaced since questions without nodes were removed.
    replaced: usize,
    has_new_paths: bool,
}

/// What must be compared for a node after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Nothing: an answer has changed.
    Outdated,
    /// Its environment.
    Environment,
    /// The hierarchies of its data.
    Hierarchies,
    /// Its facts and classes.
    NodeInputs,
}

/// The checks of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checks(u8);

impl Checks {
    pub(super) fn has(self, check: Check) -> bool {
        self.0 & (1 << check as u8) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The effects of an edit.
#[derive(Debug, Default)]
pub(super) struct Effects {
    by_node: Vec<Checks>,
    /// By node: the first changed path that concerns it.
    causes: Vec<Option<Arc<Path>>>,
    /// The changed path whose questions are being compared.
    path: Option<Arc<Path>>,
    /// New lines of files, each with the nodes that used the file.
    pub(super) moved: Vec<MovedFile>,
    /// Whether the main manifest must be compared.
    compares_main: bool,
    /// The changed path because of which it is compared.
    main_path: Option<Arc<Path>>,
}

/// A file in which lines have moved.
#[derive(Debug)]
pub(super) struct MovedFile {
    pub(super) lines: Lines,
    pub(super) nodes: Vec<Arc<str>>,
    /// Whether all lines are known that occur in catalogs.
    pub(super) is_complete: bool,
}

impl Effects {
    fn mark(&mut self, nodes: &[u32], check: Check) {
        for node in nodes {
            if let Some(checks) = self.by_node.get_mut(*node as usize) {
                checks.0 |= 1 << check as u8;
            }
            let is_of_node = check == Check::NodeInputs;
            if let Some(cause @ None) = self.causes.get_mut(*node as usize).filter(|_| !is_of_node) {
                cause.clone_from(&self.path);
            }
        }
    }

    fn is_outdated(&self, node: u32) -> bool {
        self.by_node.get(node as usize).is_some_and(|checks| checks.has(Check::Outdated))
    }
}

impl Questions {
    /// What must be compared for a node.
    pub(super) fn checks(&self, effects: &Effects, name: &str) -> Checks {
        let checks = self.numbers.get(name).and_then(|number| effects.by_node.get(*number as usize));
        checks.copied().unwrap_or_default()
    }

    /// The first changed path that concerns a node.
    pub(super) fn cause(&self, effects: &Effects, name: &str) -> Option<Arc<Path>> {
        let number = *self.numbers.get(name)? as usize;
        let moved = || effects.moved.iter().find(|moved| moved.nodes.iter().any(|node| **node == *name));
        let moved_path = || Some(Arc::from(Path::new(&*moved()?.lines.first()?.0)));
        effects.causes.get(number)?.clone().or_else(moved_path)
    }

    /// Compares the answers to all questions about changed paths.
    pub(super) fn follow(&mut self, session: &Session, answers: &mut CurrentAnswers, changes: &[Change]) -> Effects {
        let count = self.names.len();
        let mut effects =
            Effects { by_node: vec![Checks::default(); count], causes: vec![None; count], ..Effects::default() };
        for change in changes {
            let Some(mut versions) = self.files.remove(change.path.as_os_str()) else { continue };
            effects.path = Some(Arc::from(change.path.as_path()));
            for version in &mut versions {
                if matches!(version.source, Source::Path) {
                    self.follow_path(version, change, answers.is_same_code(&change.path), &mut effects);
                } else if change.contents_only {
                    let now = version.source.current(session, &change.path, answers);
                    self.compare(version, now, session, &change.path, &mut effects);
                }
            }
            self.merge(&mut versions);
            self.files.insert(change.path.clone().into_os_string(), versions);
        }
        effects.path = effects.main_path.take();
        if effects.compares_main || answers.has_new_configuration() {
            self.follow_main(session, answers, changes, &mut effects);
        }
        effects
    }

    /// Follows a change of a path itself; `is_same_code`: only comments have changed.
    #[allow(clippy::iter_over_hash_type, reason = "nodes are marked")]
    fn follow_path(&self, version: &Version, change: &Change, is_same_code: bool, effects: &mut Effects) {
        for (part, number) in &version.questions {
            let Some(question) = self.questions.get(*number as usize) else { continue };
            let check = match part {
                Part::Whole { positions } if *positions || !is_same_code => Check::Outdated,
                Part::Existence if !change.contents_only => Check::Outdated,
                Part::Environment => Check::Environment,
                Part::NodeInputs if !is_same_code => Check::NodeInputs,
                Part::Hierarchy if change.contents_only => Check::Hierarchies,
                Part::MainPath => {
                    effects.compares_main = true;
                    effects.main_path.clone_from(&effects.path);
                    continue;
                }
                _ => continue,
            };
            // The environment decides which file the main manifest is.
            effects.compares_main |= check == Check::Environment;
            effects.mark(&question.nodes, check);
        }
    }

    /// Compares all answers of a version with the current ones, and replaces it.
    #[allow(clippy::iter_over_hash_type, reason = "nodes are marked, lines are collected in a map")]
    fn compare(
        &mut self,
        version: &mut Version,
        now: Option<Source>,
        session: &Session,
        path: &Path,
        effects: &mut Effects,
    ) {
        let mut moved = MovedLines::default();
        let language = session.options.settings.version;
        for (part, number) in &version.questions {
            let Some(question) = self.questions.get_mut(*number as usize) else { continue };
            let is_same = now.as_ref().is_some_and(|now| {
                let before = question.fingerprint.unwrap_or_else(|| version.source.fingerprint(part, language));
                let current = now.fingerprint(part, language);
                question.fingerprint = Some(current);
                before == current && version.source.move_lines(part, now, &mut moved)
            });
            if !is_same {
                effects.mark(&question.nodes, Check::Outdated);
            }
        }
        let Some(now) = now else { return };
        if let (Source::Code(before), Source::Code(current)) = (&version.source, &now) {
            before.move_block_lines(current, &mut moved);
        }
        version.source = now;
        if moved.iter().any(|(from, to)| *to != Some(*from)) {
            self.move_lines(version, &moved, path, effects);
        }
    }

    /// Records the new lines of a file for the nodes that used it.
    #[allow(clippy::iter_over_hash_type, reason = "a map again, and sets")]
    fn move_lines(&self, version: &mut Version, moved: &MovedLines, path: &Path, effects: &mut Effects) {
        let lines: FxHashMap<u32, u32> = moved.iter().filter_map(|(from, to)| Some((*from, (*to)?))).collect();
        let is_complete = version.lines.iter().all(|line| lines.contains_key(line));
        version.lines = version.lines.iter().filter_map(|line| lines.get(line).copied()).collect();
        let uses_file = |part: &Part| matches!(part, Part::Code { part: CodePart::Rest, .. });
        let nodes = version.questions.iter().filter(|(part, _)| uses_file(part));
        let nodes = nodes.filter_map(|(_, number)| self.questions.get(*number as usize)).flat_map(|it| &it.nodes);
        let nodes = nodes.filter_map(|node| self.names.get(*node as usize).cloned()).collect();
        let lines = (Arc::from(path.to_string_lossy()), Arc::new(lines));
        effects.moved.push(MovedFile { lines: vec![lines], nodes, is_complete });
    }

    /// Compares the main manifest. Nodes that added and removed files do not affect depend on the added files from now on.
    fn follow_main(
        &mut self,
        session: &Session,
        answers: &mut CurrentAnswers,
        changes: &[Change],
        effects: &mut Effects,
    ) {
        let Some(mut versions) = self.files.remove(OsStr::new(MAIN)) else { return };
        for version in &mut versions {
            let Source::Main(before) = &version.source else { continue };
            let (before, now) = (before.clone(), version.source.current(session, Path::new(MAIN), answers));
            self.compare(version, now, session, Path::new(MAIN), effects);
            let Source::Main(now) = &version.source else { continue };
            let changed = |path: &Path| changes.iter().any(|it| !it.contents_only && it.path == path);
            for (path, _) in before.files() {
                // Nodes that used only the rest of a removed file, which defines nothing that they need, do not depend on it.
                let is_removed = !now.contains(path);
                if is_removed || changed(path) {
                    self.mark_users(path, is_removed, effects);
                }
            }
            let folders = answers.main_files(session);
            let folders = folders.as_deref().map_or(&[][..], |main| &main.folders);
            self.add_main_files(version, (&before, &now.clone()), folders, effects);
        }
        self.merge(&mut versions);
        self.files.insert(OsString::from(MAIN), versions);
    }

    /// Marks the nodes that used a file of the main manifest, or only those that used its definitions.
    #[allow(clippy::iter_over_hash_type, reason = "nodes are marked")]
    fn mark_users(&self, path: &Path, definitions_only: bool, effects: &mut Effects) {
        for version in self.files.get(path.as_os_str()).into_iter().flatten() {
            for (part, number) in &version.questions {
                let Part::Code { part, .. } = part else { continue };
                if let Some(question) = self.questions.get(*number as usize)
                    && !(definitions_only && *part == CodePart::Rest)
                {
                    effects.mark(&question.nodes, Check::Outdated);
                }
            }
        }
    }

    /// Adds the questions about files and folders of the main manifest that are new to the nodes that stay valid.
    fn add_main_files(
        &mut self,
        version: &Version,
        (before, now): (&MainManifest, &MainManifest),
        folders: &[PathBuf],
        effects: &Effects,
    ) {
        let mut nodes: Vec<u32> = Vec::new();
        for is_exact in [false, true] {
            let number = version.questions.get(&Part::MainFiles { is_exact });
            let question = number.and_then(|number| self.questions.get(*number as usize));
            nodes.extend(question.iter().flat_map(|question| &question.nodes).filter(|it| !effects.is_outdated(**it)));
        }
        let mut list = Vec::new();
        for (path, parsed) in now.files().filter(|(path, _)| !before.contains(path)) {
            let rest = Part::Code { part: CodePart::Rest, positions: false };
            self.add_parts(path.as_os_str(), Source::Code(parsed.clone()), [rest], &mut list);
            self.add_parts(path.as_os_str(), Source::Path, [Part::MainPath], &mut list);
        }
        // A folder without files is read, too: a file may be added to it.
        for folder in folders {
            self.add_parts(folder.as_os_str(), Source::Path, [Part::MainPath], &mut list);
        }
        nodes.into_iter().for_each(|node| self.extend_list(node, &list));
    }

    /// Merges versions of a file that are equal now.
    #[allow(clippy::iter_over_hash_type, reason = "a map again")]
    fn merge(&mut self, versions: &mut Vec<Version>) {
        let mut merged: Vec<Version> = Vec::with_capacity(versions.len());
        for version in versions.drain(..) {
            let Some(same) = merged.iter_mut().find(|same| same.source.is_same(&version.source)) else {
                merged.push(version);
                continue;
            };
            same.lines.extend(version.lines);
            for (part, number) in version.questions {
                let kept = *same.questions.entry(part).or_insert(number);
                let Some(question) = self.questions.get_mut(number as usize).filter(|_| kept != number) else {
                    continue;
                };
                self.free.push(number);
                for node in std::mem::take(question).nodes {
                    if let Some(list) = self.lists.get_mut(node as usize) {
                        list.retain(|other| *other != number);
                    }
                    self.extend_list(node, &[kept]);
                }
            }
        }
        *versions = merged;
    }

    /// Removes a node.
    pub(super) fn remove(&mut self, name: &Arc<str>) {
        if let Some(node) = self.numbers.remove(name) {
            self.set_list(node, Vec::new());
            self.free_nodes.push(node);
        }
    }

    fn number(&mut self, name: &Arc<str>) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        if let Some(number) = self.free_nodes.pop() {
            self.numbers.insert(name.clone(), number);
            if let Some(free) = self.names.get_mut(number as usize) {
                *free = name.clone();
            }
            return number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.clone(), number);
        self.names.push(name.clone());
        self.lists.push(Vec::new());
        number
    }

    /// Adds the numbers of the questions about parts of a source to a list.
    fn add_parts(
        &mut self,
        path: &OsStr,
        source: Source,
        parts: impl IntoIterator<Item = Part>,
        list: &mut Vec<u32>,
    ) -> Option<&mut Version> {
        if !self.files.contains_key(path) {
            self.has_new_paths = true;
            self.files.insert(path.to_owned(), Vec::new());
        }
        let versions = self.files.get_mut(path)?;
        let at = versions.iter().position(|version| version.source.is_same(&source)).unwrap_or(versions.len());
        if at == versions.len() {
            versions.push(Version { source, questions: FxHashMap::default(), lines: FxHashSet::default() });
        }
        let version = versions.get_mut(at)?;
        for part in parts {
            let (questions, free) = (&mut self.questions, &mut self.free);
            list.push(*version.questions.entry(part).or_insert_with(|| {
                free.pop().unwrap_or_else(|| {
                    questions.push(Question::default());
                    u32::try_from(questions.len() - 1).unwrap_or(u32::MAX)
                })
            }));
        }
        Some(version)
    }

    fn extend_list(&mut self, node: u32, more: &[u32]) {
        let Some(list) = self.lists.get(node as usize) else { return };
        let new: Vec<u32> = more.iter().copied().filter(|number| list.binary_search(number).is_err()).collect();
        if !new.is_empty() {
            self.set_list(node, [list.as_slice(), &new].concat());
        }
    }

    /// Replaces the questions of a node.
    fn set_list(&mut self, node: u32, mut list: Vec<u32>) {
        list.sort_unstable();
        list.dedup();
        list.shrink_to_fit();
        let Some(current) = self.lists.get_mut(node as usize) else { return };
        let before = std::mem::replace(current, list);
        self.replaced += usize::from(!before.is_empty());
        for number in before.iter().filter(|number| current.binary_search(number).is_err()) {
            if let Some(question) = self.questions.get_mut(*number as usize)
                && let Ok(at) = question.nodes.binary_search(&node)
            {
                question.nodes.remove(at);
            }
        }
        for number in current.iter().filter(|number| before.binary_search(number).is_err()) {
            if let Some(question) = self.questions.get_mut(*number as usize)
                && let Err(at) = question.nodes.binary_search(&node)
            {
                question.nodes.insert(at, node);
            }
        }
    }

    /// Removes questions that no node asks any more, once there may be many.
    #[allow(clippy::iter_over_hash_type, reason = "what is kept does not depend on the order")]
    pub(super) fn remove_unused(&mut self) {
        if self.replaced <= 2 * self.names.len() {
            return;
        }
        self.replaced = 0;
        let (questions, free) = (&mut self.questions, &mut self.free);
        self.files.retain(|_, versions| {
            for version in versions.iter_mut() {
                version.questions.retain(|_, number| {
                    let is_used = questions.get(*number as usize).is_some_and(|question| !question.nodes.is_empty());
                    if !is_used {
                        free.push(*number);
                    }
                    is_used
                });
            }
            versions.retain(|version| !version.questions.is_empty());
            !versions.is_empty()
        });
        for number in &self.free {
            if let Some(question) = self.questions.get_mut(*number as usize) {
                *question = Question::default();
            }
        }
    }

    /// Whether there are new paths since the last call.
    pub(super) fn take_has_new_paths(&mut self) -> bool {
        std::mem::take(&mut self.has_new_paths)
    }

    /// All paths, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who takes them makes a set of them")]
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(Path::new).filter(|path| *path != Path::new(MAIN))
    }
}
