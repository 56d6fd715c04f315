//! The files below a directory that a tool for developers works on: without hidden files and those that git ignores.
//!
//! In: a directory. Out: its files in order, those that are ignored, files of rules that cannot be used. Must not: read the files.

use std::path::Path;
use std::path::PathBuf;

use crate::Descent;
use crate::Disk;
use crate::Guard;
use crate::Kind;
use crate::World;
use crate::WorldError;
use crate::ignore_rules::IgnoreRules;
use crate::ignore_rules::RuleReader;

/// The files below a directory. Their paths begin with that of the directory.
#[derive(Debug, Default)]
pub struct SourceFiles {
    /// The files, sorted by path.
    pub files: Vec<PathBuf>,
    /// How many files are ignored.
    pub ignored: usize,
    /// Why files with rules for ignored files are not used.
    pub unusable_rules: Vec<WorldError>,
}

/// Lists the files below a directory for which `is_source` returns true, also those in directories that symbolic links lead to, each of
/// these once. A disk with a guard follows no links to directories.
pub fn source_files(directory: &Path, disk: &Disk, is_source: &dyn Fn(&Path) -> bool) -> SourceFiles {
    walk(directory, disk, disk.guard(), is_source)
}

fn walk(directory: &Path, world: &dyn World, guard: Option<&Guard>, is_source: &dyn Fn(&Path) -> bool) -> SourceFiles {
    let mut reader = RuleReader::new(world, guard);
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
    let rules = IgnoreRules::of_directory(&absolute, &mut reader);
    let follows_links = guard.is_none();
    let found = SourceFiles::default();
    let mut walk = Walk { world, follows_links, is_source, reader, descent: Descent::default(), found };
    walk.enter(directory, &absolute, Some(&rules));
    let Walk { mut found, reader, .. } = walk;
    found.unusable_rules = reader.into_unusable();
    found.files.sort();
    found
}

struct Walk<'a> {
    world: &'a dyn World,
    follows_links: bool,
    is_source: &'a dyn Fn(&Path) -> bool,
    reader: RuleReader<'a>,
    descent: Descent,
    found: SourceFiles,
}

impl Walk<'_> {
    /// Walks through a directory; without rules, all its files are ignored.
    fn enter(&mut self, directory: &Path, absolute: &Path, rules: Option<&IgnoreRules>) {
        let Ok(entries) = self.world.list(directory) else { return };
        for entry in entries.iter() {
            let (path, absolute) = (directory.join(&*entry.name), absolute.join(&*entry.name));
            let is_directory = entry.kind == Kind::Directory;
            let decision = rules.map_or(Some(true), |rules| rules.decision(&absolute, is_directory));
            let is_ignored = decision == Some(true);
            if entry.name.starts_with('.') && decision != Some(false) {
                continue;
            }
            let is_entered = match self.follows_links {
                true => self.descent.enters(self.world, &path, entry),
                false => self.descent.enters_unlinked(entry),
            };
            if is_entered {
                let below = rules.filter(|_| !is_ignored).map(|rules| rules.enter(&absolute, &mut self.reader));
                self.enter(&path, &absolute, below.as_ref());
            } else if entry.kind == Kind::File && (self.is_source)(&path) {
                match is_ignored {
                    true => self.found.ignored += 1,
                    false => self.found.files.push(path),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn ignored_files_are_counted() {
        let world = Memory::new([
            ("/s/.git/HEAD", ""),
            ("/s/.gitignore", "/modules/\n*.tmp.pp\n!.kept\n"),
            ("/s/.hidden/a.pp", ""),
            ("/s/.kept/a.pp", ""),
            ("/s/a.pp", ""),
            ("/s/a.txt", ""),
            ("/s/d/.gitignore", "!b.tmp.pp\n"),
            ("/s/d/a.tmp.pp", ""),
            ("/s/d/b.tmp.pp", ""),
            ("/s/modules/.gitignore", "!*\n"),
            ("/s/modules/m/manifests/init.pp", ""),
            ("/s/modules/m/.git/a.pp", ""),
        ]);
        let is_source = |path: &Path| path.extension().is_some_and(|end| end == "pp");
        let found = walk(Path::new("/s"), &world, None, &is_source);
        let files: Vec<_> = found.files.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(files, ["/s/.kept/a.pp", "/s/a.pp", "/s/d/b.tmp.pp"]);
        assert_eq!((found.ignored, found.unusable_rules), (2, Vec::new()));
    }
}
