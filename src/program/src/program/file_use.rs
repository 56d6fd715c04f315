//! Which definitions of a manifest a compile used, and whether an edited file still has the same ones.
//!
//! In: a file, parsed before and after an edit. Out: whether the used parts have the same tokens, and the new positions of their
//! lines. Comments, blank lines and indentation make no tokens. Must not: know the compiles.
//!
//! A file's parts are its definitions and the rest: everything outside of them, and the names of all definitions but node blocks.
//! The rest is part of every use, since it decides what is defined at all. Which node block a node gets is a separate question;
//! where the matches of blocks have changed, the caller has to select the block again.

use std::sync::Arc;

use crate::program::layout::LayoutChange;
use crate::program::layout::moved;
use crate::program::parsed::ParsedSource;

/// What a compile used of a file.
#[derive(Clone, Debug)]
pub struct Use {
    /// The file as it was.
    pub parsed: Arc<ParsedSource>,
    /// Definitions by number, sorted.
    pub definitions: Arc<[usize]>,
}

impl Use {
    /// Whether node blocks match different nodes after an edit.
    #[must_use]
    pub fn has_different_node_matches(&self, now: &ParsedSource) -> bool {
        now.first_error().is_none() && self.parsed.layout().heads != now.layout().heads
    }

    /// The node blocks that were used, by number.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        let blocks = &self.parsed.layout().blocks;
        self.definitions.iter().copied().filter(|number| blocks.binary_search(number).is_ok())
    }

    /// Compares the used definitions with the edited file. `blocks` are the node blocks that the node gets now, if node blocks
    /// match different nodes.
    #[must_use]
    pub fn compare(&self, now: &ParsedSource, blocks: Option<&[usize]>) -> (LayoutChange, Arc<[usize]>) {
        let same = || (LayoutChange::Changed, self.definitions.clone());
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

/// Whether both versions have the same messages; messages have positions, so any message counts as a change.
fn same_messages(old: &ParsedSource, new: &ParsedSource) -> bool {
    old.diagnostics.is_empty() && new.diagnostics.is_empty()
}
