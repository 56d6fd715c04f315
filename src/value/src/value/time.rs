//! Points in time.

use std::fmt;

use crate::value::strftime;
use crate::value::strptime;
use crate::value::zone;

/// Nanoseconds in a second.
pub(super) const NANOS: i128 = 1_000_000_000;

/// A point in time, in nanoseconds since the epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp(i128);

const FORMATS: [&str; 10] =
    ["%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z", "%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];

impl Timestamp {
    /// A point in time from nanoseconds since the epoch.
    #[must_use]
    pub fn new(nanoseconds: i128) -> Timestamp {
        Timestamp(nanoseconds)
    }

    /// Nanoseconds since the epoch.
    #[must_use]
    pub fn nanoseconds(&self) -> i128 {
        self.0
    }

    /// Seconds since the epoch.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        nanos_to_seconds(self.0)
    }

    /// Formats a time as Ruby's `strftime` does, in UTC or in another zone.
    ///
    /// # Errors
    /// `Illegal timezone '…'`
    pub fn format(&self, format: &str, timezone: Option<&str>) -> Result<String, String> {
        let offset = match timezone.filter(|zone| !zone.is_empty()) {
            None => None,
            Some(zone) => Some(display_offset(zone)?),
        };
        strftime::strftime(self.0, offset, format)
    }

    /// Parses a string by the first of several formats that matches; `None` for the default formats.
    ///
    /// # Errors
    /// Puppet's messages.
    pub fn parse(text: &str, formats: Option<&[&str]>, timezone: Option<&str>) -> Result<Timestamp, String> {
        let timezone = timezone.filter(|zone| !zone.is_empty());
        let default = if timezone.is_some() { FORMATS.get(5..) } else { FORMATS.get(..) }.unwrap_or_default();
        let list = formats.unwrap_or(default);
        let parsed = list.iter().find_map(|format| {
            let parsed = strptime::strptime(text, format)?;
            (timezone.is_none() || parsed.zone.is_none()).then_some(parsed)
        });
        let parsed =
            parsed.ok_or_else(|| format!("Unable to parse '{text}' using any of the formats {}", list.join(", ")))?;
        Timestamp::from_parsed(&parsed, timezone)
    }

    /// Parses a string by one format.
    ///
    /// # Errors
    /// Puppet's messages.
    pub fn parse_with(text: &str, format: &str, timezone: Option<&str>) -> Result<Timestamp, String> {
        let timezone = timezone.filter(|zone| !zone.is_empty());
        let parsed = strptime::strptime(text, format)
            .ok_or_else(|| format!("Unable to parse '{text}' using format '{format}'"))?;
        if timezone.is_some() && parsed.zone.is_some() {
            return Err("Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument".to_owned());
        }
        Timestamp::from_parsed(&parsed, timezone)
    }

    fn from_parsed(parsed: &strptime::TimeFields, timezone: Option<&str>) -> Result<Timestamp, String> {
        let mut seconds = parsed.seconds()?;
        if let Some(zone) = timezone {
            seconds -= i128::from(utc_offset(zone)?);
        } else if let Some((zone, offset)) = &parsed.zone {
            seconds -= i128::from(offset.ok_or_else(|| illegal(zone))?);
        }
        Ok(Timestamp(seconds * NANOS + i128::from(parsed.nanoseconds)))
    }
}

/// Seconds with the precision of a float.
pub(super) fn nanos_to_seconds(nanos: i128) -> f64 {
    quotient(nanos, NANOS)
}

/// The quotient of two integers as a float, as Ruby's `fdiv` computes it: without their common divisor, both are rounded to floats.
#[must_use]
pub fn quotient(dividend: i128, divisor: i128) -> f64 {
    let common = i128::try_from(gcd(dividend.unsigned_abs(), divisor.unsigned_abs())).unwrap_or(1).max(1);
    (dividend / common) as f64 / (divisor / common) as f64
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The offset of a zone in seconds; `current` is UTC, since the machine's zone is not an input of a catalog.
pub(super) fn utc_offset(zone: &str) -> Result<i64, String> {
    if zone.eq_ignore_ascii_case("current") {
        return Ok(0);
    }
    zone::parse(zone).and_then(|(_, offset)| offset).ok_or_else(|| illegal(zone))
}

fn illegal(zone: &str) -> String {
    format!("Illegal timezone '{zone}'")
}

/// The offset of a zone in which a time is printed, in seconds: whole minutes, less than a day.
fn display_offset(zone: &str) -> Result<i64, String> {
    let minutes = utc_offset(zone)?.div_euclid(60);
    let is_offset =
        matches!(zone.as_bytes(), [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|d| d.is_ascii_digit()));
    if is_offset && zone.get(4..).is_some_and(|minutes| minutes > "59") {
        let expected = "\"+HH:MM\", \"-HH:MM\", \"UTC\" or \"A\"..\"I\",\"K\"..\"Z\" expected for utc_offset";
        return Err(format!("{expected}: {zone}"));
    }
    if minutes.abs() >= 24 * 60 {
        return Err("utc_offset out of range".to_owned());
    }
    Ok(minutes * 60)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&strftime::strftime(self.0, None, "%FT%T.%N %Z").unwrap_or_default())
    }
}
