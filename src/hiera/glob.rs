//! `glob` and `globs` of a hierarchy: Ruby's `Dir.glob` over a world. Hidden files match only a pattern that starts
//! with a dot; results come in the order of names, braces in the order written.

use std::path::Path;

use regex::Regex;

use crate::world::Kind;
use crate::world::World;

/// More results or deeper trees than this are cut off: a link may lead back up.
const MAX_DEPTH: usize = 64;

/// The files (not directories) that match.
pub(super) fn files(pattern: &str, world: &dyn World) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in braces(pattern) {
        let (start, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/".to_owned(), rest.to_owned()),
            None => (String::new(), pattern),
        };
        let parts: Vec<&str> = rest.split('/').collect();
        walk(&start, &parts, world, 0, &mut found);
    }
    found
}

/// `{a,b}` as alternatives.
fn braces(pattern: &str) -> Vec<String> {
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
                return starts
                    .zip(ends)
                    .flat_map(|(from, to)| {
                        let inner = pattern.get(from + 1..to).unwrap_or("");
                        braces(&format!("{before}{inner}{after}"))
                    })
                    .collect();
            }
            _ => {}
        }
    }
    vec![pattern.to_owned()]
}

fn walk(base: &str, parts: &[&str], world: &dyn World, depth: usize, found: &mut Vec<String>) {
    let Some((part, rest)) = parts.split_first() else { return };
    if depth > MAX_DEPTH {
        return;
    }
    let join = |name: &str| {
        if base.is_empty() || base.ends_with('/') { format!("{base}{name}") } else { format!("{base}/{name}") }
    };
    if *part == "**" && !rest.is_empty() {
        return recurse(base, rest, world, depth, found);
    }
    if !part.contains(['*', '?', '[', '\\']) {
        // An empty part stands for a doubled slash, which Ruby keeps.
        let path = if part.is_empty() { format!("{base}/") } else { join(part) };
        let kind = world.kind(Path::new(&path));
        if rest.is_empty() {
            if kind == Kind::File && !part.is_empty() {
                found.push(path);
            }
        } else if kind == Kind::Directory {
            walk(&path, rest, world, depth + 1, found);
        }
        return;
    }
    let Some(pattern) = part_pattern(part) else { return };
    let Ok(entries) = world.list(Path::new(if base.is_empty() { "." } else { base })) else { return };
    for entry in entries.iter() {
        if entry.name.starts_with('.') && !part.starts_with('.') || !pattern.is_match(&entry.name) {
            continue;
        }
        if !rest.is_empty() && entry.kind == Kind::Directory {
            walk(&join(&entry.name), rest, world, depth + 1, found);
        } else if rest.is_empty() && entry.kind == Kind::File {
            found.push(join(&entry.name));
        }
    }
}

/// `**/`: in each directory, entries and subdirectories take turns by name.
fn recurse(base: &str, rest: &[&str], world: &dyn World, depth: usize, found: &mut Vec<String>) {
    let join = |name: &str| {
        if base.is_empty() || base.ends_with('/') { format!("{base}{name}") } else { format!("{base}/{name}") }
    };
    let magic = rest.first().is_some_and(|part| part.contains(['*', '?', '[', '\\']));
    if rest.len() > 1 || !magic {
        walk(base, rest, world, depth + 1, found);
    }
    let last = rest.first().filter(|_| rest.len() == 1 && magic);
    let pattern = last.and_then(|part| part_pattern(part));
    let hidden = last.is_some_and(|part| part.starts_with('.'));
    let Ok(entries) = world.list(Path::new(if base.is_empty() { "." } else { base })) else { return };
    for entry in entries.iter() {
        let dot = entry.name.starts_with('.');
        match entry.kind {
            Kind::File if (!dot || hidden) && pattern.as_ref().is_some_and(|p| p.is_match(&entry.name)) => {
                found.push(join(&entry.name));
            }
            Kind::Directory if !dot && depth < MAX_DEPTH => {
                recurse(&join(&entry.name), rest, world, depth + 1, found);
            }
            _ => {}
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
            let found = files(pattern, &world);
            let found: Vec<&str> = found.iter().map(|path| path.trim_start_matches("/g/")).collect();
            assert_eq!(found.join(" "), expected, "{pattern}");
        }
    }
}
