//! Ruby's `DateTime._strptime`, as far as timestamps need it.

use crate::value::calendar::days_from_civil;
use crate::value::strftime::days as day_names;
use crate::value::strftime::months;
use crate::value::zone;

/// The fields parsed from a string.
#[derive(Default, Debug)]
pub(super) struct TimeFields {
    year: Option<i64>,
    century: Option<i64>,
    /// The century that `%y` implies, unless `%C` sets it.
    guessed_century: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    epoch: Option<i64>,
    pm: Option<bool>,
    /// The fraction of the second.
    pub(super) nanoseconds: u32,
    negative_fraction: bool,
    /// The zone as written, and its offset in seconds if it is known.
    pub(super) zone: Option<(String, Option<i64>)>,
}

impl TimeFields {
    /// Stores the number of a directive.
    fn set(&mut self, directive: char, n: i64) {
        if directive == 'y' && self.guessed_century.is_none() {
            self.guessed_century = Some(if n >= 69 { 19 } else { 20 });
        }
        let field = match directive {
            'Y' | 'y' => &mut self.year,
            'C' => &mut self.century,
            's' => &mut self.epoch,
            'm' | 'B' | 'b' | 'h' => &mut self.month,
            'd' | 'e' => &mut self.day,
            'H' | 'k' | 'I' | 'l' => &mut self.hour,
            'M' => &mut self.minute,
            _ => &mut self.second,
        };
        *field = Some(n);
    }

    /// Seconds since the epoch of the date and the time, without the offset of the zone. Other directives (`%s`, `%j`, `%V`) are
    /// ignored: Puppet passes year, month, day and time to `Time.utc`.
    pub(super) fn seconds(&self) -> Result<i128, String> {
        let century = self.century.or(self.guessed_century).unwrap_or(0);
        let year = self.year.ok_or("no implicit conversion of nil into Integer")?.saturating_add(century * 100);
        let mut hour = self.hour.unwrap_or(0);
        if let Some(pm) = self.pm {
            hour = hour % 12 + if pm { 12 } else { 0 };
        }
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        if hour == 24 && (minute > 0 || second > 0) {
            return Err(format!("{} out of range", if minute > 0 { "min" } else { "sec" }));
        }
        if self.negative_fraction {
            return Err("subsecx out of range".to_owned());
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let (month, day) = (u32::try_from(month).unwrap_or(1), u32::try_from(day).unwrap_or(1));
        let days = days_from_civil(year.clamp(-MAX_YEAR, MAX_YEAR), month, day);
        Ok(i128::from(days) * 86_400 + i128::from(hour * 3600 + minute * 60 + second))
    }
}

/// Years are limited to this number, so that days fit 64 bits.
const MAX_YEAR: i64 = 1_000_000_000_000;

/// Parses a string by a format; `None` if the string does not match or is longer.
pub(super) fn strptime(text: &str, format: &str) -> Option<TimeFields> {
    let mut parsed = TimeFields::default();
    let rest = parse(text, format, &mut parsed, 0)?;
    rest.is_empty().then_some(parsed)
}

/// Parses a string by a format: the seconds since 1970 without the offset of the zone, and this offset in seconds if it is known.
#[must_use]
pub fn strptime_seconds(text: &str, format: &str) -> Option<(i128, Option<i64>)> {
    let parsed = strptime(text, format)?;
    let offset = parsed.zone.as_ref().and_then(|(_, offset)| *offset);
    match parsed.epoch {
        Some(epoch) => Some((i128::from(epoch), offset)),
        None => parsed.seconds().ok().map(|seconds| (seconds, offset)),
    }
}

/// C's `isspace`.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

fn parse<'a>(text: &'a str, format: &str, parsed: &mut TimeFields, depth: u32) -> Option<&'a str> {
    let mut rest = text;
    let mut format = format;
    while let Some(c) = format.chars().next() {
        format = format.get(c.len_utf8()..)?;
        if is_space(c) {
            rest = rest.trim_start_matches(is_space);
            continue;
        }
        if c != '%' {
            rest = rest.strip_prefix(c)?;
            continue;
        }
        let (modified, after_modifier) = skip_modifier(format);
        let Some(directive) = after_modifier.chars().next().filter(|c| modified || DIRECTIVES.contains(*c)) else {
            // Without a directive, the percent sign is a literal.
            rest = rest.strip_prefix('%')?;
            continue;
        };
        format = after_modifier.get(directive.len_utf8()..)?;
        rest = parse_directive(rest, directive, starts_with_number(format), parsed, depth)?;
    }
    Some(rest)
}

