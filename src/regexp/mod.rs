//! Ruby regular expressions: what Puppet's `/…/`, `Pattern`, `Regexp` and the functions built on them match with.
//! In: the source of a Ruby regular expression and a text. Out: matches with byte offsets, replaced or split texts,
//! Ruby's own complaint about a malformed one. A translator (`parse`, `class`, `emit`) rewrites the source for two
//! engines: `regex` (linear time) where it can express the pattern, or can for texts without a newline and the text has none;
//! `fancy-regex` (backtracking, limited) otherwise.
//! Must not know: Puppet values, diagnostics, places in a manifest.

mod class;
mod cost;
mod emit;
mod parse;
mod replace;
mod split;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::RwLock;

use hashbrown::HashMap;

use crate::meter;
use emit::Texts;

/// Bytes a compiled pattern may take.
const SIZE_LIMIT: usize = 64 << 20;

/// Steps of a compiled backtracking program: calls of groups (`\g<1>`) are written out up to a depth, which may double at each
/// level.
const STEPS_LIMIT: usize = 500_000;

/// Up to this weight an engine never becomes too large.
const SURE_WEIGHT: usize = 200;

/// A Ruby regular expression. Cheap to make: nothing is translated before the first use.
/// Two are equal when their sources are, as Puppet compares them.
pub struct Regexp {
    source: Box<str>,
    program: OnceLock<Arc<Result<Program, RegexpError>>>,
}

struct Program {
    engine: Engine,
    names: Arc<[Option<String>]>,
    /// How big the pattern is.
    weight: usize,
}

enum Engine {
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
    /// Linear for texts without a newline.
    ByText {
        one_line: Box<Linear>,
        other: Box<Backtracking>,
    },
}

/// The engine for one text.
enum Chosen<'p> {
    Linear(&'p Linear),
    Backtracking(&'p Backtracking),
}

/// In longer texts newlines are looked for only where a search starts at the beginning: a walk over all matches starts many.
const SHORT: usize = 4096;

impl Engine {
    /// The engine for a search in this text from `start` on.
    fn of(&self, text: &str, start: usize) -> Chosen<'_> {
        match self {
            Engine::Linear(engine) => Chosen::Linear(engine),
            Engine::Backtracking(engine) => Chosen::Backtracking(engine),
            Engine::ByText { other, .. } if start > 0 && text.len() > SHORT => Chosen::Backtracking(other),
            Engine::ByText { other, .. } if text.contains('\n') => Chosen::Backtracking(other),
            Engine::ByText { one_line, .. } => Chosen::Linear(one_line),
        }
    }
}

/// The engine without backtracking. Most patterns of manifests are never asked, so that a small one, whose engine is sure to
/// be had, waits for its first text.
struct Linear {
    text: String,
    engine: OnceLock<Result<regex::Regex, &'static str>>,
}

impl Linear {
    fn engine(&self, source: &str) -> Result<&regex::Regex, RegexpError> {
        let build = || match regex::RegexBuilder::new(&self.text).size_limit(SIZE_LIMIT).nest_limit(1500).build() {
            Ok(engine) => Ok(engine),
            Err(regex::Error::CompiledTooBig(_)) => Err("not supported yet: regular expression of this size"),
            Err(_) => Err("not supported yet: this regular expression"),
        };
        self.engine.get_or_init(build).as_ref().map_err(|why| refused(why, source))
    }
}

/// The backtracking engine for a pattern: one for each number of steps that it may take.
struct Backtracking {
    engines: [OnceLock<Option<fancy_regex::Regex>>; cost::STEPS.len()],
    text: String,
    looks_far: bool,
}

impl Backtracking {
    /// The engine for a text of this length; `None`: the text is too long.
    fn of(&self, len: usize) -> Option<&fancy_regex::Regex> {
        let tier = if self.looks_far { cost::STEPS.iter().position(|(longest, _)| len <= *longest)? } else { 0 };
        if len > 2_000 {
            // Such a search may take long: the clock is looked at before each.
            meter::tick(1 << 20);
        }
        self.engine(tier)?.as_ref()
    }

