//! The facts that a compile used: a changed value of an unused fact does not matter.
//!
//! In: variables that were looked up in the top scope, entries of `$facts`. Out: [`FactsUse`]. Must not: compare.

use std::cell::Cell;
use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Evaluator;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The facts that a compile used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsUse {
    /// Names of facts, or of variables that may be facts, existing or not.
    pub names: Box<[Name]>,
    /// Whether all facts were used.
    pub all: bool,
}

impl FactsUse {
    /// Adds the facts of another compile.
    pub fn add(&mut self, other: FactsUse) {
        self.all |= other.all;
        self.names = std::mem::take(&mut self.names).into_iter().chain(other.names).collect();
    }
}

/// The fact use of a compile while it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct FactsRecorder {
    names: RefCell<FxHashSet<Name>>,
    all: Cell<bool>,
}

/// Whether a variable holds all facts.
pub(super) fn are_facts(name: Name) -> bool {
    name == catwalk_base::name!("facts") || name == catwalk_base::name!("::facts")
}

impl Evaluator<'_> {
    /// All facts; this records that all are used.
    pub fn all_facts(&self) -> &Arc<Hash> {
        self.facts_recorder.all.set(true);
        &self.node.facts
    }

    /// One fact.
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.note_fact(Name::new(name));
        self.node.facts.get(name)
    }

    /// Records a variable that was looked up in the top scope, where facts are.
    pub fn note_fact(&self, name: Name) {
        if are_facts(name) {
            self.facts_recorder.all.set(true);
        } else if !self.facts_recorder.all.get() {
            self.facts_recorder.names.borrow_mut().insert(name);
        }
    }

    /// Records that all variables of the top scope were used.
    pub(super) fn note_all_facts(&self) {
        self.facts_recorder.all.set(true);
    }

    /// Runs `work` without recording a use of all facts: the caller records the entry of `$facts` that it uses.
    pub(super) fn with_facts_unrecorded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.facts_recorder.all.get();
        let result = work(self);
        self.facts_recorder.all.set(before);
        result
    }

    /// The facts that were used.
    #[must_use]
    pub fn take_facts_use(&self) -> FactsUse {
        let mut names: Vec<Name> = self.facts_recorder.names.take().into_iter().collect();
        names.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        FactsUse { names: names.into_boxed_slice(), all: self.facts_recorder.all.get() }
    }
}
