//! Documents as indented JSON text, as `JSON.pretty_generate` lays it out.
//!
//! In: serializable values. Out: JSON. Must not: know the values. Catalogs are large, so everything is copied once, in large pieces.

use std::io;

use serde::Serialize;
use serde::Serializer;
use serde_json::ser::Formatter;

/// The longest document in bytes: indentation may multiply its size.
const LONGEST: usize = 1 << 30;

/// A document as indented text.
///
/// # Errors
/// A value cannot be serialized, or the text is too long.
pub fn pretty(document: &impl Serialize) -> Result<String, String> {
    pretty_with_capacity(document, 0)
}

/// A document as indented text of about `expected` bytes.
///
/// # Errors
/// As [`pretty`].
pub fn pretty_with_capacity(document: &impl Serialize, expected: usize) -> Result<String, String> {
    let mut sink = Sink(Vec::with_capacity(expected));
    write(&mut sink, document, 0)?;
    sink.text()
}

/// A document without white space, of about `expected` bytes.
///
/// # Errors
/// As [`pretty`].
pub fn compact(document: &impl Serialize, expected: usize) -> Result<Vec<u8>, String> {
    let mut sink = Sink(Vec::with_capacity(expected));
    document.serialize(&mut serde_json::Serializer::new(&mut sink)).map_err(|error| error.to_string())?;
    Ok(sink.0)
}

/// Prints consecutive items of a list as a part of an indented document. Each item is on a new line, after a comma unless it is the
/// first item of the list; `first`: whether `items` begins with that item. The output has about `expected` bytes.
///
/// # Errors
///
/// As [`pretty`].
pub fn pretty_items(items: impl Iterator<Item: Serialize>, first: bool, expected: usize) -> Result<String, String> {
    /// Levels around the items: the document's and the list's.
    const AROUND: usize = 2;
    let mut sink = Sink(Vec::with_capacity(expected));
    for (number, item) in items.enumerate() {
        next_line(&mut sink, !first || number > 0, AROUND).map_err(|error| error.to_string())?;
        write(&mut sink, &item, AROUND)?;
    }
    sink.text()
}

fn write(sink: &mut Sink, document: &impl Serialize, level: usize) -> Result<(), String> {
    let indented = IndentedFormatter { level, holds: false };
    document.serialize(&mut serde_json::Serializer::with_formatter(sink, indented)).map_err(|error| error.to_string())
}

/// A list whose items are computed while it is written.
pub struct Items<F>(pub F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Items<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// The output buffer.
struct Sink(Vec<u8>);

impl Sink {
    fn text(self) -> Result<String, String> {
        String::from_utf8(self.0).map_err(|error| error.to_string())
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    // Called for every few bytes, mostly with constants, for which it is inlined.
    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.0.len() + bytes.len() > LONGEST {
            return Err(io::Error::other(format!("the string is longer than {LONGEST} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Two spaces for each level; lists and objects without members stay on their line.
struct IndentedFormatter {
    level: usize,
    /// Whether the current list or object has a member.
    holds: bool,
}

/// Writes the end of a line, after a comma if `comma` is set, and the indentation of the next line.
fn next_line<W: io::Write + ?Sized>(writer: &mut W, comma: bool, level: usize) -> io::Result<()> {
    /// The usual depth of documents.
    const LINE: &[u8] = b",\n                                        ";
    const DEEPEST: usize = (LINE.len() - 2) / 2;
    let at_once = level.min(DEEPEST);
    writer.write_all(LINE.get(usize::from(!comma)..2 + 2 * at_once).unwrap_or(LINE))?;
    (at_once..level).try_for_each(|_| writer.write_all(b"  "))
}

impl IndentedFormatter {
    fn open(&mut self) {
        self.level += 1;
        self.holds = false;
    }

    fn close<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.level = self.level.saturating_sub(1);
        if self.holds { next_line(writer, false, self.level) } else { Ok(()) }
    }
}

impl Formatter for IndentedFormatter {
    fn begin_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open();
        writer.write_all(b"[")
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer)?;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        next_line(writer, !first, self.level)
    }

    fn end_array_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.holds = true;
        Ok(())
    }

    fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open();
        writer.write_all(b"{")
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer)?;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        next_line(writer, !first, self.level)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.holds = true;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_layout_is_that_of_serde_json() {
        let mut deep = json!([1]);
        for _ in 0..30 {
            deep = json!({ "a": [deep, {}], "b": [] });
        }
        for document in
            [json!([]), json!({}), json!([[], {}, [[]]]), json!({ "a": "\n\"\u{e9}", "b": [1, null] }), deep]
        {
            assert_eq!(pretty(&document).unwrap(), serde_json::to_string_pretty(&document).unwrap());
        }
    }

    #[test]
    fn items_are_written_like_in_their_document() {
        let items = [json!({ "a": [1, 2] }), json!([]), json!("x")];
        let whole = serde_json::to_string_pretty(&json!({ "": items })).unwrap();
        let part = |items: &[_], first| pretty_items(items.iter(), first, 0).unwrap();
        let alone = [part(&items[..1], true), part(&items[1..], false)].concat();
        assert_eq!(whole, format!("{{\n  \"\": [{alone}\n  ]\n}}"));
        assert_eq!(pretty_items(std::iter::empty::<u8>(), true, 0).unwrap(), "");
    }
}
