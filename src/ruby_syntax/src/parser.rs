//! A recursive-descent parser for Ruby.
//!
//! In: tokens. Out: [`Node`]. Must not: evaluate code, or accept unsupported syntax.
//!
//! Newlines end statements; in brackets, the rule for the list skips them. The parser collects the names of local variables, because
//! the meaning of `a [1]`, `a -1` and `a /x/` depends on them.

mod call;
mod collection;
mod expression;
mod keyword;
mod param;
mod pattern;
mod postfix;
mod primary;
mod statement;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::StrPart;
use crate::lexer;
use crate::lexer::Kind;
use crate::lexer::Part;
use crate::lexer::Token;
use catwalk_base::meter;
use catwalk_base::names::Name;

/// The deepest nesting of expressions. Each level needs several stack frames of the parser.
const MAX_DEPTH: usize = 120;
/// The maximum number of operators, calls or modifiers in a row. Each of them nests what stands before it, without a recursion of the
/// parser.
const MAX_CHAIN: usize = 2000;

/// Source that is not Ruby, or not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The error message, or the name of the unsupported feature.
    pub message: String,
    /// Whether the source may be valid Ruby that is not supported.
    pub is_unsupported: bool,
}

/// The result of a grammar rule.
pub(crate) type Parse<T> = Result<T, ParseError>;

/// Parses a program. `template`: whether `_erbout` is the output of a template.
///
/// # Errors
/// The first position that is not Ruby, or not supported.
pub fn parse(source: &str, template: bool) -> Result<Node, ParseError> {
    parse_inside(source, template, &[])
}

/// Parses a program that can use the local variables `around`; `template` as for [`parse`].
///
/// # Errors
/// The first position that is not Ruby, or not supported.
pub fn parse_inside(source: &str, template: bool, around: &[Name]) -> Result<Node, ParseError> {
    // An upper bound of the memory for tokens and tree.
    meter::charge(source.len().saturating_mul(40));
    let tokens = lexer::lex(source).map_err(|error| ParseError {
        line: error.line,
        message: error.message,
        is_unsupported: false,
    })?;
    let mut parser = Parser {
        tokens: Arc::new(tokens),
        at: 0,
        locals: vec![around.iter().copied().collect()],
        depth: 0,
        no_do: false,
        no_pipe: false,
        template,
        numbered_params: 0,
    };
    let body = parser.statements(&[])?;
    if let Some(token) = parser.peek() {
        return parser.unexpected(&token.kind.clone());
    }
    Ok(body)
}

/// The local variables of a body, in the order of their first assignment.
type Locals = indexmap::IndexSet<Name, rustc_hash::FxBuildHasher>;

pub(crate) struct Parser {
    tokens: Arc<Vec<Token>>,
    at: usize,
    /// The local variables of each enclosing block, method or class, the innermost last. A block can use the variables of the lists
    /// before its own, back to the first list that is marked as closed by the [`Name`] `""`.
    locals: Vec<Locals>,
    depth: usize,
    /// Whether a `do` belongs to an enclosing construct: `while x do`, `f a do`.
    no_do: bool,
    /// Whether a `|` ends a default value in block parameters.
    no_pipe: bool,
    template: bool,
    /// The highest numbered parameter (`_1`) that the current block has used so far, or 0.
    numbered_params: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn kind(&self) -> Option<&Kind> {
        self.peek().map(|token| &token.kind)
    }

