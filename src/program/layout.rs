//! What a compile used of a manifest, and whether another text of the same file would have given it the same.
//!
//! In: two parsed texts of a file. Out: whether the used parts have the same tokens, and where their lines went. Comments,
//! blank lines and indentation make no tokens. Must not: know who asks.
//!
//! A file's parts are its definitions and the rest: everything outside of them, and the names of all definitions but node
//! blocks. The rest is part of every use, since it decides what is defined at all. Which node block a node gets is another
//! question; where what blocks match has changed, whoever compares has to ask it again.

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
    Lines(Arc<FxHashMap<u32, u32>>),
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
    /// Which of the definitions are node blocks, and which are not.
    blocks: Vec<usize>,
    others: Vec<usize>,
    /// The digest of what node blocks match.
    heads: u64,
}

impl Layout {
    pub(super) fn new(file: &File, text: &str, template: bool) -> Layout {
        let mut rest = Part::default();
        let mut definitions: Vec<Part> = Vec::new();
        let mut ranges = Vec::new();
        let (mut blocks, mut others) = (Vec::new(), Vec::new());
        let mut heads = std::hash::DefaultHasher::new();
        let mut bodies = Vec::new();
        for (number, definition) in file.definitions.iter().enumerate() {
            if let DefinitionKind::Node(node) = &definition.kind {
                blocks.push(number);
                // The body's span is that of the whole definition.
                bodies.push(node.matches.iter().chain(&node.parent).map(|expr| expr.span.end).max().unwrap_or(0));
            } else {
                others.push(number);
                bodies.push(definition.span.start);
                std::mem::discriminant(&definition.kind).hash(&mut rest.tokens);
                definition.name.as_str().hash(&mut rest.tokens);
            }
            ranges.push((definition.span.start, definition.span.end));
            definitions.push(Part::default());
        }
        let mut starts: Vec<usize> = (0..ranges.len()).collect();
        starts.sort_by_key(|number| ranges.get(*number).copied());
        let mut starts = starts.into_iter().peekable();
        let mut open: Vec<usize> = Vec::new();
        let mut line = 1;
        let mut line_start = 0_usize;
        let mut last = 0_usize;
        for (at, token, placed) in syntax::fingerprints(text, template) {
            let start = at as usize;
            for newline in memchr::memchr_iter(b'\n', text.as_bytes().get(last..start).unwrap_or_default()) {
                line += 1;
                line_start = last + newline + 1;
            }
            last = last.max(start);
            let column = start.saturating_sub(line_start);
            // Definitions may stand in others.
            open.retain(|number| ranges.get(*number).is_some_and(|(_, to)| at < *to));
            while let Some(number) = starts.next_if(|number| ranges.get(*number).is_some_and(|(from, _)| *from <= at)) {
                open.push(number);
            }
            for number in &open {
                if let (Some(part), Some(body)) = (definitions.get_mut(*number), bodies.get(*number)) {
                    part.add(token, placed.then_some((line, column)));
                    if at < *body {
                        token.hash(&mut heads);
                    }
                }
            }
            if open.is_empty() {
                rest.add(token, placed.then_some((line, column)));
            }
        }
        let heads = heads.finish();
        Layout { rest, definitions, blocks, others, heads }
    }
}

impl Part {
    /// Adds a token, with its place where that can matter: of the text of a template it cannot.
    fn add(&mut self, token: u64, place: Option<(u32, usize)>) {
        token.hash(&mut self.tokens);
        if let Some((line, column)) = place {
            (line, column).hash(&mut self.places);
            self.lines.push(line);
        }
    }
}

impl Use {
    /// Whether node blocks match otherwise in another text of the same file.
    #[must_use]
    pub fn matches_otherwise(&self, now: &Parsed) -> bool {
        now.first_error().is_none() && self.parsed.layout().heads != now.layout().heads
    }

    /// The node blocks that were used, by number.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        let blocks = &self.parsed.layout().blocks;
        self.definitions.iter().copied().filter(|number| blocks.binary_search(number).is_ok())
    }

    /// What became of what was used, in another text of the same file. `blocks` are the node blocks that are used now where
    /// they match otherwise.
    #[must_use]
    pub fn compare(&self, now: &Parsed, blocks: Option<&[usize]>) -> (Moved, Arc<[usize]>) {
        let same = || (Moved::Changed, self.definitions.clone());
        if now.first_error().is_some() || !same_messages(&self.parsed, now) {
            return same();
        }
        let (old, new) = (self.parsed.layout(), now.layout());
        if old.others.len() != new.others.len() {
            return same();
        }
        let mut given = blocks.into_iter().flatten();
        let mut at_now = Vec::new();
        for number in self.definitions.iter() {
            let now = match (old.blocks.binary_search(number), blocks) {
                (Ok(_), Some(_)) => given.next().copied(),
                (Ok(at), None) => new.blocks.get(at).copied(),
                (Err(_), _) => old.others.binary_search(number).ok().and_then(|at| new.others.get(at).copied()),
            };
            let Some(now) = now else { return same() };
            at_now.push(now);
        }
        if given.next().is_some() {
            return same();
        }
        let pairs = self.definitions.iter().zip(&at_now);
        let pairs = pairs.filter_map(|(at, now)| Some((old.definitions.get(*at)?, new.definitions.get(*now)?)));
        let moved = moved(std::iter::once((&old.rest, &new.rest)).chain(pairs).collect());
        (moved, Arc::from(at_now))
    }
}

/// What became of parts.
fn moved(pairs: Vec<(&Part, &Part)>) -> Moved {
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
    Moved::Lines(Arc::new(lines))
}

/// Whether the same is to be said of both texts; what is said has places, so little may be said at all.
fn same_messages(old: &Parsed, new: &Parsed) -> bool {
    old.diagnostics.is_empty() && new.diagnostics.is_empty()
}
