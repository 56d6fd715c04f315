//! Puppet functions in Rhai: `modules/<m>/scripts/functions/<f>.rhai` is the function `<m>::<f>`; and Hiera backends:
//! `modules/<m>/scripts/hiera/<b>.rhai` is the backend `<m>::<b>`.
//!
//! `dispatch("(String $text) >> String", f)` at the top of the script defines which function takes which arguments: the first
//! that fits is called, checked by the same code as Puppet's own functions. Without it the script's function of the file's name
//! is called; of several with that name the one with as many parameters as there are arguments. A block of the call comes last.

mod evaluator;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnAccess;
use rhai::FnPtr;
use rhai::Position;
use rustc_hash::FxHashSet;
use scoped_tls_hkt::scoped_thread_local;

use crate::bridge;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::check::Purpose;
use crate::dispatch;
use crate::dispatch::Accepts;
use crate::dispatch::Dispatch;
use crate::entry;
use crate::error;
use crate::host;
use crate::host::HostFailure;
use crate::host::Loading;
use crate::limits;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Block;
use catwalk_eval::Evaluator;
use catwalk_eval::Extern;
use catwalk_eval::ExternCall;
use catwalk_eval::Res;
use catwalk_eval::Signature;
use catwalk_eval::Stop;
use catwalk_eval::is_not_found;
use catwalk_eval::select;
use catwalk_program::environment::Environment;
use catwalk_value::types;
use catwalk_value::types::ObjectType;
use catwalk_value::types::Type;
use catwalk_value::types::mismatch;
use catwalk_value::value::Value;
use catwalk_world::Kind;
use catwalk_world::World;
use evaluator::EvaluatorHost;
pub(super) use evaluator::host_failure;

/// The functions that the scripts of an environment define.
pub struct RhaiFunctions {
    /// The script host.
    pub scripts: Arc<Scripts>,
    /// Where scripts are looked for.
    pub environment: Arc<Environment>,
    /// The world that they are read from.
    pub world: Arc<dyn World>,
    /// How much scripts may still log in this compile.
    pub logs: Arc<LogBudget>,
    /// Names for which no script defines a function.
    missing: Mutex<FxHashSet<Name>>,
}

impl RhaiFunctions {
    /// The functions of an environment, in one compile.
    #[must_use]
    pub fn new(scripts: Arc<Scripts>, environment: Arc<Environment>, world: Arc<dyn World>) -> RhaiFunctions {
        RhaiFunctions { scripts, environment, world, logs: Arc::default(), missing: Mutex::default() }
    }
}

/// How much the scripts of one compile may log: 10,000 lines, 1 MiB. The rest is dropped after a warning.
#[derive(Debug)]
pub struct LogBudget {
    lines: AtomicUsize,
    bytes: AtomicUsize,
}

impl Default for LogBudget {
    fn default() -> LogBudget {
        LogBudget { lines: AtomicUsize::new(MAX_LINES), bytes: AtomicUsize::new(MAX_LOGGED) }
    }
}

/// Most lines of scripts in the log of a compile.
const MAX_LINES: usize = 10_000;
/// Most bytes of scripts' lines in the log of a compile.
const MAX_LOGGED: usize = 1 << 20;

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

impl RhaiFunctions {
    /// The file of a function. A missing file is remembered, since each call of a function with a module's name looks for one.
    fn function_file(&self, name: Name) -> Option<PathBuf> {
        if !name.as_str().as_bytes().contains(&b':') {
            return None;
        }
        let missing = || self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if missing().contains(&name) {
            return None;
        }
        let found = self.file(name.as_str(), "functions");
        if found.is_none() {
            missing().insert(name);
        }
        found
    }

    /// The file of a function or backend, in this folder below `scripts`.
    fn file(&self, name: &str, folder: &str) -> Option<PathBuf> {
        if !name.as_bytes().contains(&b':') {
            return None;
        }
        let parts: Vec<&str> = name.split("::").collect();
        let (module, rest) = parts.split_first()?;
        if rest.is_empty() || parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) {
            return None;
        }
        let root = match *module {
            "environment" => self.environment.root.as_deref()?,
            _ => &self.environment.module(module)?.root,
        };
        let path = root.join("scripts").join(folder).join(format!("{}.rhai", rest.join("/")));
        (self.world.kind(&path) == Kind::File).then_some(path)
    }
}

impl Extern for RhaiFunctions {
    fn has(&self, _ev: &Evaluator<'_>, name: Name) -> bool {
        self.function_file(name).is_some()
    }

