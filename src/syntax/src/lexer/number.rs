//! Numbers, and malformed words that start like numbers. (`lexer2.rb`, `PATTERN_NUMBER`; `lexer_support.rb`, `assert_numeric`)

use crate::lexer::LexResult;
use crate::lexer::Lexer;
use crate::lexer::WORD;
use crate::lexer::class::DIGIT;
use crate::lexer::is;
use crate::token::Kind;
use catwalk_base::diag::Code;

impl Lexer<'_, '_> {
    pub(super) fn number(&mut self) -> LexResult<Option<Kind>> {
        let start = self.pos;
        let Some(end) = self.number_end() else { return self.bad_number() };
        self.pos = end;
        self.matched = Some((start, end));
        self.assert_numeric(start, end)?;
        self.push(Kind::Number, start, end);
        Ok(Some(Kind::Number))
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn digits(&self, mut at: usize) -> usize {
        while is(self.byte(at), DIGIT) {
            at += 1;
        }
        at
    }

    /// Whether a word ends at `at`: no letter, digit or underscore follows, in any alphabet.
    fn boundary(&self, at: usize) -> bool {
        match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            None => true,
            Some(c) if c.is_ascii() => !is(c as u8, WORD),
            Some(c) => !c.is_alphanumeric(),
        }
    }

    /// The end of the longest number that ends at a word boundary: if necessary the exponent is omitted, then the fraction.
    fn number_end(&self) -> Option<usize> {
        let start = self.pos;
        if self.byte(start) == b'0' && matches!(self.byte(start + 1), b'x' | b'X') {
            let mut end = start + 2;
            while self.byte(end).is_ascii_hexdigit() {
                end += 1;
            }
            if end > start + 2 && self.boundary(end) {
                return Some(end);
            }
        }
        let whole = self.digits(start);
        let fraction = if self.byte(whole) == b'.' && is(self.byte(whole + 1), DIGIT) {
            Some(self.digits(whole + 1))
        } else {
            None
        };
        let exponent = |at: usize| {
            if !matches!(self.byte(at), b'e' | b'E') {
                return None;
            }
            let first = if self.byte(at + 1) == b'-' { at + 2 } else { at + 1 };
            is(self.byte(first), DIGIT).then(|| self.digits(first))
        };
        [fraction.and_then(exponent), fraction, exponent(whole), Some(whole)]
            .into_iter()
            .flatten()
            .find(|end| self.boundary(*end))
    }

    /// Reports a word that starts with a digit and is not a number.
    fn bad_number(&mut self) -> LexResult<Option<Kind>> {
        let mut start = self.pos;
        let mut end = start;
        while is(self.byte(end), WORD) {
            end += 1;
        }
        // After a dot it may be the fraction of a number, which then includes the digits before the dot.
        if start > 1 && self.byte(start - 1) == b'.' {
            let mut at = start - 2;
            while is(self.byte(at), DIGIT) {
                start = at;
                if at == 0 {
                    break;
                }
                at -= 1;
            }
        }
        self.pos = end;
        self.assert_numeric(start, end)?;
        let value = self.text.get(start..end).unwrap_or("");
        self.fail(Code::ILLEGAL_NUMBER, format!("Illegal number '{value}'"), start + 1)
    }

    fn assert_numeric(&self, start: usize, end: usize) -> LexResult<()> {
        let value = self.text.get(start..end).unwrap_or("");
        let bytes = value.as_bytes();
        let second = bytes.get(1).copied().unwrap_or(0);
        let whole = self.digits(start).min(end);
        if bytes.first() == Some(&b'0') && matches!(second, b'x' | b'X') {
            let digits = bytes.get(2..).unwrap_or(&[]);
            if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
                return self.fail(Code::INVALID_HEX_NUMBER, format!("Not a valid hex number {value}"), start);
            }
        } else if bytes.first() == Some(&b'0') && bytes.len() > 1 && second != b'.' {
            if !bytes.iter().all(|byte| (b'0'..=b'7').contains(byte)) {
                return self.fail(Code::INVALID_OCTAL_NUMBER, format!("Not a valid octal number {value}"), start);
            }
        } else if whole < end && matches!(self.byte(whole), b'e' | b'E' | b'.') {
            if !is_decimal(bytes) {
                return self.fail(Code::INVALID_DECIMAL_NUMBER, format!("Not a valid decimal number {value}"), start);
            }
        } else if whole < end {
            return self.fail(Code::ILLEGAL_NUMBER, format!("Illegal number '{value}'"), start);
        }
        Ok(())
    }
}

/// Digits, an optional fraction, an optional exponent, nothing else.
fn is_decimal(bytes: &[u8]) -> bool {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return false;
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let first = if bytes.get(at + 1) == Some(&b'-') { at + 2 } else { at + 1 };
        let end = digits(first);
        if end == first {
            return false;
        }
        at = end;
    }
    at == bytes.len()
}
