//! Times in strings: `Time.parse`, `Time.strptime`.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::TimeValue;
use catwalk_value::strftime;

/// `Time.parse(text)`
pub(super) fn parse(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = &*rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let found = read_parts(source);
    if found == TimeParts::default() {
        let inspected = rt.inspect(&Rv::str(source))?;
        return rt.raise("ArgumentError", format!("no time information in {inspected}"));
    }
    let Rv::Time(now) = super::current(rt) else { return Ok(Rv::Nil) };
    let today = |format: &str| strftime(now.nanos, Some(0), format).unwrap_or_default().parse::<i64>().unwrap_or(1);
    let year = found.year.unwrap_or_else(|| today("%Y"));
    let dated = found.year.is_some() || found.month.is_some() || found.day.is_some();
    let month = found.month.unwrap_or_else(|| if dated { 1 } else { today("%m") });
    let day = found.day.unwrap_or_else(|| if dated { 1 } else { today("%d") });
    let [hour, minute, second] = found.time.unwrap_or([0, 0, 0]);
    match super::civil_to_nanos([year, month, day, hour, minute, second], found.offset.unwrap_or(0)) {
        Some(nanos) => {
            let offset = if found.utc { None } else { found.offset.or(Some(0)) };
            Ok(Rv::Time(Rc::new(TimeValue { nanos: nanos + i128::from(found.nanos), offset })))
        }
        None => rt.raise("ArgumentError", "argument out of range"),
    }
}

/// `Time.__parse(text)`: year, month, day, hour, minute, second, nanoseconds, offset; `nil` for missing parts.
pub(super) fn parse_parts(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = &*rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let found = read_parts(source);
    if found == TimeParts::default() {
        return Ok(Rv::Nil);
    }
    let number = |n: Option<i64>| n.map_or(Rv::Nil, Rv::Int);
    let [hour, minute, second] = found.time.map_or([None; 3], |time| time.map(Some));
    Ok(Rv::array(vec![
        number(found.year),
        number(found.month),
        number(found.day),
        number(hour),
        number(minute),
        number(second),
        Rv::Int(found.nanos),
        number(found.offset),
    ]))
}

/// `Time.strptime(text, format)`
pub(super) fn strptime(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let format = rt.expect_str(args.get(1).unwrap_or(&Rv::Nil))?;
    match catwalk_value::strptime_seconds(&source, &format) {
        Some((seconds, offset)) => {
            let nanos = (seconds - i128::from(offset.unwrap_or(0))) * super::SECOND;
            Ok(Rv::Time(Rc::new(TimeValue { nanos, offset: offset.or(Some(0)) })))
        }
        None => {
            let inspected = rt.inspect(&Rv::str(source))?;
            rt.raise("ArgumentError", format!("invalid date or strptime format - {inspected} `{format}'"))
        }
    }
}

/// `Time.__strptime(text, format)`: seconds as if in UTC, and the offset of the zone.
pub(super) fn strptime_parts(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let format = rt.expect_str(args.get(1).unwrap_or(&Rv::Nil))?;
    Ok(match catwalk_value::strptime_seconds(&source, &format) {
        Some((seconds, offset)) => Rv::array(vec![Rv::integer(seconds), offset.map_or(Rv::Nil, Rv::Int)]),
        None => Rv::Nil,
    })
}

/// The parts of a time in a string.
#[derive(Default, PartialEq)]
struct TimeParts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    time: Option<[i64; 3]>,
    nanos: i64,
    offset: Option<i64>,
    utc: bool,
}

/// Reads dates and times in the usual forms: ISO 8601, mails, certificates.
fn read_parts(source: &str) -> TimeParts {
    let mut parts = TimeParts::default();
    // `2020-01-02T03:04:05Z`: the T separates two words.
    let bytes = source.as_bytes();
    let spaced: String = source
        .char_indices()
        .map(|(at, c)| {
            let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
            if (c == 'T' || c == 't') && digit(at.checked_sub(1)) && digit(Some(at + 1)) || c == ',' { ' ' } else { c }
        })
        .collect();
    for word in spaced.split_whitespace() {
        read_word(word, &mut parts);
    }
    parts
}

