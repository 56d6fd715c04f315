//! Text to tokens.
//!
//! In: one text. Out: [`Tokens`], all of them at once, with every text that cannot be lexed as a token of its own.
//! Must not: know the grammar, except where the language itself makes tokens depend on what came before (a `/` after a
//! value divides, a `{` after `?` opens a selector, a `(` first on its line starts no call).
//!
//! The reference lexes one token when the parser asks for it, but a double-quoted text or heredoc with all its
//! interpolations at once. So an error inside such a text takes the place of the whole text, and comes before any
//! syntax error in it; [`Lexer::run`] keeps that order.

mod epp;
mod heredoc;
mod number;
mod string;

use std::borrow::Cow;

use crate::syntax::token::Kind;
use crate::syntax::token::Piece;
use crate::syntax::token::Token;
use crate::syntax::token::Tokens;
use crate::syntax::token::Trouble;

/// How deep texts may nest in interpolations of texts.
const MAX_TEXT_DEPTH: u32 = 1000;
/// The same on a thread's normal stack.
const SMALL_TEXT_DEPTH: u32 = 60;

/// How deep texts may nest here.
fn max_text_depth() -> u32 {
    if crate::stack::is_large() { MAX_TEXT_DEPTH } else { SMALL_TEXT_DEPTH }
}

const WORD: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;
const BLANK: u8 = 16;
const DASH: u8 = 32;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'_' => WORD | LOWER,
            b'A'..=b'Z' => WORD | UPPER,
            b'0'..=b'9' => WORD | DIGIT,
            b' ' | b'\t' | b'\r' => BLANK,
            b'-' => DASH,
            _ => 0,
        };
        byte += 1;
    }
    table
}

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// What a template's lexer is in.
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

/// A failure to lex: where the reference reports it (an offset in the lexer's own text).
struct Failure {
    code: &'static str,
    message: String,
    at: usize,
}

type Lexed<T> = Result<T, Failure>;

/// Turns a whole file into tokens.
pub(super) fn tokenize(text: &str, template: bool) -> Tokens {
    tokenize_into(text, template, Tokens::default())
}

/// The same into lists whose memory is used again.
pub(super) fn tokenize_into(text: &str, template: bool, mut tokens: Tokens) -> Tokens {
    // Real manifests have a token for every five to six bytes.
    tokens.list.reserve(text.len() / 5 + 8);
    let mut lexer = Lexer::new(text, &mut tokens);
    lexer.run(template);
    tokens
}

struct Lexer<'s, 't> {
    text: &'s str,
    bytes: &'s [u8],
    pos: usize,
    /// The token before, as far as the reference remembers it: decides what a `/` is.
    after: Kind,
    braces: i32,
    line_start: usize,
    /// Where the line after the heredocs of this line starts.
    newline_jump: Option<usize>,
    mode: Mode,
    tag_open: bool,
    /// What the reference's scanner matched last: named by the message on unclosed quotes.
    matched: Option<(usize, usize)>,
    heredoc: Option<heredoc::Context<'s>>,
    depth: u32,
    tokens: &'t mut Tokens,
}

impl<'s, 't> Lexer<'s, 't> {
    fn new(text: &'s str, tokens: &'t mut Tokens) -> Lexer<'s, 't> {
        Lexer {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            after: Kind::End,
            braces: 0,
            line_start: 0,
            newline_jump: None,
            mode: Mode::Manifest,
            tag_open: false,
            matched: None,
            heredoc: None,
            depth: 0,
            tokens,
        }
    }

