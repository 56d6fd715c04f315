//! Ruby's `DateTime._strptime`, as far as timestamps need it.

use crate::value::strftime::days as day_names;
use crate::value::strftime::days_from_civil;
use crate::value::strftime::months;
use crate::value::zone;

/// What was found in a text.
#[derive(Default, Debug)]
pub(super) struct Parsed {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    epoch: Option<i64>,
    pm: Option<bool>,
    /// The fraction of the second.
    pub(super) nanoseconds: u32,
    /// The zone as it is written, and its offset in seconds when it is known.
    pub(super) zone: Option<(String, Option<i64>)>,
}

impl Parsed {
    /// Seconds since the epoch, not counting the zone.
    pub(super) fn seconds(&self) -> Result<i128, String> {
        if let (Some(epoch), None) = (self.epoch, self.year) {
            return Ok(i128::from(epoch));
        }
        // Ruby's `Time.utc` refuses a missing year.
        let year = self.year.ok_or("can't convert nil into an exact number")?;
        let mut hour = self.hour.unwrap_or(0);
        if let Some(pm) = self.pm {
            hour = hour % 12 + if pm { 12 } else { 0 };
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let (month, day) = (u32::try_from(month).unwrap_or(1), u32::try_from(day).unwrap_or(1));
        let days = days_from_civil(year, month, day);
        Ok(i128::from(days) * 86_400
            + i128::from(hour * 3600 + self.minute.unwrap_or(0) * 60 + self.second.unwrap_or(0)))
    }
}

/// Reads a text by a format; `None` when it does not fit or something is left over.
pub(super) fn strptime(text: &str, format: &str) -> Option<Parsed> {
    let mut parsed = Parsed::default();
    let rest = read(text, format, &mut parsed, 0)?;
    rest.is_empty().then_some(parsed)
}

/// Seconds since 1970 by a text and its format, not counting the zone; and the offset of the zone when it is known.
#[must_use]
pub fn strptime_seconds(text: &str, format: &str) -> Option<(i128, Option<i64>)> {
    let parsed = strptime(text, format)?;
    let offset = parsed.zone.as_ref().and_then(|(_, offset)| *offset);
    parsed.seconds().ok().map(|seconds| (seconds, offset))
}

fn read<'a>(text: &'a str, format: &str, parsed: &mut Parsed, depth: u32) -> Option<&'a str> {
    let mut rest = text;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if c != '%' {
            rest = rest.strip_prefix(c)?;
            continue;
        }
        let mut width = None;
        let mut directive = chars.next()?;
        while matches!(directive, 'E' | 'O' | ':' | '-' | '_' | '^' | '#') {
            directive = chars.next()?;
        }
        while let Some(digit) = directive.to_digit(10) {
            width = Some(width.unwrap_or(0) * 10 + digit as usize);
            directive = chars.next()?;
        }
        rest = field(rest, directive, width, parsed, depth)?;
    }
    Some(rest)
}

/// Up to `max` digits, with a sign where one is allowed.
fn digits(text: &str, max: usize, signed: bool) -> Option<(i64, usize, &str)> {
    let body = if signed { text.strip_prefix(['+', '-']).unwrap_or(text) } else { text };
    let count = body.bytes().take(max.min(18)).take_while(u8::is_ascii_digit).count();
    let (number, rest) = body.split_at_checked(count)?;
    let n: i64 = number.parse().ok()?;
    Some((if signed && text.starts_with('-') { -n } else { n }, count, rest))
}

fn within<'a>(
    text: &'a str,
    max: usize,
    range: std::ops::RangeInclusive<i64>,
    slot: &mut Option<i64>,
) -> Option<&'a str> {
    let (n, _, rest) = digits(text, max, false)?;
    if !range.contains(&n) {
        return None;
    }
    *slot = Some(n);
    Some(rest)
}

fn name<'a>(text: &'a str, names: &[&str]) -> Option<(i64, &'a str)> {
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

fn field<'a>(text: &'a str, directive: char, width: Option<usize>, parsed: &mut Parsed, depth: u32) -> Option<&'a str> {
    let mut composite = |format: &str| if depth > 3 { None } else { read(text, format, parsed, depth + 1) };
    match directive {
        'F' => composite("%Y-%m-%d"),
        'T' | 'X' => composite("%H:%M:%S"),
        'R' => composite("%H:%M"),
        'r' => composite("%I:%M:%S %p"),
        'D' | 'x' => composite("%m/%d/%y"),
        'c' => composite("%a %b %e %H:%M:%S %Y"),
        'v' => composite("%e-%b-%Y"),
        'Y' => {
            let (n, _, rest) = digits(text, width.unwrap_or(18), true)?;
            parsed.year = Some(n);
            Some(rest)
        }
        'y' => {
            let mut two = None;
            let rest = within(text, 2, 0..=99, &mut two)?;
            parsed.year = two.map(|n| if n >= 69 { n + 1900 } else { n + 2000 });
            Some(rest)
        }
        'm' => within(text, 2, 1..=12, &mut parsed.month),
        'd' | 'e' => within(text.strip_prefix(' ').unwrap_or(text), 2, 1..=31, &mut parsed.day),
        'j' => within(text, 3, 1..=366, &mut parsed.day_of_year),
        'H' | 'k' => within(text.strip_prefix(' ').unwrap_or(text), 2, 0..=24, &mut parsed.hour),
        'I' | 'l' => within(text.strip_prefix(' ').unwrap_or(text), 2, 1..=12, &mut parsed.hour),
        'M' => within(text, 2, 0..=59, &mut parsed.minute),
        'S' => within(text, 2, 0..=60, &mut parsed.second),
        'L' | 'N' => {
            let max = width.unwrap_or(18);
            let (_, count, rest) = digits(text, max, false)?;
            let shown: String = text.chars().take(count.min(9)).collect();
            parsed.nanoseconds = format!("{shown:0<9}").parse().ok()?;
            Some(rest)
        }
        's' => {
            let (n, _, rest) = digits(text, 18, true)?;
            parsed.epoch = Some(n);
            Some(rest)
        }
        'p' | 'P' => {
            let (head, rest) = text.split_at_checked(2)?;
            parsed.pm = Some(if head.eq_ignore_ascii_case("pm") {
                true
            } else if head.eq_ignore_ascii_case("am") {
                false
            } else {
                return None;
            });
            Some(rest)
        }
        'B' | 'b' | 'h' => {
            let (n, rest) = name(text, months())?;
            parsed.month = Some(n + 1);
            Some(rest)
        }
        'A' | 'a' => name(text, day_names()).map(|(_, rest)| rest),
        'Z' | 'z' => {
            let (length, offset) = zone::read(text)?;
            let (zone, rest) = text.split_at_checked(length)?;
            parsed.zone = Some((zone.to_owned(), offset));
            Some(rest)
        }
        'n' | 't' => Some(text.trim_start()),
        '%' => text.strip_prefix('%'),
        _ => None,
    }
}
