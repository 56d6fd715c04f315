//! What a compile used of a manifest, and whether another text of the same file would have given it the same.
//!
//! In: two parsed texts of a file. Out: whether the used parts have the same tokens, and where their lines went. Comments,
//! blank lines and indentation make no tokens. Must not: know who asks.
//!
//! A file's parts are its definitions and the rest: everything outside of them, the names of all definitions, and what node
//! blocks match. The rest is part of every use, since it decides what is defined at all.

use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::cache::Parsed;
use crate::syntax;
use crate::syntax::ast::DefinitionKind;
use crate::syntax::ast::File;

/// What a compile used of a file.
#[derive(Clone, Debug)]
pub struct Use {
    /// The file as it was.
    pub parsed: Arc<Parsed>,
    /// Definitions by number, sorted.
    pub definitions: Arc<[usize]>,
}

/// What became of the used parts of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// They are the same in the same places.
    Nowhere,
    /// They are the same; the line of each line that has a token.
    Lines(FxHashMap<u32, u32>),
    /// They differ.
    Changed,
}

/// One part: the digest of its tokens, that of their places, their lines.
#[derive(Debug, Default)]
struct Part {
    tokens: std::hash::DefaultHasher,
    places: std::hash::DefaultHasher,
    lines: Vec<u32>,
}

/// The parts of a text.
#[derive(Debug)]
pub(super) struct Layout {
    rest: Part,
    definitions: Vec<Part>,
}

impl Layout {
    pub(super) fn new(file: &File, text: &str, template: bool) -> Layout {
        let mut rest = Part::default();
        let mut definitions: Vec<Part> = Vec::new();
        // What a definition is made of; of a node block the head belongs to the rest.
        let mut ranges = Vec::new();
        for definition in &file.definitions {
            std::mem::discriminant(&definition.kind).hash(&mut rest.tokens);
            definition.name.as_str().hash(&mut rest.tokens);
            let start = match &definition.kind {
                DefinitionKind::Node(node) => node.body.span.start,
                _ => definition.span.start,
            };
            ranges.push((start, definition.span.end));
            definitions.push(Part::default());
        }
        let mut line = 1;
        let mut line_start = 0_usize;
        let mut last = 0_usize;
        for (at, token) in syntax::fingerprints(text, template) {
            let start = at as usize;
            for newline in memchr::memchr_iter(b'\n', text.as_bytes().get(last..start).unwrap_or_default()) {
                line += 1;
                line_start = last + newline + 1;
            }
            last = last.max(start);
            let column = start.saturating_sub(line_start);
            let mut inside = false;
            for (part, (from, to)) in definitions.iter_mut().zip(&ranges) {
                if (*from..*to).contains(&at) {
                    part.add(token, line, column);
                    inside = true;
                }
            }
            if !inside {
                rest.add(token, line, column);
            }
        }
        Layout { rest, definitions }
    }
}

impl Part {
    fn add(&mut self, token: u64, line: u32, column: usize) {
        token.hash(&mut self.tokens);
        (line, column).hash(&mut self.places);
        self.lines.push(line);
    }
}

impl Use {
    /// What became of what was used, in another text of the same file.
    #[must_use]
    pub fn compare(&self, now: &Parsed) -> Moved {
        if now.first_error().is_some() || !same_messages(&self.parsed, now) {
            return Moved::Changed;
        }
        let (old, new) = (self.parsed.layout(), now.layout());
        if old.definitions.len() != new.definitions.len() {
            return Moved::Changed;
        }
        let pairs =
            self.definitions.iter().filter_map(|at| Some((old.definitions.get(*at)?, new.definitions.get(*at)?)));
        let pairs: Vec<(&Part, &Part)> = std::iter::once((&old.rest, &new.rest)).chain(pairs).collect();
        if pairs.iter().any(|(a, b)| a.tokens.finish() != b.tokens.finish() || a.lines.len() != b.lines.len()) {
            return Moved::Changed;
        }
        if pairs.iter().all(|(a, b)| a.places.finish() == b.places.finish()) {
            return Moved::Nowhere;
        }
        let mut lines = FxHashMap::default();
        for (a, b) in pairs {
            for (from, to) in a.lines.iter().zip(&b.lines) {
                // A line that was broken in two: which of them a resource is in, only a compile tells.
                if *lines.entry(*from).or_insert(*to) != *to {
                    return Moved::Changed;
                }
            }
        }
        Moved::Lines(lines)
    }
}

/// Whether the same is to be said of both texts; what is said has places, so little may be said at all.
fn same_messages(old: &Parsed, new: &Parsed) -> bool {
    old.diagnostics.is_empty() && new.diagnostics.is_empty()
}
