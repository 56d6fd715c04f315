//! Operators, brackets and parentheses.
//!
//! In: the byte one begins with. Out: its token; the kind of a bracket depends on a blank before it. Must not: know expressions.

use super::LexResult;
use super::Lexer;
use super::Mode;
use crate::lexer::class::BLANK;
use crate::lexer::class::is;
use crate::token::Kind;
use crate::token::Piece;

impl<'s, 't> Lexer<'s, 't> {
    /// An operator of `length` bytes.
    pub(super) fn op(&mut self, kind: Kind, length: usize) -> LexResult<Option<Kind>> {
        self.push(kind, self.pos, self.pos + length);
        self.pos += length;
        Ok(Some(kind))
    }

    pub(super) fn operator(&mut self, byte: u8) -> LexResult<Option<Kind>> {
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
            _ => return self.unknown_character(),
        };
        self.op(kind, length)
    }

    /// Skips a character that no rule accepts. Puppet skips one byte; without the rest of the character, the errors that follow are better.
    pub(super) fn unknown_character(&mut self) -> LexResult<Option<Kind>> {
        if self.unicode_blank() > 0 {
            self.blanks();
            return Ok(None);
        }
        let length = self.text.get(self.pos..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        // Puppet's token has an empty value.
        let value = self.add_piece(Piece::Owned(String::new()));
        self.push_value(Kind::Other, self.pos, self.pos + length, value);
        self.pos += length;
        Ok(Some(Kind::Other))
    }

    pub(super) fn bracket(&mut self) -> LexResult<Option<Kind>> {
        let before = self.text.get(..self.pos).and_then(|head| head.chars().next_back());
        let spaced = match before {
            None | Some(' ' | '\t' | '\r' | '\n') => true,
            Some(c) if c.is_ascii() => false,
            Some(c) => c.is_whitespace(),
        };
        self.op(if spaced { Kind::ListStart } else { Kind::LBrack }, 1)
    }

    pub(super) fn paren(&mut self) -> LexResult<Option<Kind>> {
        let before = self.bytes.get(self.line_start..self.pos).unwrap_or(b"x");
        let first = before.iter().all(|byte| is(*byte, BLANK));
        self.op(if first { Kind::WsLParen } else { Kind::LParen }, 1)
    }
}
