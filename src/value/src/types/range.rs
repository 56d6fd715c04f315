//! Ranges of integers and floats, as the parameters of `Integer`, `Float` and of sizes.

use std::hash::Hash;
use std::hash::Hasher;

use num_bigint::BigInt;

/// Which ends of an [`IntRange`] are given. An enum so that the compiler can pack a range into a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
enum Ends {
    Neither,
    From,
    To,
    Both,
}

/// An inclusive range of integers; a missing end is infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct IntRange {
    from: i64,
    to: i64,
    ends: Ends,
}

impl IntRange {
    /// All integers.
    pub const ALL: IntRange = IntRange { from: 0, to: 0, ends: Ends::Neither };
    /// All sizes.
    pub const SIZE: IntRange = IntRange { from: 0, to: 0, ends: Ends::From };

    /// A range with optional ends.
    #[must_use]
    pub const fn new(from: Option<i64>, to: Option<i64>) -> IntRange {
        match (from, to) {
            (None, None) => IntRange::ALL,
            (Some(from), None) => IntRange { from, to: 0, ends: Ends::From },
            (None, Some(to)) => IntRange { from: 0, to, ends: Ends::To },
            (Some(from), Some(to)) => IntRange { from, to, ends: Ends::Both },
        }
    }

    /// From `from` upwards.
    #[must_use]
    pub const fn from(from: i64) -> IntRange {
        IntRange::new(Some(from), None)
    }

    /// One number.
    #[must_use]
    pub const fn exactly(n: i64) -> IntRange {
        IntRange::new(Some(n), Some(n))
    }

    /// The lower end.
    #[must_use]
    pub const fn lower(self) -> Option<i64> {
        match self.ends {
            Ends::From | Ends::Both => Some(self.from),
            _ => None,
        }
    }

    /// The upper end.
    #[must_use]
    pub const fn upper(self) -> Option<i64> {
        match self.ends {
            Ends::To | Ends::Both => Some(self.to),
            _ => None,
        }
    }

    /// Lower end with infinity as a number beyond all integers, for comparisons.
    #[must_use]
    pub fn low(self) -> i128 {
        self.lower().map_or(i128::MIN, i128::from)
    }

    /// Upper end with infinity as a number beyond all integers.
    #[must_use]
    pub fn high(self) -> i128 {
        self.upper().map_or(i128::MAX, i128::from)
    }

    /// Whether a number lies in the range.
    #[must_use]
    pub fn contains(self, n: i64) -> bool {
        self.lower().is_none_or(|from| n >= from) && self.upper().is_none_or(|to| n <= to)
    }

    /// Whether another range lies in this one.
    #[must_use]
    pub fn covers(self, other: IntRange) -> bool {
        self.low() <= other.low() && self.high() >= other.high()
    }

    /// Whether both ends are infinite.
    #[must_use]
    pub(crate) fn is_unbounded(self) -> bool {
        self.ends == Ends::Neither
    }

    /// Whether both ends are given.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.ends == Ends::Both
    }

    /// Whether only zero is in it.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == IntRange::exactly(0)
    }

    /// The range as a size: not below zero.
    #[must_use]
    pub(crate) fn to_size(self) -> IntRange {
        match self.lower() {
            Some(from) if from >= 0 => self,
            _ => IntRange::new(Some(0), self.upper().map(|to| to.max(0))),
        }
    }

    /// The smallest range with both.
    #[must_use]
    pub(crate) fn hull(self, other: IntRange) -> IntRange {
        let from = self.lower().and_then(|a| other.lower().map(|b| a.min(b)));
        let to = self.upper().and_then(|a| other.upper().map(|b| a.max(b)));
        IntRange::new(from, to)
    }

    /// The union, where it is one range.
    #[must_use]
    pub fn merge(self, other: IntRange) -> Option<IntRange> {
        let apart = self.high() < other.low() || other.high() < self.low();
        let adjacent =
            self.high().checked_add(1) == Some(other.low()) || other.high().checked_add(1) == Some(self.low());
        (!apart || adjacent).then(|| self.hull(other))
    }
}

