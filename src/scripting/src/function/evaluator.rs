//! The evaluator as the host of scripts.
//!
//! In: calls from a script. Out: the evaluator's results. Must not: know how scripts run.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use crate::api::NOT_A_TYPE;
use crate::callers;
use crate::host;
use crate::host::Closure;
use crate::host::HostApi;
use crate::host::HostFailure;
use crate::host::log_severity;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Arity;
use catwalk_eval::Block;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::is_not_found;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::worker::restricted;

/// How much the scripts of one compile may log: 10,000 lines, 1 MiB. The rest is dropped after a warning.
#[derive(Debug)]
pub struct LogBudget {
    lines: AtomicUsize,
    bytes: AtomicUsize,
}

impl Default for LogBudget {
    fn default() -> LogBudget {
        LogBudget { lines: AtomicUsize::new(MAX_LINES), bytes: AtomicUsize::new(MAX_LOG_BYTES) }
    }
}

/// The maximum number of lines of scripts in the log of a compile.
const MAX_LINES: usize = 10_000;
/// The maximum number of bytes of scripts' lines in the log of a compile.
const MAX_LOG_BYTES: usize = 1 << 20;

impl LogBudget {
    /// Accounts for a line of `bytes` bytes. `None`: an earlier line used up the budget; `false`: this is the first that is
    /// dropped.
    fn take(&self, bytes: usize) -> Option<bool> {
        let less = |left: &AtomicUsize, by: usize| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(by)).is_ok()
        };
        if self.lines.load(Ordering::Relaxed) == 0 {
            return None;
        }
        if less(&self.bytes, bytes) && less(&self.lines, 1) && self.lines.load(Ordering::Relaxed) > 0 {
            return Some(true);
        }
        self.lines.store(0, Ordering::Relaxed);
        Some(false)
    }
}

/// The running evaluator as scripts see it.
pub(super) struct EvaluatorHost<'a, 'c> {
    pub(super) ev: &'a mut Evaluator<'c>,
    pub(super) blocks: Vec<Block<'c>>,
    pub(super) span: Span,
    pub(super) logs: Arc<LogBudget>,
}

pub(crate) fn host_failure(stop: Stop) -> HostFailure {
    let text = match &stop {
        Stop::Reason(reason) => reason.message.to_string(),
        Stop::Failed(diagnostic) => diagnostic.message.to_string(),
        Stop::Next(_) | Stop::Break(_) | Stop::Return(_) => "a block of the manifest ended early".to_owned(),
    };
    HostFailure(Arc::new(parking_lot::Mutex::new(Some(stop))), text)
}

impl<'c> EvaluatorHost<'_, 'c> {
    /// Runs a call with a block of the script, or without one.
    fn with_closure(
        &mut self,
        closure: Option<Closure<'_>>,
        call: impl FnOnce(&mut Evaluator<'c>, Option<&Block<'c>>) -> Res<Value>,
    ) -> Result<Value, HostFailure> {
        let (span, logs) = (self.span, self.logs.clone());
        let Some((closure, arity)) = closure else {
            return call(self.ev, None).map_err(host_failure);
        };
        let blocks = self.blocks.clone();
        let block = Block::Native {
            arity: Arity { min: arity.unwrap_or(0), max: arity },
            body: Rc::new(move |ev: &mut Evaluator<'c>, args: &[Value]| {
                let mut adapter = EvaluatorHost { ev, blocks: blocks.clone(), span, logs: logs.clone() };
                callers::with_host(&mut adapter, || callers::call_block(args)).map_err(Stop::runtime)
            }),
        };
        callers::with_block(closure, || call(self.ev, Some(&block))).map_err(host_failure)
    }
}

impl<'c> HostApi for EvaluatorHost<'_, 'c> {
    fn call_function(
        &mut self,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure> {
        let span = self.span;
        self.with_closure(closure, |ev, block| ev.call_function(Name::new(name), args, block, span))
    }

    fn call_context(
        &mut self,
        context: &Value,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure> {
        let span = self.span;
        let with_context: Vec<Value> = std::iter::once(context).chain(args).cloned().collect();
        let none = || Err(Stop::runtime(format!("a context has no function {name}()")));
        if name == "cached_file_data" {
            let path = args.first().and_then(Value::as_str).unwrap_or_default();
            host::check_readable(path).map_err(|why| host_failure(Stop::runtime(why)))?;
            // The path, which was checked above, may be a data file of hiera.yaml outside the site, which a restricted world would refuse.
            return restricted::set(self.ev.world, false, || {
                self.ev.context_function(&with_context, name, None, span).unwrap_or_else(none)
            })
            .map_err(host_failure);
        }
        self.with_closure(closure, |ev, block| {
            ev.context_function(&with_context, name, block, span).unwrap_or_else(none)
        })
    }

    fn call_backend(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, HostFailure> {
        let environment = self.ev.node.environment.clone();
        let context = self.ev.new_context(None, &environment, Hash::new());
        let mut args = args.to_vec();
        args.push(Value::Object(context.clone()));
        let result = self.ev.try_call(Name::new(name), &args, None, self.span);
        self.ev.end_context(&context);
        match result {
            None => Err(host_failure(Stop::runtime(format!("there is no backend '{name}'")))),
            Some(Err(stop)) if is_not_found(&stop) => Ok(None),
            Some(result) => result.map(Some).map_err(host_failure),
        }
    }

    fn parse_type(&mut self, text: &str) -> Result<Value, HostFailure> {
        self.ev.parse_type(text).map(Value::Type).map_err(host_failure)
    }

    fn is_a(&mut self, value: &Value, data_type: &Value) -> Result<bool, HostFailure> {
        match data_type {
            Value::Type(data_type) => Ok(catwalk_value::is_instance(data_type, value)),
            _ => Err(host_failure(Stop::runtime(NOT_A_TYPE))),
        }
    }

    fn type_of(&mut self, value: &Value) -> Result<Value, HostFailure> {
        Ok(Value::Type(catwalk_value::infer_set(value)))
    }

    fn facts(&mut self) -> Arc<Hash> {
        self.ev.all_facts().clone()
    }

    fn call_block(&mut self, block: usize, args: &[Value]) -> Result<Value, HostFailure> {
        match self.blocks.get(block).cloned() {
            Some(block) => self.ev.call_block(&block, args).map_err(host_failure),
            None => Err(host_failure(Stop::runtime("the block is no longer valid"))),
        }
    }

    fn log(&mut self, level: &str, text: &str) {
        let (severity, code) = log_severity(level);
        if !self.ev.logs(severity) {
            return;
        }
        match self.logs.take(text.len()) {
            Some(true) => {
                let line = Diagnostic::new(Reason::new(code, text.to_owned()), Some(self.span));
                self.ev.log_line(line.severity(severity));
            }
            Some(false) => {
                let text = "scripts log more than 10000 lines or 1 MiB in this compile: the rest is dropped";
                self.ev.log(Severity::Warning, text.to_owned(), Some(self.span));
            }
            None => {}
        }
    }
}
