//! The syntax of the part of Ruby that modules and templates use.
//!
//! In: Ruby source. Out: tokens ([`lexer`]), trees ([`parser`], [`ast`]). Must not: know Puppet, files or values.

pub mod ast;
pub mod erb;
pub mod inline_cache;
pub mod lexer;
pub mod parser;
pub mod walk;
