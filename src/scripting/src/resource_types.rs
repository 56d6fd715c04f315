//! Resource types and transports that scripts define: `scripts/types/*.rhai`, `scripts/transports/*.rhai`.
//!
//! In: a script. Out: its definition, or all its errors with positions. Must not: know what a definition may contain (that is
//! `catwalk_resource_api`), load providers.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rhai::Position;

use crate::cache::Script;
use crate::cache::Scripts;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use crate::register;
use crate::register::Kind;
use crate::register::Registration;
use crate::register::Registrations;
use crate::worker::Conversation;
use crate::worker::WorkerFailure;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_program::Environment;
use catwalk_program::ScriptType;
use catwalk_program::ScriptTypes;
use catwalk_resource_api::Problem;
use catwalk_resource_api::ProblemLevel;
use catwalk_resource_api::ReadResult;
use catwalk_resource_api::Step;
use catwalk_resource_api::TransportDefinition;
use catwalk_resource_api::read_transport;
use catwalk_resource_api::read_type;
use catwalk_world::World;

/// The script host, for scripts that define resource types.
#[derive(Clone, Debug)]
pub struct RhaiTypes {
    /// The script host.
    pub scripts: Arc<Scripts>,
}

/// A definition with its errors, warnings and the files that the script imported.
pub(super) struct DefinitionResult<T> {
    pub(super) definition: Option<T>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) imported: Vec<PathBuf>,
}

impl ScriptTypes for RhaiTypes {
    fn read(&self, path: &Path, name: Name, environment: &Environment, world: &dyn World) -> ScriptType {
        let defined = self.read_definition(path, (Kind::Type, &name), environment, world, read_type);
        let definition = match defined.definition {
            Some(definition) if defined.errors.is_empty() => Ok(definition),
            _ => Err(defined.errors),
        };
        ScriptType { definition, warnings: defined.warnings, imported: defined.imported }
    }
}

