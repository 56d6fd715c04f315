//! `String#unpack`: bytes to values, by a format ([`super::pack`]).
//!
//! In: bytes, and the format's directives with their counts. Out: the items. Must not: know the source of the bytes.

use base64::Engine;

use crate::Interp;
use crate::Raise;
use crate::core::pack::Count;
use crate::core::pack::Directive;
use crate::core::pack::integer_format;
use crate::core::pack::parse_directives;
use crate::value::Rv;

/// `unpack`
pub(crate) fn unpack(rt: &mut Interp<'_>, bytes: &[u8], format: &str) -> Raise<Vec<Rv>> {
    let mut out = Vec::new();
    let mut at = 0;
    for directive in parse_directives(rt, format)? {
        let rest = bytes.get(at..).unwrap_or_default();
        let times = |width: usize| match directive.count {
            Count::One => 1,
            Count::Times(n) => n,
            Count::All => rest.len() / width,
        };
        match directive.letter {
            'a' | 'A' | 'Z' => {
                let length = times(1).min(rest.len());
                let (field, used) = decode_field(rest.split_at(length).0, directive);
                out.push(Rv::from_bytes(field.to_vec()));
                at += used;
            }
            'B' | 'b' | 'H' | 'h' => {
                let per = if matches!(directive.letter, 'B' | 'b') { 8 } else { 2 };
                let requested = if directive.count == Count::All { rest.len() * per } else { times(1) };
                let length = requested.min(rest.len() * per);
                out.push(Rv::str(decode_digits(rest, directive.letter, length)));
                at += length.div_ceil(per);
            }
            'U' => at += decode_chars(rest, directive.count, &mut out),
            'w' => at += decode_ber(rest, directive.count, &mut out),
            'm' => {
                out.push(decode_base64(rt, rest, directive.count)?);
                at = bytes.len();
            }
            'M' => {
                out.push(Rv::from_bytes(decode_quoted_printable(rest)));
                at = bytes.len();
            }
            'x' | 'X' | '@' => at = move_position(rt, directive, at, bytes.len())?,
            _ => at += decode_numbers(rt, rest, directive, &mut out)?,
        }
    }
    Ok(out)
}

/// A field of a string directive without its padding, and the number of bytes that the directive uses.
fn decode_field(field: &[u8], directive: Directive) -> (&[u8], usize) {
    match directive.letter {
        'A' => (trim_field(field), field.len()),
        'Z' => match field.iter().position(|byte| *byte == 0) {
            // With `*` the next directive begins after the zero.
            Some(end) if directive.count == Count::All => (field.split_at(end).0, end + 1),
            Some(end) => (field.split_at(end).0, field.len()),
            None => (field, field.len()),
        },
        _ => (field, field.len()),
    }
}

/// The position after `x` (forward), `X` (back) or `@` (absolute) in a string of `size` bytes.
fn move_position(rt: &mut Interp<'_>, directive: Directive, at: usize, size: usize) -> Raise<usize> {
    let moved = match (directive.letter, directive.count) {
        ('x', Count::All) => return Ok(size),
        (_, Count::All) => return Ok(at),
        ('x', Count::One) => at.checked_add(1),
        ('x', Count::Times(n)) => at.checked_add(n),
        ('X', Count::One) => at.checked_sub(1),
        ('X', Count::Times(n)) => at.checked_sub(n),
        (_, Count::One) => Some(1),
        (_, Count::Times(n)) => Some(n),
    };
    match moved.filter(|position| *position <= size) {
        Some(position) => Ok(position),
        None => rt.raise("ArgumentError", format!("{} outside of string", directive.letter)),
    }
}

/// Integers and floats; missing values at the end are nil, except with the count `*`.
fn decode_numbers(rt: &mut Interp<'_>, rest: &[u8], directive: Directive, out: &mut Vec<Rv>) -> Raise<usize> {
    let width = match (integer_format(directive), directive.letter) {
        (Some((width, ..)), _) => width,
        (None, 'e' | 'g' | 'f' | 'F') => 4,
        (None, 'E' | 'G' | 'd' | 'D') => 8,
        (None, other) => return rt.unsupported(&format!("unpack('{other}')")),
    };
    let times = match directive.count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => rest.len() / width,
    };
    rt.check_size(times.min(1 << 40) * 16)?;
    let mut chunks = rest.chunks_exact(width);
    for _ in 0..times {
        out.push(match chunks.next() {
            None => Rv::Nil,
            Some(chunk) => match integer_format(directive) {
                Some((_, signed, big_endian)) => Rv::integer(decode_integer(chunk, signed, big_endian)),
                None => decode_float(chunk, directive.letter),
            },
        });
    }
    Ok((times * width).min(rest.len() / width * width))
}

