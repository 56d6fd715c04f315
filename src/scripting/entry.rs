//! Entering scripts: a function of one, or its top, within limits.
//!
//! In: a script, what it may ask. Out: what it gave, or Rhai's failure. Must not: know who enters, or in which process.

use std::time::Duration;

use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::Scope;

use crate::scripting::cache::Script;
use crate::scripting::engine;
use crate::scripting::host;
use crate::scripting::host::HostApi;
use crate::scripting::host::Loading;

/// Word that entries are nested too deep.
pub(super) const TOO_DEEP: &str = "scripts call each other too deep";

/// What came of an entry; nothing: entries are nested too deep.
pub(super) type Entered = Option<Result<Dynamic, Box<EvalAltResult>>>;

/// Calls a function of a script. Without a host there is no running compile.
pub(super) fn call(
    script: &Script,
    entry: &str,
    args: Vec<Dynamic>,
    limit: Duration,
    loading: &Loading<'_>,
    host: Option<&mut dyn HostApi>,
) -> Entered {
    let options = CallFnOptions::new().eval_ast(script.has_top);
    let call = || {
        let engine = &loading.scripts.engine;
        engine.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &script.callable, entry, args)
    };
    engine::limited(limit, || {
        host::LOADING.set(loading, || match host {
            Some(host) => host::HOST.set(host, call),
            None => call(),
        })
    })
}

/// Runs the top of a script, where it declares things.
pub(super) fn top(script: &Script, limit: Duration, loading: &Loading<'_>) -> Option<Result<(), Box<EvalAltResult>>> {
    engine::limited(limit, || {
        host::LOADING.set(loading, || loading.scripts.engine.run_ast_with_scope(&mut Scope::new(), &script.ast))
    })
}
