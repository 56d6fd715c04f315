//! `glob` and `globs` of a hierarchy: Ruby's `Dir.glob` over a world. Hidden files match only a pattern that starts
//! with a dot; results come in the order of names, braces in the order written.

use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use crate::world::Descent;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::World;

/// The entries of directories that one pattern looks at, and the patterns that its braces stand for: more are an error.
const MOST: usize = 1_000_000;

/// The files (not directories) that match.
///
/// # Errors
/// There is too much to look at.
pub(super) fn files(pattern: &str, world: &dyn World) -> Result<Vec<String>, String> {
    let mut search = Search { world, found: Vec::new(), looked: 0, descent: Descent::default() };
    let patterns = braces(pattern);
    for pattern in patterns.ok_or_else(|| too_many(pattern))? {
        let (start, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        let parts: Option<Vec<Part<'_>>> = rest.split('/').map(Part::of).collect();
        // A set that does not close matches nothing.
        if let Some(parts) = parts {
            search.walk(start, &parts);
        }
        if search.looked > MOST {
            return Err(too_many(&pattern));
        }
    }
    Ok(search.found)
}

fn too_many(pattern: &str) -> String {
    format!("the glob '{}' has more than {MOST} paths to look at", crate::world::excerpt(pattern))
}

/// `{a,b}` as alternatives; nothing when they are too many.
fn braces(pattern: &str) -> Option<Vec<String>> {
    let (mut done, mut left) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(pattern) = left.pop() {
        crate::meter::charge(pattern.len());
        if left.len() + done.len() > MOST / 10 {
            return None;
        }
        match alternatives(&pattern) {
            Some(mut alternatives) => {
                alternatives.reverse();
                left.append(&mut alternatives);
            }
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// A pattern with each alternative of its first braces in their place.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut depth = 0;
    let (mut open, mut commas) = (None, Vec::new());
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            b'{' => {
                depth += 1;
                open = open.or(Some(at));
            }
            b',' if depth == 1 => commas.push(at),
            b'}' if depth > 0 => {
                depth -= 1;
                let Some(start) = open.filter(|_| depth == 0) else { continue };
                let (before, after) = (pattern.get(..start).unwrap_or(""), pattern.get(at + 1..).unwrap_or(""));
                let ends = commas.iter().copied().chain([at]);
                let starts = [start].into_iter().chain(commas.iter().copied());
                let inner = starts.zip(ends).map(|(from, to)| pattern.get(from + 1..to).unwrap_or(""));
                return Some(inner.map(|inner| format!("{before}{inner}{after}")).collect());
            }
            _ => {}
        }
    }
    None
}

/// What a pattern has between two slashes.
enum Part<'a> {
    /// `**`
    Tree,
    /// A name.
    Name(&'a str),
    /// A pattern of names, and whether it matches hidden ones.
    Pattern(Regex, bool),
}

impl Part<'_> {
    fn of(text: &str) -> Option<Part<'_>> {
        match text {
            "**" => Some(Part::Tree),
            text if text.contains(['*', '?', '[', '\\']) => {
                Some(Part::Pattern(part_pattern(text)?, text.starts_with('.')))
            }
            name => Some(Part::Name(name)),
        }
    }
}

fn join(base: &str, name: &str) -> String {
    if base.is_empty() || base.ends_with('/') { format!("{base}{name}") } else { format!("{base}/{name}") }
}

struct Search<'w> {
    world: &'w dyn World,
    found: Vec<String>,
    looked: usize,
    descent: Descent,
}

impl Search<'_> {
    fn entries(&mut self, base: &str) -> Arc<[Entry]> {
        let entries = self.world.list(Path::new(if base.is_empty() { "." } else { base })).unwrap_or_default();
        self.looked += 1 + entries.len();
        crate::meter::tick(16 * entries.len() + 256);
        entries
    }

    fn walk(&mut self, base: &str, parts: &[Part<'_>]) {
        let Some((part, rest)) = parts.split_first() else { return };
        if self.looked > MOST {
            return;
        }
        match part {
            Part::Tree if !rest.is_empty() => self.recurse(base, rest),
            Part::Name(name) => {
                // An empty part is a doubled slash, which Ruby keeps.
                let path = if name.is_empty() { format!("{base}/") } else { join(base, name) };
                let kind = self.world.kind(Path::new(&path));
                if rest.is_empty() {
                    if kind == Kind::File && !name.is_empty() {
                        self.found.push(path);
                    }
                } else if kind == Kind::Directory {
                    self.walk(&path, rest);
                }
            }
            // Without a slash after it, `**` is `*`.
            Part::Tree => self.names(base, rest, &|name| !name.starts_with('.')),
            Part::Pattern(pattern, hidden) => {
                self.names(base, rest, &|name| (*hidden || !name.starts_with('.')) && pattern.is_match(name));
            }
        }
    }

    fn names(&mut self, base: &str, rest: &[Part<'_>], matches: &dyn Fn(&str) -> bool) {
        for entry in self.entries(base).iter().filter(|entry| matches(&entry.name)) {
            if !rest.is_empty() && entry.kind == Kind::Directory {
                self.walk(&join(base, &entry.name), rest);
            } else if rest.is_empty() && entry.kind == Kind::File {
                self.found.push(join(base, &entry.name));
            }
        }
    }

    /// `**/`: in each directory, entries and subdirectories take turns by name. Links are not followed.
    fn recurse(&mut self, base: &str, rest: &[Part<'_>]) {
        let last = match rest {
            [Part::Pattern(pattern, hidden)] => Some((pattern, *hidden)),
            rest => {
                self.walk(base, rest);
                None
            }
        };
        for entry in self.entries(base).iter() {
            let dot = entry.name.starts_with('.');
            match entry.kind {
                Kind::File
                    if last.is_some_and(|(pattern, hidden)| (!dot || hidden) && pattern.is_match(&entry.name)) =>
                {
                    self.found.push(join(base, &entry.name));
                }
                Kind::Directory if !dot && self.looked <= MOST && self.descent.enters_unlinked(entry) => {
                    self.recurse(&join(base, &entry.name), rest);
                }
                _ => {}
            }
        }
    }
}

/// One part of a pattern as a regular expression; `None` for a set that does not close.
fn part_pattern(part: &str) -> Option<Regex> {
    let mut out = String::from("^(?s:");
    let mut chars = part.chars();
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
                        c @ ('[' | '&' | '~' | '\\') => out.extend(['\\', c]),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Memory;

    #[test]
    fn matches_come_in_rubys_order() {
        let names =
            ["b/1.yaml", "b/c/2.yaml", "a/3.yaml", "0.yaml", "z.yaml", "aa.yaml", ".hid/4.yaml", ".h.yaml", "B.yaml"];
        let world = Memory::new(names.map(|name| (format!("/g/{name}"), "")));
        // Answers of Ruby 3.1's Dir.glob, directories left out.
        for (pattern, expected) in [
            ("/g/**/*.yaml", "0.yaml B.yaml a/3.yaml aa.yaml b/1.yaml b/c/2.yaml z.yaml"),
            ("/g/**.yaml", "0.yaml B.yaml aa.yaml z.yaml"),
            ("/g/{b,a}/*.yaml", "b/1.yaml a/3.yaml"),
            ("/g/[ab]*", "aa.yaml"),
            ("/g/{0,q}.yaml", "0.yaml"),
            ("/g/none/*", ""),
        ] {
            let found = files(pattern, &world).unwrap_or_default();
            let found: Vec<&str> = found.iter().map(|path| path.trim_start_matches("/g/")).collect();
            assert_eq!(found.join(" "), expected, "{pattern}");
        }
    }
}
