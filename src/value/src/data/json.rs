//! JSON as Ruby's json library (2.6) reads it for Puppet: comments are allowed, order of keys is kept, the last of equal keys
//! wins, at the first's position. Messages are that library's, with the numbers it prints.

use std::path::Path;
use std::sync::Arc;

use crate::value::Hash;
use crate::value::Value;
use crate::value::big::from_digits;
use catwalk_base::diag::DataLocation;
use catwalk_base::meter;

/// Ruby's `max_nesting`.
const MAX_NESTING: usize = 100;

/// Why a text is not JSON, or has a number that does not fit a [`Value`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Ruby's message.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The byte at which the text stops to be JSON: after the start of the value that Ruby's message quotes.
    pub at: usize,
}

/// The most characters that [`JsonError::summary`] quotes.
const MAX_QUOTED: usize = 40;

impl JsonError {
    /// The position in the file with these contents.
    #[must_use]
    pub fn location(&self, path: &Path, contents: &[u8]) -> DataLocation {
        DataLocation::at_byte(path, String::from_utf8_lossy(contents).as_bytes(), self.at)
    }

    /// Ruby's message without the rest of the text, which it quotes: for messages that are not Puppet's.
    #[must_use]
    pub fn summary(&self) -> &str {
        let start = self.message.find(" at '").unwrap_or(self.message.len());
        let is_short = self.message.len() - start <= MAX_QUOTED && !self.message.contains('\n');
        if is_short { &self.message } else { self.message.get(..start).unwrap_or_default() }
    }
}

/// Reads a JSON text. Strings, numbers, `true`, `false` and `null` may be the whole text, as in Ruby.
///
/// # Errors
/// Syntax errors; nesting of more than 100 levels; integers of more than 64 bits.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { text: &text, at: 0, depth: 0, stopped: None };
    reader.skip_ignored();
    let start = reader.at;
    let Some(value) = reader.parse_value()? else { return Err(reader.unexpected("859", start)) };
    reader.skip_ignored();
    if reader.at < reader.text.len() {
        return Err(reader.unexpected("859", reader.at));
    }
    Ok(value)
}

