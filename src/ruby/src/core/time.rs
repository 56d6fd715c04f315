//! Methods of `Time`.

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::TimeValue;
use catwalk_value::days_from_civil;
use catwalk_value::strftime;

const SECOND: i128 = 1_000_000_000;

pub(crate) fn to_s(time: &TimeValue) -> String {
    let format = if time.offset.is_none() { "%Y-%m-%d %H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S %z" };
    strftime(time.nanos, time.offset, format).unwrap_or_default()
}

/// The current time of the world's clock.
pub(crate) fn now(rt: &Interp<'_>) -> Rv {
    let nanos = i128::try_from(rt.host.world().now().as_nanos()).unwrap_or(0);
    Rv::Time(Rc::new(TimeValue { nanos, offset: Some(0) }))
}

/// A time by seconds since 1970.
pub(crate) fn at(seconds: &Rv) -> Option<Rv> {
    let nanos = match seconds {
        Rv::Int(n) => i128::from(*n) * SECOND,
        Rv::Float(f) => (f.get() * SECOND as f64) as i128,
        _ => return None,
    };
    Some(Rv::Time(Rc::new(TimeValue { nanos, offset: Some(0) })))
}

/// Methods of a time.
pub(crate) fn call(rt: &mut Interp<'_>, this: &Rc<TimeValue>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    if let Some(answer) = property(this, name, args).or_else(|| calculate(this, name, args)) {
        return Ok(Some(answer));
    }
    Ok(Some(match (name, args) {
        ("strftime", [format]) => {
            let format = rt.expect_str(format)?;
            match strftime(this.nanos, this.offset, &format) {
                Ok(formatted) => Rv::str(formatted),
                Err(message) => return rt.raise("ArgumentError", message),
            }
        }
        ("to_date", []) => {
            let class = rt.constant_path(None, "Date")?;
            rt.call_method(&class, "new", &["%Y", "%m", "%d"].map(|format| number(this, format)), None)?
        }
        ("to_datetime", []) => {
            let class = rt.constant_path(None, "DateTime")?;
            rt.call_method(&class, "at", &[Rv::Time(this.clone())], None)?
        }
        _ => return Ok(None),
    }))
}

/// A time in a format; an empty string if the format is invalid.
fn format(time: &TimeValue, format: &str) -> String {
    strftime(time.nanos, time.offset, format).unwrap_or_default()
}

/// The number that a format yields for a time.
fn number(time: &TimeValue, number_format: &str) -> Rv {
    Rv::Int(format(time, number_format).trim().parse().unwrap_or(0))
}