    fn engine(&self, tier: usize) -> Option<&Option<fancy_regex::Regex>> {
        let (_, steps) = cost::STEPS.get(tier)?;
        let build = || {
            let mut builder = fancy_regex::RegexBuilder::new(&self.text);
            builder.backtrack_limit(*steps).delegate_size_limit(SIZE_LIMIT).max_prog_size(STEPS_LIMIT).build().ok()
        };
        Some(self.engines.get(tier)?.get_or_init(build))
    }
}

/// Why a regular expression cannot be used: Ruby's `RegexpError` or `IndexError` text, or that it took too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegexpError {
    message: String,
}

impl RegexpError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The text, as Ruby words it.
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
    /// The regular expression with this source (the text between the slashes, `\/` already read as `/`).
    /// Never fails: ask [`Regexp::check`] whether the source is well formed.
    pub fn new(source: impl Into<Box<str>>) -> Self {
        Self { source: source.into(), program: OnceLock::new() }
    }

    /// What was given for a regular expression and is none: whoever uses it is told this.
    pub fn unusable(shown: impl Into<Box<str>>, message: impl Into<String>) -> Self {
        let program = Arc::new(Err(RegexpError::new(message)));
        Self { source: shown.into(), program: OnceLock::from(program) }
    }

    /// The source, as given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the source is a well formed Ruby regular expression that this program supports.
    /// # Errors
    /// The message of Ruby's `RegexpError`, for example ``premature end of char-class: /[a/``.
    pub fn check(&self) -> Result<(), RegexpError> {
        self.program().map(|_| ())
    }

    /// Whether it matches anywhere in `text`.
    /// # Errors
    /// As [`Regexp::check`], or when the search takes too many steps.
    pub fn is_match(&self, text: &str) -> Result<bool, RegexpError> {
        let program = self.program()?;
        let found = match program.engine.of(text, 0) {
            Chosen::Linear(engine) => self
                .admit(program, text.len())
                .and_then(|()| engine.engine(&self.source))
                .map(|engine| engine.is_match(text)),
            Chosen::Backtracking(engine) => engine
                .of(text.len())
                .ok_or_else(|| self.gave_up(TOO_LONG_TEXT))
                .and_then(|engine| engine.is_match(text).map_err(|error| self.too_long(&error))),
        };
        // Who asks whether a value is of a type cannot pass an error on, and must not take it for a no.
        found.inspect_err(|_| meter::gave_up())
    }

    /// The first match in `text`.
    /// # Errors
    /// As [`Regexp::is_match`].
    pub fn captures<'t>(&self, text: &'t str) -> Result<Option<Captures<'t>>, RegexpError> {
        self.captures_at(text, 0)
    }

    /// The first match that starts at or after byte `start`; what lies before is still seen by `^`, `\b` and look-behind.
    /// # Errors
    /// As [`Regexp::is_match`].
    pub fn captures_at<'t>(&self, text: &'t str, start: usize) -> Result<Option<Captures<'t>>, RegexpError> {
        let program = self.program()?;
        if start > text.len() {
            return Ok(None);
        }
        let spans = match program.engine.of(text, start) {
            Chosen::Linear(engine) => {
                self.admit(program, text.len() - start)?;
                engine
                    .engine(&self.source)?
                    .captures_at(text, start)
                    .map(|found| found.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect())
            }
            Chosen::Backtracking(engine) => engine
                .of(text.len() - start)
                .ok_or_else(|| self.gave_up(TOO_LONG_TEXT))?
                .captures_from_pos(text, start)
                .map_err(|error| self.too_long(&error))?
                .map(|found| found.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()),
        };
        Ok(spans.map(|spans| Captures { text, spans, names: Arc::clone(&program.names) }))
    }

    /// All matches, left to right, as Ruby's `scan` and `gsub` walk: behind an empty match the search goes on one
    /// character later, and an empty match may follow a longer one directly.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> CapturesIter<'r, 't> {
        CapturesIter { regexp: self, text, at: Some(0) }
    }

    /// Byte ranges of all matches, as [`Regexp::captures_iter`] finds them.
    pub fn find_iter<'r, 't>(
        &'r self,
        text: &'t str,
    ) -> impl Iterator<Item = Result<(usize, usize), RegexpError>> + use<'r, 't> {
        self.captures_iter(text).map(|found| found.map(|captures| (captures.start(), captures.end())))
    }

    /// Names of the groups in order of their numbers, from group 1 on.
    /// # Errors
    /// As [`Regexp::check`].
    pub fn names(&self) -> Result<&[Option<String>], RegexpError> {
        self.program().map(|program| &*program.names)
    }

    /// As Puppet prints it: `/source/` with bare slashes escaped (Ruby's `Regexp#inspect`, which
    /// `PRegexpType.regexp_to_s_with_delimiters` uses).
    pub fn to_puppet_source(&self) -> String {
        // Ruby marks an expression that is not all ASCII as bound to its encoding, and the reference then shows flags.
        if self.source.is_ascii() { inspect(&self.source) } else { format!("/{}/", to_s(&self.source, "")) }
    }

    /// Its source; beyond ASCII Ruby's expressions have an option, which shows. (`PRegexpType.regexp_to_s`)
    #[must_use]
    pub fn source_with_options(&self) -> Cow<'_, str> {
        let source = self.source();
        if source.is_ascii() { Cow::Borrowed(source) } else { Cow::Owned(format!("(?-imx:{source})")) }
    }

    fn program(&self) -> Result<&Program, RegexpError> {
        (**self.program.get_or_init(|| shared(&self.source))).as_ref().map_err(Clone::clone)
    }

    fn admit(&self, program: &Program, len: usize) -> Result<(), RegexpError> {
        if cost::is_bearable(program.weight, len) { Ok(()) } else { Err(self.gave_up(TOO_LONG_TEXT)) }
    }

    fn too_long(&self, error: &fancy_regex::Error) -> RegexpError {
        self.gave_up(describe(error))
    }

    fn gave_up(&self, why: &str) -> RegexpError {
        RegexpError::new(format!("regular expression gave up: {why}: {}", self.to_puppet_source()))
    }
}

