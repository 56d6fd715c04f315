//! The Ruby language as modules and templates use it, read and never run by a Ruby.
//!
//! In: Ruby source text. Out: tokens ([`lexer`]), trees ([`parser`], [`ast`]). Must not: know Puppet, files or values.

pub mod ast;
pub mod erb;
pub mod lexer;
pub mod parser;
pub mod place;
pub mod walk;
