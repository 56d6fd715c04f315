//! Names, references and variables.
//!
//! In: the position where one begins. Out: its token. Must not: know what it means; a table distinguishes keywords.

use super::LexResult;
use super::Lexer;
use crate::lexer::class::DASH;
use crate::lexer::class::LOWER;
use crate::lexer::class::UPPER;
use crate::lexer::class::WORD;
use crate::lexer::class::is;
use crate::token::Kind;
use catwalk_base::diag::Code;

impl<'s, 't> Lexer<'s, 't> {
    /// The end of the bare word that starts at `at`, and whether it is a name; `at` itself if there is no bare word.
    /// (`lexer2.rb`, `PATTERN_BARE_WORD` and `PATTERN_NAME`)
    pub(super) fn bare_word(&self, mut at: usize) -> (usize, bool) {
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

    pub(super) fn word(&mut self) -> LexResult<Option<Kind>> {
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

    /// `Foo::Bar`; `skip` is the number of bytes after its end at which Puppet reports a name that continues in lower case.
    pub(super) fn class_reference(&mut self, start: usize, skip: usize) -> LexResult<Option<Kind>> {
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
                (Code::ILLEGAL_CLASS_REFERENCE, "Illegal class reference")
            } else {
                (Code::ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE, "Illegal fully qualified class reference")
            };
            return self.fail(code, message, (end + skip).min(self.bytes.len()));
        }
        self.push(Kind::ClassRef, start, end);
        Ok(Some(Kind::ClassRef))
    }

    pub(super) fn colon(&mut self) -> LexResult<Option<Kind>> {
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
            return self.fail(Code::ILLEGAL_FULLY_QUALIFIED_NAME, "Illegal fully qualified name", at);
        }
        self.pos = end;
        self.matched = Some((start, end));
        let kind = if name { Kind::Name } else { Kind::Word };
        self.push(kind, start, end);
        Ok(Some(kind))
    }

    /// The end of the variable name that starts at `at`, or `at` if there is none. (`PATTERN_VARIABLE`)
    pub(super) fn variable_name(&self, at: usize) -> usize {
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

    pub(super) fn variable(&mut self) -> LexResult<Option<Kind>> {
        let start = self.pos;
        let end = self.variable_name(start + 1);
        self.matched = (end > start + 1).then_some((start, end));
        self.pos = end;
        let value = self.piece(start + 1, end);
        self.push_value(Kind::Variable, start, end, value);
        Ok(Some(Kind::Variable))
    }
}
