//! Text to tree: lexer, parser, validation, tree dumps for manifests and templates.
//!
//! In: one source text. Out: [`ast::File`] and all diagnostics of it in one pass. Must not: read files, know of
//! environments, evaluate.

pub mod ast;
