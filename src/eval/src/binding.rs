//! The connection of manifests with Hiera: automatic parameter lookup, and Hiera's access to the evaluator.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::Strict;
use crate::facts::are_facts;
use crate::is_not_found;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::profile;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_hiera as hiera;
use catwalk_hiera::Answer;
use catwalk_hiera::ConvertError;
use catwalk_hiera::DataAnswer;
use catwalk_hiera::DataContext;
use catwalk_hiera::DataKind;
use catwalk_hiera::Failure;
use catwalk_hiera::Kind;
use catwalk_hiera::NodeData;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::mismatch;
use catwalk_world::worker::restricted;

/// Hiera for one compile.
#[derive(Clone, Copy)]
pub struct Data<'c> {
    /// The layers, shared by all compiles of the environment.
    pub lookup: &'c hiera::Lookup,
    /// Hiera's state for this node.
    pub node: &'c NodeData,
}

impl<'c> Evaluator<'c> {
    /// The value of `class::parameter` in the data sources, if they have one.
    ///
    /// # Errors
    ///
    /// The data is invalid.
    pub(crate) fn lookup_class_parameter(&mut self, class: Name, parameter: Name) -> Res<Option<Value>> {
        let Some(data) = self.data else { return Ok(None) };
        let _step = profile::enter_with(profile::Kind::Key, || format!("{class}::{parameter}"));
        let (world, key) = (self.world, (class.normalized(), parameter));
        let found = self.as_configured(|services| data.lookup.parameter(data.node, world, services, key));
        let found = found.map_err(|failure| stop(self, failure, None))?;
        found.iter().try_for_each(|value| self.check_value(value))?;
        Ok(found)
    }

    /// `lookup()`: the value of the data sources for a request. Without data sources, only the request itself can have values.
    ///
    /// # Errors
    ///
    /// The data is invalid or cannot be merged.
    pub fn lookup(&mut self, request: &hiera::Request<'_>, span: Span) -> Res<Answer> {
        self.find(request).map_err(|failure| stop(self, failure, Some(span)))
    }

    /// Looks up a key for a request without a position in a manifest.
    ///
    /// # Errors
    /// The data is broken or cannot be merged.
    pub fn find(&mut self, request: &hiera::Request<'_>) -> Result<Answer, Failure> {
        let world = self.world;
        let data = self.data;
        let _step = profile::enter(profile::Kind::Key, request.names.first().map_or("", String::as_str));
        self.as_configured(|services| match data {
            Some(data) => data.lookup.lookup(data.node, world, services, request),
            None => {
                let lookup = hiera::Lookup::new(hiera::Sources::default());
                lookup.lookup(&NodeData::new(), world, services, request)
            }
        })
    }

    /// The positions in data files at which a lookup of a key finds its value, with the levels of the hierarchy as notes. With `is_secret`
    /// the text of the lines is not shown.
    pub fn data_origins(&mut self, key: &str, is_secret: bool) -> Vec<DataLocation> {
        let Some(data) = self.data.filter(|data| !data.node.is_explaining()) else { return Vec::new() };
        let request = hiera::Request {
            names: &[key.to_owned()],
            merge: &Value::Undef,
            overrides: None,
            defaults: None,
            hiera_call: false,
            extra_paths: &[],
        };
        data.node.start_explaining(false);
        let found = self.find(&request);
        let explanation = data.node.take_explanation();
        let Some(explanation) = explanation.filter(|_| found.is_ok()) else { return Vec::new() };
        let locate = |origin: hiera::explain::FoundIn| {
            let path = Path::new(&origin.path);
            let contents = self.world.read(path).ok()?;
            let location = positions::locate(path, &contents, &[&origin.key]);
            let location = location.unwrap_or_else(|| DataLocation::new(path, &contents, (1, 1)).without_text());
            let location = if is_secret { location.without_text() } else { location };
            Some(location.note(format!("the value of '{key}' comes from here (Hiera, {})", origin.level)))
        };
        explanation.found_in().into_iter().filter_map(locate).collect()
    }

    /// Calls Hiera, which may read the files that its configuration names, even for a script that may not read them itself.
    /// Functions that Hiera calls again have only the rights of the script.
    fn as_configured<T>(&mut self, lookup: impl FnOnce(&mut HieraServices<'_, 'c>) -> T) -> T {
        let for_script = restricted::is_for_script(self.world);
        let world = self.world;
        let mut services = HieraServices { ev: self, for_script };
        if for_script { restricted::set(world, false, || lookup(&mut services)) } else { lookup(&mut services) }
    }
}

impl Evaluator<'_> {
    /// Replaces `%{…}` in a value, as in data (`Puppet::LookupContext#interpolate`).
    pub(super) fn interpolate_data(&mut self, value: &Value, span: Span) -> Res<Value> {
        let world = self.world;
        let data = self.data;
        let found = self.as_configured(|services| match data {
            Some(data) => data.lookup.interpolate(data.node, world, services, value),
            None => {
                let lookup = hiera::Lookup::new(hiera::Sources::default());
                lookup.interpolate(&NodeData::new(), world, services, value)
            }
        });
        found.map_err(|failure| stop(self, failure, Some(span)))
    }
}

