//! `Timestamp.new` and `Timespan.new`.
//!
//! In: arguments, the matching signature, the current time. Out: the time. Must not: read the clock.

use std::sync::Arc;

use super::NewResult;
use super::fail;
use super::field;
use super::with_named_arguments;
use crate::types::parse::AliasResolver;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Value;
use crate::value::to_nanoseconds;
use catwalk_base::diag::Reason;

/// The formats of a time: one, several, or the default ones.
fn formats(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::Str(text) => vec![text],
        _ => Vec::new(),
    }
}

fn nanoseconds(seconds: &Value) -> Result<i128, Reason> {
    Ok(match seconds {
        Value::Int(n) => i128::from(*n) * 1_000_000_000,
        Value::BigInt(n) => to_nanoseconds(n, 1_000_000_000),
        Value::Float(f) if !(f * 1e9).is_finite() => {
            return Err(fail(crate::value::number::float_to_s(f * 1e9)));
        }
        Value::Float(f) => (f * 1e9) as i128,
        _ => 0,
    })
}

pub(super) fn timestamp(args: &[Value], chosen: usize, clock: &dyn AliasResolver) -> NewResult {
    let parse = |text: &Value, format: &Value, zone: &Value| {
        let (text, zone) = (text.as_str().unwrap_or(""), zone.as_str());
        let parsed = match format {
            Value::Str(format) if &**format != "default" => Timestamp::parse_with(text, format, zone),
            Value::Array(_) => Timestamp::parse(text, Some(&formats(format)), zone),
            _ => Timestamp::parse(text, None, zone),
        };
        parsed.map(|time| Value::Timestamp(Arc::new(time))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    match chosen {
        0 => match clock.now() {
            Some(now) => Ok(Value::Timestamp(Arc::new(Timestamp::new(now)))),
            None => Err(Reason::unsupported("the current time as a value")),
        },
        1 => Ok(Value::Timestamp(Arc::new(Timestamp::new(nanoseconds(arg(0))?)))),
        2 => parse(arg(0), arg(1), arg(2)),
        _ => with_named_arguments(arg(0), |h| parse(field(h, "string"), field(h, "format"), field(h, "timezone"))),
    }
}

pub(super) fn timespan(args: &[Value], chosen: usize) -> NewResult {
    let parse = |text: &Value, format: &Value| {
        let text = text.as_str().unwrap_or("");
        let parsed = match format {
            Value::Str(format) => Timespan::parse_with(text, format),
            Value::Array(_) => Timespan::parse(text, Some(&formats(format))),
            _ => Timespan::parse(text, None),
        };
        parsed.map(|time| Value::Timespan(Arc::new(time))).map_err(fail)
    };
    let arg = |n: usize| args.get(n).unwrap_or(&Value::Undef);
    let int = |value: &Value| match value {
        Value::Int(n) => i128::from(*n),
        Value::BigInt(n) => to_nanoseconds(n, 1),
        _ => 0,
    };
    match chosen {
        0 => Ok(Value::Timespan(Arc::new(Timespan::new(nanoseconds(arg(0))?)))),
        1 => parse(arg(0), arg(1)),
        2 => {
            let fields = [0, 1, 2, 3, 4, 5, 6].map(|n| int(arg(n)));
            Ok(Value::Timespan(Arc::new(Timespan::from_fields(false, fields))))
        }
        3 => with_named_arguments(arg(0), |h| parse(field(h, "string"), field(h, "format"))),
        _ => with_named_arguments(arg(0), |h| {
            let names = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
            let fields = names.map(|name| int(field(h, name)));
            Ok(Value::Timespan(Arc::new(Timespan::from_fields(field(h, "negative").truthy(), fields))))
        }),
    }
}
