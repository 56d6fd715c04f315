//! `Array#pack` and `String#unpack`: values to bytes and back, by a format.
//!
//! In: items or bytes, and the format's directives with their counts. Out: the bytes, or the items. The directives are those of
//! Ruby's packed data (`doc/packed_data.rdoc`). Must not: know the source of the items.

use base64::Engine;
use num_bigint::BigInt;
use num_bigint::Sign;

use crate::Interp;
use crate::Raise;
use crate::core::string_helpers::base64_text;
use crate::core::string_helpers::from_bytes;
use crate::core::string_helpers::string_bytes;
use crate::value::Rv;

/// The count of a directive.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    /// No count was given.
    One,
    Times(usize),
    /// `*`
    All,
}

/// One directive of a format.
#[derive(Clone, Copy)]
struct Directive {
    letter: char,
    count: Count,
    big_endian: bool,
}

/// The size in bytes of an integer directive, and whether it is signed; `None` for other directives.
fn integer_format(directive: Directive) -> Option<(usize, bool, bool)> {
    let big_endian = directive.big_endian;
    Some(match directive.letter {
        'C' => (1, false, big_endian),
        'c' => (1, true, big_endian),
        'S' => (2, false, big_endian),
        's' => (2, true, big_endian),
        'L' | 'I' => (4, false, big_endian),
        'l' | 'i' => (4, true, big_endian),
        'Q' | 'J' => (8, false, big_endian),
        'q' | 'j' => (8, true, big_endian),
        'n' => (2, false, true),
        'N' => (4, false, true),
        'v' => (2, false, false),
        'V' => (4, false, false),
        _ => return None,
    })
}

fn parse_directives(rt: &mut Interp<'_, '_>, format: &str) -> Raise<Vec<Directive>> {
    let mut found = Vec::new();
    let mut rest = format.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_whitespace() || letter == '\0' {
            continue;
        }
        if letter == '#' {
            while rest.next().is_some_and(|c| c != '\n') {}
            continue;
        }
        let mut directive = Directive { letter, count: Count::One, big_endian: false };
        while let Some(modifier) = rest.peek().copied().filter(|c| matches!(c, '_' | '!' | '<' | '>')) {
            rest.next();
            match (modifier, letter) {
                ('>', _) => directive.big_endian = true,
                // With `_` or `!`, a long has 64 bits.
                ('_' | '!', 'l') => directive.letter = 'q',
                ('_' | '!', 'L') => directive.letter = 'Q',
                _ => {}
            }
        }
        if rest.next_if_eq(&'*').is_some() {
            directive.count = Count::All;
        } else {
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            if !digits.is_empty() {
                let Ok(count) = digits.parse() else { return rt.raise("RangeError", "pack length too big") };
                directive.count = Count::Times(count);
            }
        }
        found.push(directive);
    }
    Ok(found)
}

