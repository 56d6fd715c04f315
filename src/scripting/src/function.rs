//! Puppet functions in Rhai: `modules/<m>/scripts/functions/<f>.rhai` is the function `<m>::<f>`; and Hiera backends:
//! `modules/<m>/scripts/hiera/<b>.rhai` is the backend `<m>::<b>`.
//!
//! `dispatch("(String $text) >> String", f)` at the top of the script defines which function takes which arguments: the first
//! that fits is called, checked by the same code as Puppet's own functions. Without it the script's function of the file's name
//! is called; of several with that name the one with as many parameters as there are arguments. A block of the call comes last.

mod evaluator;
mod execution;
mod signatures;

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::cache::Script;
use crate::cache::Scripts;
use crate::dispatch::DispatchSignature;
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
use catwalk_eval::select;
use catwalk_program::Environment;
use catwalk_value::ObjectType;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;
use catwalk_world::Kind;
use catwalk_world::World;
use evaluator::EvaluatorHost;
pub use evaluator::LogBudget;
pub(super) use evaluator::host_failure;
pub(super) use execution::block_pointer;
use signatures::check_arity;
use signatures::signatures_of_site;

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

impl RhaiFunctions {
    /// The file of a function. A missing file is remembered, since each call of a function with a module's name looks for one.
    fn function_file(&self, name: Name) -> Option<PathBuf> {
        if !name.as_str().as_bytes().contains(&b':') {
            return None;
        }
        let missing = || self.missing.lock();
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
                signatures.extend(match &dispatch.signature {
                    DispatchSignature::Parsed(signature) => Some(&**signature),
                    DispatchSignature::SiteTypes(_) => of_site.as_deref(),
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
            let subject = format!("value returned from function '{name}'");
            mismatch::assert_instance(&subject, returns, &value).map_err(|reason| Stop::runtime(reason.message))?;
        }
        // What a function returns for a secret argument is a secret.
        let secret = args.iter().any(|arg| matches!(arg, Value::Sensitive(_)));
        if !secret || matches!(value, Value::Sensitive(_)) {
            return Ok(value);
        }
        catwalk_value::secret::conceal(&value, ev.world.secrets());
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
        let expected = if entry == "data_hash" { Type::any_hash() } else { Type::rich_data() };
        if catwalk_value::is_instance(&expected, &value) {
            return Ok(value);
        }
        let location = match options {
            Some(Value::Hash(options)) => options.get("path").or_else(|| options.get("uri")).and_then(Value::as_str),
            _ => None,
        };
        let location = location.map(|location| format!(", when using location '{location}',")).unwrap_or_default();
        let subject = format!("Value returned from {entry} function '{name}'{location} has wrong type,");
        let text = mismatch::describe_mismatch(&subject, &expected, &catwalk_value::infer_set(&value));
        Err(self.wrong_value(ev, script, entry, text))
    }
}
