//! What a compile used of a manifest, and whether another text of the same file would have given it the same.
//!
//! In: two parsed texts of a file. Out: whether the used parts have the same tokens, and where their lines went. Comments,
//! blank lines and indentation make no tokens. Must not: know the compiles.
//!
//! A file's parts are its definitions and the rest: everything outside of them, and the names of all definitions but node
//! blocks. The rest is part of every use, since it decides what is defined at all. Which node block a node gets is another
//! question; where what blocks match has changed, whoever compares has to ask it again.

use std::sync::Arc;

use crate::program::layout::Moved;
use crate::program::layout::moved;
use crate::program::parsed::Parsed;

/// What a compile used of a file.
#[derive(Clone, Debug)]
pub struct Use {
    /// The file as it was.
    pub parsed: Arc<Parsed>,
    /// Definitions by number, sorted.
    pub definitions: Arc<[usize]>,
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

/// Whether the same is to be said of both texts; what is said has places, so little may be said at all.
fn same_messages(old: &Parsed, new: &Parsed) -> bool {
    old.diagnostics.is_empty() && new.diagnostics.is_empty()
}
