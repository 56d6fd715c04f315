//! Methods of `Time`.

use std::rc::Rc;

use super::Interp;
use super::Raise;
use super::value::Rv;
use super::value::TimeValue;
use crate::value::strftime;

const SECOND: i128 = 1_000_000_000;

pub(crate) fn to_s(time: &TimeValue) -> String {
    let format = if time.offset.is_none() { "%Y-%m-%d %H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S %z" };
    strftime(time.nanos, time.offset, format).unwrap_or_default()
}

/// The time now by the world's clock.
pub(crate) fn now(rt: &Interp<'_, '_>) -> Rv {
    let nanos = i128::try_from(rt.ev.world.now().as_nanos()).unwrap_or(0);
    Rv::Time(Rc::new(TimeValue { nanos, offset: Some(0) }))
}

/// A time by seconds since 1970.
pub(crate) fn at(seconds: &Rv) -> Option<Rv> {
    let nanos = match seconds {
        Rv::Int(n) => n * SECOND,
        Rv::Float(f) => (f * SECOND as f64) as i128,
        _ => return None,
    };
    Some(Rv::Time(Rc::new(TimeValue { nanos, offset: Some(0) })))
}

pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rc<TimeValue>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let shown = |format: &str| strftime(this.nanos, this.offset, format);
    let part = |format: &str| Rv::Int(shown(format).unwrap_or_default().trim().parse().unwrap_or(0));
    let moved = |nanos: i128| Rv::Time(Rc::new(TimeValue { nanos: this.nanos + nanos, offset: this.offset }));
    let span = |value: &Rv| match value {
        Rv::Int(n) => Some(n * SECOND),
        Rv::Float(f) => Some((f * SECOND as f64) as i128),
        _ => None,
    };
    Ok(Some(match (name, args) {
        ("strftime", [format]) => {
            let format = rt.expect_str(format)?;
            match shown(&format) {
                Ok(text) => Rv::str(text),
                Err(message) => return rt.raise("ArgumentError", message),
            }
        }
        ("to_i" | "tv_sec", []) => Rv::Int(this.nanos.div_euclid(SECOND)),
        ("to_f", []) => Rv::Float(this.nanos as f64 / SECOND as f64),
        ("year", []) => part("%Y"),
        ("month" | "mon", []) => part("%m"),
        ("day" | "mday", []) => part("%d"),
        ("hour", []) => part("%H"),
        ("min", []) => part("%M"),
        ("sec", []) => part("%S"),
        ("yday", []) => part("%j"),
        ("wday", []) => part("%w"),
        ("utc" | "getutc" | "gmtime" | "getgm", []) => Rv::Time(Rc::new(TimeValue { nanos: this.nanos, offset: None })),
        ("localtime" | "getlocal", []) => Rv::Time(Rc::new(TimeValue { nanos: this.nanos, offset: Some(0) })),
        ("iso8601" | "xmlschema", []) => {
            let zone = if this.offset.is_none() { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" };
            Rv::str(shown(zone).unwrap_or_default())
        }
        ("+", [value]) if span(value).is_some() => moved(span(value).unwrap_or(0)),
        ("-", [Rv::Time(other)]) => Rv::Float((this.nanos - other.nanos) as f64 / SECOND as f64),
        ("-", [value]) if span(value).is_some() => moved(-span(value).unwrap_or(0)),
        _ => return Ok(None),
    }))
}
