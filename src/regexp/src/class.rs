//! Character classes, shorthands, properties and escapes of single characters.
//!
//! In: the parser's cursor in a class or after a backslash. Out: a class in the engines' syntax, or a character. Must not know:
//! groups, repetitions, limits of the engines.

use super::parse::Charset;
use super::parse::Options;
use super::parse::Parser;
use super::parse::literal;

/// An engine class that matches nothing.
const NOTHING: &str = r"[^\x00-\x{10FFFF}]";

/// `\w \d \s \h` and their negations: ASCII in Ruby unless `(?u)` holds.
pub(super) fn shorthand(letter: char, charset: Charset) -> String {
    let unicode = charset == Charset::Unicode;
    let set = match letter.to_ascii_lowercase() {
        'w' if unicode => posix_set("word"),
        'd' if unicode => posix_set("digit"),
        's' if unicode => posix_set("space"),
        'w' => "0-9A-Za-z_",
        'd' => "0-9",
        's' => r"\t-\r ",
        _ => "0-9A-Fa-f",
    };
    let negate = if letter.is_ascii_uppercase() { "^" } else { "" };
    format!("[{negate}{set}]")
}

/// The contents of the class for a POSIX bracket in Unicode mode; empty for an unknown name.
fn posix_set(name: &str) -> &'static str {
    match name {
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "alpha" => r"\p{Alphabetic}",
        "ascii" => r"\x00-\x7F",
        "blank" => r"\p{Zs}\t",
        "cntrl" => r"\p{Cc}",
        "digit" => r"\p{Nd}",
        "graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "lower" => r"\p{Lowercase}",
        "print" => r"[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}",
        "punct" => r"\p{P}\$\+<=>\^`\|\~",
        "space" => r"\p{White_Space}",
        "upper" => r"\p{Uppercase}",
        "word" => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}",
        "xdigit" => r"0-9A-Fa-f",
        _ => "",
    }
}

/// A POSIX bracket or POSIX property as a separate class.
fn posix_class(name: &str, negative: bool, charset: Charset) -> Option<String> {
    let set = posix_set(name);
    if set.is_empty() {
        return None;
    }
    let negate = if negative { "^" } else { "" };
    Some(if charset == Charset::Ascii && negative {
        format!(r"[^[{set}]&&[\x00-\x7F]]")
    } else if charset == Charset::Ascii {
        format!(r"[[{set}]&&[\x00-\x7F]]")
    } else {
        format!("[{negate}{set}]")
    })
}

/// Reads `\p{Name}`, `\p{^Name}`, `\P{Name}`; the cursor is at the brace.
pub(super) fn parse_property(parser: &mut Parser, negative: bool, charset: Charset) -> Result<String, String> {
    parser.next();
    let mut negative = negative;
    if parser.eat("^") {
        negative = !negative;
    }
    let mut name = String::new();
    loop {
        match parser.next() {
            Some('}') => break,
            Some(c) => name.push(c),
            None => return Err("invalid character property name {}".into()),
        }
    }
    let plain: String = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).collect::<String>().to_ascii_lowercase();
    let posix_name = if plain == "xposixpunct" { "punct" } else { plain.as_str() };
    if plain == "punct" {
        // Unlike `[[:punct:]]`, `\p{Punct}` does not contain the ASCII symbols.
        return Ok(format!("\\{}{{P}}", if negative { 'P' } else { 'p' }));
    }
    if let Some(set) = posix_class(posix_name, negative, charset) {
        return Ok(set);
    }
    if plain.starts_with("in") && name.contains('_') {
        return Err(format!("not supported yet: Unicode blocks in regular expressions: {{{name}}}"));
    }
    let text = format!("\\{}{{{name}}}", if negative { 'P' } else { 'p' });
    let is_supported = !name.contains(['=', ':', '^', '!']) && !name.is_empty() && regex::Regex::new(&text).is_ok();
    if is_supported { Ok(text) } else { Err(format!("invalid character property name {{{name}}}")) }
}

/// Reads at most `most` hexadecimal digits; returns their value and their number.
fn parse_hex(parser: &mut Parser, most: usize) -> (u32, usize) {
    let (mut value, mut count) = (0u32, 0);
    while let Some(digit) = parser.peek().and_then(|c| c.to_digit(16)) {
        if count == most {
            break;
        }
        value = value.wrapping_mul(16).wrapping_add(digit);
        count += 1;
        parser.next();
    }
    (value, count)
}

/// Reads the rest of an octal escape of at most three digits, whose first digit has been read.
pub(super) fn parse_octal(parser: &mut Parser, first: char) -> Result<char, String> {
    let Some(digit) = first.to_digit(8) else { return Ok(first) };
    let value = parse_octal_digits(parser, digit);
    parse_byte(parser, value)
}

/// Reads at most two more digits of an octal escape whose first digit is `value`; returns the value of all.
fn parse_octal_digits(parser: &mut Parser, mut value: u32) -> u32 {
    for _ in 0..2 {
        let Some(digit) = parser.peek().and_then(|c| c.to_digit(8)) else { break };
        value = value * 8 + digit;
        parser.next();
    }
    value
}

