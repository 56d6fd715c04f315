//! How deep expressions may nest, and how long their chains may be, so that no input overflows the stack.
//!
//! In: the beginning or continuation of an expression. Out: an error where it is too deep. Must not: know what it is.

use super::ParseResult;
use super::Parser;
use catwalk_base::diag::Code;

/// The limit on the depth of a tree, so that recursive walks do not overflow the stack; Puppet fails between 1,000 and 2,000 levels.
/// Chained operators nest, too: `1 + 1 + 1 …` is a tree as deep as it is long.
pub(super) const MAX_DEPTH: u32 = 10_000;

/// The limits on a thread's normal stack: on brackets, and on all levels.
pub(super) const SMALL_STACK_LIMITS: (u32, u32) = (200, 1000);

impl<'s> Parser<'s> {
    /// Enters a nested rule; reports an error if the tree is too deep.
    pub(super) fn enter(&mut self) -> ParseResult<()> {
        if self.depth >= self.limits.0 {
            return self.too_deep(self.limits.0);
        }
        self.depth += 1;
        self.heights.push(std::mem::take(&mut self.height));
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.height = (self.height + 1).max(self.heights.pop().unwrap_or(0));
    }

    /// Returns to a level after an error.
    pub(super) fn leave_to(&mut self, depth: u32) {
        self.depth = depth;
        self.heights.truncate(depth as usize);
        self.height = 0;
    }

    /// Adds a link of a chain, which makes the tree on its left deeper.
    pub(super) fn link(&mut self) -> ParseResult<()> {
        self.height += 1;
        if self.depth + self.height > self.limits.1 {
            return self.too_deep(self.limits.1);
        }
        Ok(())
    }

    /// Parses a chain, whose height is independent of expressions beside it.
    pub(super) fn chain<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let beside = std::mem::take(&mut self.height);
        let parsed = read(self);
        self.height = self.height.max(beside);
        parsed
    }

    pub(super) fn too_deep<T>(&mut self, limit: u32) -> ParseResult<T> {
        let span = self.span(self.token());
        let message = format!("Expression is nested too deeply: more than {limit} levels");
        Err(self.report(Code::NESTED_TOO_DEEPLY, message, span))
    }
}
