//! Problems of a definition with their positions in it.
//!
//! In: rules of [`crate::read`]. Out: [`Problem`]s with paths of keys, which the caller turns into positions. Must not: know
//! files.

use std::sync::Arc;

/// One step of a path into a definition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A key of a hash.
    Key(Arc<str>),
    /// An index of an array.
    Index(usize),
}

/// The severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemLevel {
    /// Puppet refuses the definition, too.
    Error,
    /// Puppet accepts the definition, and fails or ignores the mistake later. Definitions in Rhai are refused.
    Mistake,
    /// The definition can be used.
    Warning,
}

/// A problem of a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its severity.
    pub gravity: ProblemLevel,
    /// The path to the key that it is about; empty: the whole definition.
    pub path: Vec<Step>,
    /// The message, as the Resource API words it where it has one.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A definition that was read, with all its problems.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading<T> {
    /// The definition; `None` if a problem is an [`ProblemLevel::Error`].
    pub definition: Option<T>,
    /// All problems. Errors and warnings come in the order in which the Resource API finds them.
    pub problems: Vec<Problem>,
}

impl<T> Reading<T> {
    /// The problems for which a definition in Rhai is refused.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.gravity != ProblemLevel::Warning)
    }

    /// The problems with which a definition can be used.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.gravity == ProblemLevel::Warning)
    }
}
