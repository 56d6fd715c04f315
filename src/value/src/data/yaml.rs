//! YAML as Ruby's Psych reads it for Puppet: `Puppet::Util::Yaml.safe_load` with symbols and aliases allowed.
//!
//! In: bytes. Out: a [`Value`], or a [`YamlError`] worded like Psych's. Only the first document is read. The caller chooses how
//! symbols are treated ([`Symbols`]).

mod build;
pub(super) mod document;
mod scalar;

use std::borrow::Cow;

use libyaml_safer::Event;
use libyaml_safer::EventData;
use libyaml_safer::Parser;
use libyaml_safer::ScalarStyle;

use crate::data::yaml_comma;
use crate::data::yaml_plain;
use crate::value::Value;
use build::Builder;
use catwalk_base::meter;
use document::MAX_DEPTH;
use document::SYNTAX;

pub use document::AllowedClasses;
pub use document::Document;
pub use document::Symbols;
pub use document::YamlError;

/// The most tags before a comma in a document: for each, the parser starts again.
const MAX_TAG_COMMAS: usize = 64;

/// Parses the first document; symbols become strings.
///
/// # Errors
///
/// Syntax errors, classes that are not data (dates, `!ruby/…`), unknown aliases, and input beyond the limits.
pub fn parse(bytes: &[u8]) -> Result<Value, YamlError> {
    parse_allowing(bytes, AllowedClasses::default()).map(|document| document.value)
}

/// Parses the first document with options.
///
/// # Errors
/// As [`parse`], except for the classes that `allowed` accepts.
pub fn parse_allowing(bytes: &[u8], allowed: AllowedClasses) -> Result<Document, YamlError> {
    // Most data files are in the simple subset; the complete parser below reports errors.
    let mut builder = Builder { allowed, ..Builder::default() };
    if yaml_plain::read(bytes, &mut builder).is_some() {
        return Ok(builder.document());
    }
    parse_completely(bytes, allowed)
}

/// Parses the first document with the complete parser.
pub(super) fn parse_completely(bytes: &[u8], allowed: AllowedClasses) -> Result<Document, YamlError> {
    // The scanner requires a line break at the end; `cut_added_break` removes the effect of the added one.
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        return parse_with_spaces(Cow::Borrowed(bytes), false, allowed);
    }
    let mut text = Vec::with_capacity(bytes.len() + 1);
    text.extend_from_slice(bytes);
    text.push(b'\n');
    parse_with_spaces(Cow::Owned(text), true, allowed)
}

/// Inserts a space before each comma that follows a tag (`[!a, b]`): libyaml accepts such tags, but the scanner panics.
fn parse_with_spaces(
    mut text: Cow<'_, [u8]>,
    break_added: bool,
    allowed: AllowedClasses,
) -> Result<Document, YamlError> {
    let mut blanks = Vec::new();
    for _ in 0..MAX_TAG_COMMAS {
        let unbroken = if break_added { text.split_last().map(|(_, before)| before) } else { None };
        if let Ok(result) = std::panic::catch_unwind(|| read(&text, unbroken, allowed)).map_err(meter::resume_exceeded)
        {
            return result.map_err(|error| yaml_comma::subtract_blanks(error, &text, &blanks));
        }
        let Some(comma) = yaml_comma::after_tag(&text) else { break };
        text.to_mut().insert(comma, b' ');
        blanks.push(comma);
    }
    Err(YamlError::bare("not supported yet: a tag followed by a comma"))
}

