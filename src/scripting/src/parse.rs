//! Parsing scripts within limits: size, counts that Rhai's parser takes quadratic time for, and time.
//!
//! In: source. Out: a tree, or an error. Every script is parsed here. Must not: run anything.

use std::cell::RefCell;
use std::time::Duration;
use std::time::Instant;

use rhai::AST;
use rhai::ASTNode;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::LexError;
use rhai::Stmt;
use rhai::Token;

use crate::error;
use crate::reserved_words;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;

/// The maximum size of a script in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The time limit of parsing a script.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Tokens for which Rhai's parser takes quadratic time, with how many a script may have (those in comments and strings are
/// included).
const MAX_OF_KIND: &[(&str, usize, &str)] =
    &[("=>", 4096, "cases of switch"), ("let ", 8192, "variables"), ("const ", 4096, "constants")];

/// The approximate maximum number of statements of a script that is optimized: Rhai's optimizer takes quadratic time and has no limit.
const MAX_OPTIMIZED: usize = 2000;

/// The script that is parsed.
struct Parsing {
    /// The time limit; `None` for a source that is only read.
    stop_at: Option<Instant>,
    /// The number of tokens so far.
    tokens: u32,
    words: reserved_words::Context,
}

impl Parsing {
    const fn new(stop_at: Option<Instant>) -> Parsing {
        Parsing { stop_at, tokens: 0, words: reserved_words::Context::new() }
    }
}

thread_local! {
    // The parser's hooks have no argument for it.
    static PARSING: RefCell<Parsing> = const { RefCell::new(Parsing::new(None)) };
}

/// Makes an engine check the time while it parses, and accept words that Rhai reserves.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
pub(super) fn limit(engine: &mut Engine) {
    engine.on_parse_token(|token, _, _| {
        PARSING.with_borrow_mut(|parsing| {
            parsing.tokens = parsing.tokens.wrapping_add(1);
            let is_due = parsing.tokens.is_multiple_of(64);
            if is_due && parsing.stop_at.is_some_and(|stop_at| Instant::now() > stop_at) {
                let text = format!("parsing the script takes longer than {} s", MAX_TIME.as_secs());
                return Token::LexError(Box::new(LexError::ImproperSymbol(String::new(), text)));
            }
            parsing.words.convert(token)
        })
    });
}

/// Checks a source before it is parsed.
///
/// # Errors
/// The script is too large.
fn check(text: &str) -> Result<(), Reason> {
    let fail = |text: String| {
        let help = "split it: move shared functions to scripts/lib, and data to Hiera";
        Err(Reason::new(Code::SCRIPT_LIMIT, text).help(help))
    };
    if text.len() > MAX_BYTES {
        return fail(format!("the script has more than {MAX_BYTES} bytes"));
    }
    for (token, max, description) in MAX_OF_KIND {
        if text.matches(token).count() > *max {
            return fail(format!("the script has more than {max} {description}"));
        }
    }
    Ok(())
}

/// Whether Rhai's optimizer is quick for a source. Other scripts run without it, which costs little.
pub(super) fn is_quick_to_optimize(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Each statement ends with one of the two or is a block; maps begin with `#{`.
    let ends = memchr::memchr2_iter(b';', b'{', bytes)
        .filter(|at| at.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&b'#'));
    ends.take(MAX_OPTIMIZED + 1).count() <= MAX_OPTIMIZED
}

/// Whether a script imports within a block, such as that of `try`. Rhai's optimizer removes such an import where the block does not use
/// it, so neither its error nor what the imported script does would be seen.
pub(super) fn imports_in_blocks(ast: &AST) -> bool {
    let mut found = false;
    ast.walk(&mut |nodes| {
        found |= nodes.len() > 1 && matches!(nodes.last(), Some(ASTNode::Stmt(Stmt::Import(..))));
        !found
    });
    found
}

/// Parses the script of a file.
///
/// # Errors
/// The script is too large, takes too long, or has syntax errors.
pub(super) fn parse(engine: &Engine, text: &str, file: FileId, sources: &SourceMap) -> Result<AST, Box<Diagnostic>> {
    check(text).map_err(|reason| Box::new(Diagnostic::new(reason, Some(Span::new(file, 0, 0)))))?;
    let before = PARSING.replace(Parsing::new(Some(Instant::now() + MAX_TIME)));
    let parsed = engine.compile(text);
    PARSING.set(before);
    parsed.map_err(|why| error::diagnostic(&EvalAltResult::from(why), file, sources))
}

/// A source without comments and white space, for comparison; `None` if it is not a script.
pub(super) fn compact(engine: &Engine, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| check(text).is_ok())?;
    let before = PARSING.replace(Parsing::new(None));
    let compact = engine.compact_script(text).ok();
    PARSING.set(before);
    compact
}
