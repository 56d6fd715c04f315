//! Ruby's `Time#strftime`.

use std::fmt::Write;

use jiff::civil::Date;

use crate::value::calendar::date_of_day;
use crate::value::time::NANOS;
use catwalk_base::meter;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn named<'n>(names: &[&'n str], at: i64) -> &'n str {
    usize::try_from(at).ok().and_then(|at| names.get(at)).copied().unwrap_or("")
}

/// Names of months.
pub(super) fn months() -> &'static [&'static str] {
    &MONTHS
}

/// Names of days, from Sunday.
pub(super) fn days() -> &'static [&'static str] {
    &DAYS
}

struct BrokenDownTime {
    date: Date,
    /// To be added to the year.
    added_years: i128,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i128,
    epoch: i128,
    offset: i64,
    utc: bool,
}

const DAY: i128 = 86_400;

/// Formats a point in time (nanoseconds since the epoch); `offset` in seconds, `None` for UTC.
///
/// # Errors
/// The format ends inside a directive, in Ruby's words.
pub fn strftime(nanoseconds: i128, offset: Option<i64>, format: &str) -> Result<String, String> {
    let epoch = nanoseconds.div_euclid(NANOS);
    let local = epoch + i128::from(offset.unwrap_or(0));
    let (date, added_years) = date_of_day(local.div_euclid(DAY));
    let second = i64::try_from(local.rem_euclid(DAY)).unwrap_or(0);
    let time = BrokenDownTime {
        date,
        added_years,
        hour: second / 3600,
        minute: second / 60 % 60,
        second: second % 60,
        nanos: nanoseconds.rem_euclid(NANOS),
        epoch,
        offset: offset.unwrap_or(0),
        utc: offset.is_none(),
    };
    let mut out = String::new();
    expand(&time, format, &mut out, 0)?;
    Ok(out)
}

#[derive(Default, Clone, Copy)]
struct Flags {
    pad: Option<char>,
    /// `-`: no padding, regardless of later flags.
    left: bool,
    upper: bool,
    swap: bool,
    colons: usize,
    width: Option<usize>,
}

/// A specification after a `%`: its length in bytes with the `%`, and the directive with its flags.
enum Spec {
    Directive(usize, char, Flags),
    Unknown(usize),
    Unfinished,
}

/// Parses flags, width and directive like Ruby: flags must precede the width, colons must precede `z`, and `E` and `O` must precede
/// certain letters.
fn parse_spec(text: &str) -> Spec {
    let mut flags = Flags::default();
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        let unknown = Spec::Unknown(at + 1);
        match byte {
            b'-' | b'^' | b'#' | b'_' if flags.width.is_some_and(|width| width > 0) => return unknown,
            b'-' => {
                flags.left = true;
                flags.pad = None;
                flags.width = None;
            }
            b'_' => flags.pad = Some(' '),
            b'^' => flags.upper = true,
            b'#' => flags.swap = true,
            b':' => {
                let colons = bytes.iter().skip(at).take_while(|byte| **byte == b':').count();
                if colons > 3 || bytes.get(at + colons) != Some(&b'z') {
                    return unknown;
                }
                flags.colons = colons;
                at += colons - 1;
            }
            b'E' if bytes.get(at + 1).is_some_and(|next| b"cCxXyY".contains(next)) => {}
            b'O' if bytes.get(at + 1).is_some_and(|next| b"deHkIlmMSuUVwWy".contains(next)) => {}
            b'E' | b'O' => return unknown,
            b'0'..=b'9' => {
                if *byte == b'0' {
                    flags.pad = Some('0');
                }
                let mut width = 0;
                while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
                    width = (width * 10 + usize::from(digit - b'0')).min(4096);
                    at += 1;
                }
                flags.width = Some(width);
                continue;
            }
            _ => {
                let Some(directive) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
                return Spec::Directive(at + directive.len_utf8(), directive, flags);
            }
        }
        at += 1;
    }
    Spec::Unfinished
}

fn expand(time: &BrokenDownTime, format: &str, out: &mut String, depth: u32) -> Result<(), String> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        meter::check_string(out.len());
        let (literal, spec) = rest.split_at(at);
        out.push_str(literal);
        let end = match parse_spec(spec) {
            Spec::Unfinished => return Err(format!("invalid format: {format}")),
            Spec::Unknown(end) => {
                out.push_str(spec.get(..end).unwrap_or(""));
                end
            }
            Spec::Directive(end, directive, mut flags) => {
                flags.width = flags.width.filter(|width| *width > 0);
                if !write_directive(time, directive, flags, out, depth) {
                    out.push_str(spec.get(..end).unwrap_or(""));
                }
                end
            }
        };
        rest = spec.get(end..).unwrap_or("");
    }
    out.push_str(rest);
    Ok(())
}

fn write_number(out: &mut String, n: impl Into<i128>, width: usize, pad: char, flags: Flags) {
    let n: i128 = n.into();
    let pad = flags.pad.unwrap_or(pad);
    let width = if flags.left { 1 } else { flags.width.unwrap_or(width) };
    let digits = n.unsigned_abs().to_string();
    let sign = if n < 0 { "-" } else { "" };
    if pad == '0' {
        let _ = write!(out, "{sign}{digits:0>w$}", w = width.saturating_sub(sign.len()));
    } else {
        let _ = write!(out, "{:>width$}", format!("{sign}{digits}"));
    }
}

