//! `Time`: its methods. `parse` reads times in strings.

mod parse;

use std::rc::Rc;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
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
fn current(rt: &Interp<'_>) -> Rv {
    let nanos = i128::try_from(rt.host.world().now().as_nanos()).unwrap_or(0);
    Rv::Time(Rc::new(TimeValue { nanos, offset: Some(0) }))
}

/// A number that a format yields.
macro_rules! part {
    ($name:literal, $format:literal) => {
        Method::new($name, 0, |_, this, _, _| Ok(number(get(this), $format)))
    };
}

/// Whether a time is on a day of the week.
macro_rules! is_on {
    ($name:literal, $day:literal) => {
        Method::new($name, 0, |_, this, _, _| Ok(Rv::bool(matches!(number(get(this), "%w"), Rv::Int($day)))))
    };
}

pub(crate) static CLASS: Class = Class {
    name: "Time",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("+", 1, plus),
        Method::new("-", 1, minus),
        part!("day", "%d"),
        Method::between("floor", 0, 1, |rt, this, args, _| round(rt, this, args, 0)),
        is_on!("friday?", 5),
        Method::new("getgm", 0, utc),
        Method::between("getlocal", 0, 1, local),
        Method::new("getutc", 0, utc),
        Method::new("gmt?", 0, is_utc),
        Method::new("gmt_offset", 0, offset),
        Method::new("gmtime", 0, utc),
        Method::new("gmtoff", 0, offset),
        part!("hour", "%H"),
        Method::new("httpdate", 0, httpdate),
        Method::between("iso8601", 0, 1, iso8601),
        Method::between("localtime", 0, 1, local),
        part!("mday", "%d"),
        part!("min", "%M"),
        part!("mon", "%m"),
        is_on!("monday?", 1),
        part!("month", "%m"),
        Method::new("nsec", 0, nsec),
        Method::new("rfc2822", 0, rfc2822),
        Method::new("rfc822", 0, rfc2822),
        Method::between("round", 0, 1, |rt, this, args, _| round(rt, this, args, SECOND / 2)),
        is_on!("saturday?", 6),
        part!("sec", "%S"),
        Method::new("strftime", 1, format_as),
        is_on!("sunday?", 0),
        is_on!("thursday?", 4),
        Method::new("to_a", 0, to_a),
        Method::new("to_date", 0, to_date),
        Method::new("to_datetime", 0, to_datetime),
        Method::new("to_f", 0, to_f),
        Method::new("to_i", 0, to_i),
        Method::new("to_time", 0, common_methods::itself),
        is_on!("tuesday?", 2),
        Method::new("tv_nsec", 0, nsec),
        Method::new("tv_sec", 0, to_i),
        Method::new("tv_usec", 0, usec),
        Method::new("usec", 0, usec),
        Method::new("utc", 0, utc),
        Method::new("utc?", 0, is_utc),
        Method::new("utc_offset", 0, offset),
        part!("wday", "%w"),
        is_on!("wednesday?", 3),
        Method::between("xmlschema", 0, 1, iso8601),
        part!("yday", "%j"),
        part!("year", "%Y"),
        Method::new("zone", 0, |_, _, _, _| Ok(Rv::str("UTC"))),
    ],
    singleton: &[
        Method::new("__parse", 1, parse::parse_parts),
        Method::new("__strptime", 2, parse::strptime_parts),
        Method::at_least("at", 1, at),
        Method::at_least("gm", 0, |rt, _, args, _| from_civil(rt, args, None)),
        Method::new("httpdate", 1, parse::parse),
        Method::new("iso8601", 1, parse::parse),
        Method::at_least("local", 0, |rt, _, args, _| from_civil(rt, args, Some(0))),
        Method::at_least("mktime", 0, |rt, _, args, _| from_civil(rt, args, Some(0))),
        Method::at_least("new", 0, new),
        Method::at_least("now", 0, |rt, _, _, _| Ok(current(rt))),
        Method::at_least("parse", 1, parse::parse),
        Method::new("rfc2822", 1, parse::parse),
        Method::at_least("strptime", 2, parse::strptime),
        Method::at_least("utc", 0, |rt, _, args, _| from_civil(rt, args, None)),
        Method::new("xmlschema", 1, parse::parse),
    ],
};

/// The time of a receiver.
fn get(this: &Rv) -> &TimeValue {
    const EPOCH: &TimeValue = &TimeValue { nanos: 0, offset: None };
    match this {
        Rv::Time(time) => time,
        _ => EPOCH,
    }
}

fn time(nanos: i128, offset: Option<i64>) -> Rv {
    Rv::Time(Rc::new(TimeValue { nanos, offset }))
}

/// A time in a format; an empty string if the format is invalid.
fn format(time: &TimeValue, format: &str) -> String {
    strftime(time.nanos, time.offset, format).unwrap_or_default()
}

/// The number that a format yields for a time.
fn number(time: &TimeValue, number_format: &str) -> Rv {
    Rv::Int(format(time, number_format).trim().parse().unwrap_or(0))
}

fn to_i(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::integer(get(this).nanos.div_euclid(SECOND)))
}

fn to_f(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::float(get(this).nanos as f64 / SECOND as f64))
}

fn nsec(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::integer(get(this).nanos.rem_euclid(SECOND)))
}

fn usec(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::integer(get(this).nanos.rem_euclid(SECOND) / 1000))
}

fn offset(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Int(get(this).offset.unwrap_or(0)))
}

fn is_utc(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(get(this).offset.is_none()))
}

