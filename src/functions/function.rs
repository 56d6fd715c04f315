//! The shape of a function written in Rust.

use crate::eval::Body;

/// A function: name, signatures with code, documentation.
#[derive(Debug)]
pub struct Function {
    /// Its name, as called: `join`, `stdlib::ensure`.
    pub name: &'static str,
    /// Parameter lists in Puppet's own text (`Array $values, Optional[String] $separator = undef, Callable[1,1] &$block`)
    /// with the code for each; the first that matches the arguments is called. Parsed on first use.
    pub signatures: &'static [(&'static str, Body)],
    /// What it does, for the reference pages.
    pub doc: &'static str,
    /// Expressions and what they give; executed as tests.
    pub examples: &'static [(&'static str, &'static str)],
}
