//! The parts of a manifest or template that a compile used, and their fingerprints.
//!
//! In: a parsed file, before and after an edit. Out: fingerprints, and the new positions of the parts' lines. Comments, blank lines and
//! indentation make no tokens. Must not: know the compiles.
//!
//! A file's parts are its definitions and the rest: everything outside of them, and the names of all definitions but node blocks.
//! The rest is part of every use, since it decides what is defined at all. Which node block a node gets is a separate question.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::layout::MovedLines;
use crate::program::layout::PartDigest;
use crate::program::layout::is_block;
use crate::program::parsed::ParsedSource;
use catwalk_base::fingerprint::Fingerprint;

/// What a compile used of a file.
#[derive(Clone, Debug)]
pub struct Use {
    /// The file as it was.
    pub parsed: Arc<ParsedSource>,
    /// Definitions by number, sorted.
    pub definitions: Arc<[usize]>,
}

/// A part of a manifest or template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodePart {
    /// Everything outside of definitions, and the names of all definitions but node blocks.
    Rest,
    /// A definition, by its number among those that are not node blocks.
    Definition(usize),
    /// A node block, by its number among the node blocks.
    Block(usize),
}

impl ParsedSource {
    /// The part that a definition is, by its number among all definitions.
    #[must_use]
    pub fn part(&self, number: usize) -> CodePart {
        let definitions = &self.file.definitions;
        let before = definitions.get(..number).unwrap_or_default().iter().filter(|other| is_block(other)).count();
        match definitions.get(number).is_some_and(|definition| is_block(definition)) {
            true => CodePart::Block(before),
            false => CodePart::Definition(number - before),
        }
    }

    /// The fingerprint of a part's tokens, or also of their positions. Messages have positions, so a file with messages has no parts.
    #[must_use]
    pub fn fingerprint(&self, part: CodePart, with_positions: bool) -> Fingerprint {
        if !self.diagnostics.is_empty() {
            return Fingerprint::of(self.text());
        }
        Fingerprint::of(&self.digest(part).map(|part| (part.tokens, with_positions.then_some(part.positions))))
    }

    /// The fingerprint of what the file's node blocks match.
    #[must_use]
    pub fn heads(&self) -> Fingerprint {
        self.layout().heads
    }

    /// Adds the new lines of a part whose tokens are unchanged after an edit. `false`: one of its lines was split, so that only a compile
    /// shows on which of them a resource is.
    #[must_use]
    pub fn move_lines(&self, part: CodePart, now: &ParsedSource, moved: &mut MovedLines) -> bool {
        match (self.digest(part), now.digest(part)) {
            (Some(old), Some(new)) => old.move_lines(new, moved),
            _ => true,
        }
    }

    /// Adds the new lines of all node blocks whose tokens are unchanged.
    pub fn move_block_lines(&self, now: &ParsedSource, moved: &mut MovedLines) {
        let (old, new) = (&self.layout().blocks, &now.layout().blocks);
        let by_tokens: FxHashMap<Fingerprint, &PartDigest> = new.iter().map(|block| (block.tokens, block)).collect();
        for block in old {
            if let Some(now) = by_tokens.get(&block.tokens) {
                let _ = block.move_lines(now, moved);
            }
        }
    }

    fn digest(&self, part: CodePart) -> Option<&PartDigest> {
        let layout = self.layout();
        match part {
            CodePart::Rest => Some(&layout.rest),
            CodePart::Definition(number) => layout.others.get(number),
            CodePart::Block(number) => layout.blocks.get(number),
        }
    }
}
