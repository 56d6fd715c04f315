//! The Ruby language as modules and templates use it, read and never run by a Ruby.
//!
//! In: Ruby source. Out: tokens ([`lexer`]), trees ([`parser`], [`ast`]). Must not: know Puppet, files or values.

pub mod ast;
pub mod erb;
pub mod inline_cache;
pub mod lexer;
pub mod parser;
pub mod walk;