impl RhaiTypes {
    /// Reads a transport from its script, with warnings; `name` is the file's name.
    ///
    /// # Errors
    /// All mistakes of the definition, in order of their positions.
    pub fn transport(
        &self,
        path: &Path,
        name: &str,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<(TransportDefinition, Vec<Diagnostic>), Vec<Diagnostic>> {
        let kind = (Kind::Transport, name);
        let defined = self.read_definition(path, kind, environment, world, read_transport);
        match defined.definition {
            Some(definition) if defined.errors.is_empty() => Ok((definition, defined.warnings)),
            _ => Err(defined.errors),
        }
    }

    /// The errors and warnings of the script of a type.
    pub(super) fn problems_of_type(
        &self,
        path: &Path,
        name: &str,
        environment: &Environment,
        world: &dyn World,
    ) -> Vec<Diagnostic> {
        let defined = self.read_definition(path, (Kind::Type, name), environment, world, read_type);
        defined.errors.into_iter().chain(defined.warnings).collect()
    }

    /// The errors and warnings of the script of a transport.
    pub(super) fn problems_of_transport(
        &self,
        path: &Path,
        name: &str,
        environment: &Environment,
        world: &dyn World,
    ) -> Vec<Diagnostic> {
        let kind = (Kind::Transport, name);
        let defined = self.read_definition(path, kind, environment, world, read_transport);
        defined.errors.into_iter().chain(defined.warnings).collect()
    }

    fn read_definition<T>(
        &self,
        path: &Path,
        (kind, name): (Kind, &str),
        environment: &Environment,
        world: &dyn World,
        read: impl FnOnce(&catwalk_value::Value, &str) -> ReadResult<T>,
    ) -> DefinitionResult<T> {
        let with_failure = |failure: Box<Diagnostic>| DefinitionResult {
            definition: None,
            errors: vec![*failure],
            warnings: Vec::new(),
            imported: Vec::new(),
        };
        let script = match self.scripts.load(path, environment, world) {
            Ok(script) => script,
            Err(failure) => return with_failure(failure),
        };
        let loading = ImportContext { scripts: &self.scripts, environment, world, data: None };
        let registrations = if self.scripts.workers.is_some() {
            let limit = limits::CLASSIFY_LIMIT;
            let answer = limits::run_entry(limit, || Conversation::collect_registrations(&script, &loading, limit));
            answer.unwrap_or_else(|| Ok(Registrations::default())).map_err(WorkerFailure::diagnostic)
        } else {
            register::collect(&script, &loading)
        };
        match registrations {
            Ok(registrations) => read_registration(&self.scripts, &script, (kind, name), registrations, read),
            Err(failure) => with_failure(failure),
        }
    }
}

/// Reads the single definition that a script must register.
pub(super) fn read_registration<T>(
    scripts: &Scripts,
    script: &Script,
    (kind, name): (Kind, &str),
    registrations: Registrations,
    read: impl FnOnce(&catwalk_value::Value, &str) -> ReadResult<T>,
) -> DefinitionResult<T> {
    let resolver = SpanResolver { scripts, script };
    let mut defined = DefinitionResult {
        definition: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        imported: registrations.imported,
    };
    let is_of_kind = |call: &&Registration| call.kind == kind;
    let Some(call) = registrations.calls.iter().find(is_of_kind) else {
        let text = format!("{} does not call {}(#{{ … }})", script.path.display(), kind.function());
        let span = Some(Span::new(script.file, 0, 0));
        defined.errors.push(Diagnostic::new(Reason::new(Code::SCRIPT_ENTRY, text), span));
        return defined;
    };
    for extra in registrations.calls.iter().filter(|extra| extra.at != call.at || extra.kind != kind) {
        let text = format!("a file registers one definition: {}() was called before", call.kind.function());
        defined.errors.push(resolver.diagnostic(text, None, extra.at));
    }
    let result = read(&call.value, &script.path.to_string_lossy());
    for problem in &result.problems {
        match problem.level {
            ProblemLevel::Warning => defined.warnings.push(resolver.warning(problem, call)),
            ProblemLevel::Error | ProblemLevel::Mistake => {
                let at = register::position(call, &problem.path);
                defined.errors.push(resolver.diagnostic(problem.message.clone(), problem.help.clone(), at));
            }
        }
    }
    let declared_name = match &call.value {
        catwalk_value::Value::Hash(members) => members.get("name").and_then(|name| name.as_str()),
        _ => None,
    };
    if let Some(declared_name) = declared_name.filter(|declared_name| *declared_name != name) {
        let at = register::position(call, &[Step::Key("name".into())]);
        let text =
            format!("the name of the definition is `{declared_name}`, that of its file `{name}`: they must be equal");
        defined.errors.push(resolver.diagnostic(text, None, at));
    }
    defined.definition = result.definition;
    defined.errors.sort_by_key(|error| error.span.map(|span| span.start));
    defined
}

/// Turns positions of a script into spans.
struct SpanResolver<'a> {
    scripts: &'a Scripts,
    script: &'a Script,
}

impl SpanResolver<'_> {
    fn span(&self, at: Position) -> Span {
        error::span(at, self.script.file, &self.scripts.sources).unwrap_or(Span::new(self.script.file, 0, 0))
    }

    fn diagnostic(&self, message: String, help: Option<String>, at: Position) -> Diagnostic {
        let reason = Reason::new(Code::RESOURCE_TYPE, message).hint(help);
        Diagnostic::new(reason, Some(self.span(at)))
    }

    /// The position of a warning is in a frame: Puppet's message has none.
    fn warning(&self, problem: &Problem, call: &Registration) -> Diagnostic {
        let reason = Reason::new(Code::RESOURCE_TYPE, problem.message.clone());
        let mut warning = Diagnostic::new(reason, None).severity(Severity::Warning);
        let span = Some(self.span(register::position(call, &problem.path)));
        warning.trace.push(Frame { callee: "the definition".into(), span });
        warning
    }
}
