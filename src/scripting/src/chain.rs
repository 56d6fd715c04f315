//! Call chains of errors that scripts cannot catch, such as those of limits.
//!
//! In: the functions of a parsed script. Out: functions that also record their current position when an error that no script can catch
//! passes through them; at the end of the entry, that error with the chain of calls. Must not: decide what a limit is.
//!
//! Rhai adds calls only to errors that scripts can catch. The others (time, steps, sizes, call levels) lose their position in each
//! function that they leave. So the body of every function is wrapped in a custom expression of the engine that sees each error first. Its
//! cost is a few steps of the engine for each call, and nothing for a statement.

use std::sync::Arc;

use rhai::AST;
use rhai::ASTNode;
use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::EvalContext;
use rhai::Expr;
use rhai::Expression;
use rhai::ImmutableString;
use rhai::Module;
use rhai::ParseError;
use rhai::ParseErrorType;
use rhai::Position;
use rhai::ScriptFuncDef;
use rhai::Shared;
use rhai::Stmt;
use rhai::StmtBlock;

use crate::error;
use crate::host::HostFailure;
use crate::limits;
use crate::state;

/// The keyword of the custom expression. In scripts it is reserved.
const KEYWORD: &str = "catwalk_function_body";
/// The source of a function whose body is the custom expression.
const TEMPLATE: &str = "fn f() { catwalk_function_body }";

/// The body of a function.
#[derive(Clone)]
pub(super) struct Body {
    statements: Arc<Expr>,
    function: ImmutableString,
    /// The path of the script.
    source: ImmutableString,
    start: Position,
}

/// The termination of an entry by a limit, or by another error that no script can catch.
pub(super) struct Termination {
    /// The message.
    message: String,
    /// The script and the position of the call, where a function of the API reached a limit.
    location: Option<(Option<String>, Position)>,
    /// The first error.
    root: Option<Box<EvalAltResult>>,
    /// The functions that the error has left so far, the innermost first.
    frames: Vec<Frame>,
    /// The call level of the last of these functions in the engine.
    level: usize,
}

/// A function that an error has left.
struct Frame {
    function: String,
    source: String,
    /// The position in the function: that of the call of the previous function, or of the error itself.
    position: Position,
}

/// Registers the custom expression in an engine.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
pub(super) fn register(engine: &mut Engine) {
    engine.register_custom_syntax_with_state_raw(
        KEYWORD,
        |_, _, state| match state::call(|call| call.next_body.take()) {
            Some(body) => {
                *state = Dynamic::from(body);
                Ok(None)
            }
            None => Err(ParseError(Box::new(ParseErrorType::Reserved(KEYWORD.to_owned())), Position::NONE)),
        },
        false,
        run,
    );
}

/// The functions of a script, each wrapped so that it records the position of an error that passes through it.
pub(super) fn wrap_functions(engine: &Engine, ast: &AST, source: &str) -> Shared<Module> {
    let mut module = Module::new();
    module.set_id(source);
    let source = ImmutableString::from(source);
    for function in ast.iter_fn_def() {
        module.set_script_fn(wrap_function(engine, function, &source).unwrap_or_else(|| function.clone()));
    }
    Shared::new(module)
}

/// A function whose body is in the custom expression; `None` if it has no body.
fn wrap_function(
    engine: &Engine,
    function: &Shared<ScriptFuncDef>,
    source: &ImmutableString,
) -> Option<Shared<ScriptFuncDef>> {
    // The type of a body has no public name: a tree with only this function exposes its statements, and a template provides
    // another body.
    let mut isolated = Module::new();
    isolated.set_script_fn(function.clone());
    let mut statements: Vec<Stmt> = Vec::new();
    AST::new(Vec::new(), Shared::new(isolated)).walk(&mut |nodes| {
        if let [ASTNode::Stmt(statement)] = nodes {
            statements.push((*statement).clone());
        }
        true
    });
    if statements.is_empty() {
        return None;
    }
    let start = function.body.start_position();
    let block = StmtBlock::new(statements, start, function.body.end_position());
    let statements = Arc::new(Expr::Stmt(Box::new(block)));
    let body = Body { statements, function: function.name.clone(), source: source.clone(), start };
    state::call(|call| call.next_body = Some(body));
    let template = engine.compile(TEMPLATE);
    state::call(|call| call.next_body = None);
    let body = template.ok()?.iter_fn_def().next()?.body.clone();
    Some(Shared::new(ScriptFuncDef { body, ..(**function).clone() }))
}

/// Runs the body of a function.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
fn run(
    context: &mut EvalContext<'_, '_, '_, '_, '_, '_>,
    _: &[Expression<'_>],
    state: &Dynamic,
) -> Result<Dynamic, Box<EvalAltResult>> {
    let Some(body) = state.read_lock::<Body>() else { return Ok(Dynamic::UNIT) };
    let statements = Expression::from(&*body.statements);
    // The block of the custom expression already removes the variables of the function.
    let result = limits::catch_limit(|| context.eval_expression_tree_raw(&statements, false));
    match result {
        // The engine would measure what a custom expression yields, but not what a function returns.
        Ok(value) if !state::has_terminated() && (value.is_array() || value.is_map() || value.is_blob()) => {
            Err(Box::new(EvalAltResult::Return(value, Position::NONE)))
        }
        Ok(value) if !state::has_terminated() => Ok(value),
        Err(error) if !state::has_terminated() && !is_uncatchable(&error) => Err(error),
        result => Err(record_exit(result, &body, context.call_level())),
    }
}

/// Whether an error is one that no script can catch.
fn is_uncatchable(error: &EvalAltResult) -> bool {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            is_uncatchable(inner)
        }
        // The compile reports it.
        EvalAltResult::ErrorTerminated(token, _) => !token.is::<HostFailure>(),
        error => error.is_system_exception(),
    }
}

