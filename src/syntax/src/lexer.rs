//! Text to tokens.
//!
//! In: one source. Out: [`Tokens`], all of them at once, with an error token for whatever cannot be lexed. Must not: know the
//! grammar, except where the language itself makes tokens depend on what came before (a `/` after a value divides, a `{` after
//! `?` opens a selector, a `(` first on its line starts no call).
//!
//! Puppet lexes one token when the parser needs it, but a double-quoted string or heredoc with all its interpolations at
//! once. So an error inside such a string replaces the whole string, and comes before any syntax error in it; [`Lexer::run`]
//! keeps that order.

mod class;
mod epp;
mod heredoc;
mod name;
mod number;
mod operator;
mod string;

use class::BLANK;
use class::WORD;
use class::is;

use std::borrow::Cow;

use crate::token::Kind;
use crate::token::LexDiagnostic;
use crate::token::Piece;
use crate::token::Token;
use crate::token::Tokens;
use catwalk_base::diag::Code;
use catwalk_base::meter;

/// How deep strings may nest in interpolations of strings.
const MAX_STRING_DEPTH: u32 = 1000;
/// How deep strings may nest on a thread's normal stack.
const SMALL_STACK_STRING_DEPTH: u32 = 60;

/// How deep strings may nest on this thread.
fn max_string_depth() -> u32 {
    if catwalk_base::stack::is_large() { MAX_STRING_DEPTH } else { SMALL_STACK_STRING_DEPTH }
}

/// The part of a template that the lexer is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// A manifest.
    Manifest,
    /// Text of a template.
    Text,
    /// `<% … %>`
    Code,
    /// `<%= … %>`
    Expression,
}

/// A lexing error, and the offset in the lexer's own source at which Puppet reports it.
struct Failure {
    code: Code,
    message: String,
    at: usize,
}

/// The number of bytes of searches without a result after which lexing stops: the errors found so far are enough.
const MAX_SEARCHED_BYTES: usize = 1 << 24;

type LexResult<T> = Result<T, Failure>;

/// Turns a whole file into tokens.
pub(super) fn tokenize(text: &str, template: bool) -> Tokens {
    let mut tokens = Tokens::default();
    // Real manifests have about one token for every five to six bytes.
    tokens.list.reserve(text.len() / 5 + 8);
    let mut lexer = Lexer::new(text, &mut tokens);
    lexer.run(template);
    tokens
}

struct Lexer<'s, 't> {
    text: &'s str,
    bytes: &'s [u8],
    pos: usize,
    /// The previous token as Puppet remembers it. It decides whether a `/` starts a regular expression.
    previous: Kind,
    braces: i32,
    line_start: usize,
    /// The start of the line after this line's heredocs.
    newline_jump: Option<usize>,
    mode: Mode,
    tag_open: bool,
    /// The last match of Puppet's scanner, which the message on unclosed quotes contains.
    matched: Option<(usize, usize)>,
    heredoc: Option<heredoc::Context<'s>>,
    depth: u32,
    /// The number of bytes that were searched without finding the end of a heredoc.
    searched: usize,
    tokens: &'t mut Tokens,
}

impl<'s, 't> Lexer<'s, 't> {
    fn new(text: &'s str, tokens: &'t mut Tokens) -> Lexer<'s, 't> {
        Lexer {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            previous: Kind::End,
            braces: 0,
            line_start: 0,
            newline_jump: None,
            mode: Mode::Manifest,
            tag_open: false,
            matched: None,
            heredoc: None,
            depth: 0,
            searched: 0,
            tokens,
        }
    }