/// `Ok(None)` is a soft failure: Ruby's parser abandons an object at its beginning, but raises inside an array.
type ParseResult = Result<Option<Value>, JsonError>;

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Where the first value could not be read.
    stopped: Option<usize>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, message: String, at: usize) -> JsonError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        JsonError { message, line, column, at: self.stopped.unwrap_or(at) }
    }

    /// Abandons a value that cannot continue at `at`.
    fn stop<T>(&mut self, at: usize) -> Result<Option<T>, JsonError> {
        self.stopped.get_or_insert(at);
        Ok(None)
    }

    fn unexpected(&self, number: &str, at: usize) -> JsonError {
        let rest = self.text.get(at..).unwrap_or("");
        self.error(format!("{number}: unexpected token at '{rest}'"), at)
    }

    /// White space and comments.
    fn skip_ignored(&mut self) {
        loop {
            let rest = self.rest();
            if let Some(comment) = rest.strip_prefix("//") {
                let Some(end) = comment.find('\n') else { return };
                self.at += end + 3;
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return };
                self.at += end + 4;
            } else if rest.starts_with([' ', '\t', '\r', '\n']) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn parse_value(&mut self) -> ParseResult {
        meter::tick(1);
        let words = [("null", Value::Undef), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(Some(value));
            }
        }
        match self.peek() {
            Some(b'"') => Ok(self.parse_string()?.map(Value::from)),
            Some(b'[') => self.with_depth(Self::parse_array),
            Some(b'{') => self.with_depth(Self::parse_object),
            Some(b'N') if self.rest().starts_with("NaN") => Err(self.unexpected("225", self.at)),
            Some(b'I') if self.rest().starts_with("Infinity") => Err(self.unexpected("233", self.at)),
            Some(b'-') if self.rest().starts_with("-Infinity") => Err(self.unexpected("243", self.at)),
            Some(b'-' | b'0'..=b'9') => self.parse_number(),
            _ => self.stop(self.at),
        }
    }

    fn with_depth(&mut self, read: fn(&mut Self) -> ParseResult) -> ParseResult {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.error(format!("nesting of {} is too deep", self.depth), self.at));
        }
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn parse_array(&mut self) -> ParseResult {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_ignored();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Some(Value::array(items)));
        }
        loop {
            let start = self.at;
            let Some(item) = self.parse_value()? else { return Err(self.unexpected("451", start)) };
            items.push(item);
            self.skip_ignored();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("451", self.at)),
            }
            self.skip_ignored();
        }
        self.at += 1;
        Ok(Some(Value::array(items)))
    }

    fn parse_object(&mut self) -> ParseResult {
        self.at += 1;
        let mut entries = Hash::new();
        self.skip_ignored();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Some(Value::hash(entries)));
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.stop(self.at);
            }
            let Some(key) = self.parse_string()? else { return self.stop(self.at) };
            self.skip_ignored();
            if self.peek() != Some(b':') {
                return self.stop(self.at);
            }
            self.at += 1;
            self.skip_ignored();
            let Some(value) = self.parse_value()? else { return self.stop(self.at) };
            entries.insert(Value::from(Arc::<str>::from(key)), value);
            self.skip_ignored();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.stop(self.at),
            }
            self.skip_ignored();
        }
        self.at += 1;
        Ok(Some(Value::hash(entries)))
    }

    fn parse_string(&mut self) -> Result<Option<String>, JsonError> {
        let start = self.at;
        let mut text = String::new();
        let mut at = self.at + 1;
        let bytes = self.text.as_bytes();
        loop {
            let plain =
                bytes.get(at..).unwrap_or(&[]).iter().take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)).count();
            text.push_str(self.text.get(at..at + plain).unwrap_or(""));
            at += plain;
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Some(text));
                }
                Some(b'\\') => {
                    let Some(escaped) = self.text.get(at + 1..).and_then(|rest| rest.chars().next()) else {
                        return self.stop(start);
                    };
                    at += 1 + escaped.len_utf8();
                    match escaped {
                        'b' => text.push('\u{8}'),
                        'f' => text.push('\u{c}'),
                        'n' => text.push('\n'),
                        'r' => text.push('\r'),
                        't' => text.push('\t'),
                        'u' => {
                            let Some((c, next)) = self.parse_unicode(at) else {
                                let rest = self.text.get(at - 2..).unwrap_or("");
                                let message = format!("incomplete unicode character escape sequence at '{rest}'");
                                return Err(self.error(message, at));
                            };
                            text.push(c);
                            at = next;
                        }
                        c if c < ' ' => return self.stop(at - 1),
                        c => text.push(c),
                    }
                }
                _ => {
                    self.at = start;
                    // A string that is not closed began where it should not, or ends in the next line.
                    return self.stop(start);
                }
            }
        }
    }

    /// The character of the four hex digits at `at`, or of a surrogate pair, and where it ends.
    fn parse_unicode(&self, at: usize) -> Option<(char, usize)> {
        let unit = |at: usize| u32::from_str_radix(self.text.get(at..at + 4)?, 16).ok();
        let high = unit(at)?;
        if (0xD800..0xDC00).contains(&high)
            && self.text.get(at + 4..at + 6) == Some("\\u")
            && let Some(low @ 0xDC00..=0xDFFF) = unit(at + 6)
        {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            return Some((char::from_u32(code)?, at + 10));
        }
        Some((char::from_u32(high).unwrap_or('\u{FFFD}'), at + 4))
    }

    fn parse_number(&mut self) -> ParseResult {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| bytes.get(from..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let whole = sign + if bytes.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
        if whole == sign {
            return self.stop(self.at);
        }
        let mut end = whole;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        if end > whole && !matches!(bytes.get(end), Some(b'0'..=b'9' | b'e' | b'E' | b'.' | b'-')) {
            let number = rest.get(..end).and_then(|text| text.parse().ok()).unwrap_or(0.0);
            self.at += end;
            return Ok(Some(Value::Float(number)));
        }
        if digits(whole) > 0 {
            return self.stop(self.at);
        }
        let text = rest.get(..whole).unwrap_or("");
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let Some(number) = from_digits(digits, 10, negative) else {
            let message = format!("not supported yet: an integer of {whole} digits");
            return Err(self.error(message, self.at));
        };
        self.at += whole;
        Ok(Some(number))
    }
}
