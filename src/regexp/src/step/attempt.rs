//! The state of an attempt of the stepwise engine: the current branch, and what to restore when it fails.
//!
//! In: open and closed groups, calls and rounds. Out: the branch to continue with. Must not: read the string.

/// Marks an empty slot or the end of a list.
pub(super) const NONE: usize = usize::MAX;

/// An action to undo when a branch fails.
pub(super) enum Undo {
    /// Continues with another branch, after truncating the lists to these sizes.
    Branch(Branch, Sizes),
    /// Restores the position in a slot.
    Slot(usize, usize),
}

/// The lengths of the lists of opened and of closed entries.
pub(super) type Sizes = (usize, usize);

/// An open call, round, group or atomic group: an entry of a linked list. `outer` is the index of the entry around it.
#[derive(Clone, Copy)]
pub(super) struct OpenEntry {
    pub(super) kind: OpenKind,
    pub(super) outer: usize,
}

#[derive(Clone, Copy)]
pub(super) enum OpenKind {
    /// A call, with the step at which it returns.
    Call(usize),
    /// A round of a repetition, with its start position.
    Round(usize),
    /// A group, with its start position.
    Group(usize),
    /// An atomic group or look-around, with its start position and the number of branches that were open.
    Atomic(usize, usize),
}

/// A closed group, for references with a level: an entry of a linked list. `before` is the index of the previous entry.
#[derive(Clone, Copy)]
pub(super) struct ClosedGroup {
    pub(super) group: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) depth: i64,
    pub(super) before: usize,
}

/// A branch to try: the next step, the position and the open entries.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) op: usize,
    pub(super) at: usize,
    pub(super) open: usize,
    pub(super) depth: i64,
    pub(super) closed: usize,
}

/// An attempt to match at one position: the current branch, and the state to restore when it fails.
pub(super) struct Attempt {
    pub(super) branch: Branch,
    pub(super) undo: Vec<Undo>,
    pub(super) opened: Vec<OpenEntry>,
    pub(super) closed: Vec<ClosedGroup>,
}

impl Attempt {
    pub(super) fn new(op: usize, at: usize) -> Attempt {
        Attempt {
            branch: Branch { op, at, open: NONE, depth: 0, closed: NONE },
            undo: Vec::new(),
            opened: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Adds a branch to try when the current one fails: it continues at step `op`.
    pub(super) fn push_branch(&mut self, op: usize) {
        self.undo.push(Undo::Branch(Branch { op, ..self.branch }, (self.opened.len(), self.closed.len())));
    }

    pub(super) fn enter(&mut self, kind: OpenKind) {
        self.opened.push(OpenEntry { kind, outer: self.branch.open });
        self.branch.open = self.opened.len() - 1;
    }

    pub(super) fn leave(&mut self) -> Option<OpenKind> {
        let entry = self.opened.get(self.branch.open)?;
        self.branch.open = entry.outer;
        Some(entry.kind)
    }

    /// Removes the branches above this number, but keeps the entries that restore slots.
    pub(super) fn discard_branches(&mut self, above: usize) {
        let mut kept = above;
        for at in above..self.undo.len() {
            if matches!(self.undo.get(at), Some(Undo::Slot(..))) {
                self.undo.swap(kept, at);
                kept += 1;
            }
        }
        self.undo.truncate(kept);
    }

    /// The last closed span of one of `groups` at a recursion level relative to the current one.
    pub(super) fn span_at_level(&self, groups: &[usize], level: i64) -> Option<(usize, usize)> {
        let depth = self.branch.depth + level;
        let mut at = self.branch.closed;
        while let Some(closed) = self.closed.get(at) {
            if closed.depth == depth && groups.contains(&closed.group) {
                return Some((closed.from, closed.to));
            }
            at = closed.before;
        }
        None
    }
}