    fn call<'c>(&self, ev: &mut Evaluator<'c>, call: &ExternCall<'_, 'c>) -> Option<Res<Value>> {
        let (name, args, block, span) = (call.name.as_str(), call.args, call.block, call.span);
        let path = self.function_file(call.name);
        // A function that gets the context of a lookup may be a Hiera backend.
        let backend =
            matches!(args.last(), Some(Value::Object(last)) if last.object_type == ObjectType::lookup_context());
        let (path, backend) = match path {
            Some(path) => (path, false),
            None if backend => (self.file(name, "hiera")?, true),
            None => return None,
        };
        let script = match self.scripts.load(&path, &self.environment, self.world.as_ref()) {
            Ok(script) => script,
            Err(diagnostic) => return Some(Err(Stop::Failed(diagnostic))),
        };
        Some(if backend {
            self.backend(ev, &script, name, args, span)
        } else {
            self.run(ev, &script, name, args, block, span)
        })
    }
}

impl RhaiFunctions {
    fn run<'c>(
        &self,
        ev: &mut Evaluator<'c>,
        script: &Arc<Script>,
        name: &str,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Res<Value> {
        let dispatches =
            self.scripts.dispatches(script, &self.environment, self.world.as_ref()).map_err(Stop::Failed)?;
        let mut entry = name.rsplit("::").next().unwrap_or(name);
        let mut returns = None;
        if dispatches.is_empty() {
            check_arity(script, name, entry, args.len() + usize::from(block.is_some()))?;
        } else {
            let of_site = signatures_of_site(ev, dispatches)?;
            let mut signatures: Vec<&Signature> = Vec::with_capacity(dispatches.len());
            for (dispatch, of_site) in dispatches.iter().zip(&of_site) {
                signatures.extend(match &dispatch.accepts {
                    Accepts::Known(signature) => Some(&**signature),
                    Accepts::OfSite(_) => of_site.as_deref(),
                });
            }
            let chosen = select(name, &signatures, args, block)?;
            let at = signatures.iter().position(|signature| std::ptr::eq(*signature, chosen));
            if let Some(dispatch) = at.and_then(|at| dispatches.get(at)) {
                entry = &dispatch.entry;
                returns = chosen.shape.callable.returns.clone();
            }
        }
        let blocks: Vec<Block<'c>> = block.cloned().into_iter().collect();
        let value = self.value(ev, &blocks, span, script, (name, entry), args, None)?;
        if let Some(returns) = &returns {
            let what = format!("value returned from function '{name}'");
            mismatch::assert_instance(&what, returns, &value).map_err(|reason| Stop::runtime(reason.message))?;
        }
        // What a function returns for a secret argument is a secret.
        let secret = args.iter().any(|arg| matches!(arg, Value::Sensitive(_)));
        if !secret || matches!(value, Value::Sensitive(_)) {
            return Ok(value);
        }
        catwalk_value::value::secret::conceal(&value);
        Ok(Value::Sensitive(Arc::new(value)))
    }

