//! The signatures of a script's functions: `dispatch` lines, or the numbers of their parameters.
//!
//! In: a script. Out: its signatures, the positions of its functions, or an error. Must not: call the functions.

use std::path::Path;
use std::sync::Arc;

use rhai::FnAccess;

use crate::cache::Script;
use crate::cache::Scripts;
use crate::check::Purpose;
use crate::dispatch;
use crate::dispatch::Dispatch;
use crate::dispatch::DispatchSignature;
use crate::entry;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Signature;
use catwalk_eval::Stop;
use catwalk_program::Environment;
use catwalk_world::World;

impl Scripts {
    /// Where a function of a script is: the first of that name; without one, the beginning of the script.
    pub(crate) fn function_span(&self, script: &Script, name: &str) -> Span {
        let library = script.ast.shared_lib();
        let arities = script.ast.iter_functions().filter(|function| function.name == name);
        let found = arities.filter_map(|function| library.get_script_fn(name, function.params.len()));
        let at = found.map(|function| function.body.start_position()).min_by_key(|at| at.line());
        at.and_then(|at| error::span(at, script.file, &self.sources)).unwrap_or(Span::new(script.file, 0, 0))
    }

    /// The `dispatch` lines of a script, found by running its top once.
    pub(super) fn dispatches<'s>(
        &self,
        script: &'s Script,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<&'s [Dispatch], Box<Diagnostic>> {
        let load = || {
            let loading = ImportContext { scripts: self, environment, world, data: None };
            if self.workers.is_some() {
                let limit = limits::FUNCTION_LIMIT;
                let found = limits::run_entry(limit, || Conversation::collect_dispatches(script, &loading, limit));
                return found
                    .unwrap_or_else(|| Err(WorkerFailure::NoValue(entry::TOO_DEEP.to_owned())))
                    .map_err(WorkerFailure::diagnostic);
            }
            let (ran, found) = dispatch::collect(|| entry::top(script, limits::FUNCTION_LIMIT, &loading));
            match ran {
                None => Err(Box::from(Reason::runtime(entry::TOO_DEEP))),
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
        if Purpose::from_path(path) != Purpose::Function {
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
pub(super) fn signatures_of_site(ev: &mut Evaluator<'_>, dispatches: &[Dispatch]) -> Res<Vec<Option<Arc<Signature>>>> {
    let of_site = |dispatch: &Dispatch| match &dispatch.signature {
        DispatchSignature::Parsed(_) => Ok(None),
        DispatchSignature::SiteTypes(text) => match ev.parse_signature_once(text) {
            Ok(signature) => Ok(Some(signature)),
            Err(reason) => Err(Stop::runtime(format!("dispatch: {}", reason.message))),
        },
    };
    dispatches.iter().map(of_site).collect()
}

/// The entry point must take as many arguments as there are.
pub(super) fn check_arity(script: &Script, name: &str, entry: &str, given: usize) -> Res<()> {
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