/// Ruby's `Regexp#to_s`: flags around the source. Flags that the source itself starts with are taken into them.
pub fn to_s(source: &str, flags: &str) -> String {
    let mut on: Vec<char> = "mix".chars().filter(|flag| flags.contains(*flag)).collect();
    let mut rest = source;
    while let Some((set, unset, after)) = leading_flags(rest) {
        let apply = |on: &[char]| {
            "mix".chars().filter(|c| !unset.contains(*c) && (on.contains(c) || set.contains(*c))).collect::<Vec<_>>()
        };
        if let Some(after) = after.strip_prefix(')') {
            on = apply(&on);
            rest = after;
            continue;
        }
        // `(?i:…)` around all of it: what is inside must stand alone.
        let inner = after.strip_prefix(':').and_then(|inner| inner.strip_suffix(')'));
        if let Some(inner) = inner.filter(|inner| Regexp::new(*inner).check().is_ok()) {
            on = apply(&on);
            rest = inner;
        }
        break;
    }
    let off: String = "mix".chars().filter(|flag| !on.contains(flag)).collect();
    let dash = if off.is_empty() { "" } else { "-" };
    let on: String = on.into_iter().collect();
    format!("(?{on}{dash}{off}:{})", slashed(rest))
}

/// The flags of a source that starts with `(?flags` or `(?flags-flags`, and what follows them.
fn leading_flags(source: &str) -> Option<(&str, &str, &str)> {
    let rest = source.strip_prefix("(?").filter(|_| source.len() >= 4)?;
    let letters = |text: &str| text.find(|c| !"mix".contains(c)).unwrap_or(text.len());
    let (set, rest) = rest.split_at(letters(rest));
    let (unset, rest) = match rest.strip_prefix('-') {
        Some(rest) => rest.split_at(letters(rest)),
        None => ("", rest),
    };
    Some((set, unset, rest))
}