fn read_word(word: &str, parts: &mut TimeParts) {
    let number = |string: &str| string.parse::<i64>().ok();
    if word.contains(':') && !word.starts_with(['+', '-']) {
        return read_clock(word, parts);
    }
    if let Some(month) = month_number(word) {
        parts.month = Some(month);
        return;
    }
    if parts.time.is_some() && read_zone(word, parts) {
        return;
    }
    let lower = word.to_ascii_lowercase();
    if let (Some(time), "am" | "pm") = (&mut parts.time, lower.as_str()) {
        time[0] = time[0] % 12 + if lower == "pm" { 12 } else { 0 };
        return;
    }
    let pieces: Vec<&str> = word.split(['-', '/', '.']).collect();
    match pieces.as_slice() {
        [year, month, day] if year.len() == 4 => {
            (parts.year, parts.month, parts.day) = (number(year), number(month), number(day));
        }
        [day, month, year] if year.len() == 4 => {
            let month = month_number(month).or_else(|| number(month));
            (parts.year, parts.month, parts.day) = (number(year), month, number(day));
        }
        [year, month] if year.len() == 4 => (parts.year, parts.month) = (number(year), number(month)),
        [digits] if digits.bytes().all(|b| b.is_ascii_digit()) => match digits.len() {
            14 | 8 => {
                let part = |from: usize, to: usize| digits.get(from..to).and_then(number);
                (parts.year, parts.month, parts.day) = (part(0, 4), part(4, 6), part(6, 8));
                if let (Some(hour), Some(minute), Some(second)) = (part(8, 10), part(10, 12), part(12, 14)) {
                    parts.time = Some([hour, minute, second]);
                }
            }
            1 | 2 => parts.day = number(digits),
            4 => parts.year = number(digits),
            _ => {}
        },
        _ => {
            // `3pm`, `3rd`, `21st`
            let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            if let (Some(hour), "am" | "pm") = (number(digits), lower.trim_start_matches(digits)) {
                parts.time = Some([hour % 12 + if lower.ends_with("pm") { 12 } else { 0 }, 0, 0]);
            } else if digits.len() < word.len() && parts.day.is_none() && !digits.is_empty() {
                parts.day = number(digits);
            }
        }
    }
}

/// `10:20:30.5+02:00`
fn read_clock(word: &str, parts: &mut TimeParts) {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(word.len());
    let (clock, zone) = word.split_at(end);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut time = [0; 3];
    for (slot, piece) in time.iter_mut().zip(clock.split(':')) {
        *slot = piece.parse().unwrap_or(0);
    }
    parts.nanos = format!("{fraction:0<9}").get(..9).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    parts.time = Some(time);
    match zone.to_ascii_lowercase().as_str() {
        "" => {}
        "am" => time[0] %= 12,
        "pm" => time[0] = time[0] % 12 + 12,
        _ => {
            read_zone(zone, parts);
        }
    }
    parts.time = Some(time);
}

fn read_zone(word: &str, parts: &mut TimeParts) -> bool {
    let Some(offset) = zone_offset(word) else { return false };
    parts.offset = Some(offset);
    parts.utc = matches!(word, "Z" | "z" | "UTC" | "-00:00" | "-0000");
    true
}

/// Seconds east of UTC.
pub(super) fn zone_offset(word: &str) -> Option<i64> {
    let zones =
        [("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)];
    if matches!(word, "Z" | "z" | "UTC" | "GMT") {
        return Some(0);
    }
    if let Some((_, hours)) = zones.iter().find(|(name, _)| *name == word) {
        return Some(hours * 3600);
    }
    let sign = match word.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = word.get(1..)?.chars().filter(|c| *c != ':').collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = if digits.len() >= 4 { digits.get(2..4)?.parse().ok()? } else { 0 };
    Some(sign * (hours * 3600 + minutes * 60))
}

/// The number of a month by its English name or the first three letters of it.
pub(super) fn month_number(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = word.trim_end_matches('.').to_ascii_lowercase();
    if lower.len() < 3 {
        return None;
    }
    let at = MONTHS.iter().position(|month| *month == lower || (lower.len() <= 4 && month.starts_with(&lower)))?;
    i64::try_from(at + 1).ok()
}