/// The error for a data function whose declared return type is not data; `None` if the type is valid or not declared.
fn wrong_return_type<'c>(
    ev: &mut Evaluator<'c>,
    function: &'c catwalk_syntax::ast::FunctionDefinition,
    kind: DataKind,
    name: &str,
) -> Option<String> {
    let expr = function.return_type.as_ref()?;
    let Ok(declared) = ev.eval_type(expr) else { return None };
    let required = if kind == DataKind::DataHash { Type::any_hash() } else { Type::rich_data() };
    let fits = catwalk_value::is_assignable(&required, &declared);
    let kind = kind.as_str();
    (!fits).then(|| {
        let subject = format!("Return type of '{kind}' function named '{name}' is incorrect,");
        mismatch::describe_mismatch(&subject, &required, &declared)
    })
}

/// Converts a failed lookup to the error that Puppet raises. A lookup error has the position in its data or configuration file,
/// or none; it never has a position in a manifest.
pub fn stop(ev: &Evaluator<'_>, failure: Failure, span: Option<Span>) -> Stop {
    if let Some(inner) = failure.inner {
        return Stop::Failed(inner);
    }
    if failure.kind != Kind::Lookup {
        let message = failure.full_message().into();
        return Reason { message, ..failure.reason }.into();
    }
    let mut diagnostic = Diagnostic::new(failure.reason, None);
    if let Some(file) = &failure.file {
        diagnostic.span = Some(line_span(ev, &file.path, file.line));
        diagnostic.hide_line = file.line.is_none();
        diagnostic.hide_column = true;
    }
    if let Some(span) = span {
        diagnostic = diagnostic.label(span, "looked up here");
    }
    Stop::Failed(Box::new(diagnostic))
}

/// The span of the start of a line in a file that is not a manifest.
fn line_span(ev: &Evaluator<'_>, file: &Path, line: Option<u32>) -> Span {
    let sources = &ev.program.sources;
    let name = file.to_string_lossy();
    let bytes = ev.world.read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let existing = sources.find(&name).filter(|id| sources.get(*id).is_some_and(|source| source.text.as_ref() == text));
    let id = existing.unwrap_or_else(|| sources.add(Some(file), &name, Arc::from(text)));
    let start = line.and_then(|line| sources.get(id)?.offset(usize::try_from(line).ok()?, 1)).unwrap_or(0);
    Span::new(id, start, start)
}

/// The evaluator's services for Hiera.
struct HieraServices<'e, 'c> {
    ev: &'e mut Evaluator<'c>,
    /// Whether the lookup is for a script with fewer rights than the compile.
    for_script: bool,
}

impl HieraServices<'_, '_> {
    fn diagnostic(&self, stop: Stop) -> Box<Diagnostic> {
        match self.ev.illegal_jump(stop) {
            Stop::Failed(diagnostic) => diagnostic,
            Stop::Reason(reason) => Box::from(*reason),
            _ => Box::from(Reason::runtime("evaluation stopped")),
        }
    }

    /// The error for an unknown function; a missing module has no loader (FunctionProvider#load_function).
    fn no_data_function(&self, name: Name) -> DataAnswer {
        let module = name.as_str().split_once("::").map(|(module, _)| module);
        if module.is_some_and(|module| module != "environment" && self.ev.program.module_root(module).is_none()) {
            return DataAnswer::NoModule;
        }
        DataAnswer::NoFunction
    }
}

impl hiera::Host for HieraServices<'_, '_> {
    fn variable(&mut self, name: &str, absent: hiera::UnknownPolicy) -> Result<Option<Value>, Box<Diagnostic>> {
        let unknown = match self.ev.variable_named(name) {
            Ok(Ok(value)) => return Ok(Some(value)),
            Ok(Err(unknown)) => unknown,
            Err(stop) => return Err(self.diagnostic(stop)),
        };
        let (reason, shown_name) = (unknown.reason.unwrap_or_default(), unknown.name);
        let text = match (self.ev.settings.strict, absent) {
            (Strict::Off, _) | (_, hiera::UnknownPolicy::Silent) => return Ok(None),
            (Strict::Warning, _) => format!("Undefined variable '{shown_name}'; {reason}"),
            (Strict::Error, hiera::UnknownPolicy::Forgiven) => {
                format!("Interpolation failed with '{name}', but compilation continuing; {reason}")
            }
            (Strict::Error, hiera::UnknownPolicy::Strict) => {
                let text = format!("Undefined variable '{shown_name}'; {reason}");
                let cause = Cause::UnknownVariable(Box::from(&*shown_name));
                let reason = Reason::new(Code::UNKNOWN_VARIABLE, text).because(cause);
                return Err(Box::from(reason));
            }
        };
        if self.ev.settings.disables("undefined_variables") {
            return Ok(None);
        }
        // Puppet ends the line like this without a position.
        let cause = Cause::UnknownVariable(Box::from(&*shown_name));
        let logged = self.ev.logs.len();
        self.warn(Some(&format!("Variable: {shown_name}")), format!("{text}\n   (file & line not available)"));
        if let Some(line) = self.ev.logs.get_mut(logged) {
            line.cause = cause;
        }
        Ok(None)
    }

