//! Which modules and settings one compile looked up in its environment, and whether a change of modules affects it.
//!
//! In: queries, recorded by [`Environment`]; two environments. Out: whether the queries have the same answers. Must not: know
//! the caller.

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use super::Environment;
use catwalk_base::names::Name;
use catwalk_value::Value;

/// Records the modules and settings that a compile looks up while it runs.
#[derive(Debug, Default)]
pub struct ModuleQueries {
    names: Mutex<FxHashSet<Name>>,
    module_paths: Mutex<FxHashSet<Name>>,
    all: AtomicBool,
    settings: Mutex<FxHashMap<Name, Option<Value>>>,
}

/// The modules and settings that a finished compile has looked up.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentQueries {
    /// Modules that were looked up, existing or not.
    names: Box<[Name]>,
    /// Paths below a module that were looked for in every module.
    module_paths: Box<[Name]>,
    /// Whether every change of modules affects the compile.
    pub all: bool,
    /// Puppet's settings that were read, with their values.
    pub settings: Box<[(Name, Option<Value>)]>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl ModuleQueries {
    /// Records a module that was looked up.
    pub fn record_module(&self, name: &str) {
        lock(&self.names).insert(Name::new(name));
    }

    /// Records a path that was looked for in every module.
    pub fn record_module_path(&self, relative: &str) {
        lock(&self.module_paths).insert(Name::new(relative));
    }

    /// Records that the compile depends on the list of modules in some further way.
    pub fn record_all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    /// Records a setting that was read.
    pub fn record_setting(&self, name: Name, value: Option<&Value>) {
        lock(&self.settings).insert(name, value.cloned());
    }

    /// What was recorded since the last call.
    #[must_use]
    pub fn take(&self) -> EnvironmentQueries {
        let list = |set: &Mutex<FxHashSet<Name>>| {
            let mut list: Vec<Name> = std::mem::take(&mut *lock(set)).into_iter().collect();
            list.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
            list.into_boxed_slice()
        };
        let mut settings: Vec<_> = std::mem::take(&mut *lock(&self.settings)).into_iter().collect();
        settings.sort_unstable_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        let all = self.all.load(Ordering::Relaxed);
        EnvironmentQueries {
            names: list(&self.names),
            module_paths: list(&self.module_paths),
            all,
            settings: settings.into(),
        }
    }
}

/// The differences between two states of an environment's modules.
#[derive(Debug, Default)]
pub struct ModulesChange {
    /// Modules that were added, removed or moved.
    names: FxHashSet<Name>,
    /// Directories of added modules.
    added: Vec<PathBuf>,
    /// Which of the paths looked for everywhere are in one of them.
    in_added: FxHashMap<Name, bool>,
    /// Whether the modulepath has other directories without modules, or the main manifest or the source of catalogs' versions has
    /// changed.
    conf: bool,
}

impl ModulesChange {
    /// The differences; `None` if more than the modules has changed.
    #[must_use]
    pub fn between(old: &Environment, new: &Environment) -> Option<ModulesChange> {
        let without_modules = |of: &Environment| Environment {
            modules: std::sync::Arc::default(),
            hidden: Vec::new(),
            queries: std::sync::Arc::default(),
            ..of.clone()
        };
        let (a, b) = (without_modules(old), without_modules(new));
        if (a.name, a.root, a.rich_data) != (b.name, b.root, b.rich_data)
            || (a.data_provider, a.individual_modules) != (b.data_provider, b.individual_modules)
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
        // A directory without modules does not matter.
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
        // The order decides which of several files wins.
        let common = |list: &[PathBuf], other: &FxHashSet<&PathBuf>| -> Vec<PathBuf> {
            list.iter().filter(|root| other.contains(root)).cloned().collect()
        };
        (common(&before, &now_set) == common(&now, &before_set)).then_some(change)
    }

    /// Whether there are no differences.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.added.is_empty() && !self.conf
    }

    /// Checks whether the queries have the same answers. If so, returns the paths that were found missing below new modules,
    /// otherwise `None`. `exists` returns whether a path exists.
    pub fn check(&mut self, queries: &EnvironmentQueries, exists: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
        if self.is_empty() {
            return Some(Vec::new());
        }
        if queries.all || queries.names.iter().any(|name| self.names.contains(name)) {
            return None;
        }
        let mut missing = Vec::new();
        for relative in &queries.module_paths {
            let paths = || self.added.iter().map(|root| root.join(relative.as_str()));
            let exists_there = *self.in_added.entry(*relative).or_insert_with(|| paths().any(|path| exists(&path)));
            if exists_there {
                return None;
            }
            missing.extend(paths());
        }
        Some(missing)
    }
}