fn read(text: &[u8], unbroken: Option<&[u8]>, allowed: AllowedClasses) -> Result<Document, YamlError> {
    let mut input = text;
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    // Puppet reads all files as UTF-8, even with a byte order mark of another encoding. What follows a mark is not at the start of
    // a line.
    parser.set_encoding(libyaml_safer::Encoding::Utf8);
    let mut builder = Builder { allowed, ..Builder::default() };
    // Psych builds values after parsing the whole document: syntax errors come before invalid values.
    let mut refused = None;
    // The scanner visits all open brackets for each token, so deep nesting ends parsing even after another error.
    let mut depth = 0_usize;
    loop {
        meter::tick(8);
        let mut event = parser.parse().map_err(|error| syntax_error(&error, text))?;
        if let Some(original) = unbroken {
            cut_added_break(&mut event, original);
        }
        let last = matches!(event.data, EventData::DocumentEnd { .. } | EventData::StreamEnd);
        match event.data {
            EventData::SequenceStart { .. } | EventData::MappingStart { .. } => depth += 1,
            EventData::SequenceEnd | EventData::MappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        if refused.is_none() {
            let position = (event.start_mark.line + 1, event.start_mark.column + 1);
            refused = builder.event(event).map_err(|error| error.or_at(position)).err();
        }
        if last || depth > MAX_DEPTH || refused.as_ref().is_some_and(|error| error.limit) {
            return refused.map_or_else(|| Ok(builder.document()), Err);
        }
    }
}

/// Removes the added line break from a block scalar at the end of a document that has no final line break.
fn cut_added_break(event: &mut Event, original: &[u8]) {
    let at_end = usize::try_from(event.end_mark.index).is_ok_and(|end| end >= original.len());
    let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = &mut event.data else {
        return;
    };
    if !at_end || !value.ends_with('\n') {
        return;
    }
    let last = original.rsplit(|byte| *byte == b'\n').next().unwrap_or(&[]);
    // A last line of blanks is part of the scalar only if trailing breaks are kept.
    let blank = last.iter().all(|byte| *byte == b' ');
    if !blank || value == "\n" || value.ends_with("\n\n") || value.ends_with(" \n") {
        value.pop();
    }
}

/// Converts an error. Psych reports the *context* mark, the start of the construct; errors of libyaml's reader have no mark and
/// are reported at 1, 1.
fn syntax_error(error: &libyaml_safer::Error, bytes: &[u8]) -> YamlError {
    let mark = error.context_mark().or_else(|| match error.kind() {
        libyaml_safer::ErrorKind::Scanner => error.problem_mark(),
        _ => None,
    });
    let (line, column) = mark.map_or((1, 1), |mark| (mark.line + 1, mark.column + 1));
    let message = match error.context() {
        Some(context) => format!("{} {context}", error.problem()),
        None if error.problem() == "invalid UTF-8" => utf8_problem(bytes).to_owned(),
        None => error.problem().to_owned(),
    };
    let problem = match error.problem_mark() {
        Some(mark) => Some((mark.line + 1, mark.column + 1)),
        None => utf8_position(bytes),
    };
    YamlError { message, line, column, names_file: true, limit: false, class: SYNTAX, problem }
}

/// The line and column of the first bytes that are not UTF-8.
fn utf8_position(bytes: &[u8]) -> Option<(u64, u64)> {
    let valid = std::str::from_utf8(bytes).err()?.valid_up_to();
    let before = String::from_utf8_lossy(bytes.get(..valid)?);
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
    Some((before.matches('\n').count() as u64 + 1, column as u64 + 1))
}

/// libyaml's message for the first bytes that are not UTF-8.
fn utf8_problem(bytes: &[u8]) -> &'static str {
    let Err(error) = std::str::from_utf8(bytes) else { return "invalid UTF-8" };
    let rest = bytes.get(error.valid_up_to()..).unwrap_or(&[]);
    let width = match rest.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let trailing = rest.iter().skip(1).take(width - 1);
    if rest.len() < width {
        "incomplete UTF-8 octet sequence"
    } else if trailing.clone().any(|byte| byte & 0xC0 != 0x80) {
        "invalid trailing UTF-8 octet"
    } else if width == 3 && rest.first() == Some(&0xED) || width == 4 && rest.first() > Some(&0xF4) {
        "invalid Unicode character"
    } else {
        "invalid length of a UTF-8 sequence"
    }
}