    fn variable_entries(
        &mut self,
        name: &str,
        entries: &mut dyn Iterator<Item = &str>,
        absent: hiera::UnknownPolicy,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        if !are_facts(Name::new(name)) {
            return self.variable(name, absent);
        }
        entries.for_each(|entry| self.ev.note_fact(Name::new(entry)));
        let for_script = self.for_script;
        self.ev.with_facts_unrecorded(|ev| HieraServices { ev, for_script }.variable(name, absent))
    }

    fn data_function(
        &mut self,
        kind: DataKind,
        name: &str,
        args: &[Value],
        context: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>> {
        if self.for_script && !restricted::is_for_script(self.ev.world) {
            return restricted::for_script(self.ev.world, || self.data_function(kind, name, args, context));
        }
        let name = Name::new(name).normalized();
        let definition = self.ev.program.function(name)?;
        let function = definition.and_then(|definition| match &definition.kind {
            DefinitionKind::Function(function) => Some((function, definition.span)),
            _ => None,
        });
        // The backend of a classifier's configuration data; a function of that name hides it.
        if function.is_none() && kind == DataKind::DataHash && name == "classifier_data" {
            return Ok(DataAnswer::Value(Value::Hash(self.ev.node.data.clone())));
        }
        let span = function.map_or(Span::new(FileId(u32::MAX), 0, 0), |(_, span)| span);
        if let Some(message) = function.and_then(|(function, _)| wrong_return_type(self.ev, function, kind, &name)) {
            return Err(Box::from(Reason::runtime(message)));
        }
        if kind == DataKind::LegacyDataHash {
            return match self.ev.try_call(name, args, None, span) {
                Some(result) => result.map(DataAnswer::Value).map_err(|stop| self.diagnostic(stop)),
                None => Ok(self.no_data_function(name)),
            };
        }
        let cached = context.cache().borrow().clone();
        let object = self.ev.new_context(context.module_name(), context.environment_name(), cached);
        let mut args = args.to_vec();
        args.push(Value::Object(object.clone()));
        let result = self.ev.try_call(name, &args, None, span);
        *context.cache().borrow_mut() = self.ev.end_context(&object);
        match result {
            None => Ok(self.no_data_function(name)),
            Some(Err(stop)) if is_not_found(&stop) => Ok(DataAnswer::NotFound),
            Some(Err(Stop::Reason(reason)))
                if self.ev.library.ruby.raised_non_puppet_error(self.ev, &reason.message) =>
            {
                Ok(DataAnswer::Raised(*reason))
            }
            Some(result) => result.map(DataAnswer::Value).map_err(|stop| self.diagnostic(stop)),
        }
    }

    fn convert(&mut self, convert_to: &[Value], value: Value) -> Result<Value, ConvertError> {
        let Some((target, further)) = convert_to.split_first() else { return Ok(value) };
        let target = match target {
            Value::Type(t) => t.clone(),
            Value::Str(text) => match self.ev.parse_type(text) {
                Ok(t) => t,
                Err(stop) => return Err(ConvertError::Type(self.diagnostic(stop).message.into_owned())),
            },
            _ => return Ok(value),
        };
        let args: Vec<Value> = std::iter::once(value).chain(further.iter().cloned()).collect();
        let converted = catwalk_value::new_instance(&target, &args, Some(self.ev.world.secrets()));
        converted.map_err(|reason| ConvertError::Failed(reason.message.into_owned()))
    }

    fn calling_class(&mut self) -> Option<String> {
        let mut at = Some(self.ev.scope);
        while let Some(scope) = at.and_then(|at| self.ev.scope(at)) {
            if let Some(definition) = scope.definition
                && matches!(definition.kind, DefinitionKind::Class(_))
            {
                return Some(definition.name.normalized().to_string());
            }
            at = scope.parent;
        }
        None
    }

    fn describe_mismatch(&mut self, subject: &str, expected: &str, value: &Value) -> String {
        let expected = self.ev.parse_type(expected).unwrap_or(Type::Any);
        mismatch::describe_mismatch(&format!("{subject} has wrong type,"), &expected, &catwalk_value::infer_set(value))
    }

    fn warn(&mut self, key: Option<&str>, message: String) {
        if let Some(key) = key
            && !self.ev.warned.insert(Rc::from(key))
        {
            return;
        }
        self.ev.log(Severity::Warning, message, None);
    }
}
