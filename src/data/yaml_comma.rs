//! Tags that a comma follows, `[!a, b]`: libyaml takes them, the scanner used here panics at the comma.
//!
//! In: a text. Out: the place of the comma; a blank in front of it changes nothing but columns behind it.

use std::cell::Cell;
use std::io::BufRead;
use std::io::Read;
use std::panic::AssertUnwindSafe;

use libyaml_safer::Encoding;
use libyaml_safer::EventData;
use libyaml_safer::Parser;

use crate::meter;

/// Where the scanner stops at such a comma. It is given byte by byte, so that it has taken no more than it looked at.
pub(super) fn after_tag(text: &[u8]) -> Option<usize> {
    let taken = Cell::new(0);
    let scanned = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let mut parser = Parser::new();
        parser.set_input(Bytes { text, taken: &taken });
        parser.set_encoding(Encoding::Utf8);
        while parser.parse().is_ok_and(|event| !matches!(event.data, EventData::StreamEnd)) {}
    }));
    match scanned.map_err(meter::pass) {
        Ok(()) => None,
        Err(_) => text.get(..taken.get())?.iter().rposition(|byte| *byte == b','),
    }
}

/// A text that is read byte by byte.
struct Bytes<'t> {
    text: &'t [u8],
    taken: &'t Cell<usize>,
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
        let rest = self.text.get(self.taken.get()..).unwrap_or_default();
        Ok(rest.get(..1).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.taken.set(self.taken.get() + count);
    }
}
