//! Compiled regular expressions: the engine of each, and a cache by source.
//!
//! In: sources. Out: programs that match, each compiled once. Must not: know values of the language.

use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;

use super::Kind;
use super::RegexpError;
use super::emit::Haystack;
use super::inspect;
use crate::cost;
use crate::emit;
use crate::parse;
use crate::step;
use crate::step::Code;
use catwalk_base::meter;

/// The size limit of a compiled pattern in bytes.
const SIZE_LIMIT: usize = 64 << 20;

/// The cost of building an engine in steps of [`meter`]: some hundredths of a millisecond.
const BUILD_COST: usize = 1 << 12;

/// The size limit of a compiled backtracking program in steps. Calls of groups (`\g<1>`) are expanded up to a depth, and may double
/// the size at each level.
const PROGRAM_LIMIT: usize = 500_000;

/// The weight up to which an engine never exceeds the size limit.
const SAFE_WEIGHT: usize = 200;

pub(super) struct Program {
    pub(super) engine: Engine,
    pub(super) names: Arc<[Option<String>]>,
    /// The size of the pattern; see `cost::weight`.
    pub(super) weight: usize,
}

pub(super) enum Engine {
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
    Stepwise(Box<Code>),
    /// Linear for strings without a newline, backtracking for others.
    ByNewlines {
        one_line: Box<Linear>,
        multi_line: Box<Backtracking>,
    },
}

/// The engine for a string.
pub(super) enum EngineRef<'p> {
    Linear(&'p Linear),
    Backtracking(&'p Backtracking),
    Stepwise(&'p Code),
}

/// The length in bytes above which newlines are searched only if the search starts at the beginning of the string: iterating over all
/// matches starts many searches.
const SHORT_LENGTH: usize = 4096;

impl Engine {
    /// The engine for a search of `text` from `start` on.
    pub(super) fn select(&self, text: &str, start: usize) -> EngineRef<'_> {
        match self {
            Engine::Linear(engine) => EngineRef::Linear(engine),
            Engine::Backtracking(engine) => EngineRef::Backtracking(engine),
            Engine::Stepwise(code) => EngineRef::Stepwise(code),
            Engine::ByNewlines { multi_line, .. } if start > 0 && text.len() > SHORT_LENGTH => {
                EngineRef::Backtracking(multi_line)
            }
            Engine::ByNewlines { multi_line, .. } if text.contains('\n') => EngineRef::Backtracking(multi_line),
            Engine::ByNewlines { one_line, .. } => EngineRef::Linear(one_line),
        }
    }
}

/// The linear-time engine. Most patterns of manifests are never used, so a small pattern, which cannot exceed the size limit, is
/// compiled on first use.
pub(super) struct Linear {
    pub(super) pattern: String,
    pub(super) engine: OnceLock<Result<regex::Regex, &'static str>>,
}

impl Linear {
    pub(super) fn engine(&self, source: &str) -> Result<&regex::Regex, RegexpError> {
        let build = || {
            meter::tick(BUILD_COST);
            match regex::RegexBuilder::new(&self.pattern).size_limit(SIZE_LIMIT).nest_limit(1500).build() {
                Ok(engine) => Ok(engine),
                Err(regex::Error::CompiledTooBig(_)) => Err("regular expression of this size"),
                Err(_) => Err("this regular expression"),
            }
        };
        self.engine.get_or_init(build).as_ref().map_err(|why| unsupported(why, source))
    }
}

/// The backtracking engines of a pattern: one for each limit of steps.
pub(super) struct Backtracking {
    pub(super) engines: [OnceLock<Option<fancy_regex::Regex>>; cost::STEP_LIMITS.len()],
    pub(super) pattern: String,
    pub(super) reads_far: bool,
}

impl Backtracking {
    /// The engine for a string of this length; `None` if the string is too long.
    pub(super) fn select(&self, len: usize) -> Option<&fancy_regex::Regex> {
        let tier = if self.reads_far { cost::STEP_LIMITS.iter().position(|(longest, _)| len <= *longest)? } else { 0 };
        if len > 2_000 {
            // These searches may be slow, so each checks the time limit first.
            meter::tick(1 << 20);
        }
        self.engine(tier)?.as_ref()
    }

    pub(super) fn engine(&self, tier: usize) -> Option<&Option<fancy_regex::Regex>> {
        let (_, steps) = cost::STEP_LIMITS.get(tier)?;
        let build = || {
            let mut builder = fancy_regex::RegexBuilder::new(&self.pattern);
            builder.backtrack_limit(*steps).delegate_size_limit(SIZE_LIMIT).max_prog_size(PROGRAM_LIMIT).build().ok()
        };
        Some(self.engines.get(tier)?.get_or_init(build))
    }
}

/// A short description of the engine's error.
pub(super) fn describe(error: &fancy_regex::Error) -> &'static str {
    match error {
        fancy_regex::Error::RuntimeError(fancy_regex::RuntimeError::BacktrackLimitExceeded) => "too many steps",
        fancy_regex::Error::RuntimeError(_) => "too deep a match",
        _ => "not supported by the engine",
    }
}

