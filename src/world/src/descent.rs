//! Descent into directories that ends even where symbolic links form cycles or lead to one tree many times.
//!
//! In: entries of directories, in the order of a walk. Out: which of them to enter. Must not: list directories itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use crate::Entry;
use crate::Kind;
use crate::World;

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