    fn run(&mut self, template: bool) {
        if self.text.starts_with('\u{feff}') {
            let message =
                "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - remove these from the puppet source";
            self.report(0, Failure { code: Code::ILLEGAL_BOM, message: message.to_owned(), at: 0 });
            self.pos = 3;
        }
        if template {
            self.mode = Mode::Text;
            self.push(Kind::EppStart, 0, 0);
            if let Err(failure) = self.template_text(false) {
                self.report(1, failure);
                self.pos = self.bytes.len();
            }
        }
        let mut pieces = 0_usize;
        while self.pos < self.bytes.len() {
            // Comments and blanks are not tokens, but count as pieces.
            pieces += 1;
            if pieces.is_multiple_of(meter::TICK_BATCH) {
                meter::tick(meter::TICK_BATCH);
            }
            let (mark, start) = (self.tokens.list.len(), self.pos);
            match self.next() {
                Ok(_) => {
                    if let Some(last) = self.tokens.list.get(mark..).and_then(<[Token]>::last) {
                        self.previous = last.kind;
                    }
                }
                Err(failure) => {
                    let too_deep = failure.code == Code::NESTED_TOO_DEEPLY;
                    self.report(mark, failure);
                    self.recover(start);
                    // Each further line would be lexed at the same depth, or search the whole source again.
                    if too_deep || self.searched > MAX_SEARCHED_BYTES {
                        self.pos = self.bytes.len();
                    }
                }
            }
        }
        if self.tag_open && template {
            let message = "Unbalanced epp tag, reached <eof> without closing tag.".to_owned();
            let mark = self.tokens.list.len();
            self.report(mark, Failure { code: Code::EPP_UNBALANCED_TAG, message, at: self.bytes.len() });
        }
        let end = self.bytes.len();
        self.push(Kind::End, end, end);
    }

    /// Replaces the tokens from `mark` on by an error token.
    fn report(&mut self, mark: usize, failure: Failure) {
        self.tokens.list.truncate(mark);
        let at = self.global(failure.at);
        let token = u32::try_from(mark).unwrap_or(u32::MAX);
        self.tokens.errors.push(LexDiagnostic {
            code: failure.code,
            message: failure.message,
            at,
            token,
            culprit: None,
        });
        let value = u32::try_from(self.tokens.errors.len()).unwrap_or(u32::MAX);
        self.tokens.list.push(Token { kind: Kind::Error, start: at, end: at.saturating_add(1), value });
        self.previous = Kind::Error;
    }

    /// Continues after an error: on the next line for unclosed strings, otherwise after the word.
    fn recover(&mut self, start: usize) {
        let first = self.bytes.get(start).copied().unwrap_or(0);
        let mut at = self.pos.max(start + 1).min(self.bytes.len());
        if matches!(first, b'"' | b'\'' | b'@') {
            at = memchr::memchr(b'\n', self.bytes.get(start..).unwrap_or(&[])).map_or(self.bytes.len(), |n| start + n);
        } else if first == b'/' {
            at = self.bytes.len();
        } else {
            while at < self.bytes.len() && (is(self.bytes[at], WORD) || !self.text.is_char_boundary(at)) {
                at += 1;
            }
        }
        self.pos = at;
        self.braces = 0;
        self.depth = 0;
    }

    fn fail<T>(&self, code: Code, message: impl Into<Cow<'static, str>>, at: usize) -> LexResult<T> {
        Err(Failure { code, message: message.into().into_owned(), at })
    }

    /// Converts an offset of this lexer's source to one of the file.
    fn global(&self, at: usize) -> u32 {
        match &self.heredoc {
            Some(context) => context.global(at),
            None => u32::try_from(at).unwrap_or(u32::MAX),
        }
    }

