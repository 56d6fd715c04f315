//! Tags before a comma, `[!a, b]`: libyaml accepts them, but its port in Rust panics at the comma.
//!
//! In: the bytes of a YAML stream. Out: the position of the comma. Inserting a space before it changes only the columns after it.

use std::cell::Cell;
use std::io::BufRead;
use std::io::Read;
use std::panic::AssertUnwindSafe;

use libyaml_safer::Encoding;
use libyaml_safer::EventData;
use libyaml_safer::Parser;

use crate::data::yaml::document::YamlError;
use catwalk_base::meter;

/// The position of the comma at which the scanner panics. The scanner receives the text byte by byte, so that it does not read
/// ahead.
pub(super) fn after_tag(text: &[u8]) -> Option<usize> {
    let taken = Cell::new(0);
    let scanned = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let mut parser = Parser::new();
        parser.set_input(Bytes { text, position: &taken });
        parser.set_encoding(Encoding::Utf8);
        while parser.parse().is_ok_and(|event| !matches!(event.data, EventData::StreamEnd)) {}
    }));
    match scanned.map_err(meter::resume_exceeded) {
        Ok(()) => None,
        Err(_) => text.get(..taken.get())?.iter().rposition(|byte| *byte == b','),
    }
}

/// Subtracts the inserted spaces from the column of an error.
pub(super) fn subtract_blanks(mut error: YamlError, text: &[u8], blanks: &[usize]) -> YamlError {
    let count_before = |(line, column): (u64, u64)| {
        let is_before = |blank: &&usize| {
            let before = text.get(..**blank).unwrap_or_default();
            let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let lines = before.iter().filter(|byte| **byte == b'\n').count() as u64;
            lines + 1 == line && (String::from_utf8_lossy(last).chars().count() as u64) + 1 < column
        };
        blanks.iter().filter(is_before).count() as u64
    };
    error.column -= count_before((error.line, error.column));
    error.problem = error.problem.map(|(line, column)| (line, column - count_before((line, column))));
    error
}

/// A reader that returns one byte at a time.
struct Bytes<'t> {
    text: &'t [u8],
    position: &'t Cell<usize>,
}

impl Read for Bytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Bytes<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        let rest = self.text.get(self.position.get()..).unwrap_or_default();
        Ok(rest.get(..1).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.position.set(self.position.get() + count);
    }
}
