//! Patterns of rules: a glob, or a regular expression after a tilde.

use std::fmt;

use globset::GlobMatcher;
use serde::Deserialize;

use catwalk_base::globs;
use catwalk_regexp::Regexp;

/// One pattern or several, of which one must fit: `"/tmp/*"`, `"~ ^/tmp/"`, `["ntp", "chrony*"]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Patterns {
    /// A single pattern.
    #[must_use]
    pub fn one(text: &str) -> Patterns {
        Patterns::One(text.to_owned())
    }

    fn texts(&self) -> &[String] {
        match self {
            Patterns::One(text) => std::slice::from_ref(text),
            Patterns::Several(texts) => texts,
        }
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Patterns::One(text) => write!(f, "{text:?}"),
            Patterns::Several(texts) => write!(f, "{texts:?}"),
        }
    }
}

enum CompiledPattern {
    Text(String),
    Glob(GlobMatcher),
    Regexp(Regexp),
}

/// Compiled patterns.
pub(super) struct Matcher {
    /// `None`: anything fits.
    any_of: Option<Vec<CompiledPattern>>,
    any_case: bool,
}

impl Matcher {
    /// Compiles patterns; without any, everything fits.
    ///
    /// # Errors
    /// Returns what is wrong with a pattern.
    pub(super) fn new(patterns: Option<&Patterns>, any_case: bool) -> Result<Matcher, String> {
        let any_of = patterns.map(|patterns| patterns.texts().iter().map(|text| one(text, any_case)).collect());
        Ok(Matcher { any_of: any_of.transpose()?, any_case })
    }

    /// Whether a string matches. A regular expression that exceeds its limits does not match.
    pub(super) fn fits(&self, text: &str) -> bool {
        let Some(any_of) = &self.any_of else { return true };
        any_of.iter().any(|one| match one {
            CompiledPattern::Text(wanted) if self.any_case => wanted.eq_ignore_ascii_case(text),
            CompiledPattern::Text(wanted) => wanted == text,
            CompiledPattern::Glob(glob) => glob.is_match(text),
            CompiledPattern::Regexp(regexp) => regexp.is_match(text).unwrap_or(false),
        })
    }
}

fn one(text: &str, any_case: bool) -> Result<CompiledPattern, String> {
    if let Some(source) = text.strip_prefix('~') {
        let source = source.trim_start();
        let source = if any_case { format!("(?i){source}") } else { source.to_owned() };
        return regexp(&source).map(CompiledPattern::Regexp);
    }
    if !text.contains(['*', '?', '[', '{', '\\']) {
        return Ok(CompiledPattern::Text(text.to_owned()));
    }
    globs::matcher(text, any_case).map(CompiledPattern::Glob)
}

/// A regular expression that compiles.
pub(super) fn regexp(source: &str) -> Result<Regexp, String> {
    let regexp = Regexp::new(source);
    regexp.check().map_err(|error| error.message().to_owned())?;
    Ok(regexp)
}
