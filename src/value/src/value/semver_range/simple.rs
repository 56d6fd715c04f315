//! One comparison of versions with its bounds: `>=1.0.0`, `<2.0.0`, or both.
//!
//! In, out: versions. Must not: parse strings.

use std::cmp::Ordering;
use std::fmt;

use crate::value::semver::SemVer;

/// One contiguous part of a range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Simple {
    /// `*`
    All,
    /// `>v`
    Gt(SemVer),
    /// `>=v`
    Ge(SemVer),
    /// `<v`
    Lt(SemVer),
    /// `<=v`
    Le(SemVer),
    /// `v`
    Eq(SemVer),
    /// Both.
    MinMax(Box<Simple>, Box<Simple>),
}

impl Simple {
    pub(super) fn begin(&self) -> SemVer {
        match self {
            Simple::Gt(v) | Simple::Ge(v) | Simple::Eq(v) => v.clone(),
            Simple::MinMax(min, _) => min.begin(),
            _ => SemVer::min(),
        }
    }

    pub(super) fn end(&self) -> SemVer {
        match self {
            Simple::Lt(v) | Simple::Le(v) | Simple::Eq(v) => v.clone(),
            Simple::MinMax(_, max) => max.end(),
            _ => SemVer::max(),
        }
    }

    fn exclude_begin(&self) -> bool {
        match self {
            Simple::Gt(_) => true,
            Simple::MinMax(min, _) => min.exclude_begin(),
            _ => false,
        }
    }

    pub(super) fn exclude_end(&self) -> bool {
        match self {
            Simple::Lt(_) => true,
            Simple::MinMax(_, max) => max.exclude_end(),
            _ => false,
        }
    }

    fn is_lower_bound(&self) -> bool {
        match self {
            Simple::Gt(_) => true,
            Simple::Ge(v) | Simple::Eq(v) => *v != SemVer::min(),
            Simple::MinMax(min, _) => min.is_lower_bound(),
            _ => false,
        }
    }

    fn is_upper_bound(&self) -> bool {
        match self {
            Simple::Lt(_) => true,
            Simple::Le(v) | Simple::Eq(v) => *v != SemVer::max(),
            Simple::MinMax(_, max) => max.is_upper_bound(),
            _ => false,
        }
    }

    pub(super) fn includes(&self, version: &SemVer) -> bool {
        match self {
            Simple::All => true,
            Simple::Gt(v) => version > v,
            Simple::Ge(v) => version >= v,
            Simple::Lt(v) => version < v,
            Simple::Le(v) => version <= v,
            Simple::Eq(v) => version == v,
            Simple::MinMax(min, max) => min.includes(version) && max.includes(version),
        }
    }

    pub(super) fn tests_prerelease(&self, version: &SemVer) -> bool {
        match self {
            Simple::All => true,
            Simple::Gt(v) | Simple::Ge(v) | Simple::Lt(v) | Simple::Le(v) | Simple::Eq(v) => {
                !v.is_stable() && (v.major, v.minor, v.patch) == (version.major, version.minor, version.patch)
            }
            Simple::MinMax(min, max) => min.tests_prerelease(version) || max.tests_prerelease(version),
        }
    }

    /// The lower bound of `min` and the upper bound of `max`.
    pub(super) fn between(min: &Simple, max: &Simple) -> Simple {
        let min = if let Simple::MinMax(min, _) = min { (**min).clone() } else { min.clone() };
        let max = if let Simple::MinMax(_, max) = max { (**max).clone() } else { max.clone() };
        Simple::MinMax(Box::new(min), Box::new(max))
    }

