//! Ranges of semantic versions, as the library the reference ships with has them.

use std::cmp::Ordering;
use std::fmt;

use super::semver::SemVer;
use super::semver::identifiers;
use super::semver::is_number;
use super::semver::is_qualifier;
use super::semver::split;

/// One contiguous part of a range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Simple {
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
    fn begin(&self) -> SemVer {
        match self {
            Simple::Gt(v) | Simple::Ge(v) | Simple::Eq(v) => v.clone(),
            Simple::MinMax(min, _) => min.begin(),
            _ => SemVer::min(),
        }
    }

    fn end(&self) -> SemVer {
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

    fn exclude_end(&self) -> bool {
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

    fn includes(&self, version: &SemVer) -> bool {
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

    fn tests_prerelease(&self, version: &SemVer) -> bool {
        match self {
            Simple::All => true,
            Simple::Gt(v) | Simple::Ge(v) | Simple::Lt(v) | Simple::Le(v) | Simple::Eq(v) => {
                !v.is_stable() && (v.major, v.minor, v.patch) == (version.major, version.minor, version.patch)
            }
            Simple::MinMax(min, max) => min.tests_prerelease(version) || max.tests_prerelease(version),
        }
    }

    /// Lower part of one and upper part of another.
    fn between(min: &Simple, max: &Simple) -> Simple {
        let min = if let Simple::MinMax(min, _) = min { (**min).clone() } else { min.clone() };
        let max = if let Simple::MinMax(_, max) = max { (**max).clone() } else { max.clone() };
        Simple::MinMax(Box::new(min), Box::new(max))
    }

    fn intersection(&self, other: &Simple) -> Option<Simple> {
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

    /// The union, where the ranges meet or overlap. (`AbstractRange#merge`)
    ///
    /// # Errors
    /// They overlap and end at the same version: the library asks for something that is not there.
    fn merge(&self, other: &Simple) -> Result<Option<Simple>, String> {
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

    /// How Ruby's messages name it.
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

/// A set of versions: `>=1.0.0 <2.0.0 || 3.x`.
#[derive(Clone, Debug)]
pub struct SemVerRange {
    ranges: Vec<Simple>,
    text: String,
}

impl SemVerRange {
    /// A range from its parts; `text` is how it was written.
    ///
    /// # Errors
    /// Ruby's, where parts end at the same version (`AbstractRange#merge`).
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

    /// The range as its parts, not as it was written.
    #[must_use]
    pub fn parts_text(&self) -> String {
        join(&self.ranges)
    }

    /// A range between two versions.
    #[must_use]
    pub fn between(min: &SemVer, max: &SemVer, exclude_max: bool) -> SemVerRange {
        let low = Simple::Ge(min.clone());
        // The library puts the two versions the wrong way round into the text.
        let (high, text) = if exclude_max {
            (Simple::Lt(max.clone()), format!(">={max} <{min}"))
        } else {
            (Simple::Le(max.clone()), format!("{max} - {min}"))
        };
        let range = low.intersection(&high).unwrap_or_else(|| Simple::Lt(SemVer::min()));
        SemVerRange { ranges: vec![range], text }
    }

    /// The range that only holds one version.
    #[must_use]
    pub fn exactly(version: &SemVer) -> SemVerRange {
        SemVerRange::between(version, version, false)
    }

    /// Parses a range.
    ///
    /// # Errors
    /// The library's message.
    pub fn parse(text: &str) -> Result<SemVerRange, String> {
        let set = squeeze_operators(text);
        let mut alternatives = split_alternatives(&set);
        while alternatives.last().is_some_and(|last| last.is_empty()) {
            alternatives.pop();
        }
        if alternatives.is_empty() {
            return Ok(SemVerRange { ranges: vec![Simple::All], text: "*".to_owned() });
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

    /// Whether a version is in the range; pre-releases only where the range names one of the same version.
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

    /// The lowest version, where the range is contiguous.
    #[must_use]
    pub fn begin(&self) -> Option<SemVer> {
        self.single().map(Simple::begin)
    }

    /// The highest version, where the range is contiguous.
    #[must_use]
    pub fn end(&self) -> Option<SemVer> {
        self.single().map(Simple::end)
    }

    /// Whether the highest version itself is outside.
    #[must_use]
    pub fn excludes_end(&self) -> bool {
        self.single().is_some_and(Simple::exclude_end)
    }

    /// Whether another range holds all versions of this one.
    #[must_use]
    pub fn is_covered_by(&self, outer: &SemVerRange) -> bool {
        let (Some(a), Some(b)) = (self.single(), outer.single()) else { return self == outer };
        b.begin() <= a.begin() && (b.end() > a.end() || (b.end() == a.end() && (!b.exclude_end() || a.exclude_end())))
    }

    /// The versions that are in both ranges.
    ///
    /// # Errors
    /// Ruby's, where common parts end at the same version (`AbstractRange#merge`).
    pub fn intersection(&self, other: &SemVerRange) -> Result<SemVerRange, String> {
        let mut common: Vec<Simple> = Vec::new();
        for own in &self.ranges {
            for found in other.ranges.iter().filter_map(|other| own.intersection(other)) {
                if !common.contains(&found) {
                    common.push(found);
                }
            }
        }
        let mut range = SemVerRange::from_parts(common, String::new())?;
        range.text = join(&range.ranges);
        Ok(range)
    }

    /// The union where it is contiguous.
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

/// Blanks around `||` belong to it; those at the ends of the text stay.
fn split_alternatives(set: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = set.split("||").collect();
    let last = parts.len().saturating_sub(1);
    for (at, part) in parts.iter_mut().enumerate() {
        if at > 0 {
            *part = part.trim_start();
        }
        if at < last {
            *part = part.trim_end();
        }
    }
    parts
}

/// Removes blanks or a `v` after operators.
fn squeeze_operators(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        result.push(c);
        if matches!(c, '>' | '<' | '=' | '~' | '^') {
            let after = rest.trim_start();
            rest = if after.len() < rest.len() { after } else { rest.strip_prefix('v').unwrap_or(rest) };
        }
    }
    result
}

fn parse_alternative(alternative: &str, whole: &str) -> Result<Option<Simple>, String> {
    let mut words: Vec<&str> = alternative.split_whitespace().collect();
    let blank = alternative.starts_with(char::is_whitespace);
    if let [low, "-", high] = words.as_slice()
        && !blank
        && !alternative.ends_with(char::is_whitespace)
        && let (Some(low), Some(high)) = (Partial::parse(low), Partial::parse(high))
    {
        return Ok(Simple::Ge(low.version()?).intersection(&Simple::Le(high.version()?)));
    }
    if words.is_empty() {
        // An alternative of nothing is none.
        return Ok(None);
    }
    if blank {
        words.insert(0, "");
    }
    let mut result: Option<Simple> = None;
    for word in words {
        let next = parse_simple(word, whole)?;
        result = match result {
            None => Some(next),
            Some(range) => match range.intersection(&next) {
                Some(range) => Some(range),
                None => return Ok(None),
            },
        };
    }
    Ok(result)
}

fn parse_simple(word: &str, whole: &str) -> Result<Simple, String> {
    let operators = ["<=", ">=", "~>", "~=", "<", ">", "=", "~", "^"];
    let operator = operators.into_iter().find(|operator| word.starts_with(operator)).unwrap_or("");
    let operand = word.get(operator.len()..).unwrap_or("");
    let partial = Partial::parse(operand).ok_or_else(|| format!("Unparsable version range: \"{whole}\""))?;
    match operator {
        ">=" => Ok(Simple::Ge(partial.version()?)),
        "<" => Ok(Simple::Lt(partial.version()?)),
        ">" => partial.above(),
        "<=" => partial.up_to(),
        "~" | "~>" | "~=" => partial.patch_updates(true),
        "^" if partial.major == Some(0) => partial.patch_updates(true),
        "^" => partial.minor_updates(),
        _ => partial.patch_updates(false),
    }
}

/// The library's own mistake: it calls a constant as a method.
const NO_SINGLETON: &str = "undefined method `SINGLETON' for SemanticPuppet::VersionRange::AllRange:Class";

/// A version of which parts may be missing or `x`.
struct Partial<'a> {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    pre: Option<&'a str>,
    build: Option<&'a str>,
}

impl<'a> Partial<'a> {
    fn parse(text: &'a str) -> Option<Partial<'a>> {
        let (body, build) = text.split_once('+').map_or((text, None), |(body, build)| (body, Some(build)));
        let (body, pre) = body.split_once('-').map_or((body, None), |(body, pre)| (body, Some(pre)));
        if !pre.is_none_or(is_qualifier) || !build.is_none_or(is_qualifier) {
            return None;
        }
        let mut numbers = [None; 3];
        let mut count = 0;
        for part in body.split('.') {
            let slot = numbers.get_mut(count)?;
            *slot = match part {
                "x" | "X" | "*" => None,
                _ if is_number(part) => Some(part.parse().ok()?),
                _ => return None,
            };
            count += 1;
        }
        if count < 3 && (pre.is_some() || build.is_some()) {
            return None;
        }
        let [major, minor, patch] = numbers;
        Some(Partial { major, minor, patch, pre, build })
    }

    fn qualified(&self, version: SemVer) -> Result<SemVer, String> {
        let prerelease = self.pre.map(identifiers).transpose()?;
        Ok(SemVer { prerelease, build: self.build.map(split), ..version })
    }

    fn version(&self) -> Result<SemVer, String> {
        self.qualified(SemVer::new(self.major.unwrap_or(0), self.minor.unwrap_or(0), self.patch.unwrap_or(0)))
    }

    fn span(from: SemVer, to: SemVer) -> Simple {
        Simple::between(&Simple::Ge(from), &Simple::Lt(to))
    }

    fn patch_updates(&self, tilde: bool) -> Result<Simple, String> {
        let Some(major) = self.major else { return Ok(Simple::All) };
        let Some(minor) = self.minor else {
            return Ok(Partial::span(SemVer::new(major, 0, 0), SemVer::new(major.saturating_add(1), 0, 0)));
        };
        let above = SemVer::new(major, minor.saturating_add(1), 0);
        let Some(patch) = self.patch else { return Ok(Partial::span(SemVer::new(major, minor, 0), above)) };
        let version = self.qualified(SemVer::new(major, minor, patch))?;
        Ok(if tilde { Partial::span(version, above) } else { Simple::Eq(version) })
    }

    fn minor_updates(&self) -> Result<Simple, String> {
        let Some(major) = self.major else { return Err(NO_SINGLETON.to_owned()) };
        let above = SemVer::new(major.saturating_add(1), 0, 0);
        let minor = self.minor.unwrap_or(0);
        let patch = if self.minor.is_some() { self.patch.unwrap_or(0) } else { 0 };
        let mut from = SemVer::new(major, minor, patch);
        if self.pre.is_some() && self.patch.is_some() && self.minor.is_some() {
            from = self.qualified(from)?;
        }
        Ok(Partial::span(from, above))
    }

    fn above(&self) -> Result<Simple, String> {
        let Some(major) = self.major else { return Ok(Simple::Lt(SemVer::min())) };
        let Some(minor) = self.minor else { return Ok(Simple::Ge(SemVer::new(major.saturating_add(1), 0, 0))) };
        let Some(patch) = self.patch else {
            return Ok(Simple::Ge(SemVer::new(major, minor.saturating_add(1), 0)));
        };
        Ok(Simple::Gt(self.qualified(SemVer::new(major, minor, patch))?))
    }

    fn up_to(&self) -> Result<Simple, String> {
        let Some(major) = self.major else { return Err(NO_SINGLETON.to_owned()) };
        let Some(minor) = self.minor else { return Ok(Simple::Lt(SemVer::new(major.saturating_add(1), 0, 0))) };
        let Some(patch) = self.patch else {
            return Ok(Simple::Lt(SemVer::new(major, minor.saturating_add(1), 0)));
        };
        Ok(Simple::Le(self.qualified(SemVer::new(major, minor, patch))?))
    }
}