fn write_text(out: &mut String, value: &str, flags: Flags, swaps_to_lower: bool) {
    let value = if flags.swap && swaps_to_lower {
        value.to_lowercase()
    } else if flags.upper || flags.swap {
        value.to_uppercase()
    } else {
        value.to_owned()
    };
    let missing = flags.width.unwrap_or(0).saturating_sub(value.chars().count());
    if !flags.left {
        out.extend(std::iter::repeat_n(if flags.pad == Some('0') { '0' } else { ' ' }, missing));
    }
    out.push_str(&value);
}

fn write_directive(time: &BrokenDownTime, directive: char, flags: Flags, out: &mut String, depth: u32) -> bool {
    let year = time.added_years + i128::from(time.date.year());
    let weekday = i64::from(time.date.weekday().to_sunday_zero_offset());
    let day_of_year = i64::from(time.date.day_of_year());
    let week = || time.date.iso_week_date();
    let hour_of_half = if time.hour % 12 == 0 { 12 } else { time.hour % 12 };
    let month = named(&MONTHS, i64::from(time.date.month()) - 1);
    let day_name = named(&DAYS, weekday);
    let short = |name: &str| name.get(..3).unwrap_or("").to_owned();
    let mut write_composite = |format: &str| {
        if depth > 3 {
            return;
        }
        let mut inner = String::new();
        let _ = expand(time, format, &mut inner, depth + 1);
        // `#` and `-` have no effect on these.
        write_text(out, &inner, Flags { swap: false, left: false, ..flags }, false);
    };
    match directive {
        'Y' => write_number(out, year, if year < 0 { 5 } else { 4 }, '0', flags),
        'C' => write_number(out, year.div_euclid(100), 2, '0', flags),
        'y' => write_number(out, year.rem_euclid(100), 2, '0', flags),
        'm' => write_number(out, i64::from(time.date.month()), 2, '0', flags),
        'B' => write_text(out, month, flags, false),
        'b' | 'h' => write_text(out, &short(month), flags, false),
        'd' => write_number(out, i64::from(time.date.day()), 2, '0', flags),
        'e' => write_number(out, i64::from(time.date.day()), 2, ' ', flags),
        'j' => write_number(out, day_of_year, 3, '0', flags),
        'H' => write_number(out, time.hour, 2, '0', flags),
        'k' => write_number(out, time.hour, 2, ' ', flags),
        'I' => write_number(out, hour_of_half, 2, '0', flags),
        'l' => write_number(out, hour_of_half, 2, ' ', flags),
        'P' => write_text(out, if time.hour < 12 { "am" } else { "pm" }, flags, false),
        'p' => write_text(out, if time.hour < 12 { "AM" } else { "PM" }, flags, true),
        'M' => write_number(out, time.minute, 2, '0', flags),
        'S' => write_number(out, time.second, 2, '0', flags),
        'L' | 'N' => {
            let digits = flags.width.unwrap_or(if directive == 'L' { 3 } else { 9 });
            let all = format!("{:09}", time.nanos);
            out.push_str(all.get(..digits.min(9)).unwrap_or(""));
            out.extend(std::iter::repeat_n('0', digits.saturating_sub(9)));
        }
        'z' => write_zone(time, flags, out),
        'Z' if time.utc => write_text(out, "UTC", flags, true),
        // A zone without a name is not padded.
        'Z' => {}
        'A' => write_text(out, day_name, flags, false),
        'a' => write_text(out, &short(day_name), flags, false),
        'u' => write_number(out, i64::from(time.date.weekday().to_monday_one_offset()), 1, '0', flags),
        'w' => write_number(out, weekday, 1, '0', flags),
        'G' => write_number(out, time.added_years + i128::from(week().year()), 4, '0', flags),
        'g' => write_number(out, i64::from(week().year()).rem_euclid(100), 2, '0', flags),
        'V' => write_number(out, i64::from(week().week()), 2, '0', flags),
        'U' => write_number(out, (day_of_year - 1 + 7 - weekday) / 7, 2, '0', flags),
        'W' => write_number(out, (day_of_year - 1 + 7 - (weekday + 6) % 7) / 7, 2, '0', flags),
        's' => write_number(out, time.epoch, 1, '0', flags),
        'n' => write_text(out, "\n", flags, false),
        't' => write_text(out, "\t", flags, false),
        '%' => write_text(out, "%", flags, false),
        'c' => write_composite("%a %b %e %H:%M:%S %Y"),
        'D' | 'x' => write_composite("%m/%d/%y"),
        'F' => write_composite("%Y-%m-%d"),
        'v' => write_composite("%e-%^b-%Y"),
        'r' => write_composite("%I:%M:%S %p"),
        'R' => write_composite("%H:%M"),
        'T' | 'X' => write_composite("%H:%M:%S"),
        _ => return false,
    }
    true
}

/// Writes `%z` with its colons and width like Ruby.
fn write_zone(time: &BrokenDownTime, flags: Flags, out: &mut String) {
    let minus = time.offset < 0 || (time.utc && flags.left);
    let offset = time.offset.abs();
    let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
    let parts = match flags.colons {
        3 if seconds == 0 && minutes == 0 => 1,
        3 if seconds == 0 => 2,
        0 => 0,
        1 => 2,
        _ => 3,
    };
    let mut tail = String::new();
    if parts != 1 {
        let _ = write!(tail, "{}{minutes:02}", if parts == 0 { "" } else { ":" });
    }
    if parts == 3 {
        let _ = write!(tail, ":{seconds:02}");
    }
    let width = flags.width.unwrap_or(0).saturating_sub(tail.len() + 1).max(2);
    let sign = if minus { '-' } else { '+' };
    if flags.pad == Some(' ') {
        let _ = write!(out, "{:>w$}{tail}", format!("{sign}{hours}"), w = width + 1);
    } else {
        let _ = write!(out, "{sign}{hours:0>width$}{tail}");
    }
}
