//! From source to tree: lexer, parser, validation, tree dumps for manifests and templates.
//!
//! In: one source. Out: [`ast::File`] and all diagnostics of it in one pass. Must not: read files, know of environments,
//! evaluate.

pub mod ast;
mod big;
mod children;
mod failure;
mod float;
mod lexer;
mod parser;
pub mod pn;
mod sensitive;
mod token;
mod validate;

use crate::ast::Expr;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;

pub use catwalk_base::version::Strict;
use catwalk_base::version::Version;
pub use failure::MessageLimits;
pub use failure::check_embedded_source;
pub use failure::failure;
pub use failure::reported_warnings;
pub use float::float_to_s;
pub use parser::Signature;
pub use validate::Placement;
pub use validate::label::label;
pub use validate::label::model_name;

/// How a source is validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether it is a template.
    pub template: bool,
    /// Whether it is a plan: manifests with the language of Bolt (Puppet's setting `tasks`).
    pub tasks: bool,
    /// The names that may be defined in a file at its path.
    pub placement: Placement,
    /// The setting `strict`.
    pub strict: Strict,
    /// The language.
    pub version: Version,
    /// The limits on the number of messages.
    pub message_limits: MessageLimits,
}

/// Parses and validates a manifest. A file with errors is not meant to be evaluated; warnings come among the errors in the
/// order in which Puppet finds them.
#[must_use]
pub fn parse(sources: &SourceMap, id: FileId) -> (ast::File, Vec<Diagnostic>) {
    parse_with(sources, id, &Options::default())
}

/// Parses and validates a manifest or template. A source that the source map does not have is empty.
#[must_use]
pub fn parse_with(sources: &SourceMap, id: FileId, options: &Options) -> (ast::File, Vec<Diagnostic>) {
    let (file, mut diagnostics) = parse_tree(sources, id, options.template, options.tasks);
    // As in Puppet, only well-formed sources are validated: a tree with errors would cause false messages.
    if let Some(source) = sources.get(id)
        && !file.has_syntax_errors
    {
        diagnostics.extend(validate::validate(&file, &source, options));
    }
    let omitted = diagnostics.len().saturating_sub(MAX_DIAGNOSTICS);
    if omitted > 0 {
        diagnostics.truncate(MAX_DIAGNOSTICS);
        let span = diagnostics.last().and_then(|last| last.span);
        let text = format!("{omitted} more errors and warnings of this file are not shown");
        diagnostics.push(Diagnostic::new(Reason::new(Code::TOO_MANY_ERRORS, text), span));
    }
    (file, diagnostics)
}

/// The limit on errors and warnings of one file: each may show a long line.
const MAX_DIAGNOSTICS: usize = 1000;

/// The upper bound on the memory of tokens and tree for a byte of source, in bytes.
const TREE_BYTES: usize = 40;

/// Parses without validation, for dumps of the tree.
#[must_use]
pub fn parse_only(sources: &SourceMap, id: FileId, template: bool) -> (ast::File, Vec<Diagnostic>) {
    parse_tree(sources, id, template, false)
}

fn parse_tree(sources: &SourceMap, id: FileId, template: bool, tasks: bool) -> (ast::File, Vec<Diagnostic>) {
    let source = sources.get(id);
    let text = source.as_ref().map_or("", |source| &source.text);
    let secrets = sensitive::literals(text);
    if !secrets.is_empty() {
        sources.add_secrets(secrets);
    }
    meter::charge(text.len().saturating_mul(TREE_BYTES));
    let tokens = lexer::tokenize(text, template);
    parser::parse(text, id, &tokens, tasks)
}

/// The tokens of a source: the start of each, a digest of its value and of the kind of space before it, and whether its position
/// can have an effect. Sources with equal digests have equal trees.
#[must_use]
pub fn fingerprints(text: &str, template: bool) -> Vec<(u32, u64, bool)> {
    use std::hash::Hash;
    use std::hash::Hasher;
    let tokens = lexer::tokenize(text, template);
    let mut last = 0;
    let mut first = true;
    let range = |from: u32, to: u32| text.get(from as usize..to as usize).unwrap_or_default();
    let digest = |token: &token::Token| {
        let mut hasher = std::hash::DefaultHasher::new();
        (token.kind as u32).hash(&mut hasher);
        let piece = (token.value as usize).checked_sub(1).and_then(|at| tokens.pieces.get(at));
        match piece {
            Some(token::Piece::Owned(text)) => text.as_str().hash(&mut hasher),
            Some(token::Piece::Range(from, to)) => range(*from, *to).hash(&mut hasher),
            None => range(token.start, token.end).hash(&mut hasher),
        }
        let before = range(last, token.start);
        // A tag of a template starts a new context, regardless of comments in their own tags before it.
        let before = if template { before.rsplit("<%").next().unwrap_or(before) } else { before };
        // The first token of a file begins a line, regardless of what precedes it.
        let before = if first && !template { "\n" } else { before };
        first = false;
        (before.is_empty(), before.contains('\n')).hash(&mut hasher);
        last = last.max(token.end);
        let placed = !matches!(token.kind, token::Kind::RenderString | token::Kind::EppStart);
        (token.start, hasher.finish(), placed)
    };
    tokens.list.iter().map(digest).collect()
}

/// Parses one expression that is the whole source: a type, a literal. Its spans belong to no file.
///
/// # Errors
/// The source is not one expression.
pub fn parse_expression(text: &str) -> Result<Expr, Reason> {
    parser::parse_expression(text)
}

/// Parses a parameter list such as `String $a, Optional[Integer] $b, Any *$rest, Callable[1,1] &$block`, with a return
/// type after `>>` if there is one. Its spans belong to no file.
///
/// # Errors
/// The source is not a parameter list.
pub fn parse_signature(text: &str) -> Result<Signature, Reason> {
    parser::parse_signature(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let id = sources.add(None, "test", Arc::from(text));
        parse(&sources, id).1.iter().map(|diagnostic| diagnostic.puppet_text(&sources)).collect()
    }

    #[test]
    fn every_statement_is_tried_after_an_error() {
        let found = errors("$a = )\n$b = 1\nclass x {\n  $c = ]\n  $d = 2\n}\n$e = }\n");
        assert_eq!(
            found,
            [
                "Syntax error at ')' (line: 1, column: 6)",
                "Syntax error at ']' (line: 4, column: 8)",
                "Syntax error at '}' (line: 7, column: 6)",
            ]
        );
    }

    #[test]
    fn signatures_have_blocks_and_return_types() {
        let signature = parse_signature("String $a, Any *$rest, Optional[Callable[1, 1]] &$block >> Integer").unwrap();
        assert_eq!(signature.params.len(), 2);
        assert!(signature.params[1].captures_rest);
        assert_eq!(signature.block.unwrap().name, "block");
        assert!(signature.return_type.is_some());
        let defaulted = parse_signature("Hash $a = {} >> Variant[String, Sensitive[String]]").unwrap();
        assert!(defaulted.return_type.is_some());
        assert!(parse_expression("Optional[Integer[1,2]]").is_ok());
        assert!(parse_expression("Optional[").is_err());
    }

    #[test]
    fn nesting_is_limited() {
        for open in ["(", "[", "{a=>", "if 1 {", "-", "!", "f(", "\"${"] {
            assert!(!errors(&open.repeat(5000)).is_empty());
        }
        let sum = vec!["1"; 900].join("+");
        assert!(errors(&format!("$x = {sum}")).is_empty());
    }
}