/// Records that an error left a function, and returns the error that ends the script.
fn record_exit(result: Result<Dynamic, Box<EvalAltResult>>, body: &Body, level: usize) -> Box<EvalAltResult> {
    let error = match result {
        // The limit was reached in a call that cannot return an error.
        Ok(_) => termination_error(String::new(), Position::NONE),
        Err(error) => error,
    };
    let message = if state::has_terminated() { String::new() } else { error::message(&error) };
    state::entry(|entry| {
        let termination = entry.termination.get_or_insert_with(|| Termination::new(message, None));
        let position = if error.position().is_none() { body.start } else { error.position() };
        let (function, source) = (body.function.to_string(), body.source.to_string());
        if termination.root.is_none() {
            termination.begin(error, (function, source), body.start);
        } else if level < termination.level {
            termination.frames.push(Frame { function, source, position });
        } else {
            // A function of Rhai has ignored the error and called the next function.
            return;
        }
        termination.level = level;
    });
    limits::refuse_steps();
    termination_error(limit_reached().unwrap_or_default(), Position::NONE)
}

fn termination_error(why: String, at: Position) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorTerminated(why.into(), at))
}

impl Termination {
    fn new(message: String, location: Option<(Option<String>, Position)>) -> Termination {
        Termination { message, location, root: None, frames: Vec::new(), level: usize::MAX }
    }

    /// Records the innermost function and where the error in it happened.
    fn begin(&mut self, error: Box<EvalAltResult>, (function, source): (String, String), start: Position) {
        let mut calls = vec![Frame { function, source, position: start }];
        let mut current = error;
        loop {
            let (next, call) = match *current {
                EvalAltResult::ErrorInFunctionCall(function, source, inner, at) => (inner, (function, source, at)),
                EvalAltResult::ErrorInModule(path, inner, at) => (inner, (String::new(), path, at)),
                root => {
                    current = Box::new(root);
                    break;
                }
            };
            let (function, source, at) = call;
            if let Some(last) = calls.last_mut() {
                last.position = if at.is_none() { last.position } else { at };
            }
            calls.push(Frame { function, source, position: Position::NONE });
            current = next;
        }
        let location = self.location.take();
        if location.is_some() || !is_uncatchable(&current) {
            // What a script did after it had reached the limit does not matter.
            let at = location.as_ref().map_or(current.position(), |(_, at)| *at);
            current = termination_error(self.message.clone(), at);
        }
        if let Some(innermost) = calls.last_mut() {
            if let Some((Some(source), _)) = location {
                innermost.source = source;
            }
            if !current.position().is_none() {
                innermost.position = current.position();
            }
            current.set_position(innermost.position);
        }
        self.root = Some(current);
        calls.reverse();
        self.frames = calls;
    }

    /// The error with the calls that led to it. `error` is what came out of the engine.
    fn into_error(self, error: Option<&EvalAltResult>) -> Box<EvalAltResult> {
        let outermost = error.map_or(Position::NONE, EvalAltResult::position);
        let Some(root) = self.root else {
            // No function has recorded the error: it occurred at the top of the script, or in the function that was entered.
            let (source, position) = self.location.unwrap_or((None, outermost));
            let inner = termination_error(self.message, position);
            return match source {
                Some(source) => {
                    Box::new(EvalAltResult::ErrorInFunctionCall(String::new(), source, inner, Position::NONE))
                }
                None => inner,
            };
        };
        let mut calls = self.frames.iter().skip(1).map(|frame| frame.position).collect::<Vec<_>>();
        calls.push(outermost);
        self.frames.into_iter().zip(calls).fold(root, |inner, (frame, call)| {
            Box::new(EvalAltResult::ErrorInFunctionCall(frame.function, frame.source, inner, call))
        })
    }
}

/// Records the first limit that was reached, and the position if a function of the API reached it.
pub(super) fn record_limit(why: String, at: Option<(Option<String>, Position)>) {
    state::entry(|entry| _ = entry.termination.get_or_insert_with(|| Termination::new(why, at)));
}

/// The limit that ended the running entry.
pub(super) fn limit_reached() -> Option<String> {
    if !state::has_terminated() {
        return None;
    }
    state::entry(|entry| entry.termination.as_ref().map(|termination| termination.message.clone()))
}

/// Records that the next function that an error leaves called the engine again, with its own call levels.
pub(super) fn leave_engine() {
    state::entry(|entry| {
        if let Some(termination) = &mut entry.termination {
            termination.level = usize::MAX;
        }
    });
}

/// The error of an entry that a limit has ended, with the calls that led to it. `error` is what came out of the engine, if it
/// returned one.
pub(super) fn take_error(error: Option<&EvalAltResult>) -> Option<Box<EvalAltResult>> {
    let termination = state::entry(|entry| entry.termination.take());
    termination.map(|termination| termination.into_error(error))
}
