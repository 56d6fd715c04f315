//! What one folder (`lib/puppet/type`) of every module contains.
//!
//! In: a world and a modulepath. Out: the first file of each name, the directories of each name. One listing serves all types:
//! a hundred modules are listed once, not for each type. Must not: read files.

use parking_lot::Mutex;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use catwalk_world::Dependency;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::World;

/// A folder of all modules.
#[derive(Debug)]
pub(crate) struct Listing {
    /// The directories of the modulepath. The list of modules alone is not recorded as read.
    modulepath: Vec<(PathBuf, Option<Arc<[Entry]>>)>,
    /// The folder in each module.
    folders: Vec<(PathBuf, Option<Arc<[Entry]>>)>,
    /// Those folders' paths.
    paths: Arc<[OsString]>,
    files: FxHashMap<Arc<str>, PathBuf>,
    directories: FxHashMap<Arc<str>, Vec<PathBuf>>,
    /// The world's generation at the last successful check.
    generation: Mutex<Option<u64>>,
}

impl Listing {
    fn new(world: &dyn World, modulepath: &[PathBuf], first: &[&Path], folder: &str) -> Listing {
        let generation = Mutex::new(world.generation());
        let mut listing = Listing {
            modulepath: Vec::new(),
            folders: Vec::new(),
            paths: Arc::default(),
            files: FxHashMap::default(),
            directories: FxHashMap::default(),
            generation,
        };
        first.iter().for_each(|root| listing.add(world, root.join(folder)));
        for path in modulepath {
            let modules = world.list_for(path, Dependency::ComparedByCaller).ok();
            for module in modules.iter().flat_map(|modules| modules.iter()) {
                // Whether the module has such a folder is found when the folder is listed.
                if module.kind == Kind::Directory && !module.name.starts_with('.') {
                    listing.add(world, path.join(&*module.name).join(folder));
                }
            }
            listing.modulepath.push((path.clone(), modules));
        }
        let mut paths: Vec<OsString> = listing.folders.iter().map(|(path, _)| path.as_os_str().to_owned()).collect();
        paths.sort_unstable();
        paths.dedup();
        listing.paths = Arc::from(paths);
        listing
    }

    fn add(&mut self, world: &dyn World, folder: PathBuf) {
        let entries = world.list(&folder).ok();
        for entry in entries.iter().flat_map(|entries| entries.iter()) {
            let path = || folder.join(&*entry.name);
            match entry.kind {
                Kind::File => drop(self.files.entry(entry.name.clone()).or_insert_with(path)),
                Kind::Directory => self.directories.entry(entry.name.clone()).or_default().push(path()),
                Kind::Missing => {}
            }
        }
        self.folders.push((folder, entries));
    }

    /// The first file of this name, in the order of the modulepath and of the modules' names.
    pub(crate) fn file(&self, name: &str) -> Option<&Path> {
        self.files.get(name).map(PathBuf::as_path)
    }

    /// The directories of this name, in the same order.
    pub(crate) fn directories(&self, name: &str) -> &[PathBuf] {
        self.directories.get(name).map_or(&[], Vec::as_slice)
    }

    /// Records the listings as read by the current compile.
    pub(crate) fn record_reads(&self, world: &dyn World) {
        world.record_reads(&self.paths, Dependency::Whole);
    }

    /// Whether the listings are unchanged; this also records them as read by the current compile.
    pub(crate) fn is_unchanged(&self, world: &dyn World) -> bool {
        let now = world.generation();
        let mut generation = self.generation.lock();
        if now.is_some() && *generation == now {
            world.record_reads(&self.paths, Dependency::Whole);
            return true;
        }
        let holds = self
            .modulepath
            .iter()
            .all(|(path, entries)| world.list_for(path, Dependency::ComparedByCaller).ok() == *entries)
            && self.folders.iter().all(|(path, entries)| world.list(path).ok() == *entries);
        if holds {
            *generation = now;
        }
        holds
    }
}

/// The listings of one modulepath, created on first use.
#[derive(Debug, Default)]
pub(crate) struct Listings {
    modulepath: Vec<PathBuf>,
    /// The directory of the site, which may have scripts as a module has.
    site: Option<PathBuf>,
    /// Modules that are on no modulepath; they come first.
    individual_modules: Vec<PathBuf>,
    listings: Mutex<FxHashMap<String, Arc<Listing>>>,
}

impl Listings {
    /// The listings of a modulepath and a site.
    pub(crate) fn new(modulepath: Vec<PathBuf>, site: Option<PathBuf>) -> Listings {
        Listings { modulepath, site, ..Listings::default() }
    }

    /// Adds individually named modules.
    pub(crate) fn with_individual_modules(self, roots: Vec<PathBuf>) -> Listings {
        Listings { individual_modules: roots, ..self }
    }

    /// The directories that modules are in.
    pub(crate) fn modulepath(&self) -> &[PathBuf] {
        &self.modulepath
    }

    /// The current listing of a folder in all modules; for scripts also that of the site, which comes first.
    pub(crate) fn get(&self, world: &dyn World, folder: &str) -> Arc<Listing> {
        // The lock is held while directories are listed: another thread that needs them waits rather than lists them, too.
        let mut known = self.listings.lock();
        if let Some(listing) = known.get(folder)
            && listing.is_unchanged(world)
        {
            return listing.clone();
        }
        let site = self.site.as_deref().filter(|_| folder.starts_with("scripts/"));
        let first: Vec<&Path> = site.into_iter().chain(self.individual_modules.iter().map(PathBuf::as_path)).collect();
        let listing = Arc::new(Listing::new(world, &self.modulepath, &first, folder));
        known.insert(folder.to_owned(), listing.clone());
        listing
    }
}
