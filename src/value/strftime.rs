//! Ruby's `Time#strftime`.

use std::fmt::Write;

use crate::meter;
use crate::value::time::NANOS;

/// A calendar date.
#[derive(Clone, Copy, Debug)]
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: u32,
    pub(super) day: u32,
}

/// Days since the epoch of a date (proleptic Gregorian).
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let shifted = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date of a day since the epoch.
pub(super) fn civil_from_days(days: i64) -> Civil {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = u32::try_from(doy - (153 * mp + 2) / 5 + 1).unwrap_or(1);
    let month = u32::try_from(if mp < 10 { mp + 3 } else { mp - 9 }).unwrap_or(1);
    Civil { year: yoe + era * 400 + i64::from(month <= 2), month, day }
}

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

/// Names of months.
pub(super) fn months() -> &'static [&'static str] {
    &MONTHS
}

/// Names of days, from Sunday.
pub(super) fn days() -> &'static [&'static str] {
    &DAYS
}

struct Broken {
    date: Civil,
    /// To be added to the year.
    before: i128,
    weekday: i64,
    day_of_year: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i128,
    epoch: i128,
    offset: i64,
    utc: bool,
}

/// Seconds of 400 years.
const CYCLE: i128 = 146_097 * 86_400;

/// Text of a point in time (nanoseconds since the epoch) by a format; `offset` in seconds, `None` for UTC.
///
/// # Errors
/// The format ends inside a directive, in Ruby's words.
pub fn strftime(nanoseconds: i128, offset: Option<i64>, format: &str) -> Result<String, String> {
    let epoch = nanoseconds.div_euclid(NANOS);
    let local = epoch + i128::from(offset.unwrap_or(0));
    // The calendar is the same every 400 years: so numbers stay small however far away the time is.
    let cycles = local.div_euclid(CYCLE);
    let local = i64::try_from(local.rem_euclid(CYCLE)).unwrap_or(0);
    let day = local.div_euclid(86_400);
    let date = civil_from_days(day);
    let second = local.rem_euclid(86_400);
    let time = Broken {
        date,
        before: cycles * 400,
        weekday: (day + 4).rem_euclid(7),
        day_of_year: day - days_from_civil(date.year, 1, 1) + 1,
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
    /// `-`: no padding, whatever comes after it.
    left: bool,
    upper: bool,
    swap: bool,
    colons: usize,
    width: Option<usize>,
}

/// What stands behind a `%`: the length of all of it, and the directive with its flags when it is one.
enum Spec {
    Directive(usize, char, Flags),
    Unknown(usize),
    Unfinished,
}

/// Reads flags, width and directive as Ruby does: no flags behind a width, colons before `z` alone, `E` and `O` before
/// some letters alone.
fn spec(text: &str) -> Spec {
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

fn expand(time: &Broken, format: &str, out: &mut String, depth: u32) -> Result<(), String> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        meter::text(out.len());
        let (literal, found) = rest.split_at(at);
        out.push_str(literal);
        let end = match spec(found) {
            Spec::Unfinished => return Err(format!("invalid format: {format}")),
            Spec::Unknown(end) => {
                out.push_str(found.get(..end).unwrap_or(""));
                end
            }
            Spec::Directive(end, directive, mut flags) => {
                flags.width = flags.width.filter(|width| *width > 0);
                if !directive_text(time, directive, flags, out, depth) {
                    out.push_str(found.get(..end).unwrap_or(""));
                }
                end
            }
        };
        rest = found.get(end..).unwrap_or("");
    }
    out.push_str(rest);
    Ok(())
}

