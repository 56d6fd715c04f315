//! Durations, and their formats: `%D-%H:%M:%S.%-N`.

use std::fmt;
use std::fmt::Write;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::value::Hash;
use crate::value::Value;
use crate::value::time::NANOS;
use crate::value::time::nanos_to_seconds;
use catwalk_base::meter;

/// A duration in nanoseconds; it may be negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timespan(i128);

const FORMATS: [&str; 8] =
    ["%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"];

/// Converts a number of units to nanoseconds; numbers beyond 128 bits become the nearest.
pub fn to_nanoseconds(n: &BigInt, unit: i128) -> i128 {
    let bound = if n.sign() == Sign::Minus { i128::MIN } else { i128::MAX };
    i128::try_from(n * unit).unwrap_or(bound)
}

impl Timespan {
    /// A duration from nanoseconds.
    #[must_use]
    pub fn new(nanoseconds: i128) -> Timespan {
        Timespan(nanoseconds)
    }

    /// A duration from its parts: days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds.
    #[must_use]
    pub(crate) fn from_fields(negative: bool, fields: [i128; 7]) -> Timespan {
        let units: [i128; 7] = [86_400 * NANOS, 3600 * NANOS, 60 * NANOS, NANOS, 1_000_000, 1000, 1];
        let parts = fields.iter().zip(units).map(|(n, unit)| n.saturating_mul(unit));
        let sum = parts.fold(0, i128::saturating_add);
        Timespan(if negative { sum.saturating_neg() } else { sum })
    }

    /// Its nanoseconds.
    #[must_use]
    pub fn nanoseconds(&self) -> i128 {
        self.0
    }

    /// Its seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        nanos_to_seconds(self.0)
    }

    /// Formats a timespan.
    ///
    /// # Errors
    /// `Bad format specifier '…' in '…', at position …`
    pub fn format(&self, format: &str) -> Result<String, String> {
        let segments = parse_format(format)?;
        let mut out = String::from(if self.0 < 0 { "-" } else { "" });
        for segment in &segments {
            segment.append(self.0.saturating_abs(), &mut out);
            meter::check_string(out.len());
        }
        Ok(out)
    }

    /// Parses a string by one format.
    ///
    /// # Errors
    /// `Unable to parse '…' using format '…'`, or a bad format.
    pub fn parse_with(text: &str, format: &str) -> Result<Timespan, String> {
        let segments = parse_format(format)?;
        check_widths(&segments)?;
        Timespan::parse_segments(text, format, &segments)
    }

    fn parse_segments(text: &str, format: &str, segments: &[Segment]) -> Result<Timespan, String> {
        let fail = || format!("Unable to parse '{text}' using format '{format}'");
        let regexp = regex::Regex::new(&regexp_source(segments)).map_err(|_| fail())?;
        let captures = regexp.captures(text).ok_or_else(fail)?;
        let mut sum: i128 = 0;
        for (segment, group) in segments.iter().zip(captures.iter().skip(1)) {
            let Segment::Value(value) = segment else { continue };
            let group = group.map_or("", |group| group.as_str()).trim_start();
            if group.is_empty() || !group.bytes().all(|b| b.is_ascii_digit()) {
                return Err(fail());
            }
            sum += value.nanoseconds(group)?;
        }
        Ok(Timespan(if text.starts_with('-') { -sum } else { sum }))
    }

    /// Parses a string by the first of several formats that match; `None` for the default formats.
    ///
    /// # Errors
    /// `Unable to parse '…' using any of the formats …`; a bad format before the first that matches.
    pub fn parse(text: &str, formats: Option<&[&str]>) -> Result<Timespan, String> {
        let list = formats.unwrap_or(&FORMATS);
        for format in list {
            let segments = parse_format(format)?;
            check_widths(&segments)?;
            if let Ok(time) = Timespan::parse_segments(text, format, &segments) {
                return Ok(time);
            }
        }
        Err(format!("Unable to parse '{text}' using any of the formats {}", list.join(", ")))
    }

    /// Its parts as a hash; with `compact` only seconds and nanoseconds.
    #[must_use]
    pub fn to_hash(&self, compact: bool) -> Hash {
        let total = self.0.unsigned_abs();
        let number = |n: u128| i64::try_from(n).unwrap_or(i64::MAX);
        let second = NANOS.unsigned_abs();
        let nanos = number(total % second);
        let seconds = number(total / second);
        let mut result = Hash::new();
        let sign = if self.0 < 0 { -1 } else { 1 };
        if compact {
            result.set("seconds", Value::Int(sign * seconds));
            if nanos != 0 {
                result.set("nanoseconds", Value::Int(sign * nanos));
            }
            return result;
        }
        let parts = [
            ("days", seconds / 86_400),
            ("hours", seconds / 3600 % 24),
            ("minutes", seconds / 60 % 60),
            ("seconds", seconds % 60),
            ("nanoseconds", nanos % 1000),
            ("microseconds", nanos / 1000 % 1000),
            ("milliseconds", nanos / 1_000_000),
        ];
        for (name, n) in parts {
            if n != 0 {
                result.set(name, Value::Int(n));
            }
        }
        if self.0 < 0 {
            result.set("negative", Value::Bool(true));
        }
        result
    }
}

