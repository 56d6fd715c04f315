//! Execution of a script's functions for the evaluator, in this process or in a worker process.
//!
//! In: a script, the name and arguments of a function, blocks. Out: its value, or a failure with the position in the script. Must
//! not: choose the function.

use super::EvaluatorHost;
use super::RhaiFunctions;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::Position;

use crate::bridge;
use crate::cache::Script;
use crate::callers;
use crate::entry;
use crate::error;
use crate::host;
use crate::host::HostFailure;
use crate::host::ImportContext;
use crate::limits;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Label;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_eval::Block;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::is_not_found;
use catwalk_value::Value;

impl RhaiFunctions {
    #[allow(clippy::too_many_arguments, reason = "all are inputs of one call")]
    pub(super) fn value<'c>(
        &self,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Arc<Script>,
        (name, entry): (&str, &str),
        args: &[Value],
        data: Option<&Path>,
    ) -> Res<Value> {
        if self.scripts.workers.is_some() {
            let has_block = !blocks.is_empty();
            let call = |loading: &ImportContext<'_>, limit| {
                Conversation::call_function(script, loading, limit, entry, args, has_block)
            };
            return self.enter_worker(ev, blocks, span, script, (name, entry), data, call);
        }
        let mut values: Vec<Dynamic> = args.iter().map(bridge::to_dynamic).collect();
        if !blocks.is_empty() {
            values.push(Dynamic::from(block_pointer(0).map_err(|why| Stop::runtime(why.to_string()))?));
        }
        let result = self.enter(ev, blocks, span, script, (name, entry), values, data)?;
        bridge::from_dynamic(result).map_err(|why| self.no_value(ev, script, (name, entry), &why))
    }

    /// The failure of a function whose value manifests cannot have, at the function.
    fn no_value(&self, ev: &Evaluator<'_>, script: &Script, (name, entry): (&str, &str), why: &str) -> Stop {
        self.wrong_value(ev, script, entry, format!("{name}: {why}"))
    }

    pub(super) fn wrong_value(&self, ev: &Evaluator<'_>, script: &Script, entry: &str, text: String) -> Stop {
        let reason = Reason::new(Code::SCRIPT_FAILED, text);
        let mut diagnostic = Diagnostic::new(reason, Some(self.scripts.function_span(script, entry)));
        diagnostic.trace.extend(ev.trace());
        Stop::Failed(Box::new(diagnostic))
    }

    /// Runs an entry in a worker process, which may call back into the running compile.
    #[allow(clippy::too_many_arguments, reason = "all are inputs of one call")]
    pub(crate) fn enter_worker<'c, T>(
        &self,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Script,
        (name, entry): (&str, &str),
        data: Option<&Path>,
        run: impl FnOnce(&ImportContext<'_>, Duration) -> Result<T, WorkerFailure>,
    ) -> Res<T> {
        let loading = self.loading(data);
        let mut host = EvaluatorHost { ev, blocks: blocks.to_vec(), span, logs: self.logs.clone() };
        let limit = limits::FUNCTION_LIMIT;
        let result = limits::run_entry(limit, || {
            callers::with_loading(&loading, || callers::with_host(&mut host, || run(&loading, limit)))
        });
        match result {
            None => Err(self.too_deep(host.ev, script, (name, entry))),
            Some(Ok(value)) => Ok(value),
            Some(Err(WorkerFailure::NoValue(why))) => Err(self.no_value(host.ev, script, (name, entry), &why)),
            Some(Err(WorkerFailure::Failed(diagnostic, Some(stop))))
                if is_not_found(&stop) || !matches!(stop, Stop::Reason(_)) =>
            {
                Err(self.at_call(stop, *diagnostic, span, host.ev))
            }
            Some(Err(WorkerFailure::Failed(mut diagnostic, stop))) => {
                if let Some(Stop::Reason(reason)) = stop {
                    diagnostic.code =
                        if reason.code == Code::SCRIPT_NOT_ALLOWED { reason.code } else { diagnostic.code };
                    diagnostic.help = diagnostic.help.or(reason.help);
                }
                diagnostic.trace.extend(host.ev.trace());
                Err(Stop::Failed(diagnostic))
            }
        }
    }

    fn loading<'a>(&'a self, data: Option<&'a Path>) -> ImportContext<'a> {
        ImportContext { scripts: &self.scripts, environment: &self.environment, world: self.world.as_ref(), data }
    }

    /// Enters a script's function within its limits.
    #[allow(clippy::too_many_arguments, reason = "all are inputs of one call")]
    pub(crate) fn enter<'c>(
        &self,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Arc<Script>,
        (name, entry): (&str, &str),
        values: Vec<Dynamic>,
        data: Option<&Path>,
    ) -> Res<Dynamic> {
        self.enter_with_limit(limits::FUNCTION_LIMIT, ev, blocks, span, script, (name, entry), values, data)
    }

    /// Enters a script's function with its own deadline.
    #[allow(clippy::too_many_arguments, reason = "all are inputs of one call")]
    pub(crate) fn enter_with_limit<'c>(
        &self,
        limit: Duration,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Arc<Script>,
        (name, entry): (&str, &str),
        values: Vec<Dynamic>,
        data: Option<&Path>,
    ) -> Res<Dynamic> {
        let mut host = EvaluatorHost { ev, blocks: blocks.to_vec(), span, logs: self.logs.clone() };
        match entry::call(script, entry, values, limit, &self.loading(data), Some(&mut host)) {
            None => Err(self.too_deep(host.ev, script, (name, entry))),
            Some(Err(why)) => Err(self.failure(&why, script, span, host.ev)),
            Some(Ok(result)) => Ok(result),
        }
    }

    fn too_deep(&self, ev: &Evaluator<'_>, script: &Script, (name, entry): (&str, &str)) -> Stop {
        self.wrong_value(ev, script, entry, format!("{name}: scripts and manifests call each other too deep"))
    }

    /// The failure of Puppet code that a script called: with its own position, and with that of the call in the script, `called`, and
    /// the calls that led there. The call of the script in a manifest, `span`, is not the position of what failed inside of it.
    fn at_call(&self, stop: Stop, called: Diagnostic, span: Span, ev: &Evaluator<'_>) -> Stop {
        let Stop::Failed(mut failure) = stop else { return stop };
        let outer = ev.trace();
        // The calls of the script come before those that led to the script.
        let is_outer = failure.trace.ends_with(&outer);
        let inner = if is_outer { failure.trace.len() - outer.len() } else { failure.trace.len() };
        failure.trace.splice(inner..inner, called.trace);
        if !is_outer {
            failure.trace.extend(outer);
        }
        let is_located = |at: &Span| *at != span && self.scripts.sources.get(at.file).is_some();
        match (failure.span.filter(is_located), called.span) {
            (None, Some(at)) => failure.span = Some(at),
            (Some(own), Some(at)) if own != at && failure.labels.iter().all(|label| label.span != at) => {
                failure.labels.push(Label { span: at, text: "called here".into() });
            }
            _ => {}
        }
        Stop::Failed(failure)
    }

    /// The failure of a script, or of Puppet code that it called.
    fn failure(&self, why: &EvalAltResult, script: &Script, span: Span, ev: &Evaluator<'_>) -> Stop {
        let mut diagnostic = error::diagnostic(why, script.file, &self.scripts.sources);
        // A failure without a position gets its position in the script below.
        if let Some(HostFailure(stop, _)) = error::host_failure(why)
            && let Some(stop) = stop.lock().take()
            && (is_not_found(&stop) || !matches!(stop, Stop::Reason(_)))
        {
            return if is_not_found(&stop) { stop } else { self.at_call(stop, *diagnostic, span, ev) };
        }
        diagnostic.trace.extend(ev.trace());
        Stop::Failed(diagnostic)
    }
}

/// A block of the manifest as a function pointer of the script.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
pub(crate) fn block_pointer(number: usize) -> Result<FnPtr, Box<EvalAltResult>> {
    FnPtr::from_fn("block", move |_ctx, args| {
        let values: Result<Vec<Value>, String> = args.iter().map(|arg| bridge::from_dynamic((**arg).clone())).collect();
        let values = values.map_err(|why| Box::new(EvalAltResult::ErrorRuntime(why.into(), Position::NONE)))?;
        let Some(result) = host::call(|host| host.call_block(number, &values)) else {
            return Err(Box::new(EvalAltResult::ErrorRuntime("the block is no longer valid".into(), Position::NONE)));
        };
        result.map(|value| bridge::to_dynamic(&value)).map_err(host::raise)
    })
}