    fn kind_at(&self, ahead: usize) -> Option<&Kind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn space_at(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.follows_space)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        meter::tick(1);
        token
    }

    fn line(&self) -> u32 {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.at.min(last)).map_or(1, |token| token.line)
    }

    #[inline]
    fn is_op(&self, op: &str) -> bool {
        matches!(self.kind(), Some(Kind::Op(found)) if *found == op)
    }

    #[inline]
    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Some(Kind::Keyword(found)) if *found == word)
    }

    #[inline]
    fn eat_op(&mut self, op: &str) -> bool {
        let matches = self.is_op(op);
        self.at += usize::from(matches);
        matches
    }

    #[inline]
    fn eat_word(&mut self, word: &str) -> bool {
        let matches = self.is_word(word);
        self.at += usize::from(matches);
        matches
    }

    fn expect_op(&mut self, op: &str) -> Parse<()> {
        if self.eat_op(op) {
            return Ok(());
        }
        self.missing(op)
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.missing(word)
    }

    fn missing<T>(&self, expected: &str) -> Parse<T> {
        let found = self.kind().map_or("end-of-input".to_owned(), describe);
        let quote = if expected.starts_with(|c: char| c.is_ascii_alphabetic()) { '`' } else { '\'' };
        self.fail(format!("syntax error, unexpected {found}, expecting {quote}{expected}'"))
    }

    fn unexpected<T>(&self, kind: &Kind) -> Parse<T> {
        self.fail(format!("syntax error, unexpected {}", describe(kind)))
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(ParseError { line: self.line(), message: message.into(), is_unsupported: false })
    }

    fn unsupported<T>(&self, feature: &str) -> Parse<T> {
        Err(ParseError { line: self.line(), message: feature.to_owned(), is_unsupported: true })
    }

    /// Fails if a chain of operators, calls or modifiers has grown too long; `length` counts them.
    fn extend_chain(&self, length: &mut usize) -> Parse<()> {
        *length += 1;
        if *length > MAX_CHAIN { self.unsupported("chains of calls or operators this long") } else { Ok(()) }
    }

    fn skip_newlines(&mut self) {
        while self.kind() == Some(&Kind::Newline) {
            self.at += 1;
        }
    }

    fn with_depth<T>(&mut self, rule: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.unsupported("expressions nested this deep");
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Applies a rule in brackets, where `do` and `|` have their usual meaning.
    fn in_brackets<T>(&mut self, rule: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        let (no_do, no_pipe) = (std::mem::take(&mut self.no_do), std::mem::take(&mut self.no_pipe));
        let result = rule(self);
        self.no_do = no_do;
        self.no_pipe = no_pipe;
        result
    }

    fn without_do<T>(&mut self, rule: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        let saved = std::mem::replace(&mut self.no_do, true);
        let result = rule(self);
        self.no_do = saved;
        result
    }

    fn is_local(&self, name: Name) -> bool {
        for names in self.locals.iter().rev() {
            if names.contains(&name) {
                return true;
            }
            if names.first().is_some_and(|first| first.as_str().is_empty()) {
                return false;
            }
        }
        false
    }

    /// Declares a local variable of the current body, unless the name is visible.
    fn declare(&mut self, name: Name) {
        if !self.is_local(name)
            && let Some(names) = self.locals.last_mut()
        {
            names.insert(name);
        }
    }

    /// The variables of the current body: those of numbered parameters (`_1`) first.
    fn body_variables(&self, numbered_params: usize) -> Vec<Name> {
        let numbered_names = (1..=numbered_params).map(|number| Name::new(&format!("_{number}")));
        let declared = self.locals.last().into_iter().flatten().copied().filter(|name| !name.as_str().is_empty());
        numbered_names.chain(declared).collect()
    }

    /// Applies a rule in a new scope of local variables. A `closed` scope cannot use outer variables.
    fn in_scope<T>(&mut self, closed: bool, rule: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        self.locals.push(if closed { Locals::from_iter([Name::new("")]) } else { Locals::default() });
        let result = self.in_brackets(rule);
        self.locals.pop();
        result
    }

    /// Parses the code in the parts of a string.
    fn parts(&mut self, parts: Vec<Part>) -> Parse<Vec<StrPart>> {
        let mut parsed = Vec::with_capacity(parts.len());
        for part in parts {
            parsed.push(match part {
                Part::Literal(literal) => StrPart::Literal(Arc::from(literal)),
                Part::Code(tokens) => StrPart::Code(self.with_depth(|p| p.interpolation(tokens))?),
            });
        }
        Ok(parsed)
    }

    /// Parses the code of an interpolation, which can use the variables around it.
    fn interpolation(&mut self, tokens: Arc<Vec<Token>>) -> Parse<Node> {
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let at = std::mem::take(&mut self.at);
        let result = self.in_brackets(|p| {
            let body = p.statements(&[])?;
            match p.peek() {
                Some(token) => p.unexpected(&token.kind.clone()),
                None => Ok(body),
            }
        });
        self.tokens = outer;
        self.at = at;
        result
    }

    fn string(&mut self, parts: Vec<Part>, line: u32) -> Parse<Node> {
        let kind = match literal_string(&parts) {
            Some(contents) => NodeKind::Str(contents),
            None => NodeKind::InterpolatedStr(self.parts(parts)?),
        };
        Ok(Node::new(kind, line))
    }
}

/// The string, if none of its parts is code.
fn literal_string(parts: &[Part]) -> Option<Arc<str>> {
    match parts {
        [] => Some(Arc::from("")),
        [Part::Literal(literal)] => Some(Arc::from(literal.as_str())),
        _ => None,
    }
}

/// Formats a token for messages.
fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Ident(_) => "local variable or method".to_owned(),
        Kind::Const(_) => "constant".to_owned(),
        Kind::IVar(_) => "instance variable".to_owned(),
        Kind::CVar(_) => "class variable".to_owned(),
        Kind::GVar(_) => "global variable".to_owned(),
        Kind::Keyword(word) => format!("`{word}'"),
        Kind::Label(_) => "label".to_owned(),
        Kind::Symbol(_) | Kind::DynamicSymbol(_) => "symbol literal".to_owned(),
        Kind::Op(op) if op.len() == 1 => format!("'{op}'"),
        Kind::Op(op) => (*op).to_owned(),
        Kind::Newline => "'\\n'".to_owned(),
        Kind::Int(_) => "integer literal".to_owned(),
        Kind::Float(_) => "float literal".to_owned(),
        Kind::OtherNumber(_) => "rational literal".to_owned(),
        Kind::Symbols(_) => "symbol list".to_owned(),
        Kind::Words(_) => "word list".to_owned(),
        Kind::Str(_) => "string literal".to_owned(),
        Kind::Command(_) => "backtick literal".to_owned(),
        Kind::Regexp(..) => "regexp literal".to_owned(),
    }
}
