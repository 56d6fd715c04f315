//! String-like literals: quoted, percent, heredocs, regular expressions, characters.
//!
//! In: the lexer's cursor at the literal. Out: its token. Must not: read the tokens after it.

use std::sync::Arc;

use super::Kind;
use super::LexError;
use super::Lexer;
use super::Part;
use super::PendingHeredoc;

impl Lexer<'_> {
    /// Reads a string in quotes or backticks, or a label such as `"name":`.
    pub(super) fn quoted(&mut self, quote: char) -> Result<Kind, LexError> {
        self.bump();
        let parts = self.string_parts(quote, quote, quote != '\'', false)?;
        if quote == '`' {
            return Ok(Kind::Command(parts));
        }
        let label = self.peek() == Some(':') && self.peek_at(1) != Some(':');
        if let (true, [Part::Literal(text)]) = (label, parts.as_slice())
            && !self.is_in_ternary()
        {
            let text = Arc::from(text.as_str());
            self.bump();
            return Ok(Kind::Label(text));
        }
        if label && !self.is_in_ternary() {
            // `"a#{b}": c` is `:"a#{b}" => c`: the colon becomes the arrow.
            return Ok(Kind::DynamicSymbol(parts));
        }
        Ok(Kind::Str(parts))
    }

    /// Whether this line has a `?` of a ternary without its colon.
    pub(super) fn is_in_ternary(&self) -> bool {
        self.has_question
    }

    /// Reads parts up to and including the closing delimiter. `raw_escapes` keeps backslashes, for regular expressions.
    pub(super) fn string_parts(
        &mut self,
        open: char,
        close: char,
        interpolate: bool,
        raw_escapes: bool,
    ) -> Result<Vec<Part>, LexError> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut nesting = 0usize;
        loop {
            text.push_str(self.literal_run(open, close));
            let Some(c) = self.bump() else { return self.fail("unterminated string meets end of file") };
            if c == close && nesting == 0 {
                break;
            }
            if c == close {
                nesting -= 1;
            } else if c == open {
                nesting += 1;
            }
            if c == '\n' && !self.pending.is_empty() {
                self.heredoc_bodies()?;
            }
            match c {
                '\\' if raw_escapes => {
                    let next = self.bump().unwrap_or('\\');
                    if next != close || next != '/' {
                        text.push('\\');
                    }
                    text.push(next);
                }
                '\\' if interpolate => self.escape(&mut text)?,
                '\\' => match self.peek() {
                    Some(next) if next == close || next == open || next == '\\' => {
                        text.push(next);
                        self.bump();
                    }
                    _ => text.push('\\'),
                },
                '#' if interpolate && self.begins_interpolation() => {
                    if !text.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut text)));
                    }
                    parts.push(self.interpolation()?);
                }
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Literal(text));
        }
        Ok(parts)
    }

    /// Reads the string before the next special character of a literal: a delimiter, a backslash, `#`, a newline.
    fn literal_run(&mut self, open: char, close: char) -> &str {
        let rest = self.rest();
        let ends = |c: char| c == close || c == open || matches!(c, '\\' | '#' | '\n');
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Whether the `#` before the cursor begins `#{…}`, `#@name` or `#$name`.
    fn begins_interpolation(&self) -> bool {
        match self.peek() {
            Some('{') => true,
            Some('@' | '$') => self.peek_at(1).is_some_and(|c| c == '_' || c == '@' || c.is_alphabetic()),
            _ => false,
        }
    }

    fn interpolation(&mut self) -> Result<Part, LexError> {
        let braces = self.eat("{");
        let mut inner = Lexer::new(self.rest(), self.line, self.depth + 1);
        if braces {
            inner.run(true)?;
        } else {
            let kind = if inner.peek() == Some('@') { inner.variable()? } else { inner.global()? };
            inner.tokens.push(super::Token { kind, line: self.line, follows_space: false });
        }
        self.at += inner.at;
        self.line = inner.line;
        Ok(Part::Code(Arc::new(inner.tokens)))
    }

    /// Reads an escape of a double-quoted string after its backslash.
    fn escape(&mut self, text: &mut String) -> Result<(), LexError> {
        let Some(c) = self.bump() else { return self.fail("unterminated string meets end of file") };
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            's' => text.push(' '),
            '0'..='7' => {
                let mut value = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    self.bump();
                }
                text.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
            }
            'e' => text.push('\x1b'),
            'a' => text.push('\x07'),
            'b' => text.push('\x08'),
            'f' => text.push('\x0c'),
            'v' => text.push('\x0b'),
            'x' => {
                let value = self.hex(2);
                text.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
            }
            'u' if self.eat("{") => {
                while !self.eat("}") {
                    if self.peek().is_none_or(|c| !c.is_ascii_hexdigit() && c != ' ') {
                        return self.fail("unterminated Unicode escape");
                    }
                    if !self.eat(" ") {
                        let value = self.hex(6);
                        text.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
                    }
                }
            }
            'u' => {
                let value = self.hex(4);
                text.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
            }
            '\n' => {}
            c => text.push(c),
        }
        Ok(())
    }

    fn hex(&mut self, max_digits: usize) -> u32 {
        let mut value = 0u32;
        for _ in 0..max_digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else { break };
            value = value * 16 + digit;
            self.bump();
        }
        value
    }

    /// Reads a regular expression after its opening delimiter.
    pub(super) fn regexp(&mut self, open: char, close: char) -> Result<Kind, LexError> {
        let parts = self.string_parts(if open == close { '\0' } else { open }, close, true, true)?;
        let start = self.at;
        while self.peek().is_some_and(|c| "imxounse".contains(c)) {
            self.bump();
        }
        Ok(Kind::Regexp(parts, Arc::from(self.text.get(start..self.at).unwrap_or(""))))
    }

    /// Whether the `%` here begins a literal: `%w[`, `%(`.
    pub(super) fn begins_percent_literal(&self) -> bool {
        match self.peek_at(1) {
            Some(c) if "wWiIqQrsx".contains(c) => self.peek_at(2).is_some_and(|c| c.is_ascii_punctuation()),
            Some('(' | '[' | '{' | '<' | '|' | '!' | '/') => true,
            _ => false,
        }
    }

    pub(super) fn percent(&mut self) -> Result<Kind, LexError> {
        self.bump();
        let letter = match self.peek() {
            Some(c) if c.is_ascii_alphabetic() => {
                self.bump();
                c
            }
            _ => 'Q',
        };
        let Some(open) = self.bump() else { return self.fail("unknown type of %string") };
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            c => c,
        };
        let nested = if open == close { '\0' } else { open };
        match letter {
            'w' | 'W' => Ok(Kind::Words(self.words(nested, close, letter == 'W')?)),
            'i' | 'I' => Ok(Kind::Symbols(self.words(nested, close, letter == 'I')?)),
            'r' => self.regexp(open, close),
            'q' => Ok(Kind::Str(self.string_parts(nested, close, false, false)?)),
            'x' => Ok(Kind::Command(self.string_parts(nested, close, true, false)?)),
            's' => {
                let parts = self.string_parts(nested, close, false, false)?;
                Ok(Kind::DynamicSymbol(parts))
            }
            _ => Ok(Kind::Str(self.string_parts(nested, close, true, false)?)),
        }
    }

    /// Reads the words of `%w[…]` after the opening delimiter.
    fn words(&mut self, open: char, close: char, interpolate: bool) -> Result<Vec<Vec<Part>>, LexError> {
        let mut words = Vec::new();
        let mut word: Vec<Part> = Vec::new();
        let mut text = String::new();
        let mut nesting = 0usize;
        loop {
            let Some(c) = self.bump() else { return self.fail("unterminated list meets end of file") };
            let closes = c == close && nesting == 0;
            if closes || c.is_ascii_whitespace() {
                if !text.is_empty() {
                    word.push(Part::Literal(std::mem::take(&mut text)));
                }
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if closes {
                    return Ok(words);
                }
                continue;
            }
            if c == close {
                nesting -= 1;
            } else if c == open {
                nesting += 1;
            }
            match c {
                '\\' if interpolate => self.escape(&mut text)?,
                '\\' => match self.bump() {
                    Some(next) if next == close || next == open || next == '\\' || next.is_ascii_whitespace() => {
                        text.push(next);
                    }
                    Some(next) => {
                        text.push('\\');
                        text.push(next);
                    }
                    None => {}
                },
                '#' if interpolate && self.begins_interpolation() => {
                    if !text.is_empty() {
                        word.push(Part::Literal(std::mem::take(&mut text)));
                    }
                    word.push(self.interpolation()?);
                }
                c => text.push(c),
            }
        }
    }

    /// Whether the `?` here begins a character literal: `?a`, `?\n`, but not `x ? y`.
    pub(super) fn begins_character(&self) -> bool {
        match (self.peek_at(1), self.peek_at(2)) {
            (Some(c), _) if c.is_whitespace() => false,
            (Some('\\'), _) => true,
            (Some(_), None) => true,
            (Some(_), Some(after)) => !(after == '_' || after.is_alphanumeric()),
            (None, _) => false,
        }
    }

    pub(super) fn character(&mut self) -> Result<String, LexError> {
        let mut text = String::new();
        match self.bump() {
            Some('\\') => self.escape(&mut text)?,
            Some(c) => text.push(c),
            None => return self.fail("incomplete character syntax"),
        }
        Ok(text)
    }

    /// Whether the `<<` here begins a heredoc: no operand precedes it, or it is the argument of a command.
    pub(super) fn begins_heredoc(&self, space: bool) -> bool {
        let mut next = self.rest().get(2..).unwrap_or("").chars();
        let mut c = next.next();
        let marked = matches!(c, Some('~' | '-'));
        if marked {
            c = next.next();
        }
        let tag =
            c.is_some_and(|c| c == '_' || c.is_uppercase() || "\"'`".contains(c) || (marked && c.is_alphabetic()));
        let class = matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Keyword("class")));
        let operand = self.after_operand();
        let command = matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Ident(_))) && space;
        tag && !class && (!operand || command)
    }

    /// Reads the opening of a heredoc such as `<<~TAG`. The body is added to its token at the end of the line.
    pub(super) fn heredoc(&mut self) -> Result<Kind, LexError> {
        self.at += 2;
        let squiggly = self.eat("~");
        let indented = squiggly || self.eat("-");
        let (raw, tag) = match self.peek() {
            Some(quote @ ('"' | '\'' | '`')) => {
                self.bump();
                let start = self.at;
                while self.peek().is_some_and(|c| c != quote && c != '\n') {
                    self.bump();
                }
                let tag = self.text.get(start..self.at).unwrap_or("").to_owned();
                self.bump();
                (quote == '\'', tag)
            }
            _ => (false, self.name().to_owned()),
        };
        let token = self.tokens.len();
        self.pending.push(PendingHeredoc { token, tag, raw, squiggly, indented, command: false });
        Ok(Kind::Str(Vec::new()))
    }

    /// Reads the bodies of the heredocs that the previous line opened.
    pub(super) fn heredoc_bodies(&mut self) -> Result<(), LexError> {
        for pending in std::mem::take(&mut self.pending) {
            let first = self.line;
            let mut lines: Vec<&str> = Vec::new();
            loop {
                if self.peek().is_none() {
                    return self.fail("can't find the end of a heredoc");
                }
                let line = self.rest().split_inclusive('\n').next().unwrap_or("");
                self.at += line.len();
                self.line += u32::from(line.ends_with('\n'));
                let bare = line.trim_end_matches(['\n', '\r']);
                if (if pending.indented { bare.trim_start() } else { bare }) == pending.tag {
                    break;
                }
                lines.push(line);
            }
            let mut parts = self.heredoc_parts(&lines, &pending, first)?;
            if pending.squiggly {
                dedent(&mut parts, &lines);
            }
            if let Some(token) = self.tokens.get_mut(pending.token) {
                token.kind = if pending.command { Kind::Command(parts) } else { Kind::Str(parts) };
            }
        }
        Ok(())
    }

    fn heredoc_parts(&self, lines: &[&str], pending: &PendingHeredoc, first: u32) -> Result<Vec<Part>, LexError> {
        let body = lines.concat();
        if pending.raw {
            return Ok(vec![Part::Literal(body)]);
        }
        let mut inner = Lexer::new(&body, first, self.depth);
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            text.push_str(inner.literal_run('\\', '#'));
            let Some(c) = inner.bump() else { break };
            match c {
                '\\' => inner.escape(&mut text)?,
                '#' if inner.begins_interpolation() => {
                    if !text.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut text)));
                    }
                    parts.push(inner.interpolation()?);
                }
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Literal(text));
        }
        Ok(parts)
    }
}

/// Removes the common indentation of a `<<~` heredoc from each line.
fn dedent(parts: &mut [Part], lines: &[&str]) {
    let width = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indent = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| width(line)).min().unwrap_or(0);
    let mut line_start = true;
    for part in parts {
        let Part::Literal(text) = part else {
            line_start = false;
            continue;
        };
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let cut = if line_start { width(line).min(indent) } else { 0 };
            out.push_str(line.get(cut..).unwrap_or(""));
            line_start = line.ends_with('\n');
        }
        *text = out;
    }
}
