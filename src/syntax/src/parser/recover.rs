//! Errors at unexpected tokens, and where parsing continues after them.
//!
//! In: the unexpected token. Out: Puppet's message, a hint, the next position where a statement may begin. Must not: build
//! expressions.

use super::ParseResult;
use super::Parser;
use super::ReportedError;
use crate::token::Kind;
use crate::token::Token;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Label;
use std::borrow::Cow;

/// The number of tokens between two positions whose bracket depth is stored.
const STRIDE: usize = 64;

pub(super) fn nesting(kind: Kind) -> i32 {
    match kind {
        Kind::LBrace | Kind::SelBrace | Kind::LParen | Kind::WsLParen | Kind::LBrack | Kind::ListStart => 1,
        Kind::RBrace | Kind::RParen | Kind::RBrack => -1,
        _ => 0,
    }
}

impl<'s> Parser<'s> {
    /// The token here fits no rule. (issue `SYNTAX_ERROR`, or why the token could not be lexed)
    pub(super) fn unexpected<T>(&mut self) -> ParseResult<T> {
        let token = self.token();
        let span = self.span(token);
        if token.kind == Kind::Error {
            let known = self.tokens.errors.get((token.value as usize).wrapping_sub(1));
            let (code, message) =
                known.map_or((Code::SYNTAX_ERROR, String::new()), |trouble| (trouble.code, trouble.message.clone()));
            return Err(self.report(code, message, span));
        }
        if token.kind == Kind::Regex
            && let Err(error) = catwalk_regexp::Regexp::new(self.value(token)).check()
        {
            // Ruby compiles it when it is lexed, before the parser rejects the token.
            return Err(self.report(Code::REGEXP_ERROR, error.message().to_owned(), span));
        }
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.list.get(at));
        if token.kind == Kind::End && before.is_some_and(|before| before.kind == Kind::Error) {
            // An unclosed string extends to the end of the file, which needs no further error.
            return Err(ReportedError);
        }
        let location = match token.kind {
            Kind::End => "end of input".to_owned(),
            Kind::Regex => format!("'(?-mix:{})'", self.value(token).replace('/', "\\/")),
            Kind::EppStart => "''".to_owned(),
            _ => format!("'{}'", self.value(token)),
        };
        let failed = self.report(Code::SYNTAX_ERROR, format!("Syntax error at {location}"), span);
        if token.kind == Kind::End
            && let Some(error) = self.diagnostics.last_mut()
        {
            error.cause = Cause::EndOfInput;
        }
        self.hint(token);
        Err(failed)
    }

    /// Adds a hint to the error at `token`: the open bracket or the missing comma.
    pub(super) fn hint(&mut self, token: Token) {
        let before = self.tokens.list.get(..self.at).unwrap_or(&[]);
        if self.open_brackets.0 > self.at {
            self.open_brackets = (0, Vec::new());
        }
        let (known, mut open) = std::mem::take(&mut self.open_brackets);
        for token in before.get(known..).unwrap_or(&[]) {
            match nesting(token.kind) {
                1 => open.push(*token),
                -1 => drop(open.pop()),
                _ => {}
            }
        }
        let label = open
            .last()
            .map(|open| self.span(*open))
            .filter(|_| token.kind == Kind::End || nesting(token.kind) == -1 || self.first_on_line());
        let arrow = matches!(self.next_kind(), Kind::FArrow | Kind::PArrow);
        let after_value = before
            .last()
            .is_some_and(|last| nesting(last.kind) == -1 || last.kind.is_keyword() || !last.kind.regex_may_follow());
        let comma = arrow && after_value && !open.is_empty();
        self.open_brackets = (self.at, open);
        let Some(diagnostic) = self.diagnostics.last_mut() else { return };
        if comma {
            diagnostic.help = Some(Cow::Borrowed("a comma or a colon may be missing before this"));
        } else if let Some(span) = label {
            let text = if token.kind == Kind::End { "this is never closed" } else { "this is open here" };
            diagnostic.labels.push(Label { span, text: Cow::Borrowed(text) });
        }
    }

    /// The bracket depth before a token. Stored for every [`STRIDE`]th token on first use: an error in nested blocks ends each
    /// of them at the same token, and the blocks would be read again for each.
    fn balance(&mut self, at: usize) -> i32 {
        let tokens = self.tokens;
        let sum = |from: usize, to: usize| {
            tokens.list.get(from..to).unwrap_or(&[]).iter().map(|token| nesting(token.kind)).sum::<i32>()
        };
        let mut near = self.balances.last().copied().unwrap_or(0);
        for stride in self.balances.len()..=at / STRIDE {
            near += sum(stride.saturating_sub(1) * STRIDE, stride * STRIDE);
            self.balances.push(near);
        }
        let near = self.balances.get(at / STRIDE).copied().unwrap_or(near);
        near + sum(at / STRIDE * STRIDE, at)
    }

    /// Skips to the next possible start of a statement: a new line outside the brackets that were open, or the `}` of the
    /// enclosing block.
    pub(super) fn recover(&mut self, start: usize) {
        let mut open = (self.balance(self.at) - self.balance(start)).max(0);
        loop {
            let token = self.token();
            match token.kind {
                Kind::End => return,
                Kind::RBrace if open == 0 => {
                    // It closes the enclosing block, or is unmatched at the top level.
                    if !self.classes_or_blocks_open() {
                        self.bump();
                    }
                    return;
                }
                _ if self.at > start && open == 0 && self.starts_statement() && self.first_on_line() => return,
                kind => {
                    open = (open + nesting(kind)).max(0);
                    self.bump();
                }
            }
        }
    }

    pub(super) fn starts_statement(&self) -> bool {
        matches!(
            self.kind(),
            Kind::LBrack
                | Kind::ListStart
                | Kind::LBrace
                | Kind::LParen
                | Kind::WsLParen
                | Kind::Minus
                | Kind::Times
                | Kind::Not
                | Kind::At
                | Kind::AtAt
                | Kind::String
                | Kind::Word
                | Kind::DqPre
                | Kind::Number
                | Kind::Variable
                | Kind::Regex
                | Kind::Heredoc
                | Kind::Name
                | Kind::ClassRef
                | Kind::Case
                | Kind::Class
                | Kind::Default
                | Kind::Define
                | Kind::If
                | Kind::Node
                | Kind::Undef
                | Kind::Boolean
                | Kind::Unless
                | Kind::Function
                | Kind::Type
                | Kind::Attr
                | Kind::Private
                | Kind::RenderString
                | Kind::RenderExpr
        )
    }
}
