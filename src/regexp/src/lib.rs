//! Ruby regular expressions: they match for Puppet's `/…/`, `Pattern` and `Regexp`, and for functions and Ruby code.
//!
//! In: the source of a Ruby regular expression and a string. Out: matches with byte offsets, the results of replacing and splitting,
//! Ruby's message for a malformed expression. Must not know: Puppet values, diagnostics, positions in a manifest.
//!
//! `parse`, `class` and `emit` translate the source for the first of three engines that supports the pattern:
//!
//! | engine | time | for |
//! |---|---|---|
//! | the crate `regex` | linear | patterns that it can express, and those that it can express for strings without a newline |
//! | the crate `fancy-regex` | backtracking, limited | backreferences, look-arounds, atomic groups |
//! | `step` | backtracking, limited | calls of groups, conditions, references with levels, absence operators |

mod captures;
mod class;
mod cost;
mod emit;
mod parse;
mod program;
mod replace;
mod split;
mod step;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::OnceLock;

pub use captures::Captures;
pub use captures::CapturesIter;
use captures::SearchBuffer;
pub use captures::Spans;
use catwalk_base::meter;
use program::EngineRef;
pub use program::PatternKeeper;
use program::Program;
use program::compile_cached;
use program::describe;
pub use text::escape;
pub use text::escape_slashes;
pub use text::inspect;
pub use text::to_s;

/// A Ruby regular expression. It is translated on first use. Two expressions are equal if their sources are equal, as in Puppet.
pub struct Regexp {
    source: Box<str>,
    program: OnceLock<Arc<Result<Program, RegexpError>>>,
}

/// Why a regular expression cannot be used: the message of Ruby's `RegexpError` or `IndexError`, or that it took too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegexpError {
    message: String,
    kind: Kind,
}

/// The kind of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ruby's `RegexpError`.
    Malformed,
    /// Ruby's `IndexError`: a group that does not exist.
    UndefinedGroup,
    /// Catwalk's: the feature is not supported.
    Unsupported,
    /// Catwalk's: the search took too long.
    LimitExceeded,
}

impl RegexpError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: Kind::Malformed }
    }

    fn with_kind(kind: Kind, message: impl Into<String>) -> Self {
        Self { message: message.into(), kind }
    }

    /// The kind of the error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Ruby's message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RegexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RegexpError {}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Regexp({})", self.to_puppet_source())
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Regexp {}

impl Clone for Regexp {
    fn clone(&self) -> Self {
        Self::new(&*self.source)
    }
}

impl Hash for Regexp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl Regexp {
    /// The regular expression with this source: what is between the slashes, with `\/` replaced by `/`. It never fails:
    /// [`Regexp::check`] checks the source.
    pub fn new(source: impl Into<Box<str>>) -> Self {
        Self { source: source.into(), program: OnceLock::new() }
    }

    /// A regular expression whose every use fails with this message; output contains `source`.
    pub fn unusable(source: impl Into<Box<str>>, message: impl Into<String>) -> Self {
        let program = Arc::new(Err(RegexpError::new(message)));
        Self { source: source.into(), program: OnceLock::from(program) }
    }

    /// The source, unchanged.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Checks that the source is a well-formed Ruby regular expression that Catwalk supports.
    /// # Errors
    /// The message of Ruby's `RegexpError`, for example ``premature end of char-class: /[a/``.
    pub fn check(&self) -> Result<(), RegexpError> {
        self.program().map(|_| ())
    }

    /// Whether searches of a string without a newline need backtracking: for look-arounds, backreferences, atomic groups and the like.
    /// # Errors
    /// As [`Regexp::check`].
    pub fn needs_backtracking(&self) -> Result<bool, RegexpError> {
        self.program()?;
        program::needs_backtracking(&self.source)
    }

    /// Whether the expression matches anywhere in `text`.
    /// # Errors
    /// As [`Regexp::check`], or when the search takes too many steps.
    pub fn is_match(&self, text: &str) -> Result<bool, RegexpError> {
        let program = self.program()?;
        let found = match program.engine.select(text, 0) {
            EngineRef::Linear(engine) => self
                .check_length(program, text.len())
                .and_then(|()| engine.engine(&self.source))
                .map(|engine| engine.is_match(text)),
            EngineRef::Backtracking(engine) => engine
                .select(text.len())
                .ok_or_else(|| self.limit_exceeded(TOO_LONG))
                .and_then(|engine| engine.is_match(text).map_err(|error| self.engine_error(&error))),
            EngineRef::Stepwise(code) => self.search_stepwise(code, text, 0).map(|found| found.is_some()),
        };
        // A type check cannot return an error, and an error is not the same as no match.
        found.inspect_err(|_| meter::stop_search())
    }