    fn push_value(&mut self, kind: Kind, start: usize, end: usize, value: u32) {
        let (start, end) = match &self.heredoc {
            Some(context) => (context.global(start), context.global_end(end)),
            None => (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX)),
        };
        self.tokens.list.push(Token { kind, start, end, value });
        // A string with interpolations is lexed as a whole.
        if self.tokens.list.len().is_multiple_of(meter::TICK_BATCH) {
            meter::tick(meter::TICK_BATCH);
        }
    }

    /// Adds a token whose value is its range. In a heredoc the value is stored, since the file's range may contain margins.
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let value = if self.heredoc.is_some() && end > start { self.piece(start, end) } else { 0 };
        self.push_value(kind, start, end, value);
    }

    fn piece(&mut self, start: usize, end: usize) -> u32 {
        let piece = if self.heredoc.is_some() {
            Piece::Owned(self.text.get(start..end).unwrap_or("").to_owned())
        } else {
            Piece::Range(u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
        };
        self.add_piece(piece)
    }

    fn add_piece(&mut self, piece: Piece) -> u32 {
        self.tokens.pieces.push(piece);
        u32::try_from(self.tokens.pieces.len()).unwrap_or(u32::MAX)
    }

    fn warn(&mut self, code: Code, message: String, culprit: Option<(usize, usize)>) {
        let token = u32::try_from(self.tokens.list.len()).unwrap_or(u32::MAX);
        let culprit = culprit.map(|(start, end)| (self.global(start), self.global(end)));
        let at = self.global(self.pos);
        self.tokens.warnings.push(LexDiagnostic { code, message, at, token, culprit });
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        let start = self.pos;
        loop {
            match self.bytes.get(self.pos) {
                Some(byte) if is(*byte, BLANK) => self.pos += 1,
                Some(byte) if *byte >= 0x80 && self.unicode_blank() > 0 => self.pos += self.unicode_blank(),
                _ => break,
            }
        }
        self.matched = (self.pos > start).then_some((start, self.pos));
    }

    /// The length of the non-ASCII white space character at the current position, or 0.
    fn unicode_blank(&self) -> usize {
        let next = self.text.get(self.pos..).and_then(|rest| rest.chars().next());
        match next {
            Some(c @ ('\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')) => {
                c.len_utf8()
            }
            _ => 0,
        }
    }

    /// Lexes at the current position. Returns the token's kind if it made exactly one token: inside an interpolation Puppet
    /// remembers only those as the previous token.
    fn next(&mut self) -> LexResult<Option<Kind>> {
        let Some(byte) = self.bytes.get(self.pos).copied() else { return Ok(None) };
        match byte {
            b' ' | b'\t' | b'\r' => {
                self.blanks();
                Ok(None)
            }
            b'\n' => {
                self.pos = self.newline_jump.take().unwrap_or(self.pos + 1);
                self.line_start = self.pos;
                Ok(None)
            }
            b'a'..=b'z' | b'_' => self.word(),
            b'A'..=b'Z' => self.class_reference(self.pos, 1),
            b'$' => self.variable(),
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            b'0'..=b'9' => self.number(),
            b'#' => {
                let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
                let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                self.matched = Some((self.pos, self.pos + length));
                self.pos += length;
                Ok(None)
            }
            b':' => self.colon(),
            b'/' => self.slash(),
            b'@' => match self.peek(1) {
                b'@' => self.op(Kind::AtAt, 2),
                b'(' => self.start_heredoc(),
                _ => self.op(Kind::At, 1),
            },
            b'{' => {
                self.braces += 1;
                self.op(if self.previous == Kind::QMark { Kind::SelBrace } else { Kind::LBrace }, 1)
            }
            b'}' => {
                self.braces -= 1;
                self.op(Kind::RBrace, 1)
            }
            b'[' => self.bracket(),
            b'(' => self.paren(),
            _ => self.operator(byte),
        }
    }

    fn slash(&mut self) -> LexResult<Option<Kind>> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        if rest.get(1) == Some(&b'*') {
            let Some(length) = memchr::memmem::find(rest.get(2..).unwrap_or(&[]), b"*/") else {
                return self.fail(Code::UNCLOSED_MLCOMMENT, "Unclosed multiline comment", self.pos);
            };
            self.matched = Some((self.pos, self.pos + length + 4));
            self.pos += length + 4;
            return Ok(None);
        }
        if self.previous.regex_may_follow()
            && let Some(end) = self.regex_end()
        {
            return self.regex(end);
        }
        self.op(Kind::Div, 1)
    }

    /// One past the `/` that ends the regular expression starting here. A `/` after an odd number of backslashes does
    /// not end it.
    fn regex_end(&self) -> Option<usize> {
        let mut at = self.pos + 1;
        loop {
            let length = memchr::memchr(b'/', self.bytes.get(at..)?)?;
            let end = at + length;
            let slashes = self.bytes.get(self.pos + 1..end)?.iter().rev().take_while(|byte| **byte == b'\\').count();
            at = end + 1;
            if slashes % 2 == 0 {
                return Some(at);
            }
        }
    }

    fn regex(&mut self, end: usize) -> LexResult<Option<Kind>> {
        let start = self.pos;
        let source = self.text.get(start + 1..end - 1).unwrap_or("");
        let value = if source.contains("\\/") {
            let source = source.replace("\\/", "/");
            self.add_piece(Piece::Owned(source))
        } else {
            self.piece(start + 1, end - 1)
        };
        self.matched = Some((start, end));
        self.pos = end;
        self.push_value(Kind::Regex, start, end, value);
        Ok(Some(Kind::Regex))
    }
}
