//! Rhai's errors as diagnostics: message, position in the script, the calls that led there.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::LexError;
use rhai::ParseErrorType;
use rhai::Position;

use crate::bridge::HashHandle;
use crate::entry::Refusal;
use crate::host::HostFailure;
use crate::limits::TIMED_OUT;
use crate::limits::TOO_MANY_STEPS;
use crate::missing_key;
use crate::missing_key::MissingEntry;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Reason;
use catwalk_base::diag::render;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_resource_api::Failure;

/// The diagnostic of an error that came out of a script. `file` is the script that was entered.
pub(super) fn diagnostic(error: &EvalAltResult, file: FileId, sources: &SourceMap) -> Box<Diagnostic> {
    let mut frames = Vec::new();
    let mut current = error;
    let mut current_file = file;
    loop {
        match current {
            EvalAltResult::ErrorInFunctionCall(name, source, inner, at) => {
                let callee = match name.starts_with("anon$") {
                    true => "a block of the script".to_owned(),
                    false => format!("script function '{name}'"),
                };
                if let Some(span) = span(*at, current_file, sources) {
                    frames.push(Frame { callee: Cow::Owned(callee), span: Some(span) });
                }
                current_file = find_source(source, current_file, sources);
                current = inner;
            }
            EvalAltResult::ErrorInModule(name, inner, _) => {
                current_file = find_source(name, current_file, sources);
                current = inner;
            }
            _ => break,
        }
    }
    let (code, mut message, mut help) = describe(current);
    if let EvalAltResult::ErrorVariableNotFound(name, _) = current {
        help = help.or_else(|| similar_word(name, current_file, sources).map(Cow::Owned));
    }
    if let Some((entry, subject)) = missing_entry(current, current_file, sources) {
        let (key, alternatives) = (&entry.key, entry.alternatives());
        message = Cow::Owned(match subject {
            Subject::Entry(path) => format!("`{path}`: there is no entry `{key}`; {alternatives}"),
            Subject::Other(path) => format!("`{path}` is (): there is no entry `{key}`; {alternatives}"),
            Subject::Unknown => format!("{message}: there is no entry `{key}`; {alternatives}"),
        });
        let optional = "a missing entry is (); `?.` in place of `.` ends with () there".to_owned();
        help = Some(Cow::Owned(entry.suggestion().unwrap_or(optional)));
    }
    let reason = match refusal(current) {
        Some(text) => Reason::untrusted(text.to_string()),
        None => Reason { help, ..Reason::new(code, message) },
    };
    // An error without a position is about the whole script.
    let at = span(current.position(), current_file, sources).unwrap_or(Span::new(current_file, 0, 0));
    let mut diagnostic = Diagnostic::new(reason, Some(at));
    frames.reverse();
    diagnostic.trace = without_repetition(frames);
    Box::new(diagnostic)
}

/// What a script used although it is `()`.
enum Subject {
    /// The expression ends with the missing entry: `node.facts.dc`.
    Entry(String),
    /// A variable or another expression.
    Other(String),
    Unknown,
}

/// The missing entry that explains an error about `()`: operators, properties and methods that it does not have are often those of a
/// fact that is misspelled.
fn missing_entry(error: &EvalAltResult, file: FileId, sources: &SourceMap) -> Option<(MissingEntry, Subject)> {
    let is_about_unit = match error {
        EvalAltResult::ErrorFunctionNotFound(..)
        | EvalAltResult::ErrorDotExpr(..)
        | EvalAltResult::ErrorPropertyNotFound(..)
        | EvalAltResult::ErrorIndexingType(..)
        | EvalAltResult::ErrorMismatchDataType(..)
        | EvalAltResult::ErrorFor(_) => {
            rhai_message(error).contains("()") || matches!(error, EvalAltResult::ErrorFor(_))
        }
        _ => false,
    };
    if !is_about_unit {
        return None;
    }
    let entry = missing_key::take()?;
    let subject = expression_before(error.position(), file, sources);
    let subject = match subject {
        Some(path) if path.trim_end_matches(['"', '\'', ']']).ends_with(entry.key.as_str()) => Subject::Entry(path),
        Some(path) => Subject::Other(path),
        None => Subject::Unknown,
    };
    Some((entry, subject))
}

/// The expression whose property or method is at a position: names, dots and brackets before it.
fn expression_before(at: Position, file: FileId, sources: &SourceMap) -> Option<String> {
    let source = sources.get(file)?;
    let end = source.offset(at.line()?, at.position()?)?;
    let start = source.offset(at.line()?, 1)?;
    let before = source.text.get(start..end)?.trim_end().strip_suffix('.')?.trim_end_matches('?');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '[' | ']' | '"');
    let length: usize = before.chars().rev().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    let expression = before.get(before.len() - length..)?.trim_start_matches('.');
    (!expression.is_empty()).then(|| expression.to_owned())
}

