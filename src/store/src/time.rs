//! Times as PuppetDB reads and writes them.

use jiff::Timestamp;
use jiff::civil;
use jiff::tz::TimeZone;

/// Converts a time such as `2026-01-02`, `2026-01-02T03:04:05Z` or `2026-01-02T03:04:05.678+01:00` to milliseconds since 1970. A time
/// without a zone is in UTC. `None`: it is not a time.
pub(crate) fn parse(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    let civil = text.parse::<civil::DateTime>().ok();
    let civil =
        civil.or_else(|| text.parse::<civil::Date>().ok().map(|date| date.to_datetime(civil::Time::midnight())));
    Some(civil?.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// A time in milliseconds since 1970 as PuppetDB prints it: `2026-01-02T03:04:05.678Z`.
#[must_use]
pub fn print(milliseconds: i64) -> String {
    match Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
        Err(_) => milliseconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use super::print;

    #[test]
    fn times_are_read_and_printed_in_utc() {
        let printed = |text: &str| parse(text).map(print);
        assert_eq!(printed("2026-01-02").as_deref(), Some("2026-01-02T00:00:00.000Z"));
        assert_eq!(printed("2026-01-02T03:04:05").as_deref(), Some("2026-01-02T03:04:05.000Z"));
        assert_eq!(printed("2026-01-02T03:04:05.678+01:00").as_deref(), Some("2026-01-02T02:04:05.678Z"));
        assert_eq!(printed("yesterday"), None);
    }
}
