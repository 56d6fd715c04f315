//! Ranges of semantic versions, by the rules of the `semantic_puppet` library.

mod read;
mod simple;

use std::fmt;

use super::semver::SemVer;
use read::parse_alternative;
use read::split_alternatives;
use read::squeeze_operators;
use simple::Simple;

/// The most alternatives of a range: each is compared with all others.
const MOST_ALTERNATIVES: usize = 4000;

/// A set of versions: `>=1.0.0 <2.0.0 || 3.x`.
#[derive(Clone, Debug)]
pub struct SemVerRange {
    ranges: Vec<Simple>,
    text: String,
}

impl SemVerRange {
    /// A range from its parts; `text` is its source.
    ///
    /// # Errors
    /// Ruby's error if parts end at the same version (`AbstractRange#merge`).
    fn from_parts(mut ranges: Vec<Simple>, text: String) -> Result<SemVerRange, String> {
        let mut merged = true;
        while ranges.len() > 1 && merged {
            merged = false;
            let mut result = Vec::new();
            while let Some(mut memo) = ranges.pop() {
                let mut rest = Vec::new();
                for other in ranges {
                    match memo.merge(&other)? {
                        Some(joined) => {
                            merged = true;
                            memo = joined;
                        }
                        None => rest.push(other),
                    }
                }
                result.push(memo);
                ranges = rest;
            }
            result.reverse();
            ranges = result;
        }
        if ranges.is_empty() {
            ranges.push(Simple::Lt(SemVer::min()));
        }
        Ok(SemVerRange { ranges, text })
    }

    /// The range as a string of its parts, not its source.
    #[must_use]
    pub(crate) fn to_parts_string(&self) -> String {
        join(&self.ranges)
    }

    /// A range between two versions.
    #[must_use]
    pub fn between(min: &SemVer, max: &SemVer, exclude_max: bool) -> SemVerRange {
        let low = Simple::Ge(min.clone());
        // The library prints the two versions in the wrong order.
        let (high, text) = if exclude_max {
            (Simple::Lt(max.clone()), format!(">={max} <{min}"))
        } else {
            (Simple::Le(max.clone()), format!("{max} - {min}"))
        };
        let range = low.intersection(&high).unwrap_or_else(|| Simple::Lt(SemVer::min()));
        SemVerRange { ranges: vec![range], text }
    }

    /// The range that contains only one version.
    #[must_use]
    pub fn exactly(version: &SemVer) -> SemVerRange {
        SemVerRange::between(version, version, false)
    }

    /// Parses a range.
    ///
    /// # Errors
    /// Returns the message of Ruby's library.
    pub fn parse(text: &str) -> Result<SemVerRange, String> {
        let set = squeeze_operators(text);
        let mut alternatives = split_alternatives(&set);
        while alternatives.last().is_some_and(|last| last.is_empty()) {
            alternatives.pop();
        }
        if alternatives.is_empty() {
            return Ok(SemVerRange { ranges: vec![Simple::All], text: "*".to_owned() });
        }
        if alternatives.len() > MOST_ALTERNATIVES {
            return Err(format!("a version range has more than {MOST_ALTERNATIVES} alternatives"));
        }
        let mut ranges: Vec<Simple> = Vec::new();
        for alternative in alternatives {
            if let Some(range) = parse_alternative(alternative, text)?
                && !ranges.contains(&range)
            {
                ranges.push(range);
            }
        }
        SemVerRange::from_parts(ranges, text.to_owned())
    }

    /// Whether a version is in the range; pre-releases only if the range names a pre-release of the same version.
    #[must_use]
    pub fn includes(&self, version: &SemVer) -> bool {
        self.ranges
            .iter()
            .any(|range| range.includes(version) && (version.is_stable() || range.tests_prerelease(version)))
    }

    fn single(&self) -> Option<&Simple> {
        match self.ranges.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The lowest version; `None` if the range is not contiguous.
    #[must_use]
    pub fn begin(&self) -> Option<SemVer> {
        self.single().map(Simple::begin)
    }

    /// The highest version; `None` if the range is not contiguous.
    #[must_use]
    pub fn end(&self) -> Option<SemVer> {
        self.single().map(Simple::end)
    }

    /// Whether the highest version itself is excluded.
    #[must_use]
    pub fn excludes_end(&self) -> bool {
        self.single().is_some_and(Simple::exclude_end)
    }

    /// Whether `outer` contains all versions of this range.
    #[must_use]
    pub(crate) fn is_covered_by(&self, outer: &SemVerRange) -> bool {
        let (Some(a), Some(b)) = (self.single(), outer.single()) else { return self == outer };
        b.begin() <= a.begin() && (b.end() > a.end() || (b.end() == a.end() && (!b.exclude_end() || a.exclude_end())))
    }

    /// The versions that are in both ranges.
    ///
    /// # Errors
    /// Ruby's error if common parts end at the same version (`AbstractRange#merge`).
    pub fn intersection(&self, other: &SemVerRange) -> Result<SemVerRange, String> {
        let mut common: Vec<Simple> = Vec::new();
        for range in &self.ranges {
            for part in other.ranges.iter().filter_map(|other| range.intersection(other)) {
                if !common.contains(&part) {
                    common.push(part);
                }
            }
        }
        let mut range = SemVerRange::from_parts(common, String::new())?;
        range.text = join(&range.ranges);
        Ok(range)
    }

    /// The union of two ranges; `None` if it is not contiguous.
    #[must_use]
    pub fn merge(&self, other: &SemVerRange) -> Option<SemVerRange> {
        let (a, b) = (self.single()?, other.single()?);
        if a.includes(&b.begin()) || b.includes(&a.begin()) {
            let (a_end, b_end) = (a.end(), b.end());
            let max = a_end.clone().max(b_end.clone());
            let exclude = if a.exclude_end() {
                max == a_end && (max > b_end || b.exclude_end())
            } else {
                b.exclude_end() && max == b_end && (max > a_end || a.exclude_end())
            };
            return Some(SemVerRange::between(&a.begin().min(b.begin()), &max, exclude));
        }
        if a.exclude_end() && a.end() == b.begin() {
            return Some(SemVerRange::between(&a.begin(), &b.end(), b.exclude_end()));
        }
        if b.exclude_end() && b.end() == a.begin() {
            return Some(SemVerRange::between(&b.begin(), &a.end(), a.exclude_end()));
        }
        None
    }
}

impl fmt::Display for SemVerRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
impl PartialEq for SemVerRange {
    fn eq(&self, other: &SemVerRange) -> bool {
        self.ranges == other.ranges
    }
}
impl Eq for SemVerRange {}
impl std::hash::Hash for SemVerRange {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.ranges.hash(state);
    }
}

fn join(ranges: &[Simple]) -> String {
    ranges.iter().map(Simple::to_string).collect::<Vec<_>>().join(" || ")
}