/// Reads a continuation byte of a UTF-8 sequence, which must be an escape, too. (`read_escaped_byte` of Ruby's `re.c`)
fn parse_continuation_byte(parser: &mut Parser) -> Result<u8, String> {
    const TOO_SHORT: &str = "too short escaped multibyte character";
    if !parser.eat("\\") {
        return Err(TOO_SHORT.into());
    }
    match parser.next() {
        Some('x') => match parse_hex(parser, 2) {
            (_, 0) => Err("invalid hex escape".into()),
            (value, _) => Ok(u8::try_from(value).unwrap_or(0)),
        },
        Some(first @ '0'..='7') => {
            let value = parse_octal_digits(parser, first.to_digit(8).unwrap_or(0));
            u8::try_from(value).map_err(|_| "invalid escape code".to_owned())
        }
        Some('n' | 't' | 'r' | 'f' | 'v' | 'a' | 'e') => Err("invalid multibyte escape".into()),
        // A control character cannot be a continuation byte.
        Some('c') => parse_control_char(parser).and_then(|_| Err("invalid multibyte escape".to_owned())),
        Some('C') => Err("too short control escape".into()),
        Some('M') | None => Err(TOO_SHORT.into()),
        Some(_) => Err("unexpected escape sequence".into()),
    }
}

/// Reads the character of a byte that is written as an escape. A byte above 127 begins a UTF-8 sequence, which `\x` or octal escapes must
/// complete.
fn parse_byte(parser: &mut Parser, value: u32) -> Result<char, String> {
    let Ok(first) = u8::try_from(value) else { return Err("too big number".into()) };
    if first < 0x80 {
        return Ok(char::from(first));
    }
    let length = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return Err("invalid multibyte escape".into()),
    };
    let mut bytes = vec![first];
    while bytes.len() < length {
        bytes.push(parse_continuation_byte(parser)?);
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| "invalid multibyte escape".to_owned())?;
    text.chars().next().ok_or_else(|| "invalid multibyte escape".to_owned())
}

/// Reads `\u{61 62}`; the cursor is at the brace.
pub(super) fn parse_code_points(parser: &mut Parser) -> Result<Vec<char>, String> {
    parser.next();
    let mut chars = Vec::new();
    loop {
        while matches!(parser.peek(), Some(' ' | '\t')) {
            parser.next();
        }
        if parser.peek() == Some('}') && !chars.is_empty() {
            parser.next();
            return Ok(chars);
        }
        let (value, count) = parse_hex(parser, 6);
        if count == 0 || !matches!(parser.peek(), Some(' ' | '\t' | '}')) {
            return Err("invalid Unicode list".into());
        }
        chars.push(char::from_u32(value).ok_or_else(|| "invalid Unicode range".to_owned())?);
    }
}

/// Reads the escape that begins with a backslash and `c`, in a class or outside of one.
pub(super) fn parse_escaped_char(parser: &mut Parser, c: char) -> Result<char, String> {
    Ok(match c {
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        'f' => '\x0c',
        'v' => '\x0b',
        'a' => '\x07',
        'e' => '\x1b',
        '0'..='7' => parse_octal(parser, c)?,
        'x' => {
            let (value, count) = parse_hex(parser, 2);
            if count == 0 {
                return Err("invalid hex escape".into());
            }
            parse_byte(parser, value)?
        }
        'u' if parser.peek() == Some('{') => parse_code_points(parser)?.first().copied().unwrap_or('\0'),
        'u' => {
            let (value, count) = parse_hex(parser, 4);
            if count == 0 && parser.peek().is_none() {
                return Err("too short escape sequence".into());
            }
            if count < 4 {
                return Err("invalid Unicode escape".into());
            }
            char::from_u32(value).ok_or_else(|| "invalid Unicode range".to_owned())?
        }
        'c' => parse_control_char(parser)?,
        'C' => {
            if !parser.eat("-") {
                return Err("too short control escape".into());
            }
            parse_control_char(parser)?
        }
        'M' if parser.eat("-") => return Err("too short escaped multibyte character".into()),
        'M' => return Err("too short meta escape".into()),
        other => other,
    })
}

fn parse_control_char(parser: &mut Parser) -> Result<char, String> {
    match parser.next() {
        Some('?') => Ok('\x7f'),
        Some(c) if c.is_ascii() && c != '\\' => Ok(char::from(c as u8 & 0x1f)),
        _ => Err("too short control escape".into()),
    }
}

/// The previous item of a class, which decides whether a dash is a range. Nested classes are ignored. (`parse_char_class` of Onigmo)
enum LastItem {
    Nothing,
    Char(char),
    /// A character followed by a dash: the next character ends the range.
    Low(char),
    Range,
    Set,
}

