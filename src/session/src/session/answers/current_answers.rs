//! The current state of manifests, data and hierarchies, read once for all nodes of an update.
//!
//! In: what a node's compile used. Out: whether that is unchanged. Must not: compile.

use super::CurrentAnswers;
use super::Lines;
use super::Uses;
use crate::session::Session;
use crate::session::file_uses::FileUse;
use catwalk_hiera::CurrentData;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataUse;
use catwalk_program::LayoutChange;
use catwalk_program::ParsedSource;
use catwalk_program::RubyUse;
use catwalk_program::Use;
use catwalk_syntax as syntax;
use catwalk_syntax::Placement;
use catwalk_value::Value;
use catwalk_world::Reads;
use catwalk_world::RecordingWorld;
use catwalk_world::World;
use std::cell::OnceCell;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

impl CurrentAnswers {
    /// Compares the first `count` manifests that a compile used with the current files. If the used definitions are unchanged, updates
    /// `uses` to the current files and returns the moved lines. `logs_positions`: the node logged a position, so moved lines matter.
    pub(in crate::session) fn follow_manifests(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        count: usize,
        block: Option<&(PathBuf, usize)>,
        logs_positions: bool,
    ) -> Option<Lines> {
        let mut lines = Lines::new();
        let Uses { manifests, main_count, reads_lines, .. } = uses;
        for (number, used) in manifests.iter_mut().enumerate().take(count) {
            if number < *main_count && used.parsed.path().is_some_and(|path| self.changed.existence_changed(path)) {
                return None;
            }
            let address = Arc::as_ptr(&used.parsed).addr();
            let changed = &self.changed;
            let is_edited = || used.parsed.path().is_some_and(|path| changed.contents_changed(path));
            if !*self.edited.entry(address).or_insert_with(is_edited) {
                continue;
            }
            // Messages of the node contain positions in the old file.
            if logs_positions {
                return None;
            }
            let path = used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
            let now = self.parse_manifest(session, &path, used.parsed.template)?;
            let block = block.filter(|_| number < *main_count).map(|(file, block)| (*file == path).then_some(*block));
            let change = self.layout_changes.entry((address, used.definitions.clone(), block));
            let (change, definitions) =
                change.or_insert_with(|| used.compare(&now, block.as_ref().map(Option::as_slice)));
            match change {
                LayoutChange::Changed => return None,
                LayoutChange::Unmoved => {}
                LayoutChange::Lines(_) if *reads_lines => return None,
                LayoutChange::Lines(moved) => lines.push((Arc::from(path.to_string_lossy()), moved.clone())),
            }
            used.definitions = definitions.clone();
            // The old file stays in memory until all nodes are checked: its address is a key, and must not be reused.
            self.old_files.push(std::mem::replace(&mut used.parsed, now));
        }
        Some(lines)
    }

    /// Whether the keys of data that a compile looked up have the same values. Then `uses` is updated to the current files.
    pub(in crate::session) fn data_holds(&mut self, session: &Session, uses: &mut Uses) -> bool {
        for used in &mut uses.data {
            if self.changed.contents_changed(&used.path) {
                let (change, now) = self.compare_data(session, used);
                if !used.update_if_unchanged(change, now) {
                    return false;
                }
            }
        }
        true
    }

    /// Compares a part of a file that compiles used with the current file; returns the change and the current part. `blocks`: see
    /// [`Use::compare`].
    pub(in crate::session) fn compare_part(
        &mut self,
        session: &Session,
        used: &FileUse,
        blocks: Option<&[usize]>,
    ) -> (LayoutChange, FileUse) {
        let changed = || (LayoutChange::Changed, used.clone());
        match used {
            FileUse::Manifest { used, main } => {
                let path = used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
                let Some(now) = self.parse_manifest(session, &path, used.parsed.template) else { return changed() };
                let (change, definitions) = used.compare(&now, blocks);
                (change, FileUse::Manifest { used: Use { parsed: now, definitions }, main: *main })
            }
            FileUse::Ruby(used) => match session.world.read(&used.path) {
                Ok(bytes) if used.behaves_like(&bytes) => {
                    (LayoutChange::Unmoved, FileUse::Ruby(RubyUse { bytes, ..used.clone() }))
                }
                _ => changed(),
            },
        }
    }

    /// The changes of a data file since a compile read it, and the current data.
    pub(in crate::session) fn compare_data(&mut self, session: &Session, used: &DataUse) -> &(DataChange, CurrentData) {
        self.data.entry(used.address()).or_insert_with(|| {
            let before = self.data_files.get(&used.path).filter(|(before, _)| used.is_same_file(before));
            let now = match before {
                Some((_, now)) => now.clone(),
                None => used.read_current(session.options.settings.strict, session.world.as_ref()),
            };
            let old = used.without_keys();
            self.data_files.entry(used.path.clone()).or_insert_with(|| (old.clone(), now.clone()));
            self.old_data.push(old);
            (used.compare(&now), now)
        })
    }

    /// Whether the used configurations of Hiera lead to the same results.
    pub(super) fn configs_hold(
        &self,
        session: &Session,
        certname: &str,
        uses: &mut Uses,
        reads: &mut Reads,
        logs_positions: bool,
    ) -> bool {
        let Uses { configs, data, environment, .. } = uses;
        // Read once for all hierarchies: a command may print the external trusted facts.
        let subject = OnceCell::new();
        for used in configs {
            if !self.changed.contents_changed(&used.path) {
                continue;
            }
            let Some(environment) = environment.as_ref().filter(|used| used.questions.is_some() && !logs_positions)
            else {
                return false;
            };
            let environment = &environment.shared.environment;
            let Ok(lookup) =
                session.layers.lookup(environment, &session.options, &session.site, session.world.as_ref())
            else {
                return false;
            };
            let world = Arc::new(RecordingWorld::new(session.world.clone()));
            let variable = |name: &str| -> Option<Value> {
                let subject = subject.get_or_init(|| session.subject(certname).ok()).as_ref()?;
                match name {
                    "facts" => Some(Value::Hash(subject.facts())),
                    "trusted" => Some(Value::Hash(subject.trusted())),
                    _ => None,
                }
            };
            if !lookup.update_if_equivalent(used, data, &variable, world.as_ref()) {
                return false;
            }
            let now: Vec<PathBuf> = world.take_reads().paths().map(Path::to_path_buf).collect();
            reads.add(now);
        }
        true
    }

    pub(super) fn parse_manifest(
        &mut self,
        session: &Session,
        path: &Path,
        template: bool,
    ) -> Option<Arc<ParsedSource>> {
        if let Some(parsed) = self.manifests.get(path) {
            return parsed.clone();
        }
        let environment = session.open_environment().ok();
        let options = || {
            let placement = match &environment {
                Some(environment) if !template => {
                    Placement::from_path(path, &environment.modulepath, environment.manifest.as_deref())
                }
                _ => Placement::default(),
            };
            syntax::Options { template, placement, ..syntax::Options::default() }
        };
        let parsed = session.cache.parse_file(path, session.world.as_ref(), options).ok();
        self.manifests.insert(path.to_path_buf(), parsed.clone());
        parsed
    }
}