/// The source with its bare slashes escaped.
pub fn slashed(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            c => out.push(c),
        }
    }
    out
}

const TOO_LONG_TEXT: &str = "too long a text";

/// The engine's reason in a few words.
fn describe(error: &fancy_regex::Error) -> &'static str {
    match error {
        fancy_regex::Error::RuntimeError(fancy_regex::RuntimeError::BacktrackLimitExceeded) => "too many steps",
        fancy_regex::Error::RuntimeError(_) => "too deep a match",
        _ => "not supported by the engine",
    }
}

/// Quotes `text` so that it matches itself: Ruby's `Regexp.escape`.
pub fn escape(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^' | '$' | ' ' | '#' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\t' => quoted.push_str("\\t"),
            '\x0c' => quoted.push_str("\\f"),
            '\x0b' => quoted.push_str("\\v"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c => quoted.push(c),
        }
    }
    quoted
}

/// Ruby's `Regexp#inspect` for a pattern without flags. Only when something must be escaped does Ruby also escape
/// characters outside ASCII.
pub(crate) fn inspect(source: &str) -> String {
    let plain = |c: char| c != '/' && !c.is_ascii_control();
    if source.chars().all(plain) {
        return format!("/{source}/");
    }
    let mut text = String::with_capacity(source.len() + 8);
    text.push('/');
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                text.push(c);
                text.extend(chars.next());
            }
            '/' => text.push_str("\\/"),
            '\t' | '\n' | '\x0b' | '\x0c' | '\r' => text.push(c),
            c if c.is_ascii_control() => text.push_str(&format!("\\x{:02X}", u32::from(c))),
            c if c.is_ascii() => text.push(c),
            c if u32::from(c) > 0xffff => text.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => text.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    text.push('/');
    text
}

/// Sources kept compiled for the process; patterns made from data may all differ, so the table has a bound.
const KEPT: usize = 4096;

/// The sum of sizes of patterns that are kept.
const KEPT_WEIGHT: usize = 2_000_000;

/// The program of a source. Functions make the same pattern from the same text again and again: it is compiled once.
fn shared(source: &str) -> Arc<Result<Program, RegexpError>> {
    static PROGRAMS: LazyLock<RwLock<Programs>> = LazyLock::new(RwLock::default);
    if let Some(program) = PROGRAMS.read().unwrap_or_else(PoisonError::into_inner).table.get(source) {
        return Arc::clone(program);
    }
    let program = Arc::new(compile(source));
    let mut programs = PROGRAMS.write().unwrap_or_else(PoisonError::into_inner);
    let weight = program.as_ref().as_ref().map_or(0, |program| program.weight);
    if programs.table.len() >= KEPT || programs.weight.saturating_add(weight) > KEPT_WEIGHT {
        *programs = Programs::default();
    }
    programs.weight = programs.weight.saturating_add(weight);
    programs.table.insert(source.into(), Arc::clone(&program));
    program
}

fn compile(source: &str) -> Result<Program, RegexpError> {
    let pattern = parse::parse(source).map_err(|message| refused(&message, source))?;
    let emitted = emit::emit(&pattern, Texts::Any);
    let names = emitted.names.into();
    let weight = cost::weight(&pattern.root);
    // An engine's tables take about so much for each part.
    meter::charge(weight.saturating_mul(200));
    if !emitted.fancy {
        let linear = Linear { text: emitted.text, engine: OnceLock::new() };
        if weight > SURE_WEIGHT {
            linear.engine(source)?;
        }
        return Ok(Program { engine: Engine::Linear(Box::new(linear)), names, weight });
    }
    let one_line = emit::emit(&pattern, Texts::OneLine);
    let one_line = (!one_line.fancy && weight <= SURE_WEIGHT)
        .then(|| Box::new(Linear { text: one_line.text, engine: OnceLock::new() }));
    let engine =
        Backtracking { engines: Default::default(), text: emitted.text, looks_far: cost::looks_far(&pattern.root) };
    match (engine.engine(0), one_line) {
        (Some(Some(_)), Some(one_line)) => {
            Ok(Program { engine: Engine::ByText { one_line, other: Box::new(engine) }, names, weight })
        }
        (Some(Some(_)), None) => Ok(Program { engine: Engine::Backtracking(Box::new(engine)), names, weight }),
        _ => Err(refused("not supported yet: this regular expression", source)),
    }
}