/// The number of compiled patterns in the cache. It is limited because patterns from data may all differ.
const MAX_CACHED: usize = 4096;

/// The limit of the weights of all cached patterns.
const MAX_CACHED_WEIGHT: usize = 2_000_000;

static PROGRAMS: LazyLock<RwLock<ProgramCache>> = LazyLock::new(RwLock::default);

/// The number of sessions that keep the cached patterns.
static KEEPERS: AtomicUsize = AtomicUsize::new(0);

/// Keeps compiled patterns as long as it exists. Patterns may contain secrets: they are dropped with the last of these values.
#[derive(Debug)]
pub struct PatternKeeper(());

impl Default for PatternKeeper {
    fn default() -> PatternKeeper {
        KEEPERS.fetch_add(1, Ordering::SeqCst);
        PatternKeeper(())
    }
}

impl Drop for PatternKeeper {
    fn drop(&mut self) {
        if KEEPERS.fetch_sub(1, Ordering::SeqCst) == 1 {
            *PROGRAMS.write() = ProgramCache::default();
        }
    }
}

/// The program of a source, from the cache if possible: functions often build the same pattern again.
pub(super) fn compile_cached(source: &str) -> Arc<Result<Program, RegexpError>> {
    if let Some(program) = PROGRAMS.read().table.get(source) {
        return Arc::clone(program);
    }
    let program = Arc::new(compile(source));
    let mut programs = PROGRAMS.write();
    let weight = program.as_ref().as_ref().map_or(0, |program| program.weight);
    if programs.table.len() >= MAX_CACHED || programs.weight.saturating_add(weight) > MAX_CACHED_WEIGHT {
        *programs = ProgramCache::default();
    }
    programs.weight = programs.weight.saturating_add(weight);
    programs.table.insert(source.into(), Arc::clone(&program));
    program
}

fn compile(source: &str) -> Result<Program, RegexpError> {
    meter::tick(BUILD_COST);
    let pattern = parse::parse(source).map_err(|message| malformed(&message, source))?;
    let emitted = emit::emit(&pattern, Haystack::Any);
    let names = emitted.names.clone().into();
    let weight = cost::weight(&pattern.root);
    // An approximation of the size of an engine's tables.
    meter::charge(weight.saturating_mul(200));
    if !emitted.fancy {
        let linear = Linear { pattern: emitted.pattern, engine: OnceLock::new() };
        if weight > SAFE_WEIGHT {
            linear.engine(source)?;
        }
        return Ok(Program { engine: Engine::Linear(Box::new(linear)), names, weight });
    }
    let stepwise = || step::compile(&pattern, &emitted.numbers).map(|code| Engine::Stepwise(Box::new(code)));
    let too_large = || unsupported("regular expression of this size", source);
    if emitted.stepwise {
        return Ok(Program { engine: stepwise().ok_or_else(too_large)?, names, weight });
    }
    let one_line = emit::emit(&pattern, Haystack::OneLine);
    let one_line = (!one_line.fancy && weight <= SAFE_WEIGHT)
        .then(|| Box::new(Linear { pattern: one_line.pattern, engine: OnceLock::new() }));
    let engine = Backtracking {
        engines: Default::default(),
        pattern: emitted.pattern.clone(),
        reads_far: cost::reads_far(&pattern.root),
    };
    match (engine.engine(0), one_line) {
        (Some(Some(_)), Some(one_line)) => {
            Ok(Program { engine: Engine::ByNewlines { one_line, multi_line: Box::new(engine) }, names, weight })
        }
        (Some(Some(_)), None) => Ok(Program { engine: Engine::Backtracking(Box::new(engine)), names, weight }),
        _ => Ok(Program { engine: stepwise().ok_or_else(too_large)?, names, weight }),
    }
}

/// Whether searches of a string without a newline need backtracking.
pub(super) fn needs_backtracking(source: &str) -> Result<bool, RegexpError> {
    let pattern = parse::parse(source).map_err(|message| malformed(&message, source))?;
    let emitted = emit::emit(&pattern, Haystack::OneLine);
    Ok(emitted.fancy || emitted.stepwise)
}

fn malformed(message: &str, source: &str) -> RegexpError {
    RegexpError::new(format!("{message}: {}", inspect(source)))
}

fn unsupported(feature: &str, source: &str) -> RegexpError {
    RegexpError::with_kind(Kind::Unsupported, format!("not supported yet: {feature}: {}", inspect(source)))
}

/// The cache: compiled patterns by source. Its hash function is seeded, because sources may come from data.
#[derive(Default)]
struct ProgramCache {
    table: HashMap<Box<str>, Arc<Result<Program, RegexpError>>>,
    weight: usize,
}
