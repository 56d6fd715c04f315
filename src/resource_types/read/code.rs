//! Tokens with the places where their blocks and brackets close.
//! In: tokens. Out: [`Code`], ranges of it. Must not: know what the code means.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ruby::lexer::Kind;
use crate::ruby::lexer::Token;

/// A file or an interpolation.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) tokens: Vec<Token>,
    /// For each opening token the index of its closing one; for others itself.
    pub(super) close: Vec<usize>,
    /// The file it is from.
    pub(super) file: PathBuf,
}

/// A block or method body with its parameters.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) code: Arc<Code>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A parameter of a block or method.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// `*name`
    pub(super) splat: bool,
    /// Where its default stands.
    pub(super) default: Option<(usize, usize)>,
}

impl Code {
    /// Finds what closes what. Nothing if it does not add up.
    pub(super) fn new(tokens: Vec<Token>, file: PathBuf) -> Option<Code> {
        let close = closers(&tokens)?;
        Some(Code { tokens, close, file })
    }

    /// The token at `at`.
    pub(super) fn kind(&self, at: usize) -> Option<&Kind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    /// Whether the token at `at` is this operator.
    pub(super) fn op(&self, at: usize, op: &str) -> bool {
        matches!(self.kind(at), Some(Kind::Op(found)) if *found == op)
    }

    /// Whether the token at `at` is this keyword.
    pub(super) fn keyword(&self, at: usize, word: &str) -> bool {
        matches!(self.kind(at), Some(Kind::Keyword(found)) if *found == word)
    }

    /// Whether white space stands before the token at `at`.
    pub(super) fn space(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.space)
    }

    /// The line of a token.
    pub(super) fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    /// Index behind the token at `at`, or behind what it opens.
    pub(super) fn past(&self, at: usize) -> usize {
        self.close.get(at).copied().unwrap_or(at).max(at) + 1
    }

    /// Where the statement that starts at `from` ends: at a newline outside of brackets and blocks.
    pub(super) fn statement_end(&self, from: usize, to: usize) -> usize {
        let mut at = from;
        while at < to && !matches!(self.kind(at), Some(Kind::Newline)) {
            at = self.past(at);
        }
        at.min(to)
    }
}

fn closers(tokens: &[Token]) -> Option<Vec<usize>> {
    let mut close: Vec<usize> = (0..tokens.len()).collect();
    // Opening token, and whether it is a loop whose `do` is still to come.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Op("(" | "[" | "{") => open.push((at, false)),
            Kind::Op(")" | "]" | "}") | Kind::Keyword("end") => {
                let (from, _) = open.pop()?;
                *close.get_mut(from)? = at;
            }
            Kind::Keyword("begin" | "case" | "class" | "module") => open.push((at, false)),
            Kind::Keyword("def") if !endless(tokens, at) => open.push((at, false)),
            Kind::Keyword("while" | "until" | "for") if starts_block(tokens, at) => open.push((at, true)),
            Kind::Keyword("if" | "unless") if starts_block(tokens, at) => open.push((at, false)),
            Kind::Keyword("do") => match open.last_mut() {
                Some((_, waiting)) if *waiting => *waiting = false,
                _ => open.push((at, false)),
            },
            Kind::Newline => {
                if let Some((_, waiting)) = open.last_mut() {
                    *waiting = false;
                }
            }
            _ => {}
        }
    }
    open.is_empty().then_some(close)
}

/// Whether `if`, `while` and so on start a block here, rather than modify the statement before them.
fn starts_block(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return true };
    match &before.kind {
        Kind::Newline | Kind::Label(_) => true,
        Kind::Op(op) => !matches!(*op, ")" | "]" | "}"),
        Kind::Keyword(word) => {
            matches!(
                *word,
                "then" | "do" | "else" | "begin" | "ensure" | "and" | "or" | "not" | "elsif" | "when" | "in"
            )
        }
        _ => false,
    }
}

/// `def name(args) = expression`
fn endless(tokens: &[Token], at: usize) -> bool {
    let op = |at: usize, op: &str| matches!(tokens.get(at).map(|t| &t.kind), Some(Kind::Op(found)) if *found == op);
    let mut next = at + 1;
    if op(next + 1, ".") {
        next += 2;
    }
    next += 1;
    if op(next, "(") {
        let mut depth = 0usize;
        while next < tokens.len() {
            if op(next, "(") {
                depth += 1;
            } else if op(next, ")") {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            next += 1;
        }
        next += 1;
        return op(next, "=");
    }
    op(next, "=") && tokens.get(next).is_some_and(|token| token.space)
}