/// The message of a forbidden attempt that an entry failed with.
fn refusal(error: &EvalAltResult) -> Option<Arc<str>> {
    match error {
        EvalAltResult::ErrorRuntime(thrown, _) => thrown.read_lock::<Refusal>().map(|refusal| refusal.0.clone()),
        _ => None,
    }
}

/// The name in the script that is most similar to an unknown variable.
fn similar_word(name: &str, file: FileId, sources: &SourceMap) -> Option<String> {
    let source = sources.get(file)?;
    let words = source.text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1);
    did_you_mean(name, words)
}

/// The maximum number of calls that an error shows.
const MAX_CALLS: usize = 16;

/// The calls without repetition: equal ones in a row, as those of a recursion, are shown once, and of many calls those in the
/// middle are left out.
fn without_repetition(frames: Vec<Frame>) -> Vec<Frame> {
    let mut calls: Vec<(Frame, usize)> = Vec::new();
    for frame in frames {
        match calls.last_mut() {
            Some((last, times)) if last.callee == frame.callee && last.span == frame.span => *times += 1,
            _ => calls.push((frame, 1)),
        }
    }
    let merged = |(frame, times): (Frame, usize)| match times {
        1 => frame,
        times => Frame { callee: Cow::Owned(format!("{} ({times} times)", frame.callee)), ..frame },
    };
    let mut frames: Vec<Frame> = calls.into_iter().map(merged).collect();
    let more = frames.len().saturating_sub(MAX_CALLS);
    if more > 1 {
        // The first calls are near the error, the last ones near the entry.
        let callee = Cow::Owned(format!("{more} more calls"));
        frames.splice(MAX_CALLS / 2..MAX_CALLS / 2 + more, [Frame { callee, span: None }]);
    }
    frames
}

/// Whether an error ends the whole run of a catalog: a limit, or one that `try` does not catch either.
pub(super) fn is_fatal(error: &EvalAltResult) -> bool {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            is_fatal(inner)
        }
        EvalAltResult::ErrorParsing(..) | EvalAltResult::ErrorSystem(..) => false,
        error => crate::state::has_terminated() || !error.is_catchable(),
    }
}

/// An error as the failure of a provider: its message is only the thrown string; the position and the calls are its trace.
pub(super) fn failure(error: &EvalAltResult, file: FileId, sources: &SourceMap) -> Failure {
    let is_fatal = is_fatal(error);
    let diagnostic = diagnostic(error, file, sources);
    let locate = |span: Span| {
        let position = sources.locate(span);
        position.map(|(source, line, column)| format!("{}:{line}:{column}", source.name)).unwrap_or_default()
    };
    let excerpt = render::excerpt(&diagnostic, sources);
    let mut trace: Vec<String> = diagnostic.span.iter().map(|span| format!("at {}", locate(*span))).collect();
    for frame in &diagnostic.trace {
        trace.push(match frame.span {
            Some(span) => format!("in {}, called at {}", frame.callee, locate(span)),
            None => format!("in {}", frame.callee),
        });
    }
    let message = message_of_map(error).unwrap_or_else(|| diagnostic.message.into_owned());
    Failure { message, trace, excerpt, is_fatal }
}

/// A diagnostic in one line, with its hint and its position.
pub(super) fn with_location(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let location = diagnostic.span.and_then(|span| sources.locate(span));
    let location = location.map(|(source, line, column)| format!(" ({}:{line}:{column})", sources.shown_name(&source)));
    let help = diagnostic.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{help}{}", diagnostic.message, location.unwrap_or_default())
}

/// `throw #{ message: "text" }`
fn message_of_map(error: &EvalAltResult) -> Option<String> {
    let value = match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            return message_of_map(inner);
        }
        EvalAltResult::ErrorRuntime(value, _) => value,
        _ => return None,
    };
    if let Some(map) = value.read_lock::<rhai::Map>() {
        return map.get("message").map(ToString::to_string);
    }
    let hash = value.read_lock::<HashHandle>()?;
    hash.0.get("message").map(|message| catwalk_value::ruby::to_s(message).into_owned())
}

/// The message of an error, without position and calls.
pub(super) fn message(error: &EvalAltResult) -> String {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            message(inner)
        }
        _ => describe(error).1.into_owned(),
    }
}

/// The failure of the host inside an error, if a Puppet function called by the script failed.
pub(super) fn host_failure(error: &EvalAltResult) -> Option<HostFailure> {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            host_failure(inner)
        }
        EvalAltResult::ErrorRuntime(value, _) | EvalAltResult::ErrorTerminated(value, _) => {
            value.clone().try_cast::<HostFailure>()
        }
        _ => None,
    }
}

