//! Paths in reports for build servers, which are relative to the repository.
//!
//! In: paths. Out: paths below the nearest directory with `.git`. Must not: start git.

use std::path::Path;
use std::path::PathBuf;

use catwalk_base::source::path::normalize_path;
use catwalk_world::Kind;
use catwalk_world::World;

/// The nearest directory with `.git` at or above a directory.
fn root<'p>(directory: &'p Path, world: &dyn World) -> Option<&'p Path> {
    directory.ancestors().find(|directory| world.kind(&directory.join(".git")) != Kind::Missing)
}

/// The path of a file below its repository; without a repository, below the current directory `here`; else the absolute path.
#[must_use]
pub fn below_repository(file: &Path, here: &Path, world: &dyn World) -> PathBuf {
    let absolute = normalize_path(&here.join(file));
    let root = absolute.parent().and_then(|directory| root(directory, world)).unwrap_or(here);
    absolute.strip_prefix(root).map_or_else(|_| absolute.clone(), Path::to_path_buf)
}

/// The path of a site in its repository; empty if the site is the whole repository, or in none.
#[must_use]
pub fn site_in_repository(site: Option<&Path>, world: &dyn World) -> PathBuf {
    let path = site.and_then(|site| site.strip_prefix(root(site, world)?).ok());
    path.map(Path::to_path_buf).unwrap_or_default()
}
