//! Ruby's `Dir.glob` (dir.c, `glob_helper`) over a world.
//!
//! In: a pattern. Out: the paths that match, in Ruby's order: entries by name, braces as they are written, and what is below
//! a directory directly behind it. Names with a leading dot match only a pattern that has it; `**/` enters no symbolic links.

use std::path::Path;

use regex::Regex;

use super::Descent;
use super::Entry;
use super::Kind;
use super::World;

/// The most patterns that the braces of one pattern may expand to.
const MAX_PATTERNS: usize = 100_000;

/// Which matching paths to return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFilter {
    /// Only files.
    Files,
    /// Files and directories.
    All,
}

/// The paths that match a pattern; `None` when its braces expand to too many patterns, or when the search visits more than `max_entries`
/// directory entries.
pub fn glob(world: &dyn World, pattern: &str, filter: EntryFilter, max_entries: usize) -> Option<Vec<String>> {
    let descent = Descent::default();
    let mut search = GlobSearch {
        world,
        filter,
        max_entries,
        visited: 0,
        descent,
        parts: Vec::new(),
        slash: false,
        matches: Vec::new(),
    };
    for pattern in alternatives(pattern)? {
        let (start, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        // A set of characters that does not close matches nothing.
        let Some((parts, slash)) = parts(rest) else { continue };
        (search.parts, search.slash) = (parts, slash);
        search.visit(start, None, &[0]);
        if search.visited > max_entries {
            return None;
        }
    }
    Some(search.matches)
}

/// The patterns that `{a,b}` expands to, in order; `None` when they are too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut done, mut left) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(pattern) = left.pop() {
        // The number of patterns doubles with every pair of braces.
        if left.len() + done.len() > MAX_PATTERNS {
            return None;
        }
        catwalk_base::meter::charge(pattern.len());
        match braces(&pattern) {
            Some(marks) => left.extend(marks.windows(2).rev().filter_map(|choice| {
                let (open, close) = (*marks.first()?, *marks.last()?);
                let (from, to) = (choice.first()? + 1, *choice.last()?);
                let (before, after) = (pattern.get(..open)?, pattern.get(close + 1..)?);
                Some(format!("{before}{}{after}", pattern.get(from..to)?))
            })),
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// Where the first pair of braces opens, its commas, and where it closes.
fn braces(pattern: &str) -> Option<Vec<usize>> {
    let (mut depth, mut marks, mut escaped) = (0, Vec::new(), false);
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => {
                depth += 1;
                if depth == 1 {
                    marks.push(at);
                }
            }
            b',' if depth == 1 => marks.push(at),
            b'}' if depth == 1 => {
                marks.push(at);
                return Some(marks);
            }
            b'}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A part of a pattern.
enum GlobPart {
    /// `**/`: any number of directories.
    Tree,
    /// A name, or several with slashes between them.
    Name(String),
    /// A pattern of names, and whether it matches hidden ones.
    Pattern(Regex, bool),
}

/// The parts of a pattern, and whether a slash is at its end; `None` for a set of characters that does not close.
fn parts(pattern: &str) -> Option<(Vec<GlobPart>, bool)> {
    let mut parts: Vec<GlobPart> = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        if let Some(below) = rest.strip_prefix("**/") {
            rest = below.trim_start_matches('/');
            if !matches!(parts.last(), Some(GlobPart::Tree)) {
                parts.push(GlobPart::Tree);
            }
            if rest.is_empty() {
                return Some((parts, true));
            }
            continue;
        }
        let (segment, below) = rest.split_once('/').map_or((rest, None), |(segment, below)| (segment, Some(below)));
        let (name, magic) = unescape(segment);
        match parts.last_mut() {
            _ if magic => {
                let hidden = segment.starts_with('.') || segment.starts_with("\\.");
                parts.push(GlobPart::Pattern(segment_regex(segment)?, hidden));
            }
            Some(GlobPart::Name(path)) => {
                path.push('/');
                path.push_str(&name);
            }
            _ => parts.push(GlobPart::Name(name)),
        }
        match below {
            Some("") => return Some((parts, true)),
            Some(below) => rest = below,
            None => break,
        }
    }
    Some((parts, false))
}

/// A segment without its backslashes, and whether it is a pattern.
fn unescape(segment: &str) -> (String, bool) {
    let (mut name, mut magic) = (String::with_capacity(segment.len()), false);
    let mut chars = segment.chars();
    while let Some(c) = chars.next() {
        magic |= matches!(c, '*' | '?' | '[');
        name.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    (name, magic)
}

/// A segment as a regular expression; `None` for a set that does not close.
fn segment_regex(segment: &str) -> Option<Regex> {
    let mut out = String::from("^(?s:");
    let mut chars = segment.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '\\' => out.push_str(&regex::escape(&chars.next()?.to_string())),
            '[' => {
                out.push('[');
                let mut first = true;
                loop {
                    match chars.next()? {
                        ']' if !first => break,
                        '!' | '^' if first => out.push('^'),
                        '\\' => out.extend(['\\', chars.next()?]),
                        c @ ('[' | '&' | '~') => out.extend(['\\', c]),
                        c => out.push(c),
                    }
                    first = false;
                }
                out.push(']');
            }
            c => out.push_str(&regex::escape(&c.to_string())),
        }
    }
    out.push_str(")$");
    Regex::new(&out).ok()
}

/// A search for one pattern after the other.
struct GlobSearch<'w> {
    world: &'w dyn World,
    filter: EntryFilter,
    max_entries: usize,
    visited: usize,
    descent: Descent,
    parts: Vec<GlobPart>,
    slash: bool,
    matches: Vec<String>,
}

