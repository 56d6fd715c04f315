//! The text that `eyaml edit` opens in an editor: `DEC(n)::PKCS7[…]!` in place of each block.
//!
//! In: the text of a data file, decrypted blocks, the edited text. Out: the text to edit, the text of the new file. Must not: run
//! editors, write files.
//!
//! Blocks that the user has not changed keep their bytes: they are recognised by their number and their complete decrypted value, so a value
//! may contain `]!`. Numbers are those of hiera-eyaml, which counts the text between blocks, too.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;
use zeroize::Zeroizing;

use super::blocks::Block;
use super::blocks::Form;
use super::blocks::scalar_indentation;

/// The end of a decrypted value.
const END: &[u8] = b"]!";

#[allow(clippy::expect_used, reason = "a constant")]
static START: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)DEC(?:\((\d+)\))?::(\w+)\[").expect("valid"));

/// A text with its decrypted blocks.
pub struct Decrypted<'t> {
    text: &'t [u8],
    parts: Vec<Part>,
}

impl std::fmt::Debug for Decrypted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decrypted({})", self.parts.len())
    }
}

/// A decrypted block.
struct Part {
    block: Block,
    number: usize,
    plain: Zeroizing<Vec<u8>>,
}

/// An edited text that cannot become a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditError {
    /// The line in the edited text, from 1; 0: none.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The new text of a file.
#[derive(Debug)]
pub struct Encrypted {
    /// The text.
    pub text: Vec<u8>,
    /// How many values were encrypted: changed and new ones.
    pub encrypted: usize,
    /// How many blocks were left as they were.
    pub unchanged: usize,
}