    /// The first match in `text`.
    /// # Errors
    /// As [`Regexp::is_match`].
    pub fn captures<'t>(&self, text: &'t str) -> Result<Option<Captures<'t>>, RegexpError> {
        self.captures_at(text, 0)
    }

    /// The first match that starts at or after byte `start`; `^`, `\b` and look-behinds see the characters before `start`.
    /// # Errors
    /// As [`Regexp::is_match`].
    pub fn captures_at<'t>(&self, text: &'t str, start: usize) -> Result<Option<Captures<'t>>, RegexpError> {
        self.captures_with(text, start, &mut SearchBuffer::default())
    }

    /// [`Regexp::captures_at`] with a buffer from earlier searches of the same expression.
    fn captures_with<'t>(
        &self,
        text: &'t str,
        start: usize,
        buffer: &mut SearchBuffer,
    ) -> Result<Option<Captures<'t>>, RegexpError> {
        let program = self.program()?;
        if start > text.len() {
            return Ok(None);
        }
        let groups = program.names.len();
        let spans = match program.engine.select(text, start) {
            EngineRef::Linear(engine) => {
                self.check_length(program, text.len() - start)?;
                let engine = engine.engine(&self.source)?;
                if groups == 0 {
                    // The engine is much faster if groups are not needed.
                    engine.find_at(text, start).map(|found| vec![Some((found.start(), found.end()))])
                } else if buffer.locations.is_none() && !engine.is_match_at(text, start) {
                    // Positions of groups are computed and stored only if there is a match.
                    None
                } else {
                    let locations = buffer.locations.get_or_insert_with(|| engine.capture_locations());
                    let found = engine.captures_read_at(locations, text, start).is_some();
                    found.then(|| (0..=groups).map(|group| locations.get(group)).collect())
                }
            }
            EngineRef::Backtracking(engine) => engine
                .select(text.len() - start)
                .ok_or_else(|| self.limit_exceeded(TOO_LONG))?
                .captures_from_pos(text, start)
                .map_err(|error| self.engine_error(&error))?
                .map(|found| found.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()),
            EngineRef::Stepwise(code) => self.search_stepwise(code, text, start)?,
        };
        // The engines omit groups at the end that did not participate in the match.
        let spans = spans.map(|mut spans| {
            spans.resize(groups + 1, None);
            spans
        });
        Ok(spans.map(|spans| Captures { text, spans, names: Arc::clone(&program.names) }))
    }

    /// All matches from left to right, as Ruby's `scan` and `gsub` find them: after an empty match the search continues one character
    /// later, and an empty match may directly follow a longer match.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> CapturesIter<'r, 't> {
        CapturesIter { regexp: self, text, at: Some(0), buffer: SearchBuffer::default() }
    }

    /// The byte ranges of all matches, as [`Regexp::captures_iter`] finds them.
    pub fn find_iter<'r, 't>(
        &'r self,
        text: &'t str,
    ) -> impl Iterator<Item = Result<(usize, usize), RegexpError>> + use<'r, 't> {
        self.captures_iter(text).map(|found| found.map(|captures| (captures.start(), captures.end())))
    }

    /// The names of the groups by number, from group 1 on.
    /// # Errors
    /// As [`Regexp::check`].
    pub fn names(&self) -> Result<&[Option<String>], RegexpError> {
        self.program().map(|program| &*program.names)
    }

    /// The expression in Puppet's syntax: `/source/` with bare slashes escaped, as Ruby's `Regexp#inspect` does, which
    /// `PRegexpType.regexp_to_s_with_delimiters` calls.
    pub fn to_puppet_source(&self) -> String {
        // Ruby sets an encoding flag for an expression that is not all ASCII, and Puppet prints flags if any is set.
        if self.source.is_ascii() { inspect(&self.source) } else { format!("/{}/", to_s(&self.source, "")) }
    }

    /// The source, with flags if it is not all ASCII. (`PRegexpType.regexp_to_s`)
    #[must_use]
    pub fn source_with_options(&self) -> Cow<'_, str> {
        let source = self.source();
        if source.is_ascii() { Cow::Borrowed(source) } else { Cow::Owned(format!("(?-imx:{source})")) }
    }

    fn program(&self) -> Result<&Program, RegexpError> {
        (**self.program.get_or_init(|| compile_cached(&self.source))).as_ref().map_err(Clone::clone)
    }

    fn check_length(&self, program: &Program, len: usize) -> Result<(), RegexpError> {
        if cost::is_fast_enough(program.weight, len) { Ok(()) } else { Err(self.limit_exceeded(TOO_LONG)) }
    }

    fn engine_error(&self, error: &fancy_regex::Error) -> RegexpError {
        self.limit_exceeded(describe(error))
    }

    fn search_stepwise(&self, code: &step::Code, text: &str, start: usize) -> Result<Option<step::Spans>, RegexpError> {
        code.search(text, start).map_err(|why| match why {
            step::LimitExceeded::Steps => self.limit_exceeded("too many steps"),
            step::LimitExceeded::Depth => self.limit_exceeded("too deep a match"),
        })
    }

    fn limit_exceeded(&self, why: &str) -> RegexpError {
        RegexpError::with_kind(
            Kind::LimitExceeded,
            format!("regular expression stopped: {why}: {}", self.to_puppet_source()),
        )
    }
}

const TOO_LONG: &str = "the string is too long";