/// Parts of a time, its representations in standard formats, and predicates; `None` for other methods.
fn property(this: &Rc<TimeValue>, name: &str, args: &[Rv]) -> Option<Rv> {
    if !args.is_empty() {
        return None;
    }
    Some(match name {
        "to_i" | "tv_sec" => Rv::integer(this.nanos.div_euclid(SECOND)),
        "to_f" => Rv::float(this.nanos as f64 / SECOND as f64),
        "year" => number(this, "%Y"),
        "month" | "mon" => number(this, "%m"),
        "day" | "mday" => number(this, "%d"),
        "hour" => number(this, "%H"),
        "min" => number(this, "%M"),
        "sec" => number(this, "%S"),
        "yday" => number(this, "%j"),
        "wday" => number(this, "%w"),
        "nsec" | "tv_nsec" => Rv::integer(this.nanos.rem_euclid(SECOND)),
        "usec" | "tv_usec" => Rv::integer(this.nanos.rem_euclid(SECOND) / 1000),
        "utc_offset" | "gmt_offset" | "gmtoff" => Rv::Int(this.offset.unwrap_or(0)),
        "utc?" | "gmt?" => Rv::bool(this.offset.is_none()),
        "zone" => Rv::str("UTC"),
        "monday?" | "tuesday?" | "wednesday?" | "thursday?" | "friday?" | "saturday?" | "sunday?" => {
            let day = format(this, "%A").to_ascii_lowercase();
            Rv::bool(name.strip_suffix('?') == Some(day.as_str()))
        }
        "to_time" => Rv::Time(this.clone()),
        "to_a" => {
            let parts = ["%S", "%M", "%H", "%d", "%m", "%Y", "%w", "%j"].map(|format| number(this, format));
            Rv::array(parts.into_iter().chain([Rv::False, Rv::str("UTC")]).collect())
        }
        "httpdate" => {
            let utc = strftime(this.nanos, None, "%a, %d %b %Y %H:%M:%S GMT");
            Rv::str(utc.unwrap_or_default())
        }
        "rfc2822" | "rfc822" => {
            let zone = if this.offset.is_none() { "-0000" } else { "%z" };
            Rv::str(format(this, &format!("%a, %d %b %Y %H:%M:%S {zone}")))
        }
        "iso8601" | "xmlschema" => {
            Rv::str(format(this, if this.offset.is_none() { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" }))
        }
        _ => return None,
    })
}

/// Methods that return another time, or the difference between two; `None` for other methods.
fn calculate(this: &TimeValue, name: &str, args: &[Rv]) -> Option<Rv> {
    let in_zone = |offset: Option<i64>| Rv::Time(Rc::new(TimeValue { nanos: this.nanos, offset }));
    let add = |nanos: i128| Rv::Time(Rc::new(TimeValue { nanos: this.nanos + nanos, offset: this.offset }));
    let to_nanos = |seconds: &Rv| match seconds {
        Rv::Int(n) => Some(i128::from(*n) * SECOND),
        Rv::Float(f) => Some((f.get() * SECOND as f64) as i128),
        _ => None,
    };
    Some(match (name, args) {
        ("utc" | "getutc" | "gmtime" | "getgm", []) => in_zone(None),
        ("getlocal" | "localtime", []) => in_zone(Some(0)),
        ("getlocal" | "localtime", [Rv::Int(offset)]) => in_zone(Some(*offset)),
        ("getlocal" | "localtime", [Rv::Str(zone)]) => in_zone(zone_offset(&zone.borrow())),
        ("round" | "floor", []) => {
            let half = if name == "round" { SECOND / 2 } else { 0 };
            add((this.nanos + half).div_euclid(SECOND) * SECOND - this.nanos)
        }
        ("-", [Rv::Time(other)]) => Rv::float((this.nanos - other.nanos) as f64 / SECOND as f64),
        ("+", [seconds]) => add(to_nanos(seconds)?),
        ("-", [seconds]) => add(-to_nanos(seconds)?),
        _ => return None,
    })
}

/// `Time.new(year, …)`, `Time.utc(…)`, `Time.local(…)`
pub(crate) fn from_civil(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Rv> {
    let mut numbers = [0_i64, 1, 1, 0, 0, 0];
    let mut nanos = 0_i128;
    for (at, (slot, arg)) in numbers.iter_mut().zip(args).enumerate() {
        let value = match arg {
            Rv::Nil => continue,
            Rv::Str(string) if at == 1 => month_number(&string.borrow()).map_or(Rv::Nil, Rv::Int),
            Rv::Str(string) => Rv::Int(string.borrow().trim().parse().unwrap_or(0)),
            Rv::Float(f) if at == 5 => {
                let f = f.get();
                nanos = (f.fract() * SECOND as f64) as i128;
                arg.clone()
            }
            other => other.clone(),
        };
        *slot = rt.expect_int(&value)?;
    }
    let offset = match (name, args.get(6)) {
        ("new", Some(Rv::Str(zone))) => zone_offset(&zone.borrow()).or(Some(0)),
        ("new", Some(Rv::Int(seconds))) => Some(*seconds),
        ("utc" | "gm", _) => None,
        _ => Some(0),
    };
    if !(1..=12).contains(&numbers[1]) {
        return rt.raise("ArgumentError", "mon out of range");
    }
    match civil_to_nanos(numbers, offset.unwrap_or(0)) {
        Some(at) => Ok(Rv::Time(Rc::new(TimeValue { nanos: at + nanos, offset }))),
        None => rt.raise("ArgumentError", "argument out of range"),
    }
}

/// Nanoseconds since 1970 of a day and time in a zone.
fn civil_to_nanos([year, month, day, hour, minute, second]: [i64; 6], offset: i64) -> Option<i128> {
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..=24).contains(&hour)
        && (0..=59).contains(&minute)
        && (0..=60).contains(&second)
        && (-9999..=9999).contains(&year);
    if !fits {
        return None;
    }
    let days = days_from_civil(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    Some(i128::from(days * 86_400 + hour * 3600 + minute * 60 + second - offset) * SECOND)
}

/// `Time.parse(text)`
pub(crate) fn parse(rt: &mut Interp<'_>, source: &str) -> Raise<Rv> {
    let found = read_parts(source);
    if found == TimeParts::default() {
        let inspected = rt.inspect(&Rv::str(source))?;
        return rt.raise("ArgumentError", format!("no time information in {inspected}"));
    }
    let Rv::Time(now) = now(rt) else { return Ok(Rv::Nil) };
    let today = |format: &str| strftime(now.nanos, Some(0), format).unwrap_or_default().parse::<i64>().unwrap_or(1);
    let year = found.year.unwrap_or_else(|| today("%Y"));
    let dated = found.year.is_some() || found.month.is_some() || found.day.is_some();
    let month = found.month.unwrap_or_else(|| if dated { 1 } else { today("%m") });
    let day = found.day.unwrap_or_else(|| if dated { 1 } else { today("%d") });
    let [hour, minute, second] = found.time.unwrap_or([0, 0, 0]);
    match civil_to_nanos([year, month, day, hour, minute, second], found.offset.unwrap_or(0)) {
        Some(nanos) => {
            let offset = if found.utc { None } else { found.offset.or(Some(0)) };
            Ok(Rv::Time(Rc::new(TimeValue { nanos: nanos + i128::from(found.nanos), offset })))
        }
        None => rt.raise("ArgumentError", "argument out of range"),
    }
}

/// `Time.__parse(text)`: year, month, day, hour, minute, second, nanoseconds, offset; `nil` for missing parts.
pub(crate) fn parse_parts(source: &str) -> Rv {
    let found = read_parts(source);
    if found == TimeParts::default() {
        return Rv::Nil;
    }
    let number = |n: Option<i64>| n.map_or(Rv::Nil, Rv::Int);
    let [hour, minute, second] = found.time.map_or([None; 3], |time| time.map(Some));
    Rv::array(vec![
        number(found.year),
        number(found.month),
        number(found.day),
        number(hour),
        number(minute),
        number(second),
        Rv::Int(found.nanos),
        number(found.offset),
    ])
}

/// `Time.strptime(text, format)`
pub(crate) fn strptime(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    let source = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    let format = rt.expect_str(args.get(1).unwrap_or(&Rv::Nil))?;
    match catwalk_value::strptime_seconds(&source, &format) {
        Some((seconds, offset)) => {
            let nanos = (seconds - i128::from(offset.unwrap_or(0))) * SECOND;
            Ok(Rv::Time(Rc::new(TimeValue { nanos, offset: offset.or(Some(0)) })))
        }
        None => {
            let inspected = rt.inspect(&Rv::str(source))?;
            rt.raise("ArgumentError", format!("invalid date or strptime format - {inspected} `{format}'"))
        }
    }
}

/// `Time.__strptime(text, format)`: seconds as if in UTC, and the offset of the zone.
pub(crate) fn strptime_parts(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
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
fn zone_offset(word: &str) -> Option<i64> {
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
fn month_number(word: &str) -> Option<i64> {
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