/// `unpack`
pub(crate) fn unpack(rt: &mut Interp<'_, '_>, bytes: &[u8], format: &str) -> Raise<Vec<Rv>> {
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
                out.push(from_bytes(field.to_vec()));
                at += used;
            }
            'B' | 'b' | 'H' | 'h' => {
                let per = if matches!(directive.letter, 'B' | 'b') { 8 } else { 2 };
                let wanted = if directive.count == Count::All { rest.len() * per } else { times(1) };
                let length = wanted.min(rest.len() * per);
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
                out.push(from_bytes(decode_quoted_printable(rest)));
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
fn move_position(rt: &mut Interp<'_, '_>, directive: Directive, at: usize, size: usize) -> Raise<usize> {
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
fn decode_numbers(rt: &mut Interp<'_, '_>, rest: &[u8], directive: Directive, out: &mut Vec<Rv>) -> Raise<usize> {
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
    let mut text = String::with_capacity(length + 8);
    for byte in bytes {
        if text.len() >= length {
            break;
        }
        match letter {
            'B' => text.push_str(&format!("{byte:08b}")),
            'b' => text.push_str(&format!("{:08b}", byte.reverse_bits())),
            'h' => text.push_str(&format!("{:02x}", byte.rotate_left(4))),
            _ => text.push_str(&format!("{byte:02x}")),
        }
    }
    text.truncate(length);
    text
}

fn decode_chars(rest: &[u8], count: Count, out: &mut Vec<Rv>) -> usize {
    let limit = match count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => usize::MAX,
    };
    let text = String::from_utf8_lossy(rest);
    let mut used = 0;
    for c in text.chars().take(limit) {
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
fn decode_base64(rt: &mut Interp<'_, '_>, rest: &[u8], count: Count) -> Raise<Rv> {
    let engine = base64::engine::general_purpose::STANDARD;
    if count == Count::Times(0) {
        return match engine.decode(rest) {
            Ok(bytes) => Ok(from_bytes(bytes)),
            Err(_) => rt.raise("ArgumentError", "invalid base64"),
        };
    }
    Ok(from_bytes(catwalk_value::value::text::loose_base64(rest)))
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

/// `pack`
pub(crate) fn pack(rt: &mut Interp<'_, '_>, items: &[Rv], format: &str) -> Raise<Rv> {
    let directives = parse_directives(rt, format)?;
    // With `U` first, the result is a string of characters.
    let text = directives.first().is_some_and(|first| first.letter == 'U');
    let mut bytes = Vec::new();
    let mut rest = items.iter();
    for directive in directives {
        let fixed = match directive.count {
            Count::One => 1,
            Count::Times(n) => n,
            Count::All => rest.len(),
        };
        rt.check_size(bytes.len() + fixed.min(1 << 40))?;
        match directive.letter {
            'a' | 'A' | 'Z' => {
                let field = next_bytes(rt, rest.next())?;
                encode_field(&mut bytes, &field, directive);
            }
            'B' | 'b' | 'H' | 'h' => {
                let field = next_bytes(rt, rest.next())?;
                encode_digits(&mut bytes, &field, directive);
            }
            'm' => {
                let field = next_bytes(rt, rest.next())?;
                let lines = directive.count != Count::Times(0);
                bytes.extend_from_slice(base64_text(&field, lines).as_bytes());
            }
            'x' => bytes.resize(bytes.len() + if directive.count == Count::All { 0 } else { fixed }, 0),
            'X' => {
                let Some(length) = bytes.len().checked_sub(if directive.count == Count::All { 0 } else { fixed })
                else {
                    return rt.raise("ArgumentError", "X outside of string");
                };
                bytes.truncate(length);
            }
            '@' => bytes.resize(if directive.count == Count::All { 0 } else { fixed }, 0),
            _ => {
                for _ in 0..fixed {
                    let Some(item) = rest.next() else { return rt.raise("ArgumentError", "too few arguments") };
                    encode_number(rt, &mut bytes, item, directive)?;
                }
            }
        }
    }
    // Other results are bytes, which is the same for plain ASCII.
    Ok(if text || bytes.is_ascii() { from_bytes(bytes) } else { Rv::bytes(bytes) })
}

fn next_bytes(rt: &mut Interp<'_, '_>, item: Option<&Rv>) -> Raise<Vec<u8>> {
    match item {
        None => rt.raise("ArgumentError", "too few arguments"),
        Some(Rv::Nil) => Ok(Vec::new()),
        Some(item) => string_bytes(rt, item),
    }
}

fn encode_field(bytes: &mut Vec<u8>, field: &[u8], directive: Directive) {
    let length = match directive.count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => field.len() + usize::from(directive.letter == 'Z'),
    };
    let fill = if directive.letter == 'A' { b' ' } else { 0 };
    bytes.extend(field.iter().copied().chain(std::iter::repeat(fill)).take(length));
}

fn encode_digits(bytes: &mut Vec<u8>, field: &[u8], directive: Directive) {
    let length = match directive.count {
        Count::One => 1,
        Count::Times(n) => n,
        Count::All => field.len(),
    };
    let (per, width) = if matches!(directive.letter, 'B' | 'b') { (8, 1) } else { (2, 4) };
    let digit = |byte: &u8| match (width, byte.is_ascii_alphabetic()) {
        (1, _) => byte & 1,
        // Letters beyond `f` are digits too: the low bits of the letter plus nine.
        (_, true) => (byte & 7).wrapping_add(9) & 15,
        (_, false) => byte & 15,
    };
    let digits: Vec<u8> = field.iter().map(digit).chain(std::iter::repeat(0)).take(length).collect();
    for chunk in digits.chunks(per) {
        let low_first = matches!(directive.letter, 'b' | 'h');
        let mut byte = 0u8;
        for (at, digit) in chunk.iter().enumerate() {
            let place = if low_first { at } else { per - 1 - at };
            byte |= digit << (place * width);
        }
        bytes.push(byte);
    }
}

fn encode_number(rt: &mut Interp<'_, '_>, bytes: &mut Vec<u8>, item: &Rv, directive: Directive) -> Raise<()> {
    if let Some((width, _, big_endian)) = integer_format(directive) {
        let all = match item {
            // The low bits of an integer of any size.
            Rv::Big(n) => u64::try_from(&**n & BigInt::from(u64::MAX)).unwrap_or_default().to_le_bytes(),
            item => rt.expect_int(item)?.to_le_bytes(),
        };
        let (low, _) = all.split_at(width);
        if big_endian {
            bytes.extend(low.iter().rev())
        } else {
            bytes.extend_from_slice(low)
        }
        return Ok(());
    }
    let float = |item: &Rv| match item {
        Rv::Int(n) => Some(*n as f64),
        Rv::Float(f) => Some(f.get()),
        _ => None,
    };
    match directive.letter {
        'U' => {
            let number = rt.expect_int(item)?;
            let Some(c) = u32::try_from(number).ok().and_then(char::from_u32) else {
                return rt.raise("RangeError", "pack(U): value out of range");
            };
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        'w' => {
            let number = match item {
                Rv::Big(n) => (**n).clone(),
                item => rt.expect_int(item)?.into(),
            };
            if number.sign() == Sign::Minus {
                return rt.raise("ArgumentError", "can't compress negative numbers");
            }
            let groups = number.to_radix_be(128).1;
            let last = groups.len() - 1;
            bytes.extend(groups.iter().enumerate().map(|(at, group)| if at == last { *group } else { group | 0x80 }));
        }
        letter @ ('e' | 'f' | 'F' | 'g' | 'E' | 'd' | 'D' | 'G') => {
            let Some(value) = float(item) else { return rt.type_error(item, "Float") };
            match letter {
                'e' | 'f' | 'F' => bytes.extend_from_slice(&(value as f32).to_le_bytes()),
                'g' => bytes.extend_from_slice(&(value as f32).to_be_bytes()),
                'G' => bytes.extend_from_slice(&value.to_be_bytes()),
                _ => bytes.extend_from_slice(&value.to_le_bytes()),
            }
        }
        other => return rt.unsupported(&format!("pack('{other}')")),
    }
    Ok(())
}

/// Whether a string is Base64 according to RFC 4648: whole groups, padding at the end, nothing else.
pub(crate) fn is_strict_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = bytes.get(..bytes.len() - padding).unwrap_or_default();
    bytes.len().is_multiple_of(4)
        && padding <= 2
        && digits.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}