/// An inclusive range of integers of which an end does not fit 64 bits; a missing end is infinite.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct BigRange {
    /// The lower end.
    pub from: Option<BigInt>,
    /// The upper end.
    pub to: Option<BigInt>,
}

impl From<IntRange> for BigRange {
    fn from(range: IntRange) -> BigRange {
        BigRange { from: range.lower().map(BigInt::from), to: range.upper().map(BigInt::from) }
    }
}

impl BigRange {
    /// The range with ends of 64 bits, if they fit.
    #[must_use]
    pub(crate) fn narrow(&self) -> Option<IntRange> {
        let end = |end: &Option<BigInt>| match end {
            None => Some(None),
            Some(n) => i64::try_from(n).ok().map(Some),
        };
        Some(IntRange::new(end(&self.from)?, end(&self.to)?))
    }

    /// Whether a number lies in the range.
    #[must_use]
    pub fn contains(&self, n: &BigInt) -> bool {
        self.from.as_ref().is_none_or(|from| n >= from) && self.to.as_ref().is_none_or(|to| n <= to)
    }

    /// Whether another range lies in this one.
    #[must_use]
    pub fn covers(&self, other: &BigRange) -> bool {
        let covers_start = self.from.as_ref().is_none_or(|low| other.from.as_ref().is_some_and(|from| low <= from));
        covers_start && self.to.as_ref().is_none_or(|high| other.to.as_ref().is_some_and(|to| high >= to))
    }

    /// Whether both ends are given.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.from.is_some() && self.to.is_some()
    }

    /// The smallest range with both.
    #[must_use]
    pub(crate) fn hull(&self, other: &BigRange) -> BigRange {
        let from = self.from.as_ref().and_then(|a| other.from.as_ref().map(|b| a.min(b).clone()));
        let to = self.to.as_ref().and_then(|a| other.to.as_ref().map(|b| a.max(b).clone()));
        BigRange { from, to }
    }

    /// The union, where it is one range.
    #[must_use]
    pub fn merge(&self, other: &BigRange) -> Option<BigRange> {
        let apart = |low: &BigRange, high: &BigRange| match (&low.to, &high.from) {
            (Some(to), Some(from)) => to + 1 < *from,
            _ => false,
        };
        (!apart(self, other) && !apart(other, self)).then(|| self.hull(other))
    }
}

/// An inclusive range of floats; open ends are infinite.
#[derive(Clone, Copy, Debug)]
pub struct FloatRange {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
}

impl FloatRange {
    /// All floats.
    pub const ALL: FloatRange = FloatRange { from: f64::NEG_INFINITY, to: f64::INFINITY };

    /// Whether a number lies in the range.
    #[must_use]
    pub fn contains(self, n: f64) -> bool {
        n >= self.from && n <= self.to
    }

    /// Whether another range lies in this one.
    #[must_use]
    pub fn covers(self, other: FloatRange) -> bool {
        self.from <= other.from && self.to >= other.to
    }

    /// Whether both ends are infinite.
    #[must_use]
    pub(crate) fn is_unbounded(self) -> bool {
        self == FloatRange::ALL
    }

    /// The smallest range with both.
    #[must_use]
    pub(crate) fn hull(self, other: FloatRange) -> FloatRange {
        FloatRange { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    /// The union, where it is one range.
    #[must_use]
    pub fn merge(self, other: FloatRange) -> Option<FloatRange> {
        (self.to >= other.from && other.to >= self.from).then(|| self.hull(other))
    }
}

impl PartialEq for FloatRange {
    fn eq(&self, other: &FloatRange) -> bool {
        self.from == other.from && self.to == other.to
    }
}
impl Eq for FloatRange {}
impl Hash for FloatRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for end in [self.from, self.to] {
            (if end == 0.0 { 0 } else { end.to_bits() }).hash(state);
        }
    }
}
