//! The proleptic Gregorian calendar in any year, with `jiff`, which supports the years from -9999 to 9999.
//!
//! In: dates, or days since 1970-01-01. Out: days, or dates. The calendar repeats every 400 years: a distant date is converted via
//! the equivalent date near 1970.

use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::civil::date;

/// Days of 400 years.
const CYCLE: i64 = 146_097;

const EPOCH: Date = date(1970, 1, 1);

/// Days since 1970-01-01 of a date. Months and days beyond the last continue in the next year or month, as in Ruby's `Time`.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let month = i64::from(month) - 1;
    let year = year + month.div_euclid(12);
    let cycles = year.div_euclid(400) - 5;
    let (near, month) = (2000 + year.rem_euclid(400), month.rem_euclid(12) + 1);
    let first = i16::try_from(near).ok().zip(i8::try_from(month).ok());
    let first = first.and_then(|(year, month)| Date::new(year, month, 1).ok()).unwrap_or(EPOCH);
    first.duration_since(EPOCH).as_hours() / 24 + cycles * CYCLE + i64::from(day) - 1
}

/// The date of a day since 1970-01-01 in one of the years from 1970 to 2369, and the number of years to add to it.
pub(super) fn date_of_day(day: i128) -> (Date, i128) {
    let cycles = day.div_euclid(i128::from(CYCLE));
    let near = i64::try_from(day.rem_euclid(i128::from(CYCLE))).unwrap_or(0);
    (EPOCH.checked_add(SignedDuration::from_hours(near * 24)).unwrap_or(EPOCH), cycles * 400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_converted_into_each_other() {
        // Days that Ruby's `Time.utc(…).to_i / 86400` has.
        for (year, month, day, days) in [
            (1970, 1, 1, 0),
            (1969, 12, 31, -1),
            (2000, 2, 29, 11_016),
            (2000, 2, 31, 11_018),
            (2100, 2, 29, 47_541),
            (2024, 13, 1, 20_089),
            (1, 1, 1, -719_162),
            (0, 3, 1, -719_468),
            (-4_713, 11, 24, -2_440_588),
            (1_000_000_000, 7, 4, 365_241_780_657),
        ] {
            assert_eq!(days_from_civil(year, month, day), days, "{year}-{month}-{day}");
        }
        for day in (-1_000_000_i64..1_000_000).step_by(997) {
            let (date, years) = date_of_day(i128::from(day));
            let year = i64::from(date.year()) + i64::try_from(years).unwrap_or(0);
            let (month, of_month) = (u32::from(date.month().unsigned_abs()), u32::from(date.day().unsigned_abs()));
            assert_eq!(days_from_civil(year, month, of_month), day);
        }
    }
}
