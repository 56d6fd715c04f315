//! Strings with interpolation.
//!
//! In: the parts of a literal. Out: the string. Must not: know other literals.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_ruby_syntax::ast::StrPart;

/// The estimated size of a value in a string, in bytes.
const ESTIMATED_VALUE_SIZE: usize = 12;

/// The estimated size of a string with these parts.
fn estimate_size(parts: &[StrPart]) -> usize {
    let sizes = parts.iter().map(|part| match part {
        StrPart::Literal(literal) => literal.len(),
        StrPart::Code(_) => ESTIMATED_VALUE_SIZE,
    });
    sizes.sum()
}

/// Appends an integer in decimal digits.
pub(super) fn push_integer(output: &mut String, number: i64) {
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
        output.push('-');
    }
    output.push_str(std::str::from_utf8(digits.get(from..).unwrap_or_default()).unwrap_or_default());
}

impl Interp<'_> {
    /// A string in quotes; parts that are not valid text make it a byte string.
    #[inline(never)]
    pub(super) fn eval_string_parts(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<Rv> {
        let mut string = String::with_capacity(estimate_size(parts));
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                StrPart::Literal(literal) => string.push_str(literal),
                StrPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(value) => string.push_str(&value.borrow()),
                    Rv::Int(n) if !self.tables.reopens_builtins => push_integer(&mut string, n),
                    Rv::Bytes(value) if std::str::from_utf8(&value.borrow()).is_err() => {
                        if !string.is_ascii() {
                            return self.raise_incompatible_encodings("UTF-8 and ASCII-8BIT");
                        }
                        bytes.append(&mut std::mem::take(&mut string).into_bytes());
                        bytes.extend(value.borrow().iter());
                    }
                    other => string.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(string.len() + bytes.len())?;
        if bytes.is_empty() {
            return Ok(Rv::str(string));
        }
        if !string.is_ascii() {
            return self.raise_incompatible_encodings("ASCII-8BIT and UTF-8");
        }
        bytes.append(&mut string.into_bytes());
        Ok(Rv::bytes(bytes))
    }

    pub(crate) fn raise_incompatible_encodings<T>(&mut self, encodings: &str) -> Raise<T> {
        self.raise("Encoding::CompatibilityError", format!("incompatible character encodings: {encodings}"))
    }

    /// The contents of a string in quotes; byte strings are converted like other values.
    pub(crate) fn eval_to_string(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<String> {
        let mut string = String::new();
        for part in parts {
            match part {
                StrPart::Literal(literal) => string.push_str(literal),
                StrPart::Code(node) => match self.eval(node, f)? {
                    Rv::Str(value) => string.push_str(&value.borrow()),
                    other => string.push_str(&self.to_s(&other)?),
                },
            }
        }
        self.check_size(string.len())?;
        Ok(string)
    }

    pub(super) fn regexp_source(&mut self, parts: &[StrPart], f: &Rc<Frame>) -> Raise<String> {
        let mut source = String::new();
        for part in parts {
            match part {
                StrPart::Literal(literal) => source.push_str(literal),
                StrPart::Code(node) => {
                    let value = self.eval(node, f)?;
                    source.push_str(&self.to_s(&value)?);
                }
            }
        }
        Ok(source)
    }
}
