//! Text to tree: lexer, parser, validation, tree dumps for manifests and templates.
//!
//! In: one source text. Out: [`ast::File`] and all diagnostics of it in one pass. Must not: read files, know of
//! environments, evaluate.

pub mod ast;

use crate::diag::Diagnostic;
use crate::source::FileId;
use crate::source::SourceMap;

/// Parses and validates a manifest. (Being replaced by the parser.)
#[must_use]
pub fn parse(sources: &SourceMap, id: FileId) -> (ast::File, Vec<Diagnostic>) {
    let _ = sources;
    (ast::File { id, body: ast::Block::default(), definitions: Vec::new() }, Vec::new())
}

/// Parses and validates a template. (Being replaced by the parser.)
#[must_use]
pub fn parse_epp(sources: &SourceMap, id: FileId) -> (ast::File, Vec<Diagnostic>) {
    parse(sources, id)
}
