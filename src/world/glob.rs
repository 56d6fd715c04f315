//! Paths that match a pattern, as Ruby's `Dir.glob` finds them.
//!
//! In: a pattern with `*`, `?`, `[a-z]`, `{a,b}` and `**/`. Out: paths in the order in which they are found.

use std::path::Path;

use super::Descent;
use super::Entry;
use super::Kind;
use super::World;
use crate::globs;

/// Directories below each other, and paths, that are looked at: more stop the search.
pub const MOST: usize = 100_000;

/// The paths that match a pattern, added to those found; false when there are too many files to look at.
#[must_use]
pub fn paths(world: &dyn World, pattern: &str, found: &mut Vec<String>) -> bool {
    let Some(patterns) = alternatives(pattern) else { return false };
    let mut search = Search { world, found, looked: 0, descent: Descent::default() };
    for pattern in patterns {
        search.looked += 1;
        let (start, parts) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        let parts: Vec<&str> = parts.split('/').filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            search.below(start, &parts, pattern.ends_with('/'));
        } else if start == "/" {
            search.found.push("/".to_owned());
        }
        if search.looked > MOST {
            return false;
        }
    }
    true
}

/// The patterns that `{a,b}` stands for, in order; nothing when they are too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut left = vec![pattern.to_owned()];
    while let Some(pattern) = left.pop() {
        // The number of patterns doubles with every pair of braces.
        if left.len() + done.len() > MOST {
            return None;
        }
        crate::meter::charge(pattern.len());
        match braces(&pattern) {
            Some((open, close)) => {
                let (before, after) = (pattern.get(..open).unwrap_or(""), pattern.get(close + 1..).unwrap_or(""));
                let choices = choices(pattern.get(open + 1..close).unwrap_or(""));
                left.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// Where the first pair of braces is.
fn braces(pattern: &str) -> Option<(usize, usize)> {
    let (mut depth, mut open, mut escaped) = (0, 0, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            '}' if depth == 1 => return Some((open, at)),
            '}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts between commas that are in no braces of their own.
fn choices(inner: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(inner.get(from..at).unwrap_or(""));
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(inner.get(from..).unwrap_or(""));
    out
}

struct Search<'s> {
    world: &'s dyn World,
    found: &'s mut Vec<String>,
    looked: usize,
    descent: Descent,
}

impl Search<'_> {
    /// What matches the parts below a directory. `slash`: only directories, and with a slash at the end.
    fn below(&mut self, directory: &str, parts: &[&str], slash: bool) {
        let Some((part, rest)) = parts.split_first() else { return };
        if self.looked > MOST {
            return;
        }
        if *part == "**" && !rest.is_empty() {
            self.below(directory, rest, slash);
            for entry in self.entries(directory) {
                if !entry.name.starts_with('.') && self.descent.enters_unlinked(&entry) {
                    self.below(&join(directory, &entry.name), parts, slash);
                }
            }
            return;
        }
        let matching = if part.contains(['*', '?', '[', '\\']) {
            let Ok(glob) = globs::matcher(part, false) else { return };
            let hidden = part.starts_with('.');
            let names = self.entries(directory).into_iter().map(|entry| entry.name.to_string());
            names.filter(|name| hidden == name.starts_with('.') && glob.is_match(name)).collect()
        } else {
            vec![(*part).to_owned()]
        };
        for name in matching {
            let path = join(directory, &name);
            if !rest.is_empty() {
                self.below(&path, rest, slash);
                continue;
            }
            match self.world.kind(Path::new(&path)) {
                Kind::Directory if slash => self.found.push(format!("{path}/")),
                Kind::Directory | Kind::File if !slash => self.found.push(path),
                _ => {}
            }
        }
    }

    fn entries(&mut self, directory: &str) -> Vec<Entry> {
        let at = if directory.is_empty() { "." } else { directory };
        let entries = self.world.list(Path::new(at)).map(|list| list.to_vec()).unwrap_or_default();
        self.looked += entries.len() + 1;
        crate::meter::tick(16 * entries.len() + 256);
        entries
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        directory => format!("{directory}/{name}"),
    }
}
