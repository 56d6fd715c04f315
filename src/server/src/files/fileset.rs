//! All files below a directory (`Puppet::FileServing::Fileset`).
//!
//! Differences from Puppet: entries are sorted by name. Dangling links and links that leave the module (if links are followed), devices,
//! and sockets are left out; with these, Puppet fails or reads files outside of the module.

use std::collections::HashSet;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustix::fs::FileType;

use super::metadata::Describer;
use super::metadata::Metadata;
use super::tree::Entry;
use super::tree::Tree;

/// The files below one or more directories, merged: of files with the same relative path, only the first is described.
pub(crate) struct Fileset<'a> {
    describer: &'a Describer<'a>,
    /// The maximum number of entries.
    limit: usize,
    described: HashSet<String>,
    entries: Vec<Metadata>,
}

/// A directory whose entries are not described yet.
struct PendingDirectory {
    /// Its path relative to the first directory.
    relative: String,
    depth: u64,
    ancestors: Option<Rc<Ancestors>>,
}

/// A directory and the directories that contain it, to detect cycles of links.
struct Ancestors {
    id: (u64, u64),
    parent: Option<Rc<Ancestors>>,
}

impl Ancestors {
    fn contain(mut next: Option<&Rc<Ancestors>>, id: (u64, u64)) -> bool {
        while let Some(directory) = next {
            if directory.id == id {
                return true;
            }
            next = directory.parent.as_ref();
        }
        false
    }
}

impl<'a> Fileset<'a> {
    /// An empty set for at most `limit` files.
    pub(crate) fn new(describer: &'a Describer<'a>, limit: usize) -> Fileset<'a> {
        Fileset { describer, limit, described: HashSet::new(), entries: Vec::new() }
    }

    /// The metadata of the files.
    pub(crate) fn entries(self) -> Vec<Metadata> {
        self.entries
    }

    /// Adds the files below `base`, a path relative to the tree; `path` is its absolute path. Returns whether `base` exists.
    ///
    /// # Errors
    /// There are too many files: Puppet's message. A file is too large.
    pub(crate) fn add(&mut self, tree: &Tree, base: &str, path: &Arc<str>) -> Result<bool, String> {
        let options = self.describer.options;
        let Some(start) = tree.find(base, options.follows_links) else { return Ok(false) };
        self.describe(tree, base, &start, path, ".")?;
        let mut count: usize = 0;
        let mut pending = VecDeque::new();
        if start.kind() == FileType::Directory && options.recurse {
            pending.push_back(PendingDirectory { relative: String::new(), depth: 0, ancestors: None });
        }
        while let Some(parent) = pending.pop_front() {
            if options.depth.is_some_and(|depth| parent.depth >= depth) {
                continue;
            }
            let in_tree = |relative: &str| match (base, relative) {
                (base, "") => base.to_owned(),
                ("", relative) => relative.to_owned(),
                (base, relative) => format!("{base}/{relative}"),
            };
            let Some(entry) = tree.find(&in_tree(&parent.relative), options.follows_links) else { continue };
            let Ok(directory) = entry.directory() else { continue };
            let ancestors = Some(Rc::new(Ancestors { id: id(&entry), parent: parent.ancestors.clone() }));
            for name in directory.names().unwrap_or_default() {
                if options.ignore.iter().any(|pattern| matches(pattern, &name)) {
                    continue;
                }
                let relative =
                    if parent.relative.is_empty() { name.clone() } else { format!("{}/{name}", parent.relative) };
                let tree_path = in_tree(&relative);
                let Some(mut entry) = directory.entry(&name) else { continue };
                if entry.kind() == FileType::Symlink && options.follows_links {
                    match tree.find(&tree_path, true) {
                        Some(target) => entry = target,
                        None => continue,
                    }
                }
                count += 1;
                self.check_count(count, path)?;
                self.describe(tree, &tree_path, &entry, path, &relative)?;
                if entry.kind() == FileType::Directory && !Ancestors::contain(ancestors.as_ref(), id(&entry)) {
                    let (depth, ancestors) = (parent.depth + 1, ancestors.clone());
                    pending.push_back(PendingDirectory { relative, depth, ancestors });
                }
            }
        }
        Ok(true)
    }

    fn describe(
        &mut self,
        tree: &Tree,
        tree_path: &str,
        entry: &Entry,
        path: &Arc<str>,
        relative: &str,
    ) -> Result<(), String> {
        if self.described.contains(relative) {
            return Ok(());
        }
        // A file that were left out would be removed by an agent that purges.
        self.describer.check_size(entry, &format!("{path}/{relative}"))?;
        if let Some(metadata) = self.describer.describe(tree, tree_path, entry, path, Some(relative)) {
            self.described.insert(relative.to_owned());
            self.entries.push(metadata);
        }
        Ok(())
    }

    fn check_count(&self, count: usize, path: &str) -> Result<(), String> {
        let max_files = usize::try_from(self.describer.options.max_files).ok().filter(|limit| *limit > 0);
        if let Some(limit) = max_files.filter(|limit| count > *limit) {
            return Err(format!(
                "The directory '{path}' contains {count} entries, which exceeds the limit of {limit} specified by the max_files \
                 parameter for this resource. The limit may be increased, but be aware that large number of file resources can \
                 result in excessive resource consumption and degraded performance. Consider using an alternate method to manage \
                 large directory trees"
            ));
        }
        match count > self.limit || self.entries.len() > self.limit {
            true => Err(format!("The directory '{path}' contains more than {} entries", self.limit)),
            false => Ok(()),
        }
    }
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "systems differ in the types"
)]
fn id(entry: &Entry) -> (u64, u64) {
    (entry.stat.st_dev as u64, entry.stat.st_ino as u64)
}