    fn run(&mut self, template: bool) {
        if self.text.starts_with('\u{feff}') {
            let message =
                "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - remove these from the puppet source";
            self.report(0, Failure { code: "ILLEGAL_BOM", message: message.to_owned(), at: 0 });
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
        while self.pos < self.bytes.len() {
            let (mark, start) = (self.tokens.list.len(), self.pos);
            match self.next() {
                Ok(_) => {
                    if let Some(last) = self.tokens.list.get(mark..).and_then(<[Token]>::last) {
                        self.after = last.kind;
                    }
                }
                Err(failure) => {
                    self.report(mark, failure);
                    self.recover(start);
                }
            }
        }
        if self.tag_open && template {
            let message = "Unbalanced epp tag, reached <eof> without closing tag.".to_owned();
            let mark = self.tokens.list.len();
            self.report(mark, Failure { code: "EPP_UNBALANCED_TAG", message, at: self.bytes.len() });
        }
        let end = self.bytes.len();
        self.push(Kind::End, end, end);
    }

    /// Replaces the tokens from `mark` on by an error token.
    fn report(&mut self, mark: usize, failure: Failure) {
        self.tokens.list.truncate(mark);
        let at = self.global(failure.at);
        let token = u32::try_from(mark).unwrap_or(u32::MAX);
        self.tokens.errors.push(Trouble { code: failure.code, message: failure.message, at, token, culprit: None });
        let value = u32::try_from(self.tokens.errors.len()).unwrap_or(u32::MAX);
        self.tokens.list.push(Token { kind: Kind::Error, start: at, end: at.saturating_add(1), value });
        self.after = Kind::Error;
    }

    /// Goes on after an error: behind the line for texts without end, else behind the word.
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

    fn fail<T>(&self, code: &'static str, message: impl Into<Cow<'static, str>>, at: usize) -> Lexed<T> {
        Err(Failure { code, message: message.into().into_owned(), at })
    }

    /// An offset of this lexer's text as an offset of the file.
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
    }

