//! Tokens to tree: recursive descent, with operator precedence for expressions.
//!
//! In: [`Tokens`]. Out: [`File`] and syntax errors. Must not: judge what is well formed but not allowed; that is
//! `validate`'s part.
//!
//! The grammar is Puppet's `egrammar.ra`. Where it is ambiguous its table generator prefers to shift, so `{` after a whole
//! expression always opens a resource body, `[` and `(` directly after one always an index and a call. The functions here are
//! named after the grammar's rules. A failed rule has already reported its error ([`ReportedError`]); parsing continues with
//! the next statement, so that all errors of a file are found in one pass.

mod calls;
mod definition;
mod depth;
mod expression;
mod literal;
mod recover;
mod resource;
mod signature;

use calls::Calls;
use calls::Statement;
use depth::MAX_DEPTH;
use depth::SMALL_STACK_LIMITS;

use std::borrow::Cow;
use std::sync::Arc;

use crate::ast::Block;
use crate::ast::Definition;
use crate::ast::Epp;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::File;
use crate::token::Kind;
use crate::token::Piece;
use crate::token::Token;
use crate::token::Tokens;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;

pub use signature::Signature;
pub(super) use signature::parse_expression;
pub(super) use signature::parse_signature;

/// A marker that the error was already reported.
#[derive(Clone, Copy, Debug)]
struct ReportedError;

type ParseResult<T> = Result<T, ReportedError>;

/// The tree of a whole file; `tasks`: with plans, in the language of Bolt.
pub(super) fn parse(text: &str, file: FileId, tokens: &Tokens, tasks: bool) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser { tasks, ..Parser::new(text, file, tokens) };
    let body = parser.program();
    parser.merge_lexer_warnings();
    let has_syntax_errors = parser.diagnostics.iter().any(|diagnostic| diagnostic.severity >= Severity::Error);
    (File { id: file, body, definitions: parser.definitions, has_syntax_errors }, parser.diagnostics)
}