fn number(out: &mut String, n: impl Into<i128>, width: usize, pad: char, flags: Flags) {
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

fn text(out: &mut String, value: &str, flags: Flags, swapped_lower: bool) {
    let value = if flags.swap && swapped_lower {
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

fn directive_text(time: &Broken, directive: char, flags: Flags, out: &mut String, depth: u32) -> bool {
    let year = time.before + i128::from(time.date.year);
    let twelve = if time.hour % 12 == 0 { 12 } else { time.hour % 12 };
    let month = MONTHS.get(time.date.month as usize - 1).copied().unwrap_or("");
    let day_name = DAYS.get(usize::try_from(time.weekday).unwrap_or(0)).copied().unwrap_or("");
    let short = |name: &str| name.get(..3).unwrap_or("").to_owned();
    let mut composite = |format: &str| {
        if depth > 3 {
            return;
        }
        let mut inner = String::new();
        let _ = expand(time, format, &mut inner, depth + 1);
        // Neither `#` nor `-` are for these.
        text(out, &inner, Flags { swap: false, left: false, ..flags }, false);
    };
    match directive {
        'Y' => number(out, year, if year < 0 { 5 } else { 4 }, '0', flags),
        'C' => number(out, year.div_euclid(100), 2, '0', flags),
        'y' => number(out, time.date.year.rem_euclid(100), 2, '0', flags),
        'm' => number(out, i64::from(time.date.month), 2, '0', flags),
        'B' => text(out, month, flags, false),
        'b' | 'h' => text(out, &short(month), flags, false),
        'd' => number(out, i64::from(time.date.day), 2, '0', flags),
        'e' => number(out, i64::from(time.date.day), 2, ' ', flags),
        'j' => number(out, time.day_of_year, 3, '0', flags),
        'H' => number(out, time.hour, 2, '0', flags),
        'k' => number(out, time.hour, 2, ' ', flags),
        'I' => number(out, twelve, 2, '0', flags),
        'l' => number(out, twelve, 2, ' ', flags),
        'P' => text(out, if time.hour < 12 { "am" } else { "pm" }, flags, false),
        'p' => text(out, if time.hour < 12 { "AM" } else { "PM" }, flags, true),
        'M' => number(out, time.minute, 2, '0', flags),
        'S' => number(out, time.second, 2, '0', flags),
        'L' | 'N' => {
            let digits = flags.width.unwrap_or(if directive == 'L' { 3 } else { 9 });
            let all = format!("{:09}", time.nanos);
            out.push_str(all.get(..digits.min(9)).unwrap_or(""));
            out.extend(std::iter::repeat_n('0', digits.saturating_sub(9)));
        }
        'z' => zone(time, flags, out),
        'Z' if time.utc => text(out, "UTC", flags, true),
        // A zone without a name is no text to be made wider.
        'Z' => {}
        'A' => text(out, day_name, flags, false),
        'a' => text(out, &short(day_name), flags, false),
        'u' => number(out, if time.weekday == 0 { 7 } else { time.weekday }, 1, '0', flags),
        'w' => number(out, time.weekday, 1, '0', flags),
        'G' => number(out, time.before + i128::from(iso_week(time).0), 4, '0', flags),
        'g' => number(out, iso_week(time).0.rem_euclid(100), 2, '0', flags),
        'V' => number(out, iso_week(time).1, 2, '0', flags),
        'U' => number(out, (time.day_of_year - 1 + 7 - time.weekday) / 7, 2, '0', flags),
        'W' => number(out, (time.day_of_year - 1 + 7 - (time.weekday + 6) % 7) / 7, 2, '0', flags),
        's' => number(out, time.epoch, 1, '0', flags),
        'n' => text(out, "\n", flags, false),
        't' => text(out, "\t", flags, false),
        '%' => text(out, "%", flags, false),
        'c' => composite("%a %b %e %H:%M:%S %Y"),
        'D' | 'x' => composite("%m/%d/%y"),
        'F' => composite("%Y-%m-%d"),
        'v' => composite("%e-%^b-%Y"),
        'r' => composite("%I:%M:%S %p"),
        'R' => composite("%H:%M"),
        'T' | 'X' => composite("%H:%M:%S"),
        _ => return false,
    }
    true
}

/// `%z` with its colons and widths, as Ruby counts them.
fn zone(time: &Broken, flags: Flags, out: &mut String) {
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

/// Year and number of the ISO week.
fn iso_week(time: &Broken) -> (i64, i64) {
    let weekday = (time.weekday + 6) % 7;
    let week = (time.day_of_year - 1 - weekday + 10) / 7;
    let year = time.date.year;
    if week < 1 {
        return (year - 1, weeks_in(year - 1));
    }
    if week > weeks_in(year) {
        return (year + 1, 1);
    }
    (year, week)
}

fn weeks_in(year: i64) -> i64 {
    let first = (days_from_civil(year, 1, 1) + 4).rem_euclid(7);
    let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    if first == 4 || (leap && first == 3) { 53 } else { 52 }
}