const DIRECTIVES: &str = "AaBbhCcDdeFGgHkIljLNMmntPpQRrSsTUWuVvwXxYyZz%+";

/// Skips `E`, `O` and colons before a directive that accepts them. Returns whether any were skipped, and the rest.
fn skip_modifier(format: &str) -> (bool, &str) {
    let followed = |rest: &str, by: &str| rest.chars().next().is_some_and(|c| by.contains(c));
    if let Some(rest) = format.strip_prefix('E')
        && followed(rest, "cCxXyY")
    {
        return (true, rest);
    }
    if let Some(rest) = format.strip_prefix('O')
        && followed(rest, "deHImMSuUVwWy")
    {
        return (true, rest);
    }
    let colons = format.len() - format.trim_start_matches(':').len();
    match format.get(colons..) {
        Some(rest) if (1..=3).contains(&colons) && rest.starts_with('z') => (true, rest),
        _ => (false, format),
    }
}

/// Whether the rest of a format begins with a number, so that the number before it has a limited width.
fn starts_with_number(format: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    match format.strip_prefix('%') {
        None => format.starts_with(digit),
        Some(rest) => {
            let rest = rest.strip_prefix(['E', 'O']).unwrap_or(rest);
            rest.starts_with(|c: char| "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(c) || digit(c))
        }
    }
}

/// Parses up to `max` digits: their value, their number, and the rest of the string.
fn parse_digits(text: &str, max: usize) -> Option<(i64, usize, &str)> {
    let count = text.bytes().take(max).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(count)?;
    let n = number.bytes().fold(0_i64, |n, digit| n.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    (count > 0).then_some((n, count, rest))
}

fn parse_signed<'a>(text: &'a str, signs: &[char], max: usize) -> Option<(i64, &'a str)> {
    let (n, _, rest) = parse_digits(text.strip_prefix(signs).unwrap_or(text), max)?;
    Some((if text.starts_with('-') { -n } else { n }, rest))
}

fn parse_in_range(text: &str, max: usize, range: std::ops::RangeInclusive<i64>) -> Option<(i64, &str)> {
    let (n, _, rest) = parse_digits(text, max)?;
    range.contains(&n).then_some((n, rest))
}

/// Two digits, or a space and one.
fn parse_padded(text: &str, range: std::ops::RangeInclusive<i64>) -> Option<(i64, &str)> {
    match text.strip_prefix(' ') {
        Some(text) => parse_in_range(text, 1, range),
        None => parse_in_range(text, 2, range),
    }
}

fn parse_name<'a>(text: &'a str, names: &[&str]) -> Option<(i64, &'a str)> {
    for (n, name) in (0..).zip(names) {
        for candidate in [*name, name.get(..3)?] {
            if let (Some(head), Some(rest)) = (text.get(..candidate.len()), text.get(candidate.len()..))
                && head.eq_ignore_ascii_case(candidate)
            {
                return Some((n, rest));
            }
        }
    }
    None
}

/// `am`, `p.m.`
fn parse_half_of_day(text: &str) -> Option<(bool, &str)> {
    let pm = match text.chars().next()?.to_ascii_lowercase() {
        'a' => false,
        'p' => true,
        _ => return None,
    };
    let rest = text.get(1..)?;
    if let (Some(dots), Some(rest)) = (rest.get(..3), rest.get(3..))
        && dots.eq_ignore_ascii_case(".m.")
    {
        return Some((pm, rest));
    }
    let rest = rest.strip_prefix(['m', 'M'])?;
    let word = rest.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
    (!word).then_some((pm, rest))
}

