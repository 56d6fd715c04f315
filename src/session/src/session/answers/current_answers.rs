//! How things are now, asked once for all nodes of a round: manifests, data and hierarchies that answers were made of.
//!
//! In: what a node's answer was made of. Out: whether that is still so. Must not: compile.

use super::Lines;
use super::Now;
use super::Uses;
use crate::session::Session;
use crate::session::parts::Used;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataNow;
use catwalk_hiera::DataUse;
use catwalk_program::program::LayoutChange;
use catwalk_program::program::Parsed;
use catwalk_program::program::RubyUse;
use catwalk_program::program::Use;
use catwalk_syntax as syntax;
use catwalk_syntax::Placement;
use catwalk_value::value::Value;
use catwalk_world::Reads;
use catwalk_world::Recorded;
use catwalk_world::World;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

impl Now {
    /// Whether a compile would use the same of the first manifests that it used, so many of them. Then its notes are of the
    /// files as they are now; where lines went.
    pub(in crate::session) fn manifests_hold(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        count: usize,
        block: Option<&(PathBuf, usize)>,
        told: bool,
    ) -> Option<Lines> {
        let mut lines = Lines::new();
        let Uses { manifests, main, places, .. } = uses;
        for (number, used) in manifests.iter_mut().enumerate().take(count) {
            if number < *main && used.parsed.path().is_some_and(|path| self.changed.has_other(path)) {
                return None;
            }
            let address = Arc::as_ptr(&used.parsed).addr();
            let changed = &self.changed;
            let has_text = || used.parsed.path().is_some_and(|path| changed.has_text(path));
            if !*self.old.entry(address).or_insert_with(has_text) {
                continue;
            }
            // What is said of a node has places in the text as it was.
            if told {
                return None;
            }
            let path = used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
            let now = self.manifest(session, &path, used.parsed.template)?;
            let block = block.filter(|_| number < *main).map(|(of, block)| (*of == path).then_some(*block));
            let moved = self.moved.entry((address, used.definitions.clone(), block));
            let (moved, definitions) =
                moved.or_insert_with(|| used.compare(&now, block.as_ref().map(Option::as_slice)));
            match moved {
                LayoutChange::Changed => return None,
                LayoutChange::Unmoved => {}
                LayoutChange::Lines(_) if *places => return None,
                LayoutChange::Lines(moved) => lines.push((Arc::from(path.to_string_lossy()), moved.clone())),
            }
            used.definitions = definitions.clone();
            // The old one stays in memory until all nodes are judged: its place is not used again.
            self.kept.push(std::mem::replace(&mut used.parsed, now));
        }
        Some(lines)
    }

    /// Whether the keys of data that a compile asked for have the same values. Its notes are of the new files then.
    pub(in crate::session) fn data_holds(&mut self, session: &Session, uses: &mut Uses) -> bool {
        for used in &mut uses.data {
            if self.changed.has_text(&used.path) {
                let (change, now) = self.data_now(session, used);
                if !used.holds(change, now) {
                    return false;
                }
            }
        }
        true
    }

    /// What became of parts of code that compiles used, and those parts now; `blocks` as for [`Use::compare`].
    pub(in crate::session) fn parts_now(
        &mut self,
        session: &Session,
        used: &Used,
        blocks: Option<&[usize]>,
    ) -> (LayoutChange, Used) {
        let changed = || (LayoutChange::Changed, used.clone());
        match used {
            Used::Manifest { used, main } => {
                let path = used.parsed.path().map(Path::to_path_buf).unwrap_or_default();
                let Some(now) = self.manifest(session, &path, used.parsed.template) else { return changed() };
                let (moved, definitions) = used.compare(&now, blocks);
                (moved, Used::Manifest { used: Use { parsed: now, definitions }, main: *main })
            }
            Used::Ruby(used) => match session.world.read(&used.path) {
                Ok(bytes) if used.means(&bytes) => {
                    (LayoutChange::Unmoved, Used::Ruby(RubyUse { bytes, ..used.clone() }))
                }
                _ => changed(),
            },
        }
    }

    /// What is other in a data file, against what a compile read, and what it is now.
    pub(in crate::session) fn data_now(&mut self, session: &Session, used: &DataUse) -> &(DataChange, DataNow) {
        self.data.entry(used.address()).or_insert_with(|| {
            let before = self.data_files.get(&used.path).filter(|(before, _)| used.is_same_file(before));
            let now = match before {
                Some((_, now)) => now.clone(),
                None => used.now(session.options.settings.strict, session.world.as_ref()),
            };
            let kept = used.without_keys();
            self.data_files.entry(used.path.clone()).or_insert_with(|| (kept.clone(), now.clone()));
            self.kept_data.push(kept);
            (used.compare(&now), now)
        })
    }

    /// Whether the configurations of Hiera give a compile the same answers.
    pub(super) fn configs(
        &self,
        session: &Session,
        certname: &str,
        uses: &mut Uses,
        reads: &mut Reads,
        told: bool,
    ) -> bool {
        let Uses { configs, data, environment, .. } = uses;
        for used in configs {
            if !self.changed.has_text(&used.path) {
                continue;
            }
            let Some(environment) = environment.as_ref().filter(|used| used.asked.is_some() && !told) else {
                return false;
            };
            let environment = &environment.opened.environment;
            let Ok(lookup) = session.layers.lookup(environment, &session.options, &session.site) else { return false };
            let world = Arc::new(Recorded::new(session.world.clone()));
            let variable = |name: &str| -> Option<Value> {
                let subject = session.subject(certname).ok()?;
                match name {
                    "facts" => Some(Value::Hash(subject.facts())),
                    "trusted" => Some(Value::Hash(subject.trusted())),
                    _ => None,
                }
            };
            if !lookup.follows(used, data, &variable, world.as_ref()) {
                return false;
            }
            let now: Vec<PathBuf> = world.take_reads().touched().map(Path::to_path_buf).collect();
            reads.add(now);
        }
        true
    }

    pub(super) fn manifest(&mut self, session: &Session, path: &Path, template: bool) -> Option<Arc<Parsed>> {
        if let Some(known) = self.manifests.get(path) {
            return known.clone();
        }
        let environment = session.open_environment().ok();
        let options = || {
            let placement = match &environment {
                Some(environment) if !template => {
                    Placement::of(path, &environment.modulepath, environment.manifest.as_deref())
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