fn to_a(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let parts = ["%S", "%M", "%H", "%d", "%m", "%Y", "%w", "%j"].map(|format| number(get(this), format));
    Ok(Rv::array(parts.into_iter().chain([Rv::False, Rv::str("UTC")]).collect()))
}

fn httpdate(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let utc = strftime(get(this).nanos, None, "%a, %d %b %Y %H:%M:%S GMT");
    Ok(Rv::str(utc.unwrap_or_default()))
}

fn rfc2822(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let zone = if get(this).offset.is_none() { "-0000" } else { "%z" };
    Ok(Rv::str(format(get(this), &format!("%a, %d %b %Y %H:%M:%S {zone}"))))
}

fn iso8601(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if !args.is_empty() {
        return rt.unsupported("method Time#iso8601 with fractions of seconds");
    }
    let zone = if get(this).offset.is_none() { "Z" } else { "%:z" };
    Ok(Rv::str(format(get(this), &format!("%Y-%m-%dT%H:%M:%S{zone}"))))
}

fn format_as(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let format = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
    match strftime(get(this).nanos, get(this).offset, &format) {
        Ok(formatted) => Ok(Rv::str(formatted)),
        Err(message) => rt.raise("ArgumentError", message),
    }
}

fn to_date(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = rt.constant_path(None, "Date")?;
    rt.call_method(&class, "new", &["%Y", "%m", "%d"].map(|format| number(get(this), format)), None)
}

fn to_datetime(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = rt.constant_path(None, "DateTime")?;
    rt.call_method(&class, "at", std::slice::from_ref(this), None)
}

fn utc(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(time(get(this).nanos, None))
}

/// `getlocal`, `getlocal(zone)`
fn local(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let offset = match args {
        [] => Some(0),
        [Rv::Int(offset)] => Some(*offset),
        [Rv::Str(zone)] => parse::zone_offset(&zone.borrow()),
        _ => return rt.unsupported("times in this zone"),
    };
    Ok(time(get(this).nanos, offset))
}

/// `round`, `floor`: the whole second after `added` nanoseconds.
fn round(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], added: i128) -> Raise<Rv> {
    if !args.is_empty() {
        return rt.unsupported("rounding of times to digits");
    }
    let TimeValue { nanos, offset } = *get(this);
    Ok(time((nanos + added).div_euclid(SECOND) * SECOND, offset))
}

/// The nanoseconds of a number of seconds.
fn nanos_argument(rt: &mut Interp<'_>, seconds: &Rv) -> Raise<i128> {
    match seconds {
        Rv::Int(n) => Ok(i128::from(*n) * SECOND),
        Rv::Float(f) => Ok((f.get() * SECOND as f64) as i128),
        Rv::Time(_) => rt.raise("TypeError", "time + time?"),
        Rv::Object(_) | Rv::Big(_) | Rv::Puppet(_) => rt.unsupported("times with this number of seconds"),
        other => {
            let class = rt.class_name(other);
            rt.raise("TypeError", format!("can't convert {class} into an exact number"))
        }
    }
}

fn plus(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let added = nanos_argument(rt, args.first().unwrap_or(&Rv::Nil))?;
    Ok(time(get(this).nanos + added, get(this).offset))
}

/// `time - seconds`, `time - time`
fn minus(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if let Some(Rv::Time(other)) = args.first() {
        return Ok(Rv::float((get(this).nanos - other.nanos) as f64 / SECOND as f64));
    }
    let removed = nanos_argument(rt, args.first().unwrap_or(&Rv::Nil))?;
    Ok(time(get(this).nanos - removed, get(this).offset))
}

/// `Time.at(seconds)`
fn at(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [time @ Rv::Time(_)] => Ok(time.clone()),
        [seconds] => Ok(time(nanos_argument(rt, seconds)?, Some(0))),
        _ => rt.unsupported("Time.at with fractions of seconds or a zone"),
    }
}

/// `Time.new`, `Time.new(year, …, zone)`
fn new(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if args.is_empty() {
        return Ok(current(rt));
    }
    let offset = match args.get(6) {
        Some(Rv::Str(zone)) => parse::zone_offset(&zone.borrow()).or(Some(0)),
        Some(Rv::Int(seconds)) => Some(*seconds),
        _ => Some(0),
    };
    from_civil(rt, args, offset)
}

/// A time by year, month, day, hour, minute and second; without an offset it is in UTC.
fn from_civil(rt: &mut Interp<'_>, args: &[Rv], default_offset: Option<i64>) -> Raise<Rv> {
    let mut numbers = [0_i64, 1, 1, 0, 0, 0];
    let mut nanos = 0_i128;
    for (at, (slot, arg)) in numbers.iter_mut().zip(args).enumerate() {
        let value = match arg {
            Rv::Nil => continue,
            Rv::Str(string) if at == 1 => parse::month_number(&string.borrow()).map_or(Rv::Nil, Rv::Int),
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
    let offset = default_offset;
    if !(1..=12).contains(&numbers[1]) {
        return rt.raise("ArgumentError", "mon out of range");
    }
    match civil_to_nanos(numbers, offset.unwrap_or(0)) {
        Some(at) => Ok(Rv::Time(Rc::new(TimeValue { nanos: at + nanos, offset }))),
        None => rt.raise("ArgumentError", "argument out of range"),
    }
}

/// Nanoseconds since 1970 of a day and time in a zone.
pub(super) fn civil_to_nanos([year, month, day, hour, minute, second]: [i64; 6], offset: i64) -> Option<i128> {
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