impl<'t> Decrypted<'t> {
    /// Decrypts the blocks of a text. `decrypt` returns `None` for blocks that are left as they are.
    ///
    /// # Errors
    /// The first error of `decrypt`.
    pub fn new<E>(
        text: &'t [u8],
        blocks: Vec<Block>,
        mut decrypt: impl FnMut(&Block) -> Result<Option<Zeroizing<Vec<u8>>>, E>,
    ) -> Result<Decrypted<'t>, E> {
        let mut parts = Vec::new();
        let (mut at, mut number) = (0, 0);
        for block in blocks {
            let Some(plain) = decrypt(&block)? else { continue };
            number += usize::from(block.start > at);
            at = block.end;
            parts.push(Part { block, number, plain });
            number += 1;
        }
        Ok(Decrypted { text, parts })
    }

    /// How many blocks are decrypted.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The text with `DEC(n)::PKCS7[…]!` in place of blocks, or without numbers.
    #[must_use]
    pub fn text(&self, numbered: bool) -> Zeroizing<Vec<u8>> {
        let length = self.text.len() + self.parts.iter().map(|part| part.plain.len() + 40).sum::<usize>();
        // The buffer must not grow: parts of it would stay in memory.
        let mut out = Zeroizing::new(Vec::with_capacity(length));
        let mut at = 0;
        for part in &self.parts {
            out.extend_from_slice(self.text.get(at..part.block.start).unwrap_or_default());
            match numbered {
                true => out.extend_from_slice(format!("DEC({})::PKCS7[", part.number).as_bytes()),
                false => out.extend_from_slice(b"DEC::PKCS7["),
            }
            out.extend_from_slice(&part.plain);
            out.extend_from_slice(END);
            at = part.block.end;
        }
        out.extend_from_slice(self.text.get(at..).unwrap_or_default());
        out
    }

    /// The text without encryption and markers: of a value alone, as `eyaml decrypt -s` prints it. The second and further values in several
    /// lines become block scalars, as in hiera-eyaml.
    #[must_use]
    pub fn plain_text(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(self.text.len()));
        let (mut at, mut follows_text) = (0, false);
        for part in &self.parts {
            // hiera-eyaml takes the header of a block scalar as a part of the block.
            let between = self.text.get(at..part.block.start).unwrap_or_default();
            let between = match scalar_indentation(self.text, part.block.start) {
                Some(_) => header_start(between).and_then(|end| between.get(..end)).unwrap_or(between),
                None => between,
            };
            out.extend_from_slice(between);
            follows_text |= !between.is_empty();
            let is_scalar = follows_text && part.plain.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
            if is_scalar {
                out.extend_from_slice(b"|\n  ");
                indent_lines(&part.plain, &mut out);
            } else {
                out.extend_from_slice(&part.plain);
            }
            follows_text = false;
            at = part.block.end;
        }
        out.extend_from_slice(self.text.get(at..).unwrap_or_default());
        out
    }

    /// The text of the new file. `encrypt` returns the Base64 of a value.
    ///
    /// # Errors
    /// A value has no end, or a number that none or another value has; or the error of `encrypt`.
    pub fn encrypt(
        &self,
        edited: &[u8],
        mut encrypt: impl FnMut(&[u8]) -> Result<String, String>,
    ) -> Result<Encrypted, EditError> {
        let mut out = Vec::with_capacity(edited.len() + self.text.len());
        let (mut at, mut encrypted, mut unchanged) = (0, 0, 0);
        let mut used = BTreeSet::new();
        while let Some(found) = START.captures_at(edited, at) {
            let (Some(whole), Some(method)) = (found.get(0), found.get(2)) else { break };
            let line =
                edited.get(..whole.start()).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() + 1;
            let fail = |message: String| EditError { line, message };
            if method.as_bytes() != b"PKCS7" {
                let method = String::from_utf8_lossy(method.as_bytes());
                return Err(fail(format!("not supported yet: eyaml's encryption method {method}")));
            }
            out.extend_from_slice(edited.get(at..whole.start()).unwrap_or_default());
            let rest = edited.get(whole.end()..).unwrap_or_default();
            let part = self.numbered(found.get(1).map(|number| number.as_bytes()), &mut used).map_err(fail)?;
            let indentation = scalar_indentation(edited, whole.start());
            if let Some(part) = part.filter(|part| is_unchanged(&part.plain, rest)) {
                out.extend_from_slice(&self.unchanged(part, indentation));
                at = whole.end() + part.plain.len() + END.len();
                unchanged += 1;
                continue;
            }
            if part.is_some_and(|part| find(&part.plain, END).is_some()) {
                let text = "the value contained `]!`, so its new end is unknown; replace it with a new block";
                return Err(fail(format!("{text}: DEC::PKCS7[…]! without a number")));
            }
            let value = find(rest, END).and_then(|length| rest.get(..length));
            // A value that begins within another one: the end of the first is missing.
            let value = value.filter(|value| !START.is_match(value));
            let value = value.ok_or_else(|| fail("the value does not end with `]!`".to_owned()))?;
            let cipher = encrypt(value).map_err(fail)?;
            encrypted += 1;
            out.extend_from_slice(self.new_form(part, indentation).write(&cipher).as_bytes());
            at = whole.end() + value.len() + END.len();
        }
        out.extend_from_slice(edited.get(at..).unwrap_or_default());
        Ok(Encrypted { text: out, encrypted, unchanged })
    }

    /// The block with a number; `None` for new values, which have none.
    fn numbered(&self, number: Option<&[u8]>, used: &mut BTreeSet<usize>) -> Result<Option<&Part>, String> {
        let Some(digits) = number.map(String::from_utf8_lossy) else { return Ok(None) };
        let number = digits.parse::<usize>().ok();
        let part = number.and_then(|number| self.parts.iter().find(|part| part.number == number));
        let part =
            part.ok_or_else(|| format!("no value has the number {digits}; a new value has none: DEC::PKCS7[…]!"))?;
        if !used.insert(part.number) {
            return Err(format!("the number {digits} is used twice; a copied value must have none: DEC::PKCS7[…]!"));
        }
        Ok(Some(part))
    }

    /// The form of a changed or new value.
    fn new_form(&self, part: Option<&Part>, indentation: Option<String>) -> Form {
        match (indentation, part) {
            (Some(indentation), _) => Form::Wrapped(indentation),
            // Written in several lines without a block scalar: in quotes.
            (None, Some(part)) if scalar_indentation(self.text, part.block.start).is_none() => part.block.form.clone(),
            (None, _) => Form::Line,
        }
    }

    /// The text of a block whose value is unchanged: its bytes, unless it was moved into or out of a block scalar.
    fn unchanged(&self, part: &Part, indentation: Option<String>) -> Vec<u8> {
        let block = &part.block;
        match scalar_indentation(self.text, block.start) == indentation {
            true => self.text.get(block.start..block.end).unwrap_or_default().to_vec(),
            false => indentation.map_or(Form::Line, Form::Wrapped).write(&block.cipher).into_bytes(),
        }
    }
}

fn is_unchanged(plain: &[u8], rest: &[u8]) -> bool {
    rest.strip_prefix(plain).is_some_and(|rest| rest.starts_with(END))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

/// The start of the header of a block scalar, which a text ends with.
fn header_start(text: &[u8]) -> Option<usize> {
    text.iter().rposition(|byte| matches!(byte, b'>' | b'|'))
}

/// Adds lines, each but the first indented by two spaces.
fn indent_lines(plain: &[u8], out: &mut Vec<u8>) {
    let mut was_break = false;
    for byte in plain {
        let is_break = matches!(byte, b'\n' | b'\r');
        if was_break && !is_break {
            out.extend_from_slice(b"  ");
        }
        out.push(*byte);
        was_break = is_break;
    }
    if was_break {
        out.extend_from_slice(b"  ");
    }
}
