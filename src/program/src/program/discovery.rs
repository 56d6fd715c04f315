//! Facts about an environment's files that its compiles share: where a definition may be, and the parsed file.
//!
//! In: names. Out: candidates. It is discarded when a file may have changed, so no lookup is repeated; each compile records the
//! paths that it would have looked for. Must not: know which candidates a compile has used.

use parking_lot::RwLock;
use std::any::Any;
use std::any::TypeId;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use rustc_hash::FxHashMap;

use crate::program::parsed::ParsedSource;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_value::Alias;
use catwalk_value::Type;
use catwalk_world::Dependency;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

/// A file that may define a name.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its path, as a list of one.
    pub(super) path: Arc<[OsString]>,
    /// The file, once it was looked for; `None`: it does not exist.
    pub(super) parsed: OnceLock<Option<Arc<ParsedSource>>>,
}

impl Candidate {
    pub(super) fn path(&self) -> &Path {
        self.path.first().map_or(Path::new(""), Path::new)
    }
}

type Candidates = Arc<[Arc<Candidate>]>;

/// A result that was derived from files, and the paths that it depends on.
#[derive(Clone, Debug)]
struct Discovery {
    value: Arc<dyn Any + Send + Sync>,
    paths: Arc<[OsString]>,
}

/// The shared discoveries of an environment's compiles.
#[derive(Debug, Default)]
pub struct DiscoveryCache {
    by_name: RwLock<FxHashMap<(u8, Name), Candidates>>,
    by_path: RwLock<FxHashMap<PathBuf, Arc<Candidate>>>,
    modules: RwLock<FxHashMap<FileId, Option<Name>>>,
    results: RwLock<FxHashMap<(TypeId, Name), Discovery>>,
    /// How many resources the last compile had.
    pub(super) resources: AtomicUsize,
    pub(super) types: SharedTypes,
}

/// A type that compiles share as long as the aliases it names are the same.
#[derive(Clone, Debug)]
pub struct SharedType {
    /// The type.
    pub data_type: Type,
    /// The aliases its expression mentions, as written, in the order in which they are resolved.
    pub aliases: Arc<[(Name, Arc<Alias>)]>,
}

/// Types by the span of their expression; `None`: each compile evaluates it.
#[derive(Debug, Default)]
pub struct SharedTypes(RwLock<FxHashMap<Span, Option<SharedType>>>);

impl SharedTypes {
    /// The entry for the expression at a span.
    #[must_use]
    pub fn get(&self, span: Span) -> Option<Option<SharedType>> {
        get(&self.0, &span)
    }

    /// Sets the type of the expression at a span.
    pub fn set(&self, span: Span, shared: Option<SharedType>) {
        self.0.write().insert(span, shared);
    }
}

fn get<K: std::hash::Hash + Eq, V: Clone, S: std::hash::BuildHasher>(
    table: &RwLock<std::collections::HashMap<K, V, S>>,
    key: &K,
) -> Option<V> {
    table.read().get(key).cloned()
}

impl DiscoveryCache {
    /// The files that may define a name, in order.
    pub(super) fn candidates(&self, kind: u8, name: Name, paths: impl FnOnce() -> Vec<PathBuf>) -> Candidates {
        if let Some(known) = get(&self.by_name, &(kind, name)) {
            return known;
        }
        let mut by_path = self.by_path.write();
        let candidate = |path: PathBuf| {
            let new = || Candidate { path: Arc::from([path.clone().into_os_string()]), parsed: OnceLock::new() };
            by_path.entry(path.clone()).or_insert_with(|| Arc::new(new())).clone()
        };
        let found: Candidates = paths().into_iter().map(candidate).collect();
        drop(by_path);
        self.by_name.write().insert((kind, name), found.clone());
        found
    }

    /// A result that `find` derives from files for a name: computed once, and recorded by each compile that uses it. `T`
    /// identifies the kind of result.
    pub(super) fn shared_result<T: Any + Send + Sync>(
        &self,
        name: Name,
        world: &Arc<dyn World>,
        find: impl FnOnce(&dyn World) -> T,
    ) -> Option<Arc<T>> {
        let key = (TypeId::of::<T>(), name);
        let discovery = get(&self.results, &key).unwrap_or_else(|| {
            let recorded = RecordingWorld::new(world.clone());
            let found = Discovery { value: Arc::new(find(&recorded)), paths: recorded.take_reads().into_list() };
            self.results.write().insert(key, found.clone());
            found
        });
        world.record_reads(&discovery.paths, Dependency::Whole);
        Arc::downcast(discovery.value).ok()
    }

    /// The module of a file.
    pub(super) fn module(&self, file: FileId, find: impl FnOnce() -> Option<Name>) -> Option<Name> {
        get(&self.modules, &file).unwrap_or_else(|| {
            let found = find();
            self.modules.write().insert(file, found);
            found
        })
    }
}