/// Whether a name matches a pattern according to Ruby's `File.fnmatch?` without flags: `*`, `?`, `[a-z]`, `[^a]`, `\x`. A wildcard
/// does not match a dot at the start of a name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    if name.first() == Some(&'.') && matches!(pattern.first(), Some('*' | '?' | '[')) {
        return false;
    }
    let (mut at, mut name_at) = (0, 0);
    // The positions to continue from if the last `*` has to match one more character.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(at) {
            Some('*') => {
                retry = Some((at + 1, name_at));
                at += 1;
                continue;
            }
            None if name_at == name.len() => return true,
            None => None,
            Some(_) => name.get(name_at).and_then(|character| match_character(&pattern, at, *character)),
        };
        match (step, &mut retry) {
            (Some(next), _) => (at, name_at) = (next, name_at + 1),
            (None, Some((after, taken))) if *taken < name.len() => {
                *taken += 1;
                (at, name_at) = (*after, *taken);
            }
            (None, _) => return false,
        }
    }
}

/// Matches a character with the part of a pattern that starts at `at`. Returns the start of the next part.
fn match_character(pattern: &[char], at: usize, character: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => match_set(pattern, at + 1, character),
        '\\' => match pattern.get(at + 1) {
            Some(escaped) => (*escaped == character).then_some(at + 2),
            None => None,
        },
        literal => (*literal == character).then_some(at + 1),
    }
}

/// Matches a character with a set such as `[a-z]` whose content starts at `at`. A set without `]` matches nothing.
fn match_set(pattern: &[char], mut at: usize, character: char) -> Option<usize> {
    let negated = matches!(pattern.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let mut is_member = false;
    let literal = |at: &mut usize| {
        if pattern.get(*at) == Some(&'\\') && pattern.get(*at + 1).is_some() {
            *at += 1;
        }
        let character = pattern.get(*at).copied();
        *at += 1;
        character
    };
    while pattern.get(at) != Some(&']') {
        let first = literal(&mut at)?;
        let is_range = pattern.get(at) == Some(&'-') && pattern.get(at + 1).is_some_and(|next| *next != ']');
        let last = if is_range {
            at += 1;
            literal(&mut at)?
        } else {
            first
        };
        is_member |= (first..=last).contains(&character);
    }
    (is_member != negated).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::matches;

    /// Recorded with `ruby -e 'p File.fnmatch?(pattern, name)'` (Ruby 3.1).
    #[test]
    fn patterns_match_as_in_ruby() {
        let cases = [
            (".svn", ".svn", true),
            ("CVS", "CVS", true),
            ("CVS", "cvs", false),
            ("*.swp", "a.swp", true),
            ("*.swp", ".a.swp", false),
            (".*", ".git", true),
            ("*", ".git", false),
            ("?git", ".git", false),
            ("[.]git", ".git", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[!a]x", "bx", true),
            ("[a", "a", false),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("{a,b}", "a", false),
            ("", "", true),
            ("*", "", true),
            ("a[]b", "ab", false),
            ("[]]", "]", false),
            ("a\\", "a\\", false),
            ("*ä?", "xäö", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
