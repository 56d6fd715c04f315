//! Reads a resource type from a module's Ruby without running it.
//!
//! In: files below the modules' `lib` folders. Out: a [`ResourceType`], with the gaps that reading left.
//! The code is evaluated as far as it defines attributes: literals, loops over literals, helper methods, files it
//! requires; everything else is unknown and skipped ([`value::Value::Unknown`]). Must not: evaluate anything a
//! resource would do on an agent.

mod block;
mod call;
mod define;
mod expression;
mod listing;
mod nagios;
mod reader;
mod schema;
mod value;

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) use listing::Listing;
pub(super) use listing::Listings;

use super::ResourceType;
use super::registry::is_file;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::World;

/// The files and listings that were read, to check later whether they are unchanged.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordedQueries {
    listings: Vec<Arc<Listing>>,
    kinds: Vec<(PathBuf, Kind)>,
    listed: Vec<(PathBuf, Option<Arc<[Entry]>>)>,
    files: Vec<(PathBuf, Option<Arc<[u8]>>)>,
}

impl RecordedQueries {
    /// The paths beside those of listings, sorted as strings. The list of modules is included only where more was looked for
    /// than a type and its providers: for these, the caller records it.
    pub(super) fn paths(&self) -> Arc<[OsString]> {
        let listed = self.listed.iter().map(|(path, _)| path);
        let all = listed.chain(self.kinds.iter().map(|(path, _)| path)).chain(self.files.iter().map(|(path, _)| path));
        let mut all: Vec<OsString> = all.map(|path| path.as_os_str().to_owned()).collect();
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }

    /// Records the directory listings as read by the current compile.
    pub(super) fn record_reads(&self, world: &dyn World) {
        self.listings.iter().for_each(|listing| listing.record_reads(world));
    }

    /// Reads again and compares; this also records the reads for the current compile.
    pub(super) fn is_unchanged(&self, world: &dyn World) -> bool {
        let same = |a: Option<&Arc<[u8]>>, b: Option<&Arc<[u8]>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        self.listings.iter().all(|listing| listing.is_unchanged(world))
            && self.listed.iter().all(|(path, entries)| world.list(path).ok() == *entries)
            && self.kinds.iter().all(|(path, kind)| world.kind(path) == *kind)
            && self.files.iter().all(|(path, bytes)| same(world.read(path).ok().as_ref(), bytes.as_ref()))
    }
}

/// The files of all modules that define resource types.
pub(super) struct Library<'a> {
    world: &'a dyn World,
    listings: &'a Listings,
    queries: RecordedQueries,
}

impl<'a> Library<'a> {
    /// A library over these listings, which search `lib` folders in Puppet's order.
    pub(super) fn new(world: &'a dyn World, listings: &'a Listings) -> Library<'a> {
        Library { world, listings, queries: RecordedQueries::default() }
    }

    /// The world from which files are read.
    pub(super) fn world(&self) -> &'a dyn World {
        self.world
    }

    /// The recorded queries.
    pub(super) fn into_queries(self) -> RecordedQueries {
        self.queries
    }

    fn listing(&mut self, folder: &str) -> Arc<Listing> {
        let listing = self.listings.get(self.world, folder);
        if !self.queries.listings.iter().any(|known| Arc::ptr_eq(known, &listing)) {
            self.queries.listings.push(listing.clone());
        }
        listing
    }

    /// The first file with this path below a `lib` folder.
    pub(super) fn find(&mut self, relative: &str) -> Option<PathBuf> {
        for folder in self.listings.modulepath() {
            if !self.queries.listed.iter().any(|(known, _)| known == folder) {
                self.queries.listed.push((folder.clone(), self.world.list(folder).ok()));
            }
        }
        self.find_type(relative)
    }

    /// Finds the file of the type being looked up.
    pub(super) fn find_type(&mut self, relative: &str) -> Option<PathBuf> {
        let (folder, file) = relative.rsplit_once('/').unwrap_or(("", relative));
        self.listing(&format!("lib/{folder}")).file(file).map(Path::to_path_buf)
    }

    /// The script that defines a type.
    pub(super) fn find_script(&mut self, file: &str) -> Option<PathBuf> {
        self.listing("scripts/types").file(file).map(Path::to_path_buf)
    }

    /// Records a file that other code read.
    pub(super) fn record_file(&mut self, path: PathBuf) {
        let bytes = self.world.read(&path).ok();
        self.queries.files.push((path, bytes));
    }

    /// Whether any module has a provider for this type.
    pub(super) fn has_provider(&mut self, name: &str) -> bool {
        let listing = self.listing("lib/puppet/provider");
        listing.directories(name).iter().any(|folder| {
            let entries = self.world.list(folder).ok();
            self.queries.listed.push((folder.clone(), entries.clone()));
            entries.is_some_and(|list| list.iter().any(|entry| entry.name.ends_with(".rb")))
        })
    }

    /// Whether there is a file at `path`.
    pub(super) fn is_file(&mut self, path: &Path) -> bool {
        let found = is_file(self.world, path);
        self.queries.kinds.push((path.to_path_buf(), if found { Kind::File } else { self.world.kind(path) }));
        found
    }

    /// The contents of a file.
    pub(super) fn read_text(&mut self, path: &Path) -> Option<String> {
        let bytes = self.world.read(path).ok();
        self.queries.files.push((path.to_path_buf(), bytes.clone()));
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Reads the type `name` that `file` should define.
pub(super) fn read_type(library: &mut Library<'_>, file: &Path, name: Name) -> Result<ResourceType, Reason> {
    let mut reader = reader::Reader::new(library, name);
    let failed = |error: &str| Reason::runtime(format!("Could not autoload puppet/type/{name}: {error}"));
    reader.load(file).map_err(|error| failed(&error.to_string()))?;
    if let Some(error) = reader.definition.as_ref().and_then(|definition| definition.schema.error.as_deref()) {
        return Err(failed(error));
    }
    reader.finish().ok_or_else(|| {
        Reason::unsupported(&format!("resource type '{name}': no definition found in {}", file.display()))
    })
}