/// The format that a composite directive abbreviates.
fn composite(directive: char) -> Option<&'static str> {
    Some(match directive {
        'F' => "%Y-%m-%d",
        'T' | 'X' => "%H:%M:%S",
        'R' => "%H:%M",
        'r' => "%I:%M:%S %p",
        'D' | 'x' => "%m/%d/%y",
        'c' => "%a %b %e %H:%M:%S %Y",
        'v' => "%e-%b-%Y",
        '+' => "%a %b %e %H:%M:%S %Z %Y",
        'n' | 't' => " ",
        _ => return None,
    })
}

fn parse_directive<'a>(
    text: &'a str,
    directive: char,
    limited: bool,
    parsed: &mut TimeFields,
    depth: u32,
) -> Option<&'a str> {
    if let Some(format) = composite(directive) {
        return if depth > 3 { None } else { parse(text, format, parsed, depth + 1) };
    }
    let up_to = |max: usize| if limited { max } else { usize::MAX };
    let (n, rest) = match directive {
        'Y' => parse_signed(text, &['+', '-'], up_to(4))?,
        'C' => parse_signed(text, &['+', '-'], up_to(2))?,
        'G' => return parse_signed(text, &['+', '-'], up_to(4)).map(|(_, rest)| rest),
        's' => parse_signed(text, &['-'], usize::MAX)?,
        'Q' => return parse_signed(text, &['-'], usize::MAX).map(|(_, rest)| rest),
        'y' => parse_in_range(text, 2, 0..=99)?,
        'm' => parse_in_range(text, 2, 1..=12)?,
        'd' | 'e' => parse_padded(text, 1..=31)?,
        'H' | 'k' => parse_padded(text, 0..=24)?,
        'I' | 'l' => parse_padded(text, 1..=12)?,
        'M' => parse_in_range(text, 2, 0..=59)?,
        'S' => parse_in_range(text, 2, 0..=60)?,
        'g' => return parse_in_range(text, 2, 0..=99).map(|(_, rest)| rest),
        'j' => return parse_in_range(text, 3, 1..=366).map(|(_, rest)| rest),
        'U' | 'W' => return parse_in_range(text, 2, 0..=53).map(|(_, rest)| rest),
        'V' => return parse_in_range(text, 2, 1..=53).map(|(_, rest)| rest),
        'u' => return parse_in_range(text, 1, 1..=7).map(|(_, rest)| rest),
        'w' => return parse_in_range(text, 1, 0..=6).map(|(_, rest)| rest),
        'A' | 'a' => return parse_name(text, day_names()).map(|(_, rest)| rest),
        'B' | 'b' | 'h' => parse_name(text, months()).map(|(n, rest)| (n + 1, rest))?,
        'L' | 'N' => {
            let body = text.strip_prefix(['+', '-']).unwrap_or(text);
            let (_, count, rest) = parse_digits(body, up_to(if directive == 'L' { 3 } else { 9 }))?;
            let fraction: String = body.chars().take(count.min(9)).collect();
            parsed.nanoseconds = format!("{fraction:0<9}").parse().ok()?;
            parsed.negative_fraction = text.starts_with('-') && parsed.nanoseconds > 0;
            return Some(rest);
        }
        'p' | 'P' => {
            let (pm, rest) = parse_half_of_day(text)?;
            parsed.pm = Some(pm);
            return Some(rest);
        }
        'Z' | 'z' => {
            let (length, offset) = zone::parse(text)?;
            let (zone, rest) = text.split_at_checked(length)?;
            parsed.zone = Some((zone.to_owned(), offset));
            return Some(rest);
        }
        '%' => return text.strip_prefix('%'),
        _ => return None,
    };
    parsed.set(directive, n);
    Some(rest)
}
