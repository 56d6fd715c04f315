//! Quoted strings, their escapes and interpolations. (`slurp_support.rb`, `interpolation_support.rb`)

use catwalk_base::diag::Code;
use std::borrow::Cow;

use crate::lexer::LexResult;
use crate::lexer::Lexer;
use crate::lexer::max_string_depth;
use crate::token::Kind;
use crate::token::Piece;

/// The escapes in a kind of string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Escapes {
    /// `\\`; without it there are no escapes at all.
    pub(super) backslash: bool,
    /// `\'` and `\"`
    pub(super) quotes: bool,
    /// `\$`
    pub(super) dollar: bool,
    /// `\n`
    pub(super) n: bool,
    /// `\r`
    pub(super) r: bool,
    /// `\t`
    pub(super) t: bool,
    /// `\s`
    pub(super) s: bool,
    /// `\u`
    pub(super) u: bool,
    /// A backslash at the end of a line joins it with the next line.
    pub(super) newline: bool,
    /// Whether an unknown escape is worth a warning.
    pub(super) warn: bool,
}

pub(super) const DOUBLE_QUOTED: Escapes = Escapes {
    backslash: true,
    quotes: true,
    dollar: true,
    n: true,
    r: true,
    t: true,
    s: true,
    u: true,
    newline: true,
    warn: true,
};

/// What ends a piece of a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Terminator {
    /// The closing quote, or the end of a heredoc.
    End,
    /// `${`
    Expression,
    /// `$`
    Dollar,
}

