//! The scanner of HOCON: the current position, blanks and comments, quoted strings and words.
//!
//! In: a text. Out: the next characters, or an error with its line. Must not: know objects or values.

use std::cell::Cell;

use crate::data::hocon::HoconError;

/// A position in a text.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    origin: &'t str,
    /// The last position whose line was computed, and that line.
    known_line: Cell<(usize, usize)>,
}

impl<'t> Scanner<'t> {
    /// The beginning of a text; `origin` is what messages start with.
    pub(super) fn new(text: &'t str, origin: &'t str) -> Scanner<'t> {
        Scanner { text, at: 0, origin, known_line: Cell::new((0, 1)) }
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let found = self.peek()?;
        self.at += found.len_utf8();
        Some(found)
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub(super) fn line(&self) -> usize {
        let (at, line) = self.known_line.get();
        // Positions usually increase: only the text in between is counted.
        let (from, line) = if at <= self.at { (at, line) } else { (0, 1) };
        let between = self.text.as_bytes().get(from..self.at).unwrap_or_default();
        let line = line + memchr::memchr_iter(b'\n', between).count();
        self.known_line.set((self.at, line));
        line
    }

    pub(super) fn fail(&self, message: &str) -> HoconError {
        let line = self.line();
        let before = self.text.get(..self.at).unwrap_or_default();
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        HoconError::at(self.origin, (line, column), message)
    }

    /// The character at the position, for messages.
    pub(super) fn token(&self) -> String {
        match self.peek() {
            None => "end of file".to_owned(),
            Some('\n') => "newline".to_owned(),
            Some(found) => format!("'{found}'"),
        }
    }

    pub(super) fn comment(&self) -> bool {
        self.rest().starts_with('#') || self.rest().starts_with("//")
    }

    /// Skips blanks and comments, and line breaks if `lines`. Returns whether there was one.
    pub(super) fn blank(&mut self, lines: bool) -> bool {
        let mut broken = false;
        loop {
            match self.peek() {
                Some('\n') if lines => broken = true,
                Some('\n') | None => return broken,
                Some('\u{feff}') => {}
                Some(found) if found.is_whitespace() => {}
                Some(_) if self.comment() => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += length;
                    continue;
                }
                Some(_) => return broken,
            }
            self.bump();
        }
    }

    pub(super) fn unquoted(&mut self) -> String {
        let mut text = String::new();
        while let Some(found) = self.peek() {
            if found.is_whitespace() || "$\"{}[]:=,+#`^?!@*&\\".contains(found) || self.comment() {
                break;
            }
            text.push(found);
            self.bump();
        }
        text
    }

    pub(super) fn quoted(&mut self) -> Result<String, HoconError> {
        if self.eat("\"\"\"") {
            let Some(end) = self.rest().find("\"\"\"") else {
                return Err(self.fail("End of input but triple-quoted string was still open"));
            };
            // Further quotes belong to the text.
            let more = self.rest().get(end + 3..).unwrap_or("").chars().take_while(|c| *c == '"').count();
            let text = self.rest().get(..end + more).unwrap_or("").to_owned();
            self.at += end + more + 3;
            return Ok(text);
        }
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(text),
                None | Some('\n') => return Err(self.fail("End of input but string quote was still open")),
                Some('\\') => text.push(self.escape()?),
                Some(found) => text.push(found),
            }
        }
    }

    fn escape(&mut self) -> Result<char, HoconError> {
        Ok(match self.bump() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let digits = self.rest().get(..4).unwrap_or("").to_owned();
                self.at += digits.len();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| self.fail(&format!("Malformed hex digits after \\u escape in string: '{digits}'")))?
            }
            Some(found @ ('"' | '\\' | '/')) => found,
            found => {
                let found = found.map(String::from).unwrap_or_default();
                return Err(self.fail(&format!("backslash followed by '{found}', this is not a valid escape sequence")));
            }
        })
    }
}