    /// Calls a Hiera backend: `data_hash(options, context)`, `lookup_key(key, options, context)` or `data_dig(segments,
    /// options, context)`, depending on the arguments.
    fn backend(
        &self,
        ev: &mut Evaluator<'_>,
        script: &Arc<Script>,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Res<Value> {
        let (entry, params) = match args {
            [_, _] => ("data_hash", "options, context"),
            [Value::Array(_), ..] => ("data_dig", "segments, options, context"),
            _ => ("lookup_key", "key, options, context"),
        };
        if !script.ast.iter_functions().any(|f| f.name == entry && f.params.len() == args.len()) {
            let text = format!("{} has no function {entry}({params})", script.path.display());
            let whole = Some(Span::new(script.file, 0, 0));
            let reason =
                Reason::new(Code::SCRIPT_ENTRY, text).help("hiera.yaml selects data_hash, lookup_key or data_dig");
            return Err(Stop::Failed(Box::new(Diagnostic::new(reason, whole))));
        }
        let options = args.get(args.len().saturating_sub(2));
        let data = match options {
            Some(Value::Hash(options)) => options.get("path").and_then(Value::as_str).map(PathBuf::from),
            _ => None,
        };
        let value = self.value(ev, &[], span, script, (name, entry), args, data.as_deref())?;
        // Hiera would report that, too, but it does not know the position of the function.
        let wanted = if entry == "data_hash" { Type::any_hash() } else { Type::rich_data() };
        if types::is_instance(&wanted, &value) {
            return Ok(value);
        }
        let location = match options {
            Some(Value::Hash(options)) => options.get("path").or_else(|| options.get("uri")).and_then(Value::as_str),
            _ => None,
        };
        let location = location.map(|location| format!(", when using location '{location}',")).unwrap_or_default();
        let subject = format!("Value returned from {entry} function '{name}'{location} has wrong type,");
        let text = mismatch::describe_mismatch(&subject, &wanted, &types::infer_set(&value));
        Err(self.wrong_value(ev, script, entry, text))
    }

    /// Enters a script's function with values; blocks of the manifest come last. With isolation, a worker process enters it.
    #[allow(clippy::too_many_arguments, reason = "what a call needs")]
    fn value<'c>(
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
            let block = !blocks.is_empty();
            let ask = |loading: &Loading<'_>, limit| Conversation::function(script, loading, limit, entry, args, block);
            return self.apart(ev, blocks, span, script, (name, entry), data, ask);
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

    fn wrong_value(&self, ev: &Evaluator<'_>, script: &Script, entry: &str, text: String) -> Stop {
        let reason = Reason::new(Code::SCRIPT_FAILED, text);
        let mut diagnostic = Diagnostic::new(reason, Some(self.scripts.place_of(script, entry)));
        diagnostic.trace.extend(ev.trace());
        Stop::Failed(Box::new(diagnostic))
    }

    /// Runs an entry in a worker process, which may call back into the running compile.
    #[allow(clippy::too_many_arguments, reason = "what a call needs")]
    pub(super) fn apart<'c, T>(
        &self,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Script,
        (name, entry): (&str, &str),
        data: Option<&Path>,
        run: impl FnOnce(&Loading<'_>, Duration) -> Result<T, WorkerFailure>,
    ) -> Res<T> {
        let loading = self.loading(data);
        let mut host = EvaluatorHost { ev, blocks: blocks.to_vec(), span, logs: self.logs.clone() };
        let limit = limits::FUNCTION_LIMIT;
        let called = limits::limited(limit, || {
            host::LOADING.set(&loading, || host::HOST.set(&mut host, || run(&loading, limit)))
        });
        match called {
            None => Err(Stop::runtime(format!("{name}: scripts and manifests call each other too deep"))),
            Some(Ok(value)) => Ok(value),
            Some(Err(WorkerFailure::NoValue(why))) => Err(self.no_value(host.ev, script, (name, entry), &why)),
            Some(Err(WorkerFailure::Failed(_, Some(stop))))
                if is_not_found(&stop) || !matches!(stop, Stop::Reason(_)) =>
            {
                Err(stop)
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

    fn loading<'a>(&'a self, data: Option<&'a Path>) -> Loading<'a> {
        Loading { scripts: &self.scripts, environment: &self.environment, world: self.world.as_ref(), data }
    }

    /// Enters a script's function within its limits.
    #[allow(clippy::too_many_arguments, reason = "what a call needs")]
    pub(super) fn enter<'c>(
        &self,
        ev: &mut Evaluator<'c>,
        blocks: &[Block<'c>],
        span: Span,
        script: &Arc<Script>,
        (name, entry): (&str, &str),
        values: Vec<Dynamic>,
        data: Option<&Path>,
    ) -> Res<Dynamic> {
        self.enter_for(limits::FUNCTION_LIMIT, ev, blocks, span, script, (name, entry), values, data)
    }

    /// Enters a script's function with its own deadline.
    #[allow(clippy::too_many_arguments, reason = "what a call needs")]
    pub(super) fn enter_for<'c>(
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
            None => Err(Stop::runtime(format!("{name}: scripts and manifests call each other too deep"))),
            Some(Err(why)) => Err(self.failure(&why, script, host.ev)),
            Some(Ok(result)) => Ok(result),
        }
    }

    /// A failure of a Puppet function that the script called passes unchanged; the rest is the script's.
    fn failure(&self, why: &EvalAltResult, script: &Script, ev: &Evaluator<'_>) -> Stop {
        // A failure with a position passes unchanged; one without gets its position in the script below.
        if let Some(HostFailure(stop, _)) = error::host_failure(why)
            && let Some(stop) = stop.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
            && (is_not_found(&stop) || !matches!(stop, Stop::Reason(_)))
        {
            return stop;
        }
        let mut diagnostic = error::diagnostic(why, script.file, &self.scripts.sources);
        diagnostic.trace.extend(ev.trace());
        Stop::Failed(diagnostic)
    }
}

impl Scripts {
    /// Where a function of a script is: the first of that name; without one, the beginning of the script.
    pub(super) fn place_of(&self, script: &Script, name: &str) -> Span {
        let library = script.ast.shared_lib();
        let arities = script.ast.iter_functions().filter(|function| function.name == name);
        let found = arities.filter_map(|function| library.get_script_fn(name, function.params.len()));
        let at = found.map(|function| function.body.start_position()).min_by_key(|at| at.line());
        at.and_then(|at| error::span(at, script.file, &self.sources)).unwrap_or(Span::new(script.file, 0, 0))
    }

    /// The `dispatch` lines of a script, found by running its top once.
    fn dispatches<'s>(
        &self,
        script: &'s Script,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<&'s [Dispatch], Box<Diagnostic>> {
        let load = || {
            let loading = Loading { scripts: self, environment, world, data: None };
            if self.workers.is_some() {
                return Conversation::dispatches(script, &loading, limits::FUNCTION_LIMIT)
                    .map_err(WorkerFailure::diagnostic);
            }
            let (ran, found) = dispatch::collect(|| entry::top(script, limits::FUNCTION_LIMIT, &loading));
            match ran {
                None => Err(Box::new(Diagnostic::new(Reason::runtime(entry::TOO_DEEP), None))),
                Some(Err(why)) => Err(error::diagnostic(&why, script.file, &self.sources)),
                Some(Ok(())) => Ok(found),
            }
        };
        match script.dispatches.get_or_init(load) {
            Ok(dispatches) => Ok(dispatches),
            Err(diagnostic) => Err(diagnostic.clone()),
        }
    }

    /// What is wrong at the top of a script: its `dispatch` lines.
    #[must_use]
    pub fn top(&self, path: &Path, environment: &Environment, world: &dyn World) -> Option<Diagnostic> {
        let script = match self.load(path, environment, world) {
            Ok(script) => script,
            Err(diagnostic) => return Some(*diagnostic),
        };
        if Purpose::of(path) != Purpose::Function {
            return None;
        }
        let dispatches = match self.dispatches(&script, environment, world) {
            Ok(dispatches) => dispatches,
            Err(diagnostic) => return Some(*diagnostic),
        };
        let missing = |dispatch: &&Dispatch| !script.ast.iter_functions().any(|f| f.name == dispatch.entry);
        let entry = &dispatches.iter().find(missing)?.entry;
        let reason = Reason::new(Code::SCRIPT_ENTRY, format!("dispatch() names an unknown function '{entry}'"));
        Some(Diagnostic::new(reason, Some(Span::new(script.file, 0, 0))))
    }
}

/// The signatures with types of the site, resolved in this compile.
fn signatures_of_site(ev: &mut Evaluator<'_>, dispatches: &[Dispatch]) -> Res<Vec<Option<Arc<Signature>>>> {
    let of_site = |dispatch: &Dispatch| match &dispatch.accepts {
        Accepts::Known(_) => Ok(None),
        Accepts::OfSite(text) => match ev.signature_of_site(text) {
            Ok(signature) => Ok(Some(signature)),
            Err(reason) => Err(Stop::runtime(format!("dispatch: {}", reason.message))),
        },
    };
    dispatches.iter().map(of_site).collect()
}

/// The entry point must take as many arguments as there are.
fn check_arity(script: &Script, name: &str, entry: &str, given: usize) -> Res<()> {
    let mut arities: Vec<usize> = script
        .ast
        .iter_functions()
        .filter(|function| function.name == entry && function.access == FnAccess::Public)
        .map(|function| function.params.len())
        .collect();
    if arities.contains(&given) {
        return Ok(());
    }
    arities.sort_unstable();
    let whole = Some(Span::new(script.file, 0, 0));
    if arities.is_empty() {
        let text = format!("{} has no function {entry}()", script.path.display());
        let reason = Reason::new(Code::SCRIPT_ENTRY, text).help("the function must have the file's name");
        return Err(Stop::Failed(Box::new(Diagnostic::new(reason, whole))));
    }
    let takes: Vec<String> = arities.iter().map(ToString::to_string).collect();
    let plural = if takes.len() == 1 && takes.first().is_some_and(|n| n == "1") { "argument" } else { "arguments" };
    Err(Stop::runtime(format!("'{name}' expects {} {plural}, got {given}", takes.join(" or "))))
}

scoped_thread_local!(static mut CLOSURE: for<'a> &'a mut (dyn FnMut(&[Value]) -> Result<Value, String> + 'a));

/// A block of the manifest as a function pointer of the script.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
pub(super) fn block_pointer(number: usize) -> Result<FnPtr, Box<EvalAltResult>> {
    FnPtr::from_fn("block", move |_ctx, args| {
        if !host::HOST.is_set() {
            return Err(Box::new(EvalAltResult::ErrorRuntime("the block is no longer valid".into(), Position::NONE)));
        }
        let values: Result<Vec<Value>, String> = args.iter().map(|arg| bridge::from_dynamic((**arg).clone())).collect();
        let values = values.map_err(|why| Box::new(EvalAltResult::ErrorRuntime(why.into(), Position::NONE)))?;
        let result = host::with_host(|host| host.call_block(number, &values));
        result.map(|value| bridge::to_dynamic(&value)).map_err(host::raise)
    })
}
