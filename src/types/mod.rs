//! The type system: what types there are, what values they hold, how they print.
//!
//! In: values and type expressions. Out: [`Type`], inference, assignability, mismatch texts. Must not: know scopes.

/// A type. (The types engineer replaces this.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Every value.
    Any,
}
