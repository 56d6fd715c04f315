//! The form of a function written in Rust.

use crate::Body;

/// A function: name, signatures with code, documentation.
///
/// A signature is a parameter list in Puppet's own words:
///
/// | text | meaning |
/// |---|---|
/// | `Array $values` | a required argument |
/// | `Optional[String] $separator = undef` | an optional argument; the default is documentation, the code decides |
/// | `Any *$rest` | any number of further arguments, also none |
/// | `Callable[1,1] &$block` | a required block |
/// | `Optional[Callable] &$block` | an optional block |
/// | `… >> String` | the type of the result, checked where Puppet checks it |
/// | `! Any $x` | a signature whose code returns a string, with which the call fails: `'name' string` (`argument_mismatch`) |
///
/// Parameter names appear in messages, so they are those of Puppet.
#[derive(Debug)]
pub struct Function {
    /// Its name, as called: `join`, `stdlib::ensure`.
    pub name: &'static str,
    /// Parameter lists with the code for each; the first that fits the arguments is called. Parsed on first use.
    pub signatures: &'static [(&'static str, Body)],
    /// What the function does, accepts and returns, and pitfalls; lists show the first sentence.
    pub doc: &'static str,
    /// Code and its result, both in the Puppet language; executed as tests, also with Puppet. The code runs at top scope in the
    /// environment `tests/examples`; the result is the value of its last statement, or `error: …` (a failure whose message
    /// contains this string), or `notice: …` (a logged message, at any level).
    pub examples: &'static [(&'static str, &'static str)],
}
