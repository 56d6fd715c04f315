//! The parts of a manifest: its definitions and the rest, each by its tokens and their positions.
//!
//! In: a tree and its source; two parts. Out: the fingerprints of the parts, and the new positions of their lines. Comments, blank
//! lines and indentation make no tokens. Must not: know which parts are used.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::fingerprint::Fingerprinter;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::File;

/// Old lines with their new ones; `None` if an old line was split, so that the new line of what begins on it is unknown.
pub type MovedLines = FxHashMap<u32, Option<u32>>;

/// One part: the fingerprints of its tokens and of their positions, the lines of its tokens.
#[derive(Debug)]
pub(super) struct PartDigest {
    pub(super) tokens: Fingerprint,
    pub(super) positions: Fingerprint,
    lines: Vec<u32>,
}

/// A part whose tokens are being added.
#[derive(Default)]
struct PartBuilder {
    tokens: Fingerprinter,
    positions: Fingerprinter,
    lines: Vec<u32>,
}

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Layout {
    /// Everything outside of definitions, and the names of all definitions but node blocks.
    pub(super) rest: PartDigest,
    pub(super) blocks: Vec<PartDigest>,
    /// The definitions that are not node blocks.
    pub(super) others: Vec<PartDigest>,
    /// The fingerprint of what node blocks match.
    pub(super) heads: Fingerprint,
}

impl Layout {
    pub(super) fn new(file: &File, text: &str, template: bool) -> Layout {
        let mut rest = PartBuilder::default();
        let mut definitions: Vec<PartBuilder> = Vec::new();
        let mut ranges = Vec::new();
        let mut heads = Fingerprinter::default();
        let mut bodies = Vec::new();
        for definition in &file.definitions {
            if let DefinitionKind::Node(node) = &definition.kind {
                // The body's span is that of the whole definition.
                bodies.push(node.matches.iter().chain(&node.parent).map(|expr| expr.span.end).max().unwrap_or(0));
            } else {
                bodies.push(definition.span.start);
                std::mem::discriminant(&definition.kind).hash(&mut rest.tokens);
                definition.name.as_str().hash(&mut rest.tokens);
            }
            ranges.push((definition.span.start, definition.span.end));
            definitions.push(PartBuilder::default());
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
        let parts = definitions.into_iter().map(PartBuilder::finish).zip(&file.definitions);
        let (blocks, others): (Vec<_>, Vec<_>) = parts.partition(|(_, definition)| is_block(definition));
        let digests = |parts: Vec<(PartDigest, _)>| parts.into_iter().map(|(part, _)| part).collect();
        let heads = heads.fingerprint();
        Layout { rest: rest.finish(), blocks: digests(blocks), others: digests(others), heads }
    }
}

/// Whether a definition is a node block.
pub(super) fn is_block(definition: &Definition) -> bool {
    matches!(definition.kind, DefinitionKind::Node(_))
}

impl PartBuilder {
    /// Adds a token, with its position where that can matter; the position of a template's text cannot.
    fn add(&mut self, token: u64, position: Option<(u32, usize)>) {
        token.hash(&mut self.tokens);
        if let Some((line, column)) = position {
            (line, column).hash(&mut self.positions);
            self.lines.push(line);
        }
    }

    fn finish(mut self) -> PartDigest {
        self.lines.len().hash(&mut self.tokens);
        PartDigest { tokens: self.tokens.fingerprint(), positions: self.positions.fingerprint(), lines: self.lines }
    }
}

impl PartDigest {
    /// Adds the lines of a part with the same tokens after an edit. `false`: one of its lines was split.
    pub(super) fn move_lines(&self, now: &PartDigest, moved: &mut MovedLines) -> bool {
        let mut is_whole = true;
        let mut own: Option<(u32, u32)> = None;
        for (from, to) in self.lines.iter().copied().zip(now.lines.iter().copied()) {
            is_whole &= own.is_none_or(|(line, new)| line != from || new == to);
            own = Some((from, to));
            let known = moved.entry(from).or_insert(Some(to));
            if *known != Some(to) {
                *known = None;
            }
        }
        is_whole
    }
}
