//! Patterns of rules: a glob, or a regular expression after a tilde.

use std::fmt;

use globset::GlobMatcher;
use schemars::JsonSchema;
use serde::Deserialize;

use catwalk_base::globs;
use catwalk_regexp::Regexp;

/// One or several patterns, of which at least one must match: `"/tmp/*"`, `"~ ^/tmp/"`, `["ntp", "chrony*"]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Patterns {
    /// One pattern.
    One(String),
    /// Several patterns.
    Several(Vec<String>),
}

impl Patterns {
    /// A single pattern.
    #[must_use]
    pub fn one(pattern: &str) -> Patterns {
        Patterns::One(pattern.to_owned())
    }

    fn as_slice(&self) -> &[String] {
        match self {
            Patterns::One(pattern) => std::slice::from_ref(pattern),
            Patterns::Several(patterns) => patterns,
        }
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Patterns::One(pattern) => write!(f, "{pattern:?}"),
            Patterns::Several(patterns) => write!(f, "{patterns:?}"),
        }
    }
}

enum CompiledPattern {
    Literal(String),
    Glob(GlobMatcher),
    Regexp(Regexp),
}

/// Compiled patterns.
pub(super) struct Matcher {
    /// `None`: any string matches.
    any_of: Option<Vec<CompiledPattern>>,
    any_case: bool,
}

impl Matcher {
    /// Compiles patterns. `None`: any string matches.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub(super) fn new(patterns: Option<&Patterns>, any_case: bool) -> Result<Matcher, String> {
        let any_of =
            patterns.map(|patterns| patterns.as_slice().iter().map(|pattern| compile(pattern, any_case)).collect());
        Ok(Matcher { any_of: any_of.transpose()?, any_case })
    }

    /// Whether a string matches. A regular expression that exceeds its limits does not match.
    pub(super) fn matches(&self, string: &str) -> bool {
        let Some(any_of) = &self.any_of else { return true };
        any_of.iter().any(|pattern| match pattern {
            CompiledPattern::Literal(literal) if self.any_case => literal.eq_ignore_ascii_case(string),
            CompiledPattern::Literal(literal) => literal == string,
            CompiledPattern::Glob(glob) => glob.is_match(string),
            CompiledPattern::Regexp(regexp) => regexp.is_match(string).unwrap_or(false),
        })
    }
}

fn compile(pattern: &str, any_case: bool) -> Result<CompiledPattern, String> {
    if let Some(source) = pattern.strip_prefix('~') {
        let source = source.trim_start();
        let source = if any_case { format!("(?i){source}") } else { source.to_owned() };
        return regexp(&source).map(CompiledPattern::Regexp);
    }
    if !pattern.contains(['*', '?', '[', '{', '\\']) {
        return Ok(CompiledPattern::Literal(pattern.to_owned()));
    }
    globs::matcher(pattern, any_case).map(CompiledPattern::Glob)
}

/// Compiles a regular expression.
pub(super) fn regexp(source: &str) -> Result<Regexp, String> {
    let regexp = Regexp::new(source);
    regexp.check().map_err(|error| error.message().to_owned())?;
    Ok(regexp)
}