fn refused(message: &str, source: &str) -> RegexpError {
    RegexpError::new(format!("{message}: {}", inspect(source)))
}

/// Compiled patterns by source. Hashing is seeded: sources may come from data.
#[derive(Default)]
struct Programs {
    table: HashMap<Box<str>, Arc<Result<Program, RegexpError>>>,
    weight: usize,
}

/// One match: byte offsets and texts of all groups, group 0 being the whole.
#[derive(Debug, Clone)]
pub struct Captures<'t> {
    text: &'t str,
    spans: Vec<Option<(usize, usize)>>,
    names: Arc<[Option<String>]>,
}

impl<'t> Captures<'t> {
    /// Byte offset where the match starts.
    pub fn start(&self) -> usize {
        self.span(0).map_or(0, |span| span.0)
    }

    /// Byte offset behind the match.
    pub fn end(&self) -> usize {
        self.span(0).map_or(0, |span| span.1)
    }

    /// The whole matched text.
    pub fn matched(&self) -> &'t str {
        self.get(0).unwrap_or("")
    }

    /// The text before the match (`$~.pre_match`).
    pub fn pre(&self) -> &'t str {
        self.text.get(..self.start()).unwrap_or("")
    }

    /// The text behind the match (`$~.post_match`).
    pub fn post(&self) -> &'t str {
        self.text.get(self.end()..).unwrap_or("")
    }

    /// Number of groups, group 0 included. Never 0, so there is no `is_empty`.
    #[allow(clippy::len_without_is_empty, reason = "a match always has group 0")]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Byte range of group `index`; nothing if it does not exist or took no part.
    pub fn span(&self, index: usize) -> Option<(usize, usize)> {
        self.spans.get(index).copied().flatten()
    }

    /// Text of group `index`; nothing if it does not exist or took no part.
    pub fn get(&self, index: usize) -> Option<&'t str> {
        self.span(index).and_then(|(start, end)| self.text.get(start..end))
    }

    /// Texts of all groups from group 0 on; `None` for those that took no part.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'t str>> + use<'_, 't> {
        (0..self.spans.len()).map(|index| self.get(index))
    }

    /// Text of the named group, with whether such a name exists: of groups with the same name the last that took part.
    pub fn name(&self, name: &str) -> Option<Option<&'t str>> {
        let mut found = None;
        for (index, _) in self.names.iter().enumerate().filter(|(_, group)| group.as_deref() == Some(name)) {
            let text = self.get(index + 1);
            if text.is_some() || found.is_none() {
                found = Some(text);
            }
        }
        found
    }
}

/// Iterator of [`Regexp::captures_iter`]; ends after the first error.
#[derive(Debug)]
pub struct CapturesIter<'r, 't> {
    regexp: &'r Regexp,
    text: &'t str,
    at: Option<usize>,
}

impl<'t> Iterator for CapturesIter<'_, 't> {
    type Item = Result<Captures<'t>, RegexpError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        match self.regexp.captures_at(self.text, at) {
            Err(error) => Some(Err(error)),
            Ok(None) => None,
            Ok(Some(captures)) => {
                let (start, end) = (captures.start(), captures.end());
                self.at = if start < end { Some(end) } else { next_char(self.text, end) };
                Some(Ok(captures))
            }
        }
    }
}

/// Offset behind the character at `at`; nothing at the end of the text.
fn next_char(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.chars().next().map(|c| at + c.len_utf8())
}
