//! What serializes, as indented JSON text.
//!
//! In: calls of serde. Out: bytes. Must not: know documents. `serde_json` writes the same text with a call for every few bytes and
//! a look at every byte of a string; a catalog is mostly short strings.

use std::fmt;
use std::fmt::Display;
use std::fmt::Write;

use serde::Serialize;
use serde::Serializer;
use serde::ser;
use serde::ser::Error as _;
use serde_json::Error;

/// The longest document that is written: indentation may make much of little.
const LONGEST: usize = 1 << 30;

/// A document being written.
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
    /// Lists and objects around what is written next.
    pub(super) level: usize,
}

impl Writer {
    /// The end of a line, with a comma before it if one is due, and the next one's indentation.
    pub(super) fn next_line(&mut self, comma: bool, level: usize) -> Result<(), Error> {
        const LONG: usize = 32;
        const COMMA: &[u8; LONG] = b",\n                              ";
        const PLAIN: &[u8; LONG] = b"\n                               ";
        /// As deep as most documents are.
        const DEEPEST: usize = (LONG - 2) / 2;
        let end = self.out.len() + 1 + usize::from(comma) + 2 * level.min(DEEPEST);
        // A copy of a known length, cut off, takes less time than one that is as long as it should be.
        self.out.extend_from_slice(if comma { COMMA } else { PLAIN });
        self.out.truncate(end);
        (DEEPEST..level).for_each(|_| self.out.extend_from_slice(b"  "));
        self.check_length()
    }

    fn check_length(&self) -> Result<(), Error> {
        match self.out.len() > LONGEST {
            true => Err(Error::custom(format!("the text is longer than {LONGEST} bytes"))),
            false => Ok(()),
        }
    }

    fn string(&mut self, text: &str) -> Result<(), Error> {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        escape(&mut self.out, text.as_bytes());
        self.out.push(b'"');
        self.check_length()
    }

    /// Text of a value that `serde_json` lays out on one line.
    fn plain(&mut self, value: impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.out, &value)
    }

    fn open(&mut self, bracket: u8) -> Members<'_> {
        self.out.push(bracket);
        self.level += 1;
        // The two brackets are two bytes apart in ASCII.
        Members { writer: self, closing: bracket + 2, holds: false, outer: false }
    }

    /// `{"name": …}`, a variant of an enum with what it holds.
    fn variant(&mut self, name: &str, bracket: u8) -> Result<Members<'_>, Error> {
        self.named(name)?;
        Ok(Members { outer: true, ..self.open(bracket) })
    }

    fn named(&mut self, name: &str) -> Result<(), Error> {
        self.out.push(b'{');
        self.level += 1;
        self.next_line(false, self.level)?;
        self.string(name)?;
        self.out.extend_from_slice(b": ");
        Ok(())
    }

    fn end_named(&mut self) -> Result<(), Error> {
        self.level = self.level.saturating_sub(1);
        self.next_line(false, self.level)?;
        self.out.push(b'}');
        Ok(())
    }
}

/// Appends the bytes of a string as they stand between quotes.
fn escape(out: &mut Vec<u8>, mut bytes: &[u8]) {
    while let Some(at) = first_escaped(bytes) {
        let (before, rest) = bytes.split_at(at);
        let Some((byte, rest)) = rest.split_first() else { break };
        out.extend_from_slice(before);
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            other => out.extend_from_slice(format!("\\u{other:04x}").as_bytes()),
        }
        bytes = rest;
    }
    out.extend_from_slice(bytes);
}

/// Where the first byte stands that JSON escapes: a quote, a backslash, a control character.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const WORD: usize = 8;
    let is_escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let any_escaped = |chunk: &[u8]| {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes);
        // The high bit of each byte that is smaller than `n`, if it is below 128 (and of some behind such a byte).
        let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word & (ONES << 7);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1) | below(word ^ (ONES * u64::from(b'\\')), 1);
        quotes | below(word, 0x20) != 0
    };
    let Some(last) = bytes.len().checked_sub(WORD) else { return bytes.iter().position(is_escaped) };
    // The last bytes are looked at as a word, too, which begins in the one before.
    let starts = (0..last).step_by(WORD).chain([last]);
    let found = |at: &usize| bytes.get(*at..*at + WORD).is_some_and(any_escaped);
    let at = starts.into_iter().find(found)?;
    bytes.iter().skip(at).position(is_escaped).map(|found| at + found)
}

