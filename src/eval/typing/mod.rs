//! Stand-ins until the type system brings its own: names of types, mismatch texts.
pub mod mismatch;
pub mod parse;