/// Translates a bracketed class; the cursor is after the opening bracket. Unions, nested classes and `&&` have the same meaning in
/// Ruby and in the engines, so only characters, ranges and escapes change.
pub(super) fn parse_bracket(parser: &mut Parser, options: &Options) -> Result<String, String> {
    parser.enter()?;
    let mut text = String::from("[");
    if parser.eat("^") {
        text.push('^');
    }
    let mut segment = Segment { text: String::new(), last: LastItem::Nothing };
    // A closing bracket in first position is a literal if a later bracket closes the class.
    if parser.peek() == Some(']') {
        if !closes_later(parser) {
            return Err("empty char-class".into());
        }
        parser.next();
        segment.push_char(']')?;
    }
    loop {
        let Some(c) = parser.next() else { return Err("premature end of char-class".into()) };
        match c {
            ']' => break,
            '[' => {
                if let Some(set) = parse_posix_bracket(parser, options)? {
                    segment.push_set(&set)?;
                } else {
                    let nested = parse_bracket(parser, options)?;
                    segment.text.push_str(&nested);
                }
            }
            '&' if parser.eat("&") => {
                text.push_str(&segment.finish());
                text.push_str("&&");
            }
            '-' => {
                let edge = parser.peek() == Some(']') || (parser.peek() == Some('&') && parser.peek_at(1) == Some('&'));
                segment.push_dash(edge)?;
            }
            '\\' => parse_escape(parser, options, &mut segment)?,
            c => segment.push_char(c)?,
        }
    }
    text.push_str(&segment.finish());
    text.push(']');
    parser.leave();
    Ok(text)
}

/// The items between two `&&`.
struct Segment {
    text: String,
    last: LastItem,
}

impl Segment {
    fn push_char(&mut self, c: char) -> Result<(), String> {
        if let LastItem::Low(low) = self.last {
            if c < low {
                return Err("empty range in char class".into());
            }
            self.text.push_str(&literal(low));
            self.text.push('-');
            self.text.push_str(&literal(c));
            self.last = LastItem::Range;
            return Ok(());
        }
        self.flush();
        self.last = LastItem::Char(c);
        Ok(())
    }

    fn push_set(&mut self, set: &str) -> Result<(), String> {
        if matches!(self.last, LastItem::Low(_)) {
            return Err("char-class value at end of range".into());
        }
        self.flush();
        self.text.push_str(set);
        self.last = LastItem::Set;
        Ok(())
    }

    /// Adds a dash: the operator of a range, or a literal at either end of the class and after a range.
    fn push_dash(&mut self, edge: bool) -> Result<(), String> {
        match self.last {
            LastItem::Char(low) if !edge => self.last = LastItem::Low(low),
            LastItem::Set if !edge => return Err("unmatched range specifier in char-class".into()),
            _ => self.push_char('-')?,
        }
        Ok(())
    }

    fn flush(&mut self) {
        if let LastItem::Char(c) = self.last {
            self.text.push_str(&literal(c));
        }
    }

    fn finish(&mut self) -> String {
        self.flush();
        self.last = LastItem::Nothing;
        let text = std::mem::take(&mut self.text);
        if text.is_empty() { NOTHING.into() } else { text }
    }
}

/// Whether a later bracket closes the class, which begins with `]`.
fn closes_later(parser: &mut Parser) -> bool {
    let mark = parser.mark();
    parser.next();
    let mut found = false;
    while let Some(c) = parser.next() {
        match c {
            '\\' => {
                parser.next();
            }
            ']' => {
                found = true;
                break;
            }
            _ => {}
        }
    }
    parser.rewind(mark);
    found
}

/// Reads `:name:]` after the opening bracket; for anything else, returns `None` and does not move the cursor.
fn parse_posix_bracket(parser: &mut Parser, options: &Options) -> Result<Option<String>, String> {
    if parser.peek() != Some(':') {
        return Ok(None);
    }
    let mark = parser.mark();
    parser.next();
    let negative = parser.eat("^");
    let mut name = String::new();
    while let Some(c) = parser.peek().filter(char::is_ascii_alphabetic) {
        name.push(c);
        parser.next();
    }
    if !parser.eat(":]") {
        parser.rewind(mark);
        return Ok(None);
    }
    posix_class(&name, negative, options.charset).map(Some).ok_or_else(|| "invalid POSIX bracket type".to_owned())
}

fn parse_escape(parser: &mut Parser, options: &Options, segment: &mut Segment) -> Result<(), String> {
    let Some(c) = parser.next() else { return Err("too short escape sequence".into()) };
    match c {
        'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => segment.push_set(&shorthand(c, options.charset)),
        'p' | 'P' if parser.peek() == Some('{') => {
            let set = parse_property(parser, c == 'P', options.charset)?;
            segment.push_set(&set)
        }
        'u' if parser.peek() == Some('{') => {
            parse_code_points(parser)?.into_iter().try_for_each(|c| segment.push_char(c))
        }
        'b' => segment.push_char('\x08'),
        c => {
            let c = parse_escaped_char(parser, c)?;
            segment.push_char(c)
        }
    }
}