impl Timespan {
    /// The timespan as the end of a range. Puppet prints all digits of the fraction if the end was written as a float (`from_float`).
    pub(crate) fn to_range_end(self, from_float: bool) -> String {
        let fraction = self.0.unsigned_abs() % NANOS.unsigned_abs();
        let text = self.to_string();
        match text.rsplit_once('.') {
            Some((rest, _)) if from_float => format!("{rest}.{fraction}"),
            _ => text,
        }
    }
}

impl fmt::Display for Timespan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format(FORMATS[0]).unwrap_or_default())
    }
}

/// A part of a format.
enum Segment {
    Literal(String),
    Value(Field),
}

struct Field {
    unit: char,
    pad: Option<char>,
    width: Option<usize>,
    /// Whether it is the highest unit of the format, which includes the amounts of the missing higher units.
    is_highest: bool,
}

/// Units from the highest down.
const UNITS: [char; 6] = ['D', 'H', 'M', 'S', 'L', 'N'];

/// The regular expression of a format.
fn regexp_source(segments: &[Segment]) -> String {
    let mut pattern = String::from(r"\A-?");
    segments.iter().for_each(|segment| segment.append_regexp(&mut pattern));
    pattern.push_str(r"\z");
    pattern
}

/// Returns Ruby's error for the `{1,0}` in the regular expression of a field with the width 0.
fn check_widths(segments: &[Segment]) -> Result<(), String> {
    let has_no_width = |segment: &Segment| matches!(segment, Segment::Value(Field { width: Some(0), pad: None, .. }));
    if segments.iter().any(has_no_width) {
        let source = regexp_source(segments).replace('/', "\\/");
        return Err(format!("upper is smaller than lower in repeat range: /{source}/"));
    }
    Ok(())
}

fn parse_format(format: &str) -> Result<Vec<Segment>, String> {
    let chars: Vec<char> = format.chars().collect();
    let mut segments = Vec::new();
    let bad_specifier = |start: usize, at: usize| {
        let specifier: String = chars.iter().skip(start).take(at - start).collect();
        format!("Bad format specifier '{specifier}' in '{format}', at position {at}")
    };
    let push_literal = |segments: &mut Vec<Segment>, c: char| match segments.last_mut() {
        Some(Segment::Literal(text)) => text.push(c),
        _ => segments.push(Segment::Literal(c.to_string())),
    };
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let start = at;
        at += 1;
        if c != '%' {
            push_literal(&mut segments, c);
            continue;
        }
        let (mut pad, mut width, mut pad_allowed) = (Some('0'), None, true);
        loop {
            let Some(&c) = chars.get(at) else { return Err(bad_specifier(start, chars.len().saturating_sub(1))) };
            match c {
                '%' => push_literal(&mut segments, c),
                '-' | '_' if pad_allowed => {
                    pad = if c == '_' { Some(' ') } else { None };
                    pad_allowed = false;
                    at += 1;
                    continue;
                }
                'D' | 'H' | 'M' | 'S' | 'L' | 'N' => {
                    segments.push(Segment::Value(Field { unit: c, pad, width, is_highest: false }));
                }
                '0'..='9' => {
                    if pad_allowed && c == '0' {
                        pad = Some('0');
                    } else {
                        let digit = c.to_digit(10).unwrap_or(0) as usize;
                        width = Some((width.unwrap_or(0) * 10 + digit).min(1000));
                    }
                    pad_allowed = false;
                    at += 1;
                    continue;
                }
                _ => return Err(bad_specifier(start, at)),
            }
            at += 1;
            break;
        }
    }
    mark_highest_unit(&mut segments);
    Ok(segments)
}