impl GlobSearch<'_> {
    /// Compares a path, whose kind may be known, with the pattern; `reached` are the numbers of the parts that it is compared
    /// with next.
    fn visit(&mut self, path: &str, kind: Option<Kind>, reached: &[usize]) {
        if self.visited > self.max_entries {
            return;
        }
        // `**/` also matches no directory.
        let is_tree = |at: &usize| matches!(self.parts.get(*at), Some(GlobPart::Tree));
        let next: Vec<usize> = reached.iter().map(|at| if is_tree(at) { at + 1 } else { *at }).collect();
        let recursive = reached.iter().any(is_tree);
        let magic = next.iter().any(|at| matches!(self.parts.get(*at), Some(GlobPart::Pattern(..))));
        let mut kind = kind;
        if next.contains(&self.parts.len()) && !path.is_empty() {
            let known_kind = kind.unwrap_or_else(|| self.world.kind(Path::new(path)));
            self.add_match(path, known_kind);
            kind = Some(known_kind);
        }
        if !recursive && !magic {
            self.visit_named(path, &next);
        } else if kind.is_none_or(|kind| kind == Kind::Directory) {
            for entry in self.entries(path).iter() {
                let enters = recursive && !entry.name.starts_with('.') && self.descent.enters_unlinked(entry);
                let mut below: Vec<usize> = Vec::new();
                for (at, next) in reached.iter().zip(&next) {
                    let stays = (at != next && enters).then_some(*at);
                    let matches = self.parts.get(*next).is_some_and(|part| part.matches(&entry.name));
                    for at in stays.into_iter().chain(matches.then_some(next + 1)) {
                        if !below.contains(&at) {
                            below.push(at);
                        }
                    }
                }
                if !below.is_empty() {
                    self.visit(&join(path, &entry.name), Some(entry.kind), &below);
                }
            }
        }
    }

    /// Checks names without wildcards: no directory is listed for them.
    fn visit_named(&mut self, path: &str, next: &[usize]) {
        let named: Vec<(usize, String)> = next
            .iter()
            .filter_map(|at| match self.parts.get(*at) {
                Some(GlobPart::Name(name)) => Some((at + 1, join(path, name))),
                _ => None,
            })
            .collect();
        for (at, path) in named {
            self.visited += 1;
            self.visit(&path, None, &[at]);
        }
    }

    /// Adds a path that the whole pattern matches.
    fn add_match(&mut self, path: &str, kind: Kind) {
        match kind {
            Kind::Directory if self.filter == EntryFilter::Files => {}
            Kind::Directory if self.slash => {
                self.matches.push(if path == "/" { "/".to_owned() } else { format!("{path}/") })
            }
            Kind::Directory | Kind::File if !self.slash => self.matches.push(path.to_owned()),
            _ => {}
        }
    }

    fn entries(&mut self, directory: &str) -> std::sync::Arc<[Entry]> {
        let directory = Path::new(if directory.is_empty() { "." } else { directory });
        let entries = self.world.list(directory).unwrap_or_default();
        self.visited += 1 + entries.len();
        catwalk_base::meter::tick(16 * entries.len() + 256);
        entries
    }
}