fn describe(error: &EvalAltResult) -> (Code, Cow<'static, str>, Option<Cow<'static, str>>) {
    let limit = Code::SCRIPT_LIMIT;
    match error {
        EvalAltResult::ErrorParsing(kind, _) => {
            (Code::SCRIPT_SYNTAX, Cow::Owned(format!("{kind}")), reserved_word_help(kind).map(Cow::Owned))
        }
        EvalAltResult::ErrorRuntime(value, _) => {
            let text = match value.clone().try_cast::<HostFailure>() {
                Some(failure) => failure.1,
                None => thrown_string(value),
            };
            (Code::SCRIPT_FAILED, Cow::Owned(text), None)
        }
        EvalAltResult::ErrorTerminated(token, _) => {
            let why = if token.is_string() { token.to_string() } else { TIMED_OUT.to_owned() };
            let help = limit_help(&why);
            (limit, Cow::Owned(why), Some(Cow::Borrowed(help)))
        }
        EvalAltResult::ErrorStackOverflow(_) => {
            (limit, Cow::Borrowed("the script calls itself too deep (48 levels)"), None)
        }
        EvalAltResult::ErrorTooManyVariables(_) => {
            (limit, Cow::Borrowed("the script has too many variables at once"), None)
        }
        EvalAltResult::ErrorTooManyModules(_) => (limit, Cow::Borrowed("the script imports too many scripts"), None),
        EvalAltResult::ErrorDataTooLarge(kind, _) => (limit, Cow::Owned(format!("{kind} is too large")), None),
        EvalAltResult::ErrorDataRace(..) => (
            Code::SCRIPT_FAILED,
            Cow::Owned(rhai_message(error)),
            Some(Cow::Borrowed(
                "a block captured the variable whose method is being called: write method(variable, …) in place of variable.method(…), or copy it first",
            )),
        ),
        _ => (Code::SCRIPT_FAILED, Cow::Owned(rhai_message(error)), None),
    }
}

/// The maximum length in bytes of a thrown value in a message; a single string is printed whole.
const MAX_THROWN: usize = 1024;

/// A value that a script has thrown, as a string.
fn thrown_string(value: &Dynamic) -> String {
    /// Stops printing when the string is too long.
    struct TruncatedString(String);
    impl fmt::Write for TruncatedString {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let left = MAX_THROWN.saturating_sub(self.0.len());
            let end = (0..=left.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            self.0.push_str(text.get(..end).unwrap_or_default());
            if end < text.len() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    if value.is_string() {
        return value.to_string();
    }
    let mut truncated = TruncatedString(String::new());
    if fmt::write(&mut truncated, format_args!("{value}")).is_err() {
        truncated.0.push('…');
    }
    truncated.0
}

/// The help for an error of a limit.
fn limit_help(why: &str) -> &'static str {
    match why {
        TIMED_OUT => "a classifier may take 1 s for a node, a function 5 s; is there an endless loop?",
        TOO_MANY_STEPS => "is there an endless loop?",
        _ => "does it build a value in a loop?",
    }
}

/// The help for a word that Rhai reserves, or for a comment that it refuses.
pub(super) fn reserved_word_help(kind: &ParseErrorType) -> Option<String> {
    if *kind == ParseErrorType::WrongDocComment {
        return Some(
            "`///` is written directly above a function; documentation of the whole file begins with `//!`".to_owned(),
        );
    }
    if let ParseErrorType::BadInput(LexError::MalformedEscapeSequence(sequence)) = kind {
        let letter = sequence.trim_start_matches('\\');
        return Some(format!(
            "a backslash in a string is written twice: \"\\\\{letter}\"; between backticks it is written once: `\\{letter}`"
        ));
    }
    let ParseErrorType::Reserved(word) = kind else { return None };
    Some(format!(
        "Rhai keeps the word '{word}' for itself: a key is written h[\"{word}\"] or h.get(\"{word}\"), in a map literal \"{word}\": …; \
         variables, functions and parameters need another name"
    ))
}

/// Rhai's own message without its position.
fn rhai_message(error: &EvalAltResult) -> String {
    let text = error.to_string();
    match text.rfind(" (line ") {
        Some(at) => text.get(..at).unwrap_or(&text).to_owned(),
        None => text,
    }
}

fn find_source(source: &str, fallback: FileId, sources: &SourceMap) -> FileId {
    if source.is_empty() { fallback } else { sources.find(source).unwrap_or(fallback) }
}

/// Rhai returns line and column of one token: the span covers the word there.
pub(super) fn span(at: Position, file: FileId, sources: &SourceMap) -> Option<Span> {
    let line = at.line()?;
    let source = sources.get(file)?;
    let column = at.position().unwrap_or(1);
    let start = source.offset(line, column)?;
    let word = source.text.get(start..)?.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    Some(Span::new(file, start, start + word.max(1)))
}
