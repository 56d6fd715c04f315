//! Semantic versions and ranges of them, as the library the reference ships with has them.

use std::cmp::Ordering;
use std::fmt;

/// One identifier of a pre-release: numbers sort below words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Identifier {
    /// Digits only.
    Number(u64),
    /// Anything else.
    Word(String),
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identifier::Number(n) => write!(f, "{n}"),
            Identifier::Word(word) => f.write_str(word),
        }
    }
}

/// A version: `1.2.3-rc.1+build`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SemVer {
    /// First number; `u64::MAX` stands for the library's infinite version.
    pub major: u64,
    /// Second number.
    pub minor: u64,
    /// Third number.
    pub patch: u64,
    /// After `-`.
    pub prerelease: Option<Vec<Identifier>>,
    /// After `+`.
    pub build: Option<Vec<String>>,
}

impl SemVer {
    /// A version without qualifiers.
    #[must_use]
    pub fn new(major: u64, minor: u64, patch: u64) -> SemVer {
        SemVer { major, minor, patch, prerelease: None, build: None }
    }

    /// The lowest version.
    #[must_use]
    pub fn min() -> SemVer {
        SemVer { prerelease: Some(Vec::new()), ..SemVer::new(0, 0, 0) }
    }

    /// Above every version.
    #[must_use]
    pub fn max() -> SemVer {
        SemVer::new(u64::MAX, 0, 0)
    }

    /// Parses `major.minor.patch[-pre][+build]`.
    ///
    /// # Errors
    /// The library's message.
    pub fn parse(text: &str) -> Result<SemVer, String> {
        let fail = || format!("Unable to parse '{text}' as a semantic version identifier");
        // A trailing newline passes the library's `\Z`.
        let body = text.strip_suffix('\n').unwrap_or(text);
        let (body, build) = match body.split_once('+') {
            Some((body, build)) => (body, Some(build)),
            None => (body, None),
        };
        let (numbers, pre) = match body.split_once('-') {
            Some((numbers, pre)) => (numbers, Some(pre)),
            None => (body, None),
        };
        let mut parts = numbers.split('.');
        let mut number = || parts.next().filter(|n| is_number(n)).and_then(|n| n.parse().ok());
        let (Some(major), Some(minor), Some(patch)) = (number(), number(), number()) else { return Err(fail()) };
        if parts.next().is_some() || !pre.is_none_or(is_qualifier) || !build.is_none_or(is_qualifier) {
            return Err(fail());
        }
        Ok(SemVer { major, minor, patch, prerelease: pre.map(identifiers).transpose()?, build: build.map(split) })
    }

    /// Whether there is no pre-release part.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }

    /// The next patch version.
    fn next_patch(&self) -> SemVer {
        SemVer::new(self.major, self.minor, self.patch.saturating_add(1))
    }
}

/// Whether a text is a number without leading zeroes.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'))
}

/// Whether a text is a dotted list of letters, digits and dashes.
fn is_qualifier(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

fn split(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

fn identifiers(text: &str) -> Result<Vec<Identifier>, String> {
    text.split('.')
        .map(|part| {
            if part.bytes().all(|b| b.is_ascii_digit()) {
                if part.len() > 1 && part.starts_with('0') {
                    return Err("Numeric pre-release identifiers MUST NOT contain leading zeroes".to_owned());
                }
                return Ok(part.parse().map_or_else(|_| Identifier::Word(part.to_owned()), Identifier::Number));
            }
            Ok(Identifier::Word(part.to_owned()))
        })
        .collect()
}

impl fmt::Display for SemVer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.major == u64::MAX {
            write!(f, "Infinity.{}.{}", self.minor, self.patch)?;
        } else {
            write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        }
        if let Some(pre) = &self.prerelease {
            f.write_str("-")?;
            for (n, part) in pre.iter().enumerate() {
                write!(f, "{}{part}", if n == 0 { "" } else { "." })?;
            }
        }
        if let Some(build) = &self.build {
            write!(f, "+{}", build.join("."))?;
        }
        Ok(())
    }
}

impl PartialOrd for SemVer {
    fn partial_cmp(&self, other: &SemVer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Order as versions have it: the build does not count, so two versions may be equal in order and yet differ.
impl Ord for SemVer {
    fn cmp(&self, other: &SemVer) -> Ordering {
        (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch)).then_with(|| {
            match (&self.prerelease, &other.prerelease) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => a.cmp(b),
            }
        })
    }
}

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

    fn merge(&self, other: &Simple) -> Option<Simple> {
        if *self == Simple::All {
            return Some(Simple::All);
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
                Ordering::Equal => (self.end(), self.exclude_end() && other.exclude_end()),
            };
            let low = if low.1 { Simple::Gt(low.0) } else { Simple::Ge(low.0) };
            let high = if high.1 { Simple::Lt(high.0) } else { Simple::Le(high.0) };
            return low.intersection(&high);
        }
        if self.exclude_end() && !other.exclude_begin() && self.end() == other.begin() {
            return Simple::from_to(self, other);
        }
        if other.exclude_end() && !self.exclude_begin() && other.end() == self.begin() {
            return Simple::from_to(other, self);
        }
        if !self.exclude_end() && !other.exclude_begin() && self.end().next_patch() == other.begin() {
            return Simple::from_to(self, other);
        }
        if !other.exclude_end() && !self.exclude_begin() && other.end().next_patch() == self.begin() {
            return Simple::from_to(other, self);
        }
        None
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
    fn from_parts(mut ranges: Vec<Simple>, text: Option<String>) -> SemVerRange {
        let mut merged = true;
        while ranges.len() > 1 && merged {
            merged = false;
            let mut result = Vec::new();
            while let Some(mut memo) = ranges.pop() {
                let mut rest = Vec::new();
                for other in ranges {
                    match memo.merge(&other) {
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
        let text = text.unwrap_or_else(|| join(&ranges));
        SemVerRange { ranges, text }
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
        SemVerRange::from_parts(low.intersection(&high).into_iter().collect(), Some(text))
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
        Ok(SemVerRange::from_parts(ranges, Some(text.to_owned())))
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
    if result.is_none() {
        return Err(format!("Unparsable version range: \"{whole}\""));
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
