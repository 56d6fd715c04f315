//! Blocks `ENC[PKCS7,…]` in the text of a data file, however YAML spells their strings.
//!
//! In: the bytes of a file. Out: the blocks with their positions; the text of new blocks. Must not: decrypt.
//!
//! hiera-eyaml writes a block either in one line or, in a block scalar, in lines of 60 characters with the indentation of the first.

use std::sync::LazyLock;

use regex::bytes::Regex;
use rustc_hash::FxHashSet;

use catwalk_value::Value;

/// The characters in a line of a wrapped block.
const WIDTH: usize = 60;

/// A block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The first byte: the `E` of `ENC`.
    pub start: usize,
    /// The byte after `]`.
    pub end: usize,
    /// The method: `PKCS7`.
    pub method: String,
    /// The Base64 without spaces.
    pub cipher: String,
    /// How it is written.
    pub form: Form,
}

/// How a block is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// In one line.
    Line,
    /// In lines of 60 characters; each but the first begins with this indentation.
    Wrapped(String),
}

/// The pattern of a block; `\w` and `\s` are those of ASCII.
#[allow(clippy::expect_used, reason = "a constant")]
static BLOCK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)ENC\[(?:(\w+),)?([a-zA-Z0-9+/=\s]+?)\]").expect("valid"));

/// The end of a line that begins a block scalar, and the indentation of the next line.
#[allow(clippy::expect_used, reason = "a constant")]
static SCALAR_START: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)[>|][0-9+-]*[ \t]*\r?\n([ \t]*)$").expect("valid"));

/// The blocks of a text, in order.
#[must_use]
pub fn blocks(text: &[u8]) -> Vec<Block> {
    let found = BLOCK.captures_iter(text).filter_map(|found| {
        let (whole, body) = (found.get(0)?, found.get(2)?);
        let method = found.get(1).map_or(&b"PKCS7"[..], |method| method.as_bytes());
        let cipher: Vec<u8> = body.as_bytes().iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        Some(Block {
            start: whole.start(),
            end: whole.end(),
            method: String::from_utf8_lossy(method).into_owned(),
            cipher: String::from_utf8_lossy(&cipher).into_owned(),
            form: scalar_indentation(text, whole.start())
                .or_else(|| second_line_indentation(whole.as_bytes()))
                .map_or(Form::Line, Form::Wrapped),
        })
    });
    found.filter(|block| !block.cipher.is_empty()).collect()
}

/// The indentation of a position that is the start of a block scalar's first line.
pub(super) fn scalar_indentation(text: &[u8], at: usize) -> Option<String> {
    // A header and an indentation are short.
    let before = text.get(at.saturating_sub(1000)..at)?;
    let indentation = SCALAR_START.captures(before)?.get(1)?;
    Some(String::from_utf8_lossy(indentation.as_bytes()).into_owned())
}

/// The indentation of the second line of a block in several lines.
fn second_line_indentation(block: &[u8]) -> Option<String> {
    let second = block.split(|byte| *byte == b'\n').nth(1)?;
    let length = second.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    Some(String::from_utf8_lossy(second.get(..length)?).into_owned())
}

impl Form {
    /// The text of a block with this Base64.
    #[must_use]
    pub fn write(&self, cipher: &str) -> String {
        let line = format!("ENC[PKCS7,{cipher}]");
        let Form::Wrapped(indentation) = self else { return line };
        let mut text = String::with_capacity(line.len() + line.len() / WIDTH * (indentation.len() + 1));
        for (number, letter) in line.chars().enumerate() {
            if number > 0 && number % WIDTH == 0 {
                text.push('\n');
                text.push_str(indentation);
            }
            text.push(letter);
        }
        text
    }
}

/// Replaces blocks of a text. `replace` returns the new Base64 of a block, or `None` to keep the block as it is.
///
/// # Errors
/// The first error of `replace`.
pub fn replace<E>(
    text: &[u8],
    blocks: &[Block],
    mut replace: impl FnMut(&Block) -> Result<Option<String>, E>,
) -> Result<Vec<u8>, E> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for block in blocks {
        if let Some(cipher) = replace(block)? {
            out.extend_from_slice(text.get(at..block.start).unwrap_or_default());
            out.extend_from_slice(block.form.write(&cipher).as_bytes());
            at = block.end;
        }
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    Ok(out)
}

/// Whether data have an encrypted value that is none of the blocks of their text: YAML can spell one with escapes.
#[must_use]
pub fn has_hidden_block(found: &[Block], data: &Value) -> bool {
    let ciphers: FxHashSet<&str> = found.iter().map(|block| block.cipher.as_str()).collect();
    has_other_block(&ciphers, data)
}

fn has_other_block(ciphers: &FxHashSet<&str>, data: &Value) -> bool {
    match data {
        Value::Str(text) => blocks(text.as_bytes()).iter().any(|block| !ciphers.contains(block.cipher.as_str())),
        Value::Array(items) => items.iter().any(|item| has_other_block(ciphers, item)),
        Value::Hash(hash) => {
            hash.iter().any(|(key, value)| has_other_block(ciphers, key) || has_other_block(ciphers, value))
        }
        _ => false,
    }
}
