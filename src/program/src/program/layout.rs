//! The parts of a manifest: its definitions and the rest, each by its tokens and their positions.
//!
//! In: a tree and its source; two lists of parts. Out: whether the parts have the same tokens, and the new positions of their
//! lines. Comments, blank lines and indentation make no tokens. Must not: know which parts are used.

use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use catwalk_syntax as syntax;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::File;

/// How an edit changed the used parts of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutChange {
    /// They are the same at the same positions.
    Unmoved,
    /// The tokens are the same; for each line with a token, its new line.
    Lines(Arc<FxHashMap<u32, u32>>),
    /// They differ.
    Changed,
}

/// One part: the digest of its tokens, that of their positions, their lines.
#[derive(Debug, Default)]
pub(super) struct PartDigest {
    tokens: std::hash::DefaultHasher,
    positions: std::hash::DefaultHasher,
    lines: Vec<u32>,
}

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) rest: PartDigest,
    pub(super) definitions: Vec<PartDigest>,
    /// Which of the definitions are node blocks, and which are not.
    pub(super) blocks: Vec<usize>,
    pub(super) others: Vec<usize>,
    /// The digest of what node blocks match.
    pub(super) heads: u64,
}

impl Layout {
    pub(super) fn new(file: &File, text: &str, template: bool) -> Layout {
        let mut rest = PartDigest::default();
        let mut definitions: Vec<PartDigest> = Vec::new();
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
            definitions.push(PartDigest::default());
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
            // Definitions may be in others.
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

impl PartDigest {
    /// Adds a token, with its position where that can matter; the position of a template's text cannot.
    fn add(&mut self, token: u64, position: Option<(u32, usize)>) {
        token.hash(&mut self.tokens);
        if let Some((line, column)) = position {
            (line, column).hash(&mut self.positions);
            self.lines.push(line);
        }
    }
}

/// Compares parts before and after an edit.
pub(super) fn moved(pairs: Vec<(&PartDigest, &PartDigest)>) -> LayoutChange {
    if pairs.iter().any(|(a, b)| a.tokens.finish() != b.tokens.finish() || a.lines.len() != b.lines.len()) {
        return LayoutChange::Changed;
    }
    if pairs.iter().all(|(a, b)| a.positions.finish() == b.positions.finish()) {
        return LayoutChange::Unmoved;
    }
    let mut lines = FxHashMap::default();
    for (a, b) in pairs {
        for (from, to) in a.lines.iter().zip(&b.lines) {
            // A line was split in two: only a compile shows on which of them a resource is.
            if *lines.entry(*from).or_insert(*to) != *to {
                return LayoutChange::Changed;
            }
        }
    }
    LayoutChange::Lines(Arc::new(lines))
}
