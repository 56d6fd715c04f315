//! Paths in reports for build servers, which are relative to the repository.
//!
//! In: paths. Out: paths below the nearest directory with `.git`. Must not: start git.

use std::path::Path;
use std::path::PathBuf;

use crate::cli::options;
use catwalk_base::source::path::normalize_path;
use catwalk_world::Kind;
use catwalk_world::World;

/// The nearest directory with `.git` at or above a directory.
fn root<'p>(directory: &'p Path, world: &dyn World) -> Option<&'p Path> {
    directory.ancestors().find(|directory| world.kind(&directory.join(".git")) != Kind::Missing)
}

/// The path of a file below its repository; without a repository, below the current directory; else the absolute path.
pub(in crate::cli) fn below_repository(file: &Path, world: &dyn World) -> PathBuf {
    let Ok(here) = options::current_dir() else { return file.to_path_buf() };
    let absolute = normalize_path(&here.join(file));
    let root = absolute.parent().and_then(|directory| root(directory, world)).unwrap_or(&here);
    absolute.strip_prefix(root).map_or_else(|_| absolute.clone(), Path::to_path_buf)
}

/// The path of a site in its repository; empty if the site is the whole repository, or in none.
pub(in crate::cli) fn site_in_repository(site: Option<&Path>, world: &dyn World) -> PathBuf {
    let path = site.and_then(|site| site.strip_prefix(root(site, world)?).ok());
    path.map(Path::to_path_buf).unwrap_or_default()
}