/// The members of a list or an object.
pub(super) struct Members<'w> {
    writer: &'w mut Writer,
    closing: u8,
    /// Whether there is one.
    holds: bool,
    /// Whether they are what a variant of an enum holds.
    outer: bool,
}

impl Members<'_> {
    fn next(&mut self) -> Result<(), Error> {
        let comma = std::mem::replace(&mut self.holds, true);
        self.writer.next_line(comma, self.writer.level)
    }

    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.next()?;
        value.serialize(&mut *self.writer)
    }

    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.next()?;
        self.writer.string(name)?;
        self.writer.out.extend_from_slice(b": ");
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Result<(), Error> {
        let Members { writer, closing, holds, outer } = self;
        writer.level = writer.level.saturating_sub(1);
        if holds {
            writer.next_line(false, writer.level)?;
        }
        writer.out.push(closing);
        if outer { writer.end_named() } else { Ok(()) }
    }
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'w>;
    type SerializeTuple = Members<'w>;
    type SerializeTupleStruct = Members<'w>;
    type SerializeTupleVariant = Members<'w>;
    type SerializeMap = Members<'w>;
    type SerializeStruct = Members<'w>;
    type SerializeStructVariant = Members<'w>;

    fn serialize_bool(self, v: bool) -> Result<(), Error> {
        self.out.extend_from_slice(if v { b"true" } else { b"false" });
        Ok(())
    }
    fn serialize_i8(self, v: i8) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_i16(self, v: i16) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_i32(self, v: i32) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_i64(self, v: i64) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_i128(self, v: i128) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_u8(self, v: u8) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_u16(self, v: u16) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_u32(self, v: u32) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_u64(self, v: u64) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_u128(self, v: u128) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_f32(self, v: f32) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_f64(self, v: f64) -> Result<(), Error> {
        self.plain(v)
    }
    fn serialize_char(self, v: char) -> Result<(), Error> {
        self.string(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, v: &str) -> Result<(), Error> {
        self.string(v)
    }
    fn serialize_bytes(self, v: &[u8]) -> Result<(), Error> {
        self.collect_seq(v)
    }
    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Error> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.string(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.named(variant)?;
        value.serialize(&mut *self)?;
        self.end_named()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'w>, Error> {
        Ok(self.open(b'['))
    }
    fn serialize_tuple(self, _: usize) -> Result<Members<'w>, Error> {
        Ok(self.open(b'['))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'w>, Error> {
        Ok(self.open(b'['))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w>, Error> {
        self.variant(variant, b'[')
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w>, Error> {
        Ok(self.open(b'{'))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'w>, Error> {
        Ok(self.open(b'{'))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w>, Error> {
        self.variant(variant, b'{')
    }
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.out.push(b'"');
        write!(Escaped(&mut self.out), "{value}").map_err(Error::custom)?;
        self.out.push(b'"');
        self.check_length()
    }
}

/// Takes pieces of a string.
struct Escaped<'w>(&'w mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape(self.0, piece.as_bytes());
        Ok(())
    }
}

/// The traits of serde whose members are a list's.
macro_rules! of_list {
    ($($name:ident $method:ident),*) => {$(
        impl ser::$name for Members<'_> {
            type Ok = ();
            type Error = Error;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}
of_list!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// Those whose members are an object's, with the names of fields.
macro_rules! of_fields {
    ($($name:ident),*) => {$(
        impl ser::$name for Members<'_> {
            type Ok = ();
            type Error = Error;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.member(name, value)
            }
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}
of_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next()?;
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        // JSON has no other keys. What `serde_json` makes strings of (numbers) no document of ours has.
        match self.writer.out.get(start) {
            Some(b'"') => Ok(()),
            _ => Err(Error::custom("key must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.out.extend_from_slice(b": ");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}
