//! Semantic versions, by the rules of the `semantic_puppet` library.

use std::cmp::Ordering;
use std::fmt;

/// One identifier of a pre-release: numbers sort below words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Identifier {
    /// Digits only.
    Number(u128),
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
    /// First number; `u128::MAX` represents the library's infinite version.
    pub major: u128,
    /// Second number.
    pub minor: u128,
    /// Third number.
    pub patch: u128,
    /// After `-`.
    pub prerelease: Option<Vec<Identifier>>,
    /// After `+`.
    pub build: Option<Vec<String>>,
}

impl SemVer {
    /// A version without qualifiers.
    #[must_use]
    pub fn new(major: u128, minor: u128, patch: u128) -> SemVer {
        SemVer { major, minor, patch, prerelease: None, build: None }
    }

    /// The lowest version.
    #[must_use]
    pub fn min() -> SemVer {
        SemVer { prerelease: Some(Vec::new()), ..SemVer::new(0, 0, 0) }
    }

    /// A version above all others.
    #[must_use]
    pub fn max() -> SemVer {
        SemVer::new(u128::MAX, 0, 0)
    }

    /// Parses `major.minor.patch[-pre][+build]`.
    ///
    /// # Errors
    /// Returns the message of Ruby's library.
    pub fn parse(text: &str) -> Result<SemVer, String> {
        let fail = || format!("Unable to parse '{text}' as a semantic version identifier");
        // The library's `\Z` accepts a trailing newline.
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
    pub(super) fn next_patch(&self) -> SemVer {
        SemVer::new(self.major, self.minor, self.patch.saturating_add(1))
    }
}

/// Whether a string is a number without leading zeroes.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'))
}

/// Whether a string is a dotted list of letters, digits and dashes.
pub(super) fn is_qualifier(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

pub(super) fn split(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

pub(super) fn identifiers(text: &str) -> Result<Vec<Identifier>, String> {
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
        if self.major == u128::MAX {
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

/// The order of versions ignores the build: two different versions may be neither above nor below each other.
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