    pub(super) fn intersection(&self, other: &Simple) -> Option<Simple> {
        if *self == Simple::All {
            return Some(other.clone());
        }
        match self.begin().cmp(&other.end()) {
            Ordering::Greater => return None,
            Ordering::Equal => {
                return (!self.exclude_begin() && !other.exclude_end()).then(|| Simple::Eq(self.begin()));
            }
            Ordering::Less => {}
        }
        match other.begin().cmp(&self.end()) {
            Ordering::Greater => return None,
            Ordering::Equal => {
                return (!other.exclude_begin() && !self.exclude_end()).then(|| Simple::Eq(other.begin()));
            }
            Ordering::Less => {}
        }
        let min = match self.begin().cmp(&other.begin()) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal => {
                if self.exclude_begin() {
                    self
                } else {
                    other
                }
            }
        };
        let max = match self.end().cmp(&other.end()) {
            Ordering::Greater => other,
            Ordering::Less => self,
            Ordering::Equal => {
                if self.exclude_end() {
                    self
                } else {
                    other
                }
            }
        };
        Some(if !max.is_upper_bound() {
            min.clone()
        } else if !min.is_lower_bound() {
            max.clone()
        } else {
            Simple::between(min, max)
        })
    }

    fn from_to(a: &Simple, b: &Simple) -> Option<Simple> {
        let low = if a.exclude_begin() { Simple::Gt(a.begin()) } else { Simple::Ge(a.begin()) };
        let high = if b.exclude_end() { Simple::Lt(b.end()) } else { Simple::Le(b.end()) };
        low.intersection(&high)
    }

    /// The union of two ranges; `None` if they neither touch nor overlap. (`AbstractRange#merge`)
    ///
    /// # Errors
    /// They overlap and end at the same version: the library calls a missing method.
    pub(super) fn merge(&self, other: &Simple) -> Result<Option<Simple>, String> {
        if *self == Simple::All {
            return Ok(Some(Simple::All));
        }
        if self.includes(&other.begin()) || other.includes(&self.begin()) {
            let low = match self.begin().cmp(&other.begin()) {
                Ordering::Less => (self.begin(), self.exclude_begin()),
                Ordering::Greater => (other.begin(), other.exclude_begin()),
                Ordering::Equal => (self.begin(), self.exclude_begin() && other.exclude_begin()),
            };
            let high = match self.end().cmp(&other.end()) {
                Ordering::Greater => (self.end(), self.exclude_end()),
                Ordering::Less => (other.end(), other.exclude_end()),
                Ordering::Equal => {
                    let receiver = self.receiver();
                    return Err(format!("undefined local variable or method `exclude_end' for {receiver}"));
                }
            };
            let low = if low.1 { Simple::Gt(low.0) } else { Simple::Ge(low.0) };
            let high = if high.1 { Simple::Lt(high.0) } else { Simple::Le(high.0) };
            return Ok(low.intersection(&high));
        }
        let touches = |a: &Simple, b: &Simple| a.exclude_end() && !b.exclude_begin() && a.end() == b.begin();
        let follows =
            |a: &Simple, b: &Simple| !a.exclude_end() && !b.exclude_begin() && a.end().next_patch() == b.begin();
        Ok(if touches(self, other) || (!touches(other, self) && follows(self, other)) {
            Simple::from_to(self, other)
        } else if touches(other, self) || follows(other, self) {
            Simple::from_to(other, self)
        } else {
            None
        })
    }

    /// The range as Ruby's messages describe it.
    fn receiver(&self) -> String {
        let class = |name: &str| format!("SemanticPuppet::VersionRange::{name}Range");
        match self {
            Simple::All => format!("#<{}>", class("All")),
            Simple::Gt(v) => format!("#<{} @version={v}>", class("Gt")),
            Simple::Ge(v) => format!("#<{} @version={v}>", class("GtEq")),
            Simple::Lt(v) => format!("#<{} @version={v}>", class("Lt")),
            Simple::Le(v) => format!("#<{} @version={v}>", class("LtEq")),
            Simple::Eq(v) => format!("#<{} @version={v}>", class("Eq")),
            Simple::MinMax(..) => format!("{self}:{}", class("MinMax")),
        }
    }
}

impl fmt::Display for Simple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Simple::All => f.write_str("*"),
            Simple::Gt(v) => write!(f, ">{v}"),
            Simple::Ge(v) => write!(f, ">={v}"),
            Simple::Lt(v) if *v == SemVer::min() => f.write_str("<0.0.0"),
            Simple::Lt(v) => write!(f, "<{v}"),
            Simple::Le(v) => write!(f, "<={v}"),
            Simple::Eq(v) => write!(f, "{v}"),
            Simple::MinMax(min, max) => write!(f, "{min} {max}"),
        }
    }
}