fn decode_integer(chunk: &[u8], signed: bool, big_endian: bool) -> i128 {
    let add = |sum: i128, byte: &u8| sum << 8 | i128::from(*byte);
    let value = if big_endian { chunk.iter().fold(0, add) } else { chunk.iter().rev().fold(0, add) };
    let bits = chunk.len() * 8;
    if signed && value >> (bits - 1) == 1 { value - (1i128 << bits) } else { value }
}

fn decode_float(chunk: &[u8], letter: char) -> Rv {
    let mut bytes = chunk.to_vec();
    if matches!(letter, 'g' | 'G') {
        bytes.reverse();
    }
    Rv::float(match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>()) {
        (Some(eight), _) => f64::from_le_bytes(*eight),
        (None, Some(four)) => f64::from(f32::from_le_bytes(*four)),
        _ => 0.0,
    })
}

/// A field without white space and zeros at the end.
fn trim_field(field: &[u8]) -> &[u8] {
    let end = field.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |last| last + 1);
    field.split_at(end).0
}

/// The first `length` bits or half bytes, as digits.
fn decode_digits(bytes: &[u8], letter: char, length: usize) -> String {
    let mut string = String::with_capacity(length + 8);
    for byte in bytes {
        if string.len() >= length {
            break;
        }
        match letter {
            'B' => string.push_str(&format!("{byte:08b}")),
            'b' => string.push_str(&format!("{:08b}", byte.reverse_bits())),
            'h' => string.push_str(&format!("{:02x}", byte.rotate_left(4))),
            _ => string.push_str(&format!("{byte:02x}")),
        }
    }
    string.truncate(length);
    string
}

fn decode_chars(rest: &[u8], count: Count, out: &mut Vec<Rv>) -> usize {
    let limit = match count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => usize::MAX,
    };
    let string = String::from_utf8_lossy(rest);
    let mut used = 0;
    for c in string.chars().take(limit) {
        out.push(Rv::Int(i64::from(u32::from(c))));
        used += c.len_utf8();
    }
    used.min(rest.len())
}

fn decode_ber(rest: &[u8], count: Count, out: &mut Vec<Rv>) -> usize {
    let limit = match count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => usize::MAX,
    };
    let (mut value, mut used, mut found) = (0i128, 0, 0);
    for byte in rest {
        if found == limit {
            break;
        }
        used += 1;
        value = value.wrapping_shl(7) | i128::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            out.push(Rv::integer(value));
            value = 0;
            found += 1;
        }
    }
    used
}

/// Base64: the count 0 means strict; else characters that are not digits are skipped.
fn decode_base64(rt: &mut Interp<'_>, rest: &[u8], count: Count) -> Raise<Rv> {
    let engine = base64::engine::general_purpose::STANDARD;
    if count == Count::Times(0) {
        return match engine.decode(rest) {
            Ok(bytes) => Ok(Rv::from_bytes(bytes)),
            Err(_) => rt.raise("ArgumentError", "invalid base64"),
        };
    }
    Ok(Rv::from_bytes(catwalk_value::printing::decode_lenient_base64(rest)))
}

/// Quoted-printable text.
fn decode_quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'=' {
            out.push(*first);
        } else if let Some(next) = more.strip_prefix(b"\n").or_else(|| more.strip_prefix(b"\r\n")) {
            rest = next;
        } else if let Some((two, next)) = more.split_at_checked(2)
            && let Some(byte) = std::str::from_utf8(two).ok().and_then(|two| u8::from_str_radix(two, 16).ok())
        {
            out.push(byte);
            rest = next;
        } else {
            out.push(b'=');
        }
    }
    out
}