    /// A token whose text is its range. In a heredoc the text is kept, since the file's range may contain margins.
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
        self.keep(piece)
    }

    fn keep(&mut self, piece: Piece) -> u32 {
        self.tokens.pieces.push(piece);
        u32::try_from(self.tokens.pieces.len()).unwrap_or(u32::MAX)
    }

    fn warn(&mut self, code: &'static str, message: String, culprit: Option<(usize, usize)>) {
        let token = u32::try_from(self.tokens.list.len()).unwrap_or(u32::MAX);
        let culprit = culprit.map(|(start, end)| (self.global(start), self.global(end)));
        let at = self.global(self.pos);
        self.tokens.warnings.push(Trouble { code, message, at, token, culprit });
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// An operator of `length` bytes.
    fn op(&mut self, kind: Kind, length: usize) -> Lexed<Option<Kind>> {
        self.push(kind, self.pos, self.pos + length);
        self.pos += length;
        Ok(Some(kind))
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

    /// The length of the white space character outside ASCII that stands here, or 0.
    fn unicode_blank(&self) -> usize {
        let next = self.text.get(self.pos..).and_then(|rest| rest.chars().next());
        match next {
            Some(c @ ('\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')) => {
                c.len_utf8()
            }
            _ => 0,
        }
    }

    /// Lexes what stands here. The result is the token's kind when it made exactly one token by itself: the reference
    /// remembers only those as the token before while it is inside an interpolation.
    fn next(&mut self) -> Lexed<Option<Kind>> {
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
                self.op(if self.after == Kind::QMark { Kind::SelBrace } else { Kind::LBrace }, 1)
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

    fn operator(&mut self, byte: u8) -> Lexed<Option<Kind>> {
        let (kind, length) = match (byte, self.peek(1)) {
            (b',', _) => (Kind::Comma, 1),
            (b']', _) => (Kind::RBrack, 1),
            (b')', _) => (Kind::RParen, 1),
            (b'.', _) => (Kind::Dot, 1),
            (b';', _) => (Kind::Semic, 1),
            (b'?', _) => (Kind::QMark, 1),
            (b'*', _) => (Kind::Times, 1),
            (b'%', b'>') if self.mode != Mode::Manifest => return self.close_tag(2, Kind::EppEnd, false),
            (b'%', _) => (Kind::Modulo, 1),
            (b'|', b'>') if self.peek(2) == b'>' => (Kind::RRCollect, 3),
            (b'|', b'>') => (Kind::RCollect, 2),
            (b'|', _) => (Kind::Pipe, 1),
            (b'=', b'=') => (Kind::IsEqual, 2),
            (b'=', b'>') => (Kind::FArrow, 2),
            (b'=', b'~') => (Kind::Match, 2),
            (b'=', _) => (Kind::Equals, 1),
            (b'+', b'=') => (Kind::Appends, 2),
            (b'+', b'>') => (Kind::PArrow, 2),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', b'%') if self.mode != Mode::Manifest && self.peek(2) == b'>' => {
                return self.close_tag(3, Kind::EppEndTrim, true);
            }
            (b'-', b'>') => (Kind::InEdge, 2),
            (b'-', b'=') => (Kind::Deletes, 2),
            (b'-', _) => (Kind::Minus, 1),
            (b'!', b'=') => (Kind::NotEqual, 2),
            (b'!', b'~') => (Kind::NoMatch, 2),
            (b'!', _) => (Kind::Not, 1),
            (b'~', b'>') => (Kind::InEdgeSub, 2),
            (b'~', _) => (Kind::Tilde, 1),
            (b'<', b'<') if self.peek(2) == b'|' => (Kind::LLCollect, 3),
            (b'<', b'<') => (Kind::LShift, 2),
            (b'<', b'=') => (Kind::LessEqual, 2),
            (b'<', b'|') => (Kind::LCollect, 2),
            (b'<', b'-') => (Kind::OutEdge, 2),
            (b'<', b'~') => (Kind::OutEdgeSub, 2),
            (b'<', _) => (Kind::Less, 1),
            (b'>', b'>') => (Kind::RShift, 2),
            (b'>', b'=') => (Kind::GreaterEqual, 2),
            (b'>', _) => (Kind::Greater, 1),
            _ => return self.other(),
        };
        self.op(kind, length)
    }

    /// A character no rule knows. The reference takes one byte; the whole character is kinder to what follows.
    fn other(&mut self) -> Lexed<Option<Kind>> {
        if self.unicode_blank() > 0 {
            self.blanks();
            return Ok(None);
        }
        let length = self.text.get(self.pos..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        // The reference's token has an empty text.
        let value = self.keep(Piece::Owned(String::new()));
        self.push_value(Kind::Other, self.pos, self.pos + length, value);
        self.pos += length;
        Ok(Some(Kind::Other))
    }

    fn bracket(&mut self) -> Lexed<Option<Kind>> {
        let before = self.text.get(..self.pos).and_then(|head| head.chars().next_back());
        let spaced = match before {
            None | Some(' ' | '\t' | '\r' | '\n') => true,
            Some(c) if c.is_ascii() => false,
            Some(c) => c.is_whitespace(),
        };
        self.op(if spaced { Kind::ListStart } else { Kind::LBrack }, 1)
    }

    fn paren(&mut self) -> Lexed<Option<Kind>> {
        let before = self.bytes.get(self.line_start..self.pos).unwrap_or(b"x");
        let first = before.iter().all(|byte| is(*byte, BLANK));
        self.op(if first { Kind::WsLParen } else { Kind::LParen }, 1)
    }

    /// The end of the bare word that starts at `at`, whether it is a name, or `at` when there is none.
    /// (`lexer2.rb`, `PATTERN_BARE_WORD` and `PATTERN_NAME`)
    fn bare_word(&self, mut at: usize) -> (usize, bool) {
        let mut name = true;
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        loop {
            let qualified = byte(at) == b':' && byte(at + 1) == b':';
            let first = if qualified { at + 2 } else { at };
            if !is(byte(first), LOWER) {
                return (at, name);
            }
            let mut end = first + 1;
            let mut dashed = false;
            while is(byte(end), WORD | DASH) {
                dashed |= byte(end) == b'-';
                end += 1;
            }
            if dashed {
                while byte(end - 1) == b'-' {
                    end -= 1;
                }
                dashed = self.bytes.get(first..end).is_some_and(|word| word.contains(&b'-'));
            }
            name &= byte(first) != b'_' && !dashed;
            at = end;
        }
    }

    fn word(&mut self) -> Lexed<Option<Kind>> {
        let start = self.pos;
        let (end, name) = self.bare_word(start);
        self.pos = end;
        self.matched = Some((start, end));
        let kind = match self.bytes.get(start..end) {
            Some(word) if name => Kind::keyword(word).unwrap_or(Kind::Name),
            _ => Kind::Word,
        };
        self.push(kind, start, end);
        Ok(Some(kind))
    }

    /// `Foo::Bar`; `skip` is how far behind its end the reference reports a name that goes on in lower case.
    fn class_reference(&mut self, start: usize, skip: usize) -> Lexed<Option<Kind>> {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let mut end = start;
        loop {
            let first = if byte(end) == b':' && byte(end + 1) == b':' { end + 2 } else { end };
            if !is(byte(first), UPPER) {
                break;
            }
            end = first + 1;
            while is(byte(end), WORD) {
                end += 1;
            }
        }
        self.pos = end;
        self.matched = Some((start, end));
        if byte(end) == b':' && byte(end + 1) == b':' {
            let (code, message) = if skip == 1 {
                ("ILLEGAL_CLASS_REFERENCE", "Illegal class reference")
            } else {
                ("ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE", "Illegal fully qualified class reference")
            };
            return self.fail(code, message, (end + skip).min(self.bytes.len()));
        }
        self.push(Kind::ClassRef, start, end);
        Ok(Some(Kind::ClassRef))
    }

    fn colon(&mut self) -> Lexed<Option<Kind>> {
        if self.peek(1) != b':' {
            return self.op(Kind::Colon, 1);
        }
        if is(self.peek(2), UPPER) {
            return self.class_reference(self.pos, 3);
        }
        let start = self.pos;
        let (end, name) = self.bare_word(start);
        if end == start {
            let at = (start + 2).min(self.bytes.len());
            return self.fail("ILLEGAL_FULLY_QUALIFIED_NAME", "Illegal fully qualified name", at);
        }
        self.pos = end;
        self.matched = Some((start, end));
        let kind = if name { Kind::Name } else { Kind::Word };
        self.push(kind, start, end);
        Ok(Some(kind))
    }

    /// The end of the variable name that starts at `at`, or `at`. (`PATTERN_VARIABLE`)
    fn variable_name(&self, at: usize) -> usize {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let mut end = at;
        let mut next = if byte(at) == b':' && byte(at + 1) == b':' { at + 2 } else { at };
        while is(byte(next), WORD) {
            end = next;
            while is(byte(end), WORD) {
                end += 1;
            }
            if byte(end) != b':' || byte(end + 1) != b':' {
                break;
            }
            next = end + 2;
        }
        end
    }

    fn variable(&mut self) -> Lexed<Option<Kind>> {
        let start = self.pos;
        let end = self.variable_name(start + 1);
        self.matched = (end > start + 1).then_some((start, end));
        self.pos = end;
        let value = self.piece(start + 1, end);
        self.push_value(Kind::Variable, start, end, value);
        Ok(Some(Kind::Variable))
    }

    fn slash(&mut self) -> Lexed<Option<Kind>> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        if rest.get(1) == Some(&b'*') {
            let Some(length) = memchr::memmem::find(rest.get(2..).unwrap_or(&[]), b"*/") else {
                return self.fail("UNCLOSED_MLCOMMENT", "Unclosed multiline comment", self.pos);
            };
            self.matched = Some((self.pos, self.pos + length + 4));
            self.pos += length + 4;
            return Ok(None);
        }
        if self.after.regex_may_follow()
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

    fn regex(&mut self, end: usize) -> Lexed<Option<Kind>> {
        let start = self.pos;
        let source = self.text.get(start + 1..end - 1).unwrap_or("");
        let value = if source.contains("\\/") {
            let source = source.replace("\\/", "/");
            self.keep(Piece::Owned(source))
        } else {
            self.piece(start + 1, end - 1)
        };
        self.matched = Some((start, end));
        self.pos = end;
        self.push_value(Kind::Regex, start, end, value);
        Ok(Some(Kind::Regex))
    }
}
