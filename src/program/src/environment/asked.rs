//! What one compile asked about the modules of its environment, and what another set of modules means to it.
//!
//! In: questions, noted by [`Environment`]; two environments. Out: whether the questions have the same answers. Must not:
//! know who asks.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use super::Environment;
use catwalk_base::names::Name;
use catwalk_value::value::Value;

/// Questions about modules, noted while a compile runs.
#[derive(Debug, Default)]
pub struct Asked {
    names: Mutex<FxHashSet<Name>>,
    everywhere: Mutex<FxHashSet<Name>>,
    all: AtomicBool,
    settings: Mutex<FxHashMap<Name, Option<Value>>>,
}

/// The questions of a compile that has ended.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Modules that were asked for, there or not.
    names: Box<[Name]>,
    /// Paths below a module that were looked for in every module.
    everywhere: Box<[Name]>,
    /// Every change counts.
    pub all: bool,
    /// Puppet's settings that were asked for, with their values.
    pub settings: Box<[(Name, Option<Value>)]>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asked {
    /// A module was asked for.
    pub fn module(&self, name: &str) {
        lock(&self.names).insert(Name::new(name));
    }

    /// A path was looked for in every module.
    pub fn everywhere(&self, relative: &str) {
        lock(&self.everywhere).insert(Name::new(relative));
    }

    /// What modules there are was used in some other way.
    pub fn all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    /// One of Puppet's settings was asked for.
    pub fn setting(&self, name: Name, value: Option<&Value>) {
        lock(&self.settings).insert(name, value.cloned());
    }

    /// What was noted since the last call.
    #[must_use]
    pub fn take(&self) -> Questions {
        let list = |set: &Mutex<FxHashSet<Name>>| {
            let mut list: Vec<Name> = std::mem::take(&mut *lock(set)).into_iter().collect();
            list.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
            list.into_boxed_slice()
        };
        let mut settings: Vec<_> = std::mem::take(&mut *lock(&self.settings)).into_iter().collect();
        settings.sort_unstable_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        let all = self.all.load(Ordering::Relaxed);
        Questions { names: list(&self.names), everywhere: list(&self.everywhere), all, settings: settings.into() }
    }
}

/// What is other in an environment.
#[derive(Debug, Default)]
pub struct ModulesChange {
    /// Modules that came, went or moved.
    names: FxHashSet<Name>,
    /// Directories of those that came.
    added: Vec<PathBuf>,
    /// Which of the paths looked for everywhere are in one of them.
    known: FxHashMap<Name, bool>,
    /// The modulepath has other directories, all without modules, the main manifest stands elsewhere, or the version of
    /// catalogs comes from elsewhere.
    conf: bool,
}

impl ModulesChange {
    /// What is other, if it is the modules alone.
    #[must_use]
    pub fn between(old: &Environment, new: &Environment) -> Option<ModulesChange> {
        let rest = |of: &Environment| Environment {
            modules: std::sync::Arc::default(),
            hidden: Vec::new(),
            asked: std::sync::Arc::default(),
            ..of.clone()
        };
        let (a, b) = (rest(old), rest(new));
        if (a.name, a.root, a.rich_data) != (b.name, b.root, b.rich_data)
            || (a.data_provider, a.single) != (b.data_provider, b.single)
        {
            return None;
        }
        let conf = (&a.modulepath, &a.manifest, &a.config_version) != (&b.modulepath, &b.manifest, &b.config_version);
        let mut change = ModulesChange { conf, ..ModulesChange::default() };
        let name_of = |root: &Path| root.file_name().and_then(|name| name.to_str()).map(Name::new);
        let roots = |of: &Environment| -> Vec<PathBuf> {
            of.modules.values().map(|module| module.root.clone()).chain(of.hidden.iter().cloned()).collect()
        };
        let (before, now) = (roots(old), roots(new));
        // A directory without modules gives nothing.
        let used = |path: &[PathBuf], roots: &[PathBuf]| -> Vec<PathBuf> {
            let holds = |dir: &&PathBuf| roots.iter().any(|root| root.parent() == Some(dir.as_path()));
            path.iter().filter(holds).cloned().collect()
        };
        let same_path = a.modulepath == b.modulepath;
        if !same_path && used(&a.modulepath, &before) != used(&b.modulepath, &now) {
            return None;
        }
        let (before_set, now_set): (FxHashSet<&PathBuf>, FxHashSet<&PathBuf>) =
            (before.iter().collect(), now.iter().collect());
        change.added = now.iter().filter(|root| !before_set.contains(root)).cloned().collect();
        let gone = before.iter().filter(|root| !now_set.contains(root));
        change.names.extend(change.added.iter().chain(gone).filter_map(|root| name_of(root)));
        let stays = |name: &std::sync::Arc<str>, in_other: &Environment, root: &Path| {
            in_other.modules.get(name).is_some_and(|module| module.root == root)
        };
        for (one, other) in [(old, new), (new, old)] {
            let moved = one.modules.values().filter(|module| !stays(&module.name, other, &module.root));
            change.names.extend(moved.map(|module| Name::new(&module.name)));
        }
        // The order decides which of several files counts.
        let kept = |list: &[PathBuf], other: &FxHashSet<&PathBuf>| -> Vec<PathBuf> {
            list.iter().filter(|root| other.contains(root)).cloned().collect()
        };
        (kept(&before, &now_set) == kept(&now, &before_set)).then_some(change)
    }

    /// Whether nothing is other.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.added.is_empty() && !self.conf
    }

    /// Whether the questions have the same answers; `exists` tells whether something is at a path. Then the paths that were
    /// found missing below new modules.
    pub fn holds(&mut self, asked: &Questions, exists: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
        if self.is_empty() {
            return Some(Vec::new());
        }
        if asked.all || asked.names.iter().any(|name| self.names.contains(name)) {
            return None;
        }
        let mut missing = Vec::new();
        for relative in &asked.everywhere {
            let paths = || self.added.iter().map(|root| root.join(relative.as_str()));
            let there = *self.known.entry(*relative).or_insert_with(|| paths().any(|path| exists(&path)));
            if there {
                return None;
            }
            missing.extend(paths());
        }
        Some(missing)
    }
}
