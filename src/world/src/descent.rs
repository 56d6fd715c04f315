//! Descent into directories that ends even where symbolic links form cycles or lead to one tree many times.
//!
//! In: entries of directories, in the order of a walk; folders. Out: which entries to enter; the files below a folder. Must not: read files.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use crate::Entry;
use crate::Kind;
use crate::World;
use crate::WorldError;

/// The most directories that a walk enters.
const MAX_DIRECTORIES: usize = 1_000_000;

/// The directories that one walk has entered through symbolic links.
#[derive(Debug, Default)]
pub struct Descent {
    links: BTreeSet<PathBuf>,
    entered: usize,
}

impl Descent {
    /// Whether to walk into an entry at `path`: a directory, and when a link leads to it, one that is not above the link and
    /// that no other link has led to.
    pub fn enters(&mut self, world: &dyn World, path: &Path, entry: &Entry) -> bool {
        entry.kind == Kind::Directory && self.is_within_bounds() && (!entry.link || self.is_new(world, path))
    }

    /// Whether the walk enters a directory that is not a link: Ruby's `**/` follows none.
    pub fn enters_unlinked(&mut self, entry: &Entry) -> bool {
        entry.kind == Kind::Directory && !entry.link && self.is_within_bounds()
    }

    fn is_within_bounds(&mut self) -> bool {
        // Each directory takes several system calls.
        catwalk_base::meter::tick(256);
        self.entered += 1;
        self.entered <= MAX_DIRECTORIES
    }

    fn is_new(&mut self, world: &dyn World, path: &Path) -> bool {
        let parent = path.parent().unwrap_or(path);
        let (Ok(target), Ok(parent)) = (world.canonical(path), world.canonical(parent)) else { return false };
        !parent.starts_with(&target) && self.links.insert(target)
    }
}

/// The files below a folder for whose entries `is_included` returns true; a folder for which it returns false is not entered. Also returns
/// the first folder that cannot be listed, with the error.
pub fn files_below(
    folder: &Path,
    world: &dyn World,
    is_included: &dyn Fn(&Entry) -> bool,
) -> (Vec<PathBuf>, Option<(PathBuf, WorldError)>) {
    let mut walk = FileWalk { world, is_included, descent: Descent::default(), files: Vec::new(), failure: None };
    walk.walk(folder);
    (walk.files, walk.failure)
}

struct FileWalk<'a> {
    world: &'a dyn World,
    is_included: &'a dyn Fn(&Entry) -> bool,
    descent: Descent,
    files: Vec<PathBuf>,
    failure: Option<(PathBuf, WorldError)>,
}

impl FileWalk<'_> {
    fn walk(&mut self, folder: &Path) {
        let entries = match self.world.list(folder) {
            Ok(entries) => entries,
            Err(refused) => {
                self.failure.get_or_insert((folder.to_path_buf(), refused));
                return;
            }
        };
        for entry in entries.iter().filter(|entry| (self.is_included)(entry)) {
            let path = folder.join(entry.name.as_ref());
            match entry.kind {
                Kind::Directory if self.descent.enters(self.world, &path, entry) => self.walk(&path),
                Kind::File => self.files.push(path),
                _ => {}
            }
        }
    }
}