struct Parser<'s> {
    text: &'s str,
    file: FileId,
    tokens: &'s Tokens,
    /// Whether `plan` and `apply` are keywords.
    tasks: bool,
    at: usize,
    diagnostics: Vec<Diagnostic>,
    /// The token index of each diagnostic, by which lexer warnings are ordered among them.
    token_indices: Vec<usize>,
    definitions: Vec<Arc<Definition>>,
    /// The names of the enclosing classes.
    classes: Vec<Name>,
    /// The remaining bytes for full names of nested definitions.
    name_bytes: usize,
    /// Whether the last `assignment` was only an `expression`.
    is_only_expression: bool,
    depth: u32,
    /// The height of the trees parsed so far at this level, and at each enclosing level.
    height: u32,
    heights: Vec<u32>,
    /// The limits on the depth of brackets and on all levels.
    limits: (u32, u32),
    names: Vec<Option<Name>>,
    /// The open brackets before the token of the last error; the search for the next error continues from there.
    open_brackets: (usize, Vec<Token>),
    /// The bracket depth before every `STRIDE`th token, computed as far as errors needed it.
    balances: Vec<i32>,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, file: FileId, tokens: &'s Tokens) -> Parser<'s> {
        Parser {
            text,
            file,
            tokens,
            tasks: false,
            at: 0,
            diagnostics: Vec::new(),
            token_indices: Vec::new(),
            definitions: Vec::new(),
            classes: Vec::new(),
            name_bytes: definition::NAME_BYTES,
            is_only_expression: true,
            depth: 0,
            height: 0,
            heights: Vec::new(),
            limits: if catwalk_base::stack::is_large() { (MAX_DEPTH, MAX_DEPTH) } else { SMALL_STACK_LIMITS },
            names: vec![None; 256],
            open_brackets: (0, Vec::new()),
            balances: Vec::new(),
        }
    }

    // Tokens

    /// The token at an offset from the current one, or the last token.
    fn ahead(&self, by: usize) -> Token {
        const NONE: Token = Token { kind: Kind::End, start: 0, end: 0, value: 0 };
        self.tokens.list.get(self.at + by).or(self.tokens.list.last()).copied().unwrap_or(NONE)
    }

    fn token(&self) -> Token {
        self.ahead(0)
    }

    fn kind(&self) -> Kind {
        self.tokens.list.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    fn next_kind(&self) -> Kind {
        self.ahead(1).kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
            if self.at.is_multiple_of(meter::TICK_BATCH) {
                meter::tick(meter::TICK_BATCH);
            }
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    fn expect(&mut self, kind: Kind) -> ParseResult<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => self.unexpected(),
        }
    }

    fn value(&self, token: Token) -> &'s str {
        if token.value == 0 {
            return self.text.get(token.start as usize..token.end as usize).unwrap_or("");
        }
        match self.tokens.pieces.get(token.value as usize - 1) {
            Some(Piece::Range(start, end)) => self.text.get(*start as usize..*end as usize).unwrap_or(""),
            Some(Piece::Owned(text)) => text,
            None => "",
        }
    }

    /// The token's value as a name. Names repeat within a file, so most are found here without the global table.
    fn name(&mut self, token: Token) -> Name {
        let text = self.value(token);
        self.intern(text)
    }

    fn intern(&mut self, text: &str) -> Name {
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0) as usize;
        let last = byte(bytes.len().wrapping_sub(1));
        let hash =
            byte(0).wrapping_mul(31) ^ last.wrapping_mul(7) ^ byte(bytes.len() / 2) ^ bytes.len().wrapping_mul(13);
        let slot = hash & 255;
        if let Some(Some(name)) = self.names.get(slot)
            && *name == *text
        {
            return *name;
        }
        let name = Name::new(text);
        if let Some(entry) = self.names.get_mut(slot) {
            *entry = Some(name);
        }
        name
    }

    // Spans

    fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The span from a start to the end of the last token taken.
    fn span_from(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).and_then(|at| self.tokens.list.get(at)).map_or(start, |token| token.end);
        Span { file: self.file, start, end: end.max(start) }
    }

    // Errors

    fn report(&mut self, code: Code, message: impl Into<Cow<'static, str>>, span: Span) -> ReportedError {
        self.diagnostics.push(Diagnostic::new(Reason::new(code, message), Some(span)));
        self.token_indices.push(self.at);
        ReportedError
    }

    /// An error that Puppet raises without an issue code.
    fn error<T>(&mut self, message: impl Into<Cow<'static, str>>, span: Span) -> ParseResult<T> {
        Err(self.report(Code::SYNTAX_ERROR, message, span))
    }

    /// Inserts the lexer's warnings among the errors in the order in which Puppet would report them.
    fn merge_lexer_warnings(&mut self) {
        if self.tokens.warnings.is_empty() {
            return;
        }
        let mut errors = std::mem::take(&mut self.diagnostics).into_iter().zip(std::mem::take(&mut self.token_indices));
        let mut pending = errors.next();
        for warning in &self.tokens.warnings {
            while let Some((error, index)) = pending.take_if(|(_, index)| *index < warning.token as usize) {
                self.diagnostics.push(error);
                self.token_indices.push(index);
                pending = errors.next();
            }
            let span = Span { file: self.file, start: warning.at, end: warning.at };
            let reason = Reason::new(warning.code, warning.message.clone());
            let mut diagnostic = Diagnostic::new(reason, Some(span)).severity(catwalk_base::diag::Severity::Warning);
            if let Some((start, end)) = warning.culprit {
                diagnostic = diagnostic.label(Span { file: self.file, start, end }, "this one");
            }
            self.diagnostics.push(diagnostic);
            self.token_indices.push(warning.token as usize);
        }
        self.diagnostics.extend(pending.into_iter().chain(errors).map(|(error, _)| error));
    }

    // Statements

    fn program(&mut self) -> Block {
        if self.kind() == Kind::EppStart {
            let start = self.bump();
            let span = self.span(start);
            let epp = match self.epp(span) {
                Ok(epp) => ExprKind::Epp(Box::new(epp)),
                Err(ReportedError) => ExprKind::Error,
            };
            return Block { span, statements: vec![Expr { span, kind: epp }] };
        }
        let statements = self.statements(Kind::End);
        let span = self.block_span(&statements);
        Block { span, statements }
    }

    fn block_span(&self, statements: &[Expr]) -> Span {
        let nowhere = Span { file: self.file, start: 0, end: 0 };
        statements.first().zip(statements.last()).map_or(nowhere, |(first, last)| first.span.to(last.span))
    }

    fn epp(&mut self, span: Span) -> ParseResult<Epp> {
        let mut params = Vec::new();
        let params_specified = self.kind() == Kind::Pipe;
        if params_specified {
            params = self.pipe_parameters()?;
        }
        let statements = self.statements(Kind::End);
        Ok(Epp { params_specified, params, body: Block { span, statements } })
    }

    /// Statements up to `end`, which is not consumed. After an error, parsing continues with the next statement.
    fn statements(&mut self, end: Kind) -> Vec<Expr> {
        self.statements_after(None, end)
    }

    fn statements_after(&mut self, first: Option<Statement>, end: Kind) -> Vec<Expr> {
        let mut list = Calls::default();
        list.extend(first);
        let mut needed = false;
        loop {
            if !needed && !self.starts_statement() {
                if self.kind() == end || self.kind() == Kind::End {
                    break;
                }
                // Puppet forms its calls before it sees that the next token does not fit.
                if self.kind() == Kind::Error {
                    // Except if the next token cannot be lexed: Puppet looks at it first.
                    list.commas.clear();
                }
                self.report_commas(&mut list);
                if end != Kind::RBrace && end != Kind::End {
                    break;
                }
                let start = self.at;
                let _: ParseResult<()> = self.unexpected();
                self.recover(start);
                if self.at == start {
                    break;
                }
                continue;
            }
            let (start, depth, classes) = (self.at, self.depth, self.classes.len());
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(ReportedError) => {
                    self.leave_to(depth);
                    self.classes.truncate(classes);
                    let span = self.span(self.token());
                    list.push(Statement::Single(Expr { span, kind: ExprKind::Error }));
                    self.recover(start);
                }
            }
            needed = self.eat(Kind::Semic).is_some();
        }
        self.report_commas(&mut list);
        list.expressions
    }

    fn report_commas(&mut self, list: &mut Calls) {
        for (message, span) in list.commas.drain(..) {
            self.report(Code::SYNTAX_ERROR, message, span);
        }
    }

    /// Whether a `}` closes something: false only at the top level of the file.
    fn classes_or_blocks_open(&self) -> bool {
        self.depth > 0
    }

    fn first_on_line(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.list.get(at)).map_or(0, |token| token.end);
        let between = self.text.get(before as usize..self.token().start as usize).unwrap_or("");
        between.contains('\n')
    }

    /// `assignment`, or several with commas between.
    fn statement(&mut self) -> ParseResult<Statement> {
        let first = self.assignment()?;
        self.statement_rest(first)
    }

    fn statement_rest(&mut self, first: Expr) -> ParseResult<Statement> {
        let Some(comma) = self.eat(Kind::Comma) else { return Ok(Statement::Single(first)) };
        let span = self.span(comma);
        let mut list = vec![first, self.assignment()?];
        while self.eat(Kind::Comma).is_some() {
            list.push(self.assignment()?);
        }
        Ok(Statement::List(list, span))
    }

    /// `{ statements }`; the block's position is its `{`.
    fn block(&mut self) -> ParseResult<Block> {
        let start = self.expect(Kind::LBrace)?;
        self.enter()?;
        let statements = self.statements(Kind::RBrace);
        self.leave();
        self.expect(Kind::RBrace)?;
        Ok(Block { span: self.span_from(start.start), statements })
    }
}