fn mark_highest_unit(segments: &mut [Segment]) {
    let fields =
        || segments.iter().filter_map(|segment| if let Segment::Value(field) = segment { Some(field) } else { None });
    let highest = UNITS.into_iter().find(|unit| fields().any(|field| field.unit == *unit));
    let first = segments.iter_mut().find_map(|segment| match segment {
        Segment::Value(field) if Some(field.unit) == highest => Some(field),
        _ => None,
    });
    if let Some(field) = first {
        field.is_highest = true;
    }
}

impl Segment {
    fn append(&self, nanos: i128, out: &mut String) {
        match self {
            Segment::Literal(text) => out.push_str(text),
            Segment::Value(field) => field.append(nanos, out),
        }
    }

    fn append_regexp(&self, out: &mut String) {
        let field = match self {
            Segment::Literal(text) => {
                let _ = write!(out, "({})", regex::escape(text));
                return;
            }
            Segment::Value(field) => field,
        };
        let default = field.default_width();
        let _ = match (field.width, field.pad, field.is_highest) {
            (None, Some(' '), true) => write!(out, r"\s*([0-9]+)"),
            (None, Some(' '), false) => write!(out, r"([0-9\s]{{1,{default}}})"),
            (None, _, true) => write!(out, "([0-9]+)"),
            (None, _, false) => write!(out, "([0-9]{{1,{default}}})"),
            (Some(width), None, _) => write!(out, "([0-9]{{1,{width}}})"),
            (Some(width), Some('0'), _) => write!(out, "([0-9]{{{width}}})"),
            (Some(width), Some(_), _) => write!(out, r"([0-9\s]{{{width}}})"),
        };
    }
}

impl Field {
    fn default_width(&self) -> usize {
        match self.unit {
            'D' => 1,
            'L' => 3,
            'N' => 9,
            _ => 2,
        }
    }

    fn append(&self, nanos: i128, out: &mut String) {
        let seconds = nanos / NANOS;
        let width = self.width.unwrap_or_else(|| self.default_width());
        let total = |all: i128, modulo: i128| if self.is_highest { all } else { all % modulo };
        let n = match self.unit {
            'D' => seconds / 86_400,
            'H' => total(seconds / 3600, 24),
            'M' => total(seconds / 60, 60),
            'S' => total(seconds, 60),
            'L' => total(nanos / 1_000_000, 1000),
            _ if width < 9 => {
                let scale = 10_i128.pow(u32::try_from(9 - width).unwrap_or(0));
                total(nanos / scale, 10_i128.pow(u32::try_from(width).unwrap_or(0)))
            }
            _ => total(nanos, NANOS),
        };
        if matches!(self.unit, 'L' | 'N') {
            let mut text = n.to_string();
            if !self.is_highest && self.pad != Some('0') {
                let cut = text.trim_end_matches('0').len().max(1);
                text.truncate(cut);
            }
            // Fractions are filled to the right.
            let _ = match self.pad {
                None => write!(out, "{text}"),
                Some(_) => write!(out, "{text:<width$}"),
            };
            return;
        }
        let _ = match self.pad {
            None => write!(out, "{n}"),
            Some(' ') => write!(out, "{n:>width$}"),
            Some(_) => write!(out, "{n:0>width$}"),
        };
    }

    fn nanoseconds(&self, group: &str) -> Result<i128, String> {
        let n: i128 = group.parse().map_err(|_| "number too large".to_owned())?;
        let multiplier = match self.unit {
            'D' => 86_400 * NANOS,
            'H' => 3600 * NANOS,
            'M' => 60 * NANOS,
            'S' => NANOS,
            _ => {
                if self.is_highest {
                    return Err("Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude".to_owned());
                }
                let missing = 9usize.saturating_sub(group.len());
                return Ok(n * 10_i128.pow(u32::try_from(missing).unwrap_or(0)));
            }
        };
        n.checked_mul(multiplier).ok_or_else(|| "number too large".to_owned())
    }
}
