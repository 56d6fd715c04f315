//! `Array#pack`: values to bytes, by a format; [`super::unpack`] is the reverse.
//!
//! In: items, and the format's directives with their counts. Out: the bytes. The directives are those of
//! Ruby's packed data (`doc/packed_data.rdoc`). Must not: know the source of the items.

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::Interp;
use crate::Raise;
use crate::core::string_helpers::base64_text;
use crate::core::string_helpers::string_bytes;
use crate::value::Rv;

/// The count of a directive.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Count {
    /// No count was given.
    One,
    Times(usize),
    /// `*`
    All,
}

/// One directive of a format.
#[derive(Clone, Copy)]
pub(super) struct Directive {
    pub letter: char,
    pub count: Count,
    pub big_endian: bool,
}

/// The size in bytes of an integer directive, and whether it is signed; `None` for other directives.
pub(super) fn integer_format(directive: Directive) -> Option<(usize, bool, bool)> {
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

pub(super) fn parse_directives(rt: &mut Interp<'_>, format: &str) -> Raise<Vec<Directive>> {
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

/// `pack`
pub(crate) fn pack(rt: &mut Interp<'_>, items: &[Rv], format: &str) -> Raise<Rv> {
    let directives = parse_directives(rt, format)?;
    // With `U` first, the result is a string of characters.
    let is_text = directives.first().is_some_and(|first| first.letter == 'U');
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
    Ok(if is_text || bytes.is_ascii() { Rv::from_bytes(bytes) } else { Rv::bytes(bytes) })
}

fn next_bytes(rt: &mut Interp<'_>, item: Option<&Rv>) -> Raise<Vec<u8>> {
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
            let shift = if low_first { at } else { per - 1 - at };
            byte |= digit << (shift * width);
        }
        bytes.push(byte);
    }
}

fn encode_number(rt: &mut Interp<'_>, bytes: &mut Vec<u8>, item: &Rv, directive: Directive) -> Raise<()> {
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
pub(crate) fn is_strict_base64(string: &str) -> bool {
    let bytes = string.as_bytes();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = bytes.get(..bytes.len() - padding).unwrap_or_default();
    bytes.len().is_multiple_of(4)
        && padding <= 2
        && digits.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}