impl GlobPart {
    fn matches(&self, name: &str) -> bool {
        match self {
            GlobPart::Tree => false,
            GlobPart::Name(literal) => literal == name,
            GlobPart::Pattern(pattern, hidden) => (*hidden || !name.starts_with('.')) && pattern.is_match(name),
        }
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        directory => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    fn found(pattern: &str, filter: EntryFilter) -> String {
        let names = [
            "b/1.yaml",
            "b/c/2.yaml",
            "a/3.yaml",
            "0.yaml",
            "z.yaml",
            "aa.yaml",
            ".hid/4.yaml",
            ".h.yaml",
            "B.yaml",
            "b/c/b/c/5.yaml",
            "{x}.yaml",
            "q*.yaml",
        ];
        let world = Memory::new(names.map(|name| (format!("/g/{name}"), "")));
        let found = glob(&world, pattern, filter, 1000).unwrap_or_default();
        found.iter().map(|path| path.strip_prefix("/g/").unwrap_or(path)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_come_in_rubys_order() {
        // Answers of Ruby 3.1's Dir.glob, directories left out.
        for (pattern, expected) in [
            (
                "/g/**/*.yaml",
                "0.yaml B.yaml a/3.yaml aa.yaml b/1.yaml b/c/2.yaml b/c/b/c/5.yaml q*.yaml z.yaml {x}.yaml",
            ),
            ("/g/**.yaml", "0.yaml B.yaml aa.yaml q*.yaml z.yaml {x}.yaml"),
            ("/g/{b,a}/*.yaml", "b/1.yaml a/3.yaml"),
            ("/g/[ab]*", "aa.yaml"),
            ("/g/{0,q}.yaml", "0.yaml"),
            ("/g/none/*", ""),
            ("/g/.h*", ".h.yaml"),
            ("/g/\\{x\\}.yaml", "{x}.yaml"),
            ("/g/q\\*.yaml", "q*.yaml"),
            ("/g/{\\{x\\},{a,b}/*}.yaml", "{x}.yaml a/3.yaml b/1.yaml"),
            ("/g/**/b/**/*.yaml", "b/1.yaml b/c/2.yaml b/c/b/c/5.yaml"),
            ("/g/[b", ""),
            ("", ""),
        ] {
            assert_eq!(found(pattern, EntryFilter::Files), expected, "{pattern}");
        }
    }

    #[test]
    fn directories_match_if_the_filter_includes_them() {
        for (pattern, expected) in [
            ("/g/b/*", "b/1.yaml b/c"),
            ("/g/**/", " a/ b/ b/c/ b/c/b/ b/c/b/c/"),
            ("/g/{a,b}/", "a/ b/"),
            ("/g/b/**/c", "b/c b/c/b/c"),
            ("/", "/"),
        ] {
            assert_eq!(found(pattern, EntryFilter::All), expected, "{pattern}");
        }
    }

    #[test]
    fn a_search_with_too_many_entries_ends() {
        let world = Memory::new((0..50).map(|n| (format!("/g/{n}.yaml"), "")));
        assert_eq!(glob(&world, "/g/*", EntryFilter::All, 20), None);
        assert_eq!(glob(&world, &"{a,b}".repeat(40), EntryFilter::All, 1000), None);
    }
}
