//! Parses ranges of versions.
//!
//! In: the string of a range. Out: comparisons, or Ruby's error. Must not: compare versions.

use super::Simple;
use crate::value::semver::SemVer;
use crate::value::semver::identifiers;
use crate::value::semver::is_number;
use crate::value::semver::is_qualifier;
use crate::value::semver::split;

/// Splits a string at `||` with the spaces around it; spaces at the ends of the string remain.
pub(super) fn split_alternatives(set: &str) -> Vec<&str> {
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

/// Removes spaces or a `v` after operators.
pub(super) fn squeeze_operators(text: &str) -> String {
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

pub(super) fn parse_alternative(alternative: &str, whole: &str) -> Result<Option<Simple>, String> {
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
        // An empty alternative is ignored.
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

/// The error of a bug in the library, which calls a constant as a method.
const NO_SINGLETON: &str = "undefined method `SINGLETON' for SemanticPuppet::VersionRange::AllRange:Class";

/// A version of which parts may be missing or `x`.
struct Partial<'a> {
    major: Option<u128>,
    minor: Option<u128>,
    patch: Option<u128>,
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
