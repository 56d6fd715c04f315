//! Functions written in Rust: Puppet's own and puppetlabs-stdlib's.
//!
//! In: a [`Call`]. Out: a value. One file for each function (families of identical code share one), one line in [`ALL`].
//! Must not: know files or processes except through the world of the call.

mod function;

pub use function::Function;

/// Every function, in alphabetical order of its name.
pub const ALL: &[&Function] = &[];
