//! Entering scripts: a function of one, or its top, within limits.
//!
//! In: a script, the interface to its host. Out: its result, or Rhai's failure. Must not: know the caller, or the process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::Position;
use rhai::Scope;

use crate::cache::Script;
use crate::callers;
use crate::chain;
use crate::host::HostApi;
use crate::host::ImportContext;
use crate::limits;
use crate::missing_key;

/// The message for entries that are nested too deep.
pub(super) const TOO_DEEP: &str = "scripts call each other too deep";

/// What an entry fails with after a forbidden attempt of untrusted code, with its message.
#[derive(Clone, Debug)]
pub(super) struct Refusal(pub(super) Arc<str>);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The result of an entry; `None`: entries are nested too deep.
pub(super) type EntryResult = Option<Result<Dynamic, Box<EvalAltResult>>>;

/// Calls a function of a script. Without a host there is no running compile.
pub(super) fn call(
    script: &Script,
    entry: &str,
    args: Vec<Dynamic>,
    limit: Duration,
    loading: &ImportContext<'_>,
    host: Option<&mut dyn HostApi>,
) -> EntryResult {
    missing_key::clear();
    let call = || call_body(loading.scripts.entry_engine(), script, entry, args);
    let result = limits::run_entry(limit, || {
        callers::with_loading(loading, || match host {
            Some(host) => callers::with_host(host, call),
            None => call(),
        })
    });
    or_refusal(result)
}

/// Calls a function. An error without any position gets that of the function.
fn call_body(engine: &Engine, script: &Script, entry: &str, args: Vec<Dynamic>) -> Result<Dynamic, Box<EvalAltResult>> {
    let options = CallFnOptions::new().eval_ast(script.has_top);
    let function = script.callable.shared_lib().get_script_fn(entry, args.len());
    let start = function.map_or(Position::NONE, |function| function.body.start_position());
    let result =
        limits::catch_limit(|| engine.call_fn_with_options(options, &mut Scope::new(), &script.callable, entry, args));
    or_limit(result).map_err(|mut error| {
        if error.position().is_none() && !matches!(*error, EvalAltResult::ErrorInFunctionCall(..)) {
            error.set_position(start);
        }
        error
    })
}

/// The result of an entry, or the refusal if an untrusted script attempted a forbidden action in it.
fn or_refusal<T>(result: Option<Result<T, Box<EvalAltResult>>>) -> Option<Result<T, Box<EvalAltResult>>> {
    // A classifier that catches the refusal of an attempt fails nevertheless.
    match (result, limits::take_refusal()) {
        (Some(Err(mut error)), Some(text)) => {
            refuse(&mut error, &text);
            Some(Err(error))
        }
        (Some(Ok(_)), Some(text)) => {
            let refusal = Dynamic::from(Refusal(text));
            Some(Err(Box::new(EvalAltResult::ErrorRuntime(refusal, Position::NONE))))
        }
        (entered, None) => entered,
        (None, _) => None,
    }
}

/// Replaces the innermost error by the refusal, at its position.
fn refuse(error: &mut EvalAltResult, text: &Arc<str>) {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            refuse(inner, text);
        }
        innermost => {
            let position = innermost.position();
            *innermost = EvalAltResult::ErrorRuntime(Dynamic::from(Refusal(text.clone())), position);
        }
    }
}

/// The result of an entry, or the limit that it has reached, even if the script continued afterwards.
fn or_limit<T>(result: Result<T, Box<EvalAltResult>>) -> Result<T, Box<EvalAltResult>> {
    match chain::take_error(result.as_ref().err().map(|error| &**error)) {
        Some(error) => Err(error),
        None => result,
    }
}

/// Runs the top of a script, where it declares things.
pub(super) fn top(
    script: &Script,
    limit: Duration,
    loading: &ImportContext<'_>,
) -> Option<Result<(), Box<EvalAltResult>>> {
    let result = limits::run_entry(limit, || {
        callers::with_loading(loading, || {
            or_limit(limits::catch_limit(|| {
                loading.scripts.engine.run_ast_with_scope(&mut Scope::new(), &script.runnable)
            }))
        })
    });
    or_refusal(result)
}
