//! All files below a directory (`Puppet::FileServing::Fileset`).
//!
//! As Puppet's, but entries are sorted by name, and three kinds are left out that end Puppet's answer with an error or let it
//! leave the module: links that lead nowhere or out of the module (where links are followed), devices, and sockets.

use std::collections::HashSet;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustix::fs::FileType;

use super::beneath::Found;
use super::beneath::Tree;
use super::metadata::Describer;
use super::metadata::Metadata;

/// The files below some directories, merged: of two with one relative path the first is described.
pub(crate) struct Fileset<'a> {
    describer: &'a Describer<'a>,
    /// Entries at most.
    limit: usize,
    described: HashSet<String>,
    entries: Vec<Metadata>,
}

/// A directory to look into.
struct Level {
    /// Its path from the directory at the start.
    relative: String,
    depth: u64,
    above: Option<Rc<Above>>,
}

/// The directories above one.
struct Above {
    id: (u64, u64),
    above: Option<Rc<Above>>,
}

impl Above {
    fn has(mut at: Option<&Rc<Above>>, id: (u64, u64)) -> bool {
        while let Some(level) = at {
            if level.id == id {
                return true;
            }
            at = level.above.as_ref();
        }
        false
    }
}

impl<'a> Fileset<'a> {
    /// A set without files that may get `limit`.
    pub(crate) fn new(describer: &'a Describer<'a>, limit: usize) -> Fileset<'a> {
        Fileset { describer, limit, described: HashSet::new(), entries: Vec::new() }
    }

    /// The files.
    pub(crate) fn entries(self) -> Vec<Metadata> {
        self.entries
    }

    /// Adds the files below `base`, a path in the tree; `path` is its whole path. Returns whether there is something.
    ///
    /// # Errors
    /// There are too many files: Puppet's message.
    pub(crate) fn add(&mut self, tree: &Tree, base: &str, path: &Arc<str>) -> Result<bool, String> {
        let wanted = self.describer.wanted;
        let Some(start) = tree.find(base, wanted.follows_links) else { return Ok(false) };
        self.describe(tree, base, &start, path, ".");
        let mut count: usize = 0;
        let mut levels = VecDeque::new();
        if start.kind() == FileType::Directory && wanted.recurse {
            levels.push_back(Level { relative: String::new(), depth: 0, above: None });
        }
        while let Some(level) = levels.pop_front() {
            if wanted.depth.is_some_and(|depth| level.depth >= depth) {
                continue;
            }
            let within =
                |relative: &str| if relative.is_empty() { base.to_owned() } else { format!("{base}/{relative}") };
            let Some(here) = tree.find(&within(&level.relative), wanted.follows_links) else { continue };
            let Ok(directory) = here.directory() else { continue };
            let above = Some(Rc::new(Above { id: id(&here), above: level.above.clone() }));
            for name in directory.names().unwrap_or_default() {
                if wanted.ignore.iter().any(|pattern| matches(pattern, &name)) {
                    continue;
                }
                let relative =
                    if level.relative.is_empty() { name.clone() } else { format!("{}/{name}", level.relative) };
                let within = within(&relative);
                let Some(mut entry) = directory.entry(&name) else { continue };
                if entry.kind() == FileType::Symlink && wanted.follows_links {
                    match tree.find(&within, true) {
                        Some(target) => entry = target,
                        None => continue,
                    }
                }
                count += 1;
                self.check_count(count, path)?;
                self.describe(tree, &within, &entry, path, &relative);
                if entry.kind() == FileType::Directory && !Above::has(above.as_ref(), id(&entry)) {
                    levels.push_back(Level { relative, depth: level.depth + 1, above: above.clone() });
                }
            }
        }
        Ok(true)
    }

    fn describe(&mut self, tree: &Tree, within: &str, found: &Found, path: &Arc<str>, relative: &str) {
        if self.described.contains(relative) {
            return;
        }
        if let Some(metadata) = self.describer.describe(tree, within, found, path, Some(relative)) {
            self.described.insert(relative.to_owned());
            self.entries.push(metadata);
        }
    }

    fn check_count(&self, count: usize, path: &str) -> Result<(), String> {
        let asked = usize::try_from(self.describer.wanted.max_files).ok().filter(|most| *most > 0);
        if let Some(most) = asked.filter(|most| count > *most) {
            return Err(format!(
                "The directory '{path}' contains {count} entries, which exceeds the limit of {most} specified by the max_files \
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
fn id(found: &Found) -> (u64, u64) {
    (found.stat.st_dev as u64, found.stat.st_ino as u64)
}

/// Whether a name matches a pattern as `File.fnmatch?` without flags has it: `*`, `?`, `[a-z]`, `[^a]`, `\x`. A wildcard does not
/// match a dot at the start of a name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    if name.first() == Some(&'.') && matches!(pattern.first(), Some('*' | '?' | '[')) {
        return false;
    }
    let (mut at, mut seen) = (0, 0);
    // Where to go on if a `*` has to take one more character.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(at) {
            Some('*') => {
                retry = Some((at + 1, seen));
                at += 1;
                continue;
            }
            None if seen == name.len() => return true,
            None => None,
            Some(_) => name.get(seen).and_then(|character| single(&pattern, at, *character)),
        };
        match (step, &mut retry) {
            (Some(next), _) => (at, seen) = (next, seen + 1),
            (None, Some((after, taken))) if *taken < name.len() => {
                *taken += 1;
                (at, seen) = (*after, *taken);
            }
            (None, _) => return false,
        }
    }
}

/// Matches a character with the part of a pattern that starts at `at`; the start of the next part.
fn single(pattern: &[char], at: usize, character: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => set(pattern, at + 1, character),
        '\\' => match pattern.get(at + 1) {
            Some(escaped) => (*escaped == character).then_some(at + 2),
            None => None,
        },
        literal => (*literal == character).then_some(at + 1),
    }
}

/// Matches a character with a set whose first character is at `at`. A set without its `]` matches nothing.
fn set(pattern: &[char], mut at: usize, character: char) -> Option<usize> {
    let negated = matches!(pattern.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let mut has = false;
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
        has |= (first..=last).contains(&character);
    }
    (has != negated).then_some(at + 1)
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