impl<'s> Lexer<'s, '_> {
    pub(super) fn single_quoted(&mut self) -> LexResult<Option<Kind>> {
        let start = self.pos;
        self.pos += 1;
        let Some(end) = self.unescaped(|byte| byte == b'\'') else {
            let message = format!("Unclosed quote after \"'\" followed by '{}'", self.followed_by());
            return self.fail(Code::UNCLOSED_QUOTE, message, self.pos);
        };
        let text = self.text.get(start + 1..end).unwrap_or("");
        let value = if text.contains('\\') {
            let text = single_quoted_text(text);
            self.add_piece(Piece::Owned(text))
        } else {
            self.piece(start + 1, end)
        };
        self.matched = Some((self.before(start + 1, end), end + 1));
        self.pos = end + 1;
        self.push_value(Kind::String, start, end + 1, value);
        Ok(Some(Kind::String))
    }

    /// The offset of the first matching byte that follows an even number of backslashes. A match at the current position is
    /// ignored if the next such byte after it is a match: `"""` is a string of one quote (the patterns of `slurp_support.rb` require a character
    /// before the end of a string, and match the start of the string only if there is none).
    fn unescaped(&self, is_match: impl Fn(u8) -> bool) -> Option<usize> {
        if let Some((first, following)) = self.bytes.get(self.pos..)?.split_first()
            && is_match(*first)
        {
            let slashes = following.iter().take_while(|byte| **byte == b'\\').count();
            let follows = slashes.is_multiple_of(2) && following.get(slashes).is_some_and(|byte| is_match(*byte));
            return Some(if follows { self.pos + 1 + slashes } else { self.pos });
        }
        let mut slashes = 0_usize;
        for (ahead, byte) in self.bytes.get(self.pos..)?.iter().enumerate() {
            if *byte == b'\\' {
                slashes += 1;
                continue;
            }
            if is_match(*byte) && slashes.is_multiple_of(2) {
                return Some(self.pos + ahead);
            }
            slashes = 0;
        }
        None
    }

    /// The start of Puppet's match for the end of a string, which includes the character before it and its backslashes.
    fn before(&self, start: usize, end: usize) -> usize {
        let text = self.text.get(start..end).unwrap_or("").trim_end_matches('\\');
        start + text.char_indices().next_back().map_or(0, |(at, _)| at)
    }

    /// The string up to the next unescaped `"`, `$` or `${`, and which of them it is.
    fn quoted_piece(&mut self) -> LexResult<(Cow<'s, str>, Terminator)> {
        let start = self.pos;
        let Some(end) = self.unescaped(|byte| byte == b'"' || byte == b'$') else {
            let last = self.matched.and_then(|(start, end)| self.text.get(start..end)).unwrap_or("");
            let last = if last == "'" { "\"'\"".to_owned() } else { format!("'{last}'") };
            let message = format!("Unclosed quote after {last} followed by '{}'", self.followed_by());
            return self.fail(Code::UNCLOSED_QUOTE, message, self.pos);
        };
        let terminator = match (self.bytes.get(end), self.bytes.get(end + 1)) {
            (Some(b'$'), Some(b'{')) => Terminator::Expression,
            (Some(b'$'), _) => Terminator::Dollar,
            _ => Terminator::End,
        };
        self.pos = end + if terminator == Terminator::Expression { 2 } else { 1 };
        self.matched = Some((self.before(start, end), self.pos));
        let text = self.text.get(start..end).unwrap_or("");
        let text = self.unescape(text, start, DOUBLE_QUOTED)?;
        Ok((text, terminator))
    }

    pub(super) fn double_quoted(&mut self) -> LexResult<Option<Kind>> {
        self.matched = Some((self.pos, self.pos + 1));
        let start = self.pos;
        self.pos += 1;
        let (warnings, token) = (self.tokens.warnings.len(), self.tokens.list.len());
        let lexed = self.interpolated(start, Kind::String, Self::quoted_piece);
        // Puppet lexes the whole string before the parser gets its first token.
        for warning in self.tokens.warnings.iter_mut().skip(warnings) {
            warning.token = warning.token.min(u32::try_from(token).unwrap_or(u32::MAX));
        }
        lexed
    }

    /// Lexes a string with its interpolations. Without interpolations it is one token of kind `plain`.
    pub(super) fn interpolated(
        &mut self,
        start: usize,
        plain: Kind,
        piece: fn(&mut Self) -> LexResult<(Cow<'s, str>, Terminator)>,
    ) -> LexResult<Option<Kind>> {
        let mut before = start;
        let mut first = true;
        loop {
            let (mut text, mut terminator) = piece(self)?;
            let mut after = self.pos;
            let name_end = loop {
                if terminator != Terminator::Dollar {
                    break None;
                }
                let end = self.variable_name(self.pos);
                if end > self.pos {
                    break Some(end);
                }
                // A `$` that does not start a variable is literal.
                self.matched = None;
                let (following, next) = piece(self)?;
                let text = text.to_mut();
                text.push('$');
                text.push_str(&following);
                terminator = next;
                after = self.pos;
            };
            let value = self.text_value(text, before, first);
            if let Some(end) = name_end {
                let name = self.pos;
                self.matched = Some((name, end));
                self.push_value(if first { Kind::DqPre } else { Kind::DqMid }, before, after - 1, value);
                let value = self.piece(name, end);
                self.push_value(Kind::Variable, name - 1, end, value);
                self.pos = end;
            } else if terminator == Terminator::Expression {
                let braces = self.braces;
                self.braces += 1;
                self.push_value(if first { Kind::DqPre } else { Kind::DqMid }, before, self.pos, value);
                self.expression_tokens(braces)?;
            } else if first {
                self.push_value(plain, before, self.pos, value);
                return Ok(Some(plain));
            } else {
                self.push_value(Kind::DqPost, before, self.pos, value);
                return Ok(None);
            }
            first = false;
            before = self.pos;
        }
    }

    fn text_value(&mut self, text: Cow<'s, str>, before: usize, first: bool) -> u32 {
        match text {
            // A borrowed string is a verbatim part of the file, right after the quote or brace.
            Cow::Borrowed(text) if self.heredoc.is_none() => {
                let start = before + usize::from(first);
                self.piece(start, start + text.len())
            }
            text => self.add_piece(Piece::Owned(text.into_owned())),
        }
    }

    /// Lexes the tokens of `${…}` up to the brace that closes it.
    fn expression_tokens(&mut self, braces: i32) -> LexResult<()> {
        let mark = self.tokens.list.len();
        self.depth += 1;
        if self.depth > max_string_depth() {
            let message =
                format!("Text is nested too deeply: more than {} levels of interpolation", max_string_depth());
            return self.fail(Code::NESTED_TOO_DEEPLY, message, self.pos);
        }
        self.blanks();
        while self.pos < self.bytes.len() {
            let before = self.tokens.list.len();
            let Some(kind) = self.next()? else {
                // Puppet skips white space after everything but a nested string with interpolations.
                let nested = self.tokens.list.get(before..).and_then(<[_]>::last);
                if nested.is_none_or(|last| last.kind != Kind::DqPost) {
                    self.blanks();
                }
                continue;
            };
            self.previous = kind;
            if kind == Kind::RBrace && self.braces == braces {
                self.tokens.list.pop();
                self.name_to_variable(mark);
                self.depth -= 1;
                return Ok(());
            }
        }
        self.unclosed_name(mark);
        self.depth -= 1;
        Ok(())
    }

    /// The end of a heredoc also closes an expression. A bare name becomes a variable only when the tree is built, which happens
    /// only at the start of the string.
    fn unclosed_name(&mut self, mark: usize) {
        if self.heredoc.is_none() {
            return;
        }
        let start = match self.tokens.list.get(mark + 1) {
            None => Some(self.global(0)),
            Some(second) if matches!(second.kind, Kind::Dot | Kind::LBrack) => Some(second.start),
            Some(_) => None,
        };
        if let Some(first) = self.tokens.list.get_mut(mark)
            && !first.kind.is_keyword()
        {
            if matches!(first.kind, Kind::Name | Kind::Word)
                && let Some(start) = start
            {
                first.start = start;
                first.end = first.end.max(start);
            }
            self.name_to_variable(mark);
        }
    }

    /// `${name}`, `${name[…` and `${name.…` mean the variable.
    fn name_to_variable(&mut self, mark: usize) {
        let tokens = self.tokens.list.get_mut(mark..).unwrap_or(&mut []);
        let alone = match tokens.get(1) {
            None => true,
            Some(second) => matches!(second.kind, Kind::Dot | Kind::LBrack),
        };
        if let Some(first) = tokens.first_mut()
            && alone
            && (matches!(first.kind, Kind::Number | Kind::Name | Kind::Word) || first.kind.is_keyword())
        {
            first.kind = Kind::Variable;
        }
    }

    /// The next five characters, for messages.
    pub(super) fn followed_by(&self) -> String {
        let rest = self.text.get(self.pos..).unwrap_or("");
        if rest.is_empty() {
            return "<eof>".to_owned();
        }
        let five: String = rest.chars().take(5).collect();
        format!("{five}...").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }

    /// Replaces the escapes of a string that starts at `start`.
    pub(super) fn unescape(&mut self, text: &'s str, start: usize, escapes: Escapes) -> LexResult<Cow<'s, str>> {
        if !text.contains('\\') {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = Cow::Borrowed(text);
        let mut offsets_changed = false;
        if escapes.u && text.contains("\\u") {
            // Repeated, since a replaced escape may be the backslash of the next escape.
            while let Some(next) = self.unicode_escapes(&text)? {
                text = Cow::Owned(next);
                offsets_changed = true;
            }
        }
        let mut out = String::with_capacity(text.len());
        let mut rest: &str = &text;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            let (head, tail) = rest.split_at(at);
            out.push_str(head);
            let mut chars = tail.chars();
            chars.next();
            let offset = text.len() - tail.len();
            let (replacement, length) = match chars.next() {
                None => (Some("\\"), 1),
                Some('\n') => (escapes.newline.then_some(""), 2),
                Some('\r') if tail.as_bytes().get(2) == Some(&b'\n') => (escapes.newline.then_some(""), 3),
                Some('\r') => (Some("\\"), 1),
                Some(c) => (self.escape(c, escapes, (!offsets_changed).then_some(start + offset)), 1 + c.len_utf8()),
            };
            match replacement {
                Some(text) => out.push_str(text),
                None => out.push_str(tail.get(..length).unwrap_or("")),
            }
            rest = tail.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }

    fn escape(&mut self, c: char, escapes: Escapes, at: Option<usize>) -> Option<&'static str> {
        let (known, text) = match c {
            '\\' => (escapes.backslash, "\\"),
            '\'' => (escapes.quotes, "'"),
            '"' => (escapes.quotes, "\""),
            '$' => (escapes.dollar, "$"),
            'n' => (escapes.n, "\n"),
            'r' => (escapes.r, "\r"),
            't' => (escapes.t, "\t"),
            's' => (escapes.s, " "),
            'u' => (escapes.u, "\\u"),
            _ => (false, ""),
        };
        let culprit = at.map(|at| (at, at + 1 + c.len_utf8()));
        if known && c == 'u' {
            let message =
                "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff";
            self.warn(Code::ILLEGAL_UNICODE_ESCAPE, message.to_owned(), culprit);
        } else if !known && escapes.warn {
            self.warn(Code::UNRECOGNIZED_ESCAPE, format!("Unrecognized escape sequence '\\{c}'"), culprit);
        }
        known.then_some(text)
    }

    /// One pass over `\uXXXX` and `\u{X…}`; `None` if nothing was replaced.
    fn unicode_escapes(&self, text: &str) -> LexResult<Option<String>> {
        let mut out = String::new();
        let mut copied = 0;
        let mut slashes = 0;
        let mut at = 0;
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if bytes[at] != b'\\' {
                slashes = 0;
                at += 1;
                continue;
            }
            slashes += 1;
            at += 1;
            if slashes % 2 == 0 || bytes.get(at) != Some(&b'u') {
                continue;
            }
            let Some((digits, end)) = hex_digits(text, at + 1) else { continue };
            let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
            let Some(c) = char::from_u32(code) else {
                return self.fail(Code::ILLEGAL_UNICODE_ESCAPE, "invalid byte sequence in UTF-8", self.pos);
            };
            out.push_str(text.get(copied..at - 1).unwrap_or(""));
            out.push(c);
            copied = end;
            at = end;
            slashes = 0;
        }
        if copied == 0 {
            return Ok(None);
        }
        out.push_str(text.get(copied..).unwrap_or(""));
        Ok(Some(out))
    }
}

/// The digits of a Unicode escape after its `u`, and the end of the escape.
fn hex_digits(text: &str, at: usize) -> Option<(&str, usize)> {
    let hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(digits) = text.get(at..at + 4)
        && hex(digits)
    {
        return Some((digits, at + 4));
    }
    let inner = text.get(at..)?.strip_prefix('{')?;
    let digits = inner.get(..inner.find('}')?)?;
    ((1..=6).contains(&digits.len()) && hex(digits)).then_some((digits, at + digits.len() + 2))
}

/// In single quotes only `\\` and `\'` are escapes.
fn single_quoted_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some('\\' | '\'') if c == '\\' => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}
