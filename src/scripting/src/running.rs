//! The running call of a provider: its context and its state within a run. Set for the duration of one call.
//!
//! In: functions of the script API. Out: the results of [`catwalk_resource_api::Context`] and the machine. Must not: hold the context
//! while a block of a script runs.

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::NativeCallContext;
use rhai::Position;

use crate::api::Fallible;
use crate::api::fail;
use crate::callers;
use crate::error;
use catwalk_resource_api::Block;
use catwalk_resource_api::Context;
use catwalk_resource_api::Failure;
use catwalk_value::Hash;

/// The running call of a provider.
pub(super) struct Call<'a, 'b> {
    pub(super) context: &'a mut Context<'b>,
    /// Values that the provider caches during the run.
    pub(super) cache: &'a mut Hash,
}

/// A [`Call`] without the lifetime of its context.
pub(super) trait RunningCall {
    /// Calls a function with the context and the cache.
    fn lend(&mut self, run: &mut dyn FnMut(&mut Context<'_>, &mut Hash));
}

impl RunningCall for Call<'_, '_> {
    fn lend(&mut self, run: &mut dyn FnMut(&mut Context<'_>, &mut Hash)) {
        run(self.context, self.cache);
    }
}

/// Whether a provider runs.
pub(super) fn is_set() -> bool {
    callers::provider(|_| ()).is_some()
}

/// Uses the context of the running provider; `None`: none runs.
pub(super) fn with<T>(run: impl FnOnce(&mut Context<'_>, &mut Hash) -> T) -> Option<T> {
    let mut run = Some(run);
    let mut result = None;
    callers::provider(|running| {
        running.lend(&mut |context, cache| result = run.take().map(|run| run(context, cache)));
    })?;
    result
}

/// Calls a method of the context.
pub(super) fn context<T>(run: impl FnOnce(&mut Context<'_>) -> Result<T, Failure>) -> Fallible<T> {
    match with(|context, _| run(context)) {
        Some(result) => result.or_else(raise),
        None => fail("the context of a provider is only valid while the provider runs"),
    }
}

/// The failure of a function of the host as an error of the script.
fn raise<T>(failure: Failure) -> Fallible<T> {
    fail(failure.message)
}

/// Runs a block function: `begin`, the block of the script, and the end. An error of the block is logged and recorded.
pub(super) fn block(
    ctx: &NativeCallContext<'_>,
    begin: impl FnOnce(&mut Context<'_>) -> Result<Block, Failure>,
    block: &FnPtr,
    handle: Dynamic,
) -> Fallible<()> {
    let parameters = crate::api::block_arity(ctx, block).unwrap_or(0);
    let args = match parameters {
        0 => Vec::new(),
        1 => vec![handle],
        _ => return fail(format!("{}(): a block takes the context or nothing", ctx.fn_name())),
    };
    let begun = context(begin)?;
    let outcome = match block.call_within_context::<Dynamic>(ctx, args) {
        Ok(_) => Ok(()),
        Err(error) if error::is_fatal(&error) => return Err(error),
        Err(error) => Err(failure(&error, ctx.call_source())),
    };
    context(|context| context.end_block(begun, outcome))
}

/// An error of a script as the failure of a provider: the message is only the thrown string; the position and the calls are its
/// trace.
pub(super) fn failure(error: &EvalAltResult, source: Option<&str>) -> Failure {
    let located = callers::loading(|loading| {
        let sources = &loading.scripts.sources;
        source.and_then(|source| sources.find(source)).map(|file| error::failure(error, file, sources))
    });
    located.flatten().unwrap_or_else(|| Failure::new(error::message(error)))
}

/// The error of a function that only providers may call.
pub(super) fn refused<T>(name: &str) -> Fallible<T> {
    let text = format!("{name}() is only available while a catalog is applied");
    Err(Box::new(EvalAltResult::ErrorRuntime(text.into(), Position::NONE)))
}
