//! Strings with interpolation.
//!
//! In: the pieces of a literal. Out: the string. Must not: know other literals.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_ruby_syntax::ast::StrPart;

/// The estimated size of a value in a string, in bytes.
const LIKELY: usize = 12;

/// The estimated size of a string with these pieces.
fn likely_size(parts: &[StrPart]) -> usize {
    let sizes = parts.iter().map(|part| match part {
        StrPart::Literal(constant) => constant.len(),
        StrPart::Code(_) => LIKELY,
    });
    sizes.sum()
}

/// Appends an integer in decimal digits.
pub(super) fn push_integer(text: &mut String, number: i64) {
    let mut digits = [0u8; 20];
    let mut from = digits.len();
    let mut left = number.unsigned_abs();
    while let Some(digit) = from.checked_sub(1).and_then(|at| digits.get_mut(at)) {
        *digit = b'0' + (left % 10) as u8;
        from -= 1;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        text.push('-');
    }
    text.push_str(std::str::from_utf8(digits.get(from..).unwrap_or_default()).unwrap_or_default());
}

impl Interp<'_, '_> {
    /// A string in quotes; pieces that are not valid text make it a byte string.
    #[inline(never)]
    pub(super) fn joined(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<Rv> {
        let mut text = String::with_capacity(likely_size(parts));
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                StrPart::Literal(constant) => text.push_str(constant),
                StrPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(piece) => text.push_str(&piece.borrow()),
                    Rv::Int(n) if !self.tables.reopens_builtins => push_integer(&mut text, n),
                    Rv::Bytes(piece) if std::str::from_utf8(&piece.borrow()).is_err() => {
                        if !text.is_ascii() {
                            return self.raise_incompatible_encodings("UTF-8 and ASCII-8BIT");
                        }
                        bytes.append(&mut std::mem::take(&mut text).into_bytes());
                        bytes.extend(piece.borrow().iter());
                    }
                    other => text.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(text.len() + bytes.len())?;
        if bytes.is_empty() {
            return Ok(Rv::str(text));
        }
        if !text.is_ascii() {
            return self.raise_incompatible_encodings("ASCII-8BIT and UTF-8");
        }
        bytes.append(&mut text.into_bytes());
        Ok(Rv::bytes(bytes))
    }

    pub(crate) fn raise_incompatible_encodings<T>(&mut self, which: &str) -> Raise<T> {
        self.raise("Encoding::CompatibilityError", format!("incompatible character encodings: {which}"))
    }

    pub(crate) fn text(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                StrPart::Literal(constant) => text.push_str(constant),
                StrPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(piece) => text.push_str(&piece.borrow()),
                    other => text.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(text.len())?;
        Ok(text)
    }

    pub(super) fn regexp_source(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<String> {
        let mut source = String::new();
        for part in parts {
            match part {
                StrPart::Literal(constant) => source.push_str(constant),
                StrPart::Code(node) => {
                    let value = self.eval(node, f)?;
                    source.push_str(&self.to_s(&value)?);
                }
            }
        }
        Ok(source)
    }
}
