//! Types of parameters, compared with values.
//!
//! In: definitions, values. Out: the errors of a declaration, in Puppet's order. Must not: bind variables.

use std::sync::Arc;

use super::declared_parameters;
use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::deferred::is_deferred;
use crate::state::Entry;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Label;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::ResourceId;
use catwalk_program::METAPARAMETERS;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Object;
use catwalk_value::StructElement;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;

/// The parameters of a class or define with their types, evaluated once.
#[derive(Debug, Default)]
pub struct ParameterTypes {
    /// Name, type, whether it is optional.
    pub params: Vec<(Name, Type, bool)>,
}

impl<'c> Evaluator<'c> {
    /// The types of a definition's parameters, evaluated in the top scope.
    pub(crate) fn parameter_types(&mut self, definition: &'c Definition) -> Res<Arc<ParameterTypes>> {
        let key = (matches!(definition.kind, DefinitionKind::Class(_)), definition.name.normalized());
        if let Some(known) = self.state.types.parameter_types.get(&key) {
            return Ok(known.clone());
        }
        let written = declared_parameters(definition);
        let mut params = Vec::with_capacity(written.len());
        for parameter in written {
            let data_type = match &parameter.data_type {
                None => Type::Any,
                Some(expr) => match self.in_scope(ScopeId::TOP, |ev| ev.eval_shared_type(expr))? {
                    Value::Type(data_type) => data_type,
                    other => {
                        let got = catwalk_value::ruby::class_name(&other);
                        let name = parameter.name;
                        let text = format!("Parameter '{name}' is given a type that is not a Puppet Type, got {got}");
                        return Err(Stop::runtime(text));
                    }
                },
            };
            params.push((parameter.name, data_type, parameter.default.is_some()));
        }
        let types = Arc::new(ParameterTypes { params });
        self.state.types.parameter_types.insert(key, types.clone());
        Ok(types)
    }

    /// Evaluates the types of the parameters of all classes and defines that were loaded since the last call: Puppet does so when
    /// it loads a file, also for unused ones (PopsBridge::Program#create_type_map).
    ///
    /// # Errors
    ///
    /// A type is unknown or invalid.
    pub(crate) fn type_loaded_definitions(&mut self) -> Res<()> {
        loop {
            // Files that are loaded together are processed in order: files that a type of the first one loads come before the
            // second one (Puppet::Parser::TypeLoader#load_files).
            let first = self.state.types.typed_files;
            while self.program.loaded(self.state.types.typed_files).is_some() {
                self.state.types.typed_files += 1;
            }
            if first == self.state.types.typed_files {
                return Ok(());
            }
            let end = self.state.types.typed_files;
            for number in first..end {
                let typed = self.type_definitions(number);
                if typed.is_err() && number >= self.program.main_count() {
                    // If the caller catches the failure, evaluation continues without them: the files are regarded as loaded, and
                    // definitions of a file are added when all of them are instantiated.
                    for definition in self.program.forget(number..end) {
                        let is_class = matches!(definition.kind, DefinitionKind::Class(_));
                        self.state.types.parameter_types.remove(&(is_class, definition.name.normalized()));
                    }
                }
                typed?;
            }
        }
    }

    /// Evaluates the types of the parameters of a file's definitions.
    fn type_definitions(&mut self, number: usize) -> Res<()> {
        let Some(file) = self.program.loaded(number) else { return Ok(()) };
        for (at, definition) in file.definitions.iter().enumerate() {
            let clash = self.program.check_instantiation(number, at);
            if clash.is_err() {
                // The stored types are those of the first definition with that name.
                self.state.types.parameter_types.remove(&(false, definition.name.normalized()));
            }
            if matches!(definition.kind, DefinitionKind::Class(_) | DefinitionKind::Define(_)) {
                self.state.types.files_being_typed.push((number, at));
                let typed = self.parameter_types(definition);
                self.state.types.files_being_typed.pop();
                if number < self.program.main_count() {
                    self.set_main_module();
                }
                typed?;
                self.check_parameter_names(definition)?;
            }
            clash?;
        }
        Ok(())
    }

    /// Whether the files that were loaded since define nothing with typed parameters; then they are marked as processed.
    pub(crate) fn loaded_only_aliases(&mut self) -> bool {
        let has_parameters =
            |definition: &Definition| matches!(definition.kind, DefinitionKind::Class(_) | DefinitionKind::Define(_));
        while let Some(file) = self.program.loaded(self.state.types.typed_files) {
            let is_main = self.state.types.typed_files < self.program.main_count();
            if is_main || file.definitions.iter().any(|definition| has_parameters(definition)) {
                return false;
            }
            self.state.types.typed_files += 1;
        }
        true
    }

    /// If a module's manifest is loaded while the main manifest is imported (a type in it is looked up among defined types
    /// first), Puppet creates an empty main class, into which the real one is merged: the module stays that of the main manifest.
    /// (Puppet::Resource::TypeCollection#add_hostclass)
    fn set_main_module(&mut self) {
        let mut at = self.program.main_count();
        while let Some(file) = self.program.loaded(at) {
            at += 1;
            let span = file.body.span;
            let path = self.program.sources.get(span.file).and_then(|source| source.path.clone());
            let Some(module) = self.program.module_of(span) else { continue };
            let is_in_manifests = path.is_some_and(|path| path.iter().any(|part| part == "manifests"));
            if !is_in_manifests {
                continue;
            }
            if let Some(top) = self.scope_mut(crate::scope::ScopeId::TOP) {
                top.module = Some(module);
            }
            return;
        }
    }

    /// Whether a defined type or an alias cannot be named yet: it is the definition whose parameters are being typed, or comes
    /// after it.
    pub(crate) fn is_untyped(&self, definition: &Definition) -> bool {
        let is_among = |file: usize, at: usize| {
            let definitions = self.program.loaded(file).and_then(|file| file.definitions.get(at..));
            definitions.is_some_and(|definitions| {
                definitions.iter().any(|other| std::ptr::eq::<Definition>(&**other, definition))
            })
        };
        // The files of the main manifest are processed in order.
        let main = self.program.main_count();
        let behind =
            |(file, at): &(usize, usize)| is_among(*file, *at) || (file + 1..main).any(|later| is_among(later, 0));
        self.state.types.files_being_typed.iter().any(behind)
    }

    /// Checks names and types (TypeMismatchDescriber.validate_parameters).
    pub(crate) fn validate_parameters(
        &mut self,
        id: ResourceId,
        types: &ParameterTypes,
        values: &[(Name, Value)],
    ) -> Res<()> {
        let is_metaparameter = |name: &Name| *name == "name" || METAPARAMETERS.contains(&name.as_str());
        let is_known =
            |name: &Name| types.params.iter().any(|(declared, _, _)| declared == name) || is_metaparameter(name);
        let fits = |(name, data_type, optional): &(Name, Type, bool)| match values
            .iter()
            .find(|(argument, _)| argument == name)
        {
            Some((_, value)) => catwalk_value::is_instance(data_type, value),
            None => *optional,
        };
        // Usually the values are in the order of the parameters.
        let mut remaining = values.iter().peekable();
        let in_order = types.params.iter().all(|(name, data_type, optional)| {
            match remaining.next_if(|(argument, _)| argument == name) {
                Some((_, value)) => !is_deferred(value) && catwalk_value::is_instance(data_type, value),
                None => *optional,
            }
        });
        if in_order && remaining.all(|(name, value)| is_metaparameter(name) && !is_deferred(value)) {
            return Ok(());
        }
        let simple = values.iter().all(|(name, value)| is_known(name) && !is_deferred(value));
        if simple && types.params.iter().all(fits) {
            return Ok(());
        }
        let mut elements = Vec::with_capacity(types.params.len() + METAPARAMETERS.len() + 1);
        for name in std::iter::once("name").chain(METAPARAMETERS) {
            elements.push(StructElement { name: Arc::from(name), optional: true, value: Type::Any });
        }
        for (name, data_type, optional) in &types.params {
            let name = Arc::from(name.as_str());
            elements.push(StructElement { name, optional: *optional, value: data_type.clone() });
        }
        let entry = self.state.resources.entries.get(id.0 as usize);
        let subject = entry.map_or_else(String::new, crate::state::Entry::reference);
        let span = entry.and_then(|entry| entry.span);
        let is_define = entry.is_some_and(|entry| entry.type_name != "Class");
        let class = entry.filter(|entry| entry.is_class()).map(|entry| entry.title.to_lowercase());
        let from_data: Vec<(Name, bool)> = match &class {
            Some(class) => self.wrong_data(class, entry, types, values),
            None => Vec::new(),
        };
        let checked = self.check_values((&subject, is_define), &elements, values, span);
        checked.map_err(|stop| match (stop, class) {
            (Stop::Reason(mut reason), Some(class)) => {
                let origins = from_data
                    .iter()
                    .map(|(name, is_secret)| self.data_origins(&format!("{class}::{name}"), *is_secret));
                reason.locations.extend(origins.flatten());
                Stop::Reason(reason)
            }
            (stop, _) => stop,
        })
    }

    /// The parameters of a class whose values do not fit their types, and were neither declared nor classified; and whether each is
    /// secret.
    fn wrong_data(
        &self,
        class: &str,
        entry: Option<&Entry<'c>>,
        types: &ParameterTypes,
        values: &[(Name, Value)],
    ) -> Vec<(Name, bool)> {
        let is_external = |name: Name| {
            entry.and_then(|entry| entry.params.get(&name)).is_some_and(|param| param.span.is_none())
                && !self
                    .node
                    .classes
                    .iter()
                    .any(|(known, given)| **known == *class && given.iter().any(|given| given.get(&name).is_some()))
        };
        let wrong = types.params.iter().filter_map(|(name, data_type, _)| {
            let (_, value) = values.iter().find(|(argument, _)| argument == name)?;
            let is_wrong = !catwalk_value::is_instance(data_type, value) && is_external(*name);
            let is_secret = matches!(value, Value::Sensitive(_)) || catwalk_value::mentions_sensitive(data_type);
            is_wrong.then_some((*name, is_secret))
        });
        wrong.collect()
    }

    /// Checks named values; the type of a deferred call is the declared return type of its function. Instances of defined types
    /// are checked after their statement has ended, so Ruby's own errors have no position.
    pub(crate) fn check_values(
        &mut self,
        (subject, is_define): (&str, bool),
        elements: &[StructElement],
        values: &[(Name, Value)],
        span: Option<Span>,
    ) -> Res<()> {
        let mut put_off = Vec::new();
        let with_calls = values.iter().any(|(_, value)| is_deferred(value));
        for element in elements.iter().filter(|_| with_calls) {
            catwalk_base::meter::tick(values.len());
            let value = values.iter().find(|(name, _)| name.as_str() == &*element.name).map(|(_, value)| value);
            if let Some(Value::Object(object)) = value.filter(|value| is_deferred(value)) {
                let returns = self.deferred_return_type(object, span)?.map_err(|(class, text, help)| {
                    if !is_define {
                        return Stop::from(Reason::runtime(text).help(help));
                    }
                    let mut stop = Stop::ruby_error(class, text);
                    if let Stop::Failed(failure) = &mut stop {
                        // Puppet's message has no position, so ours is added.
                        failure.help = Some(help.into());
                        failure.labels.extend(span.map(|span| Label { span, text: "declared here".into() }));
                    }
                    stop
                })?;
                if returns.is_none() {
                    self.warn_deferred_type(object);
                }
                put_off.push((object.clone(), returns));
            }
        }
        let mut deferred = |value: &Value| {
            let Value::Object(object) = value else { return None };
            put_off.iter().find(|(known, _)| Arc::ptr_eq(known, object)).and_then(|(_, returns)| returns.clone())
        };
        let arguments = values.iter().map(|(name, value)| (name.as_ref(), value));
        let checked = mismatch::validate_parameters(subject, elements, arguments, false, &mut deferred);
        checked.map_err(|reason| Stop::runtime(reason.message))
    }

    /// Warns once that the result type of a deferred function is unknown.
    fn warn_deferred_type(&mut self, call: &Object) {
        let name = call.get("name");
        let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
        if self.state.warned_deferred.insert(Name::new(name)) {
            // Puppet ends the line like this without a position.
            let text = "has no return_type, unable to guarantee value type during compilation.\n   (file & line not available)";
            self.warn_line(format!("Deferred function {name} {text}"), None);
        }
    }

    /// A parameter with the name of a metaparameter: a warning if it has a default, else an error. Puppet reports it when it
    /// loads a definition, which may be during another lookup.
    pub(crate) fn check_parameter_names(&self, definition: &'c Definition) -> Res<()> {
        let key = (matches!(definition.kind, DefinitionKind::Class(_)), definition.name.normalized());
        if !self.state.types.checked_definitions.borrow_mut().insert(key) {
            return Ok(());
        }
        for parameter in declared_parameters(definition) {
            let name = parameter.name;
            if !METAPARAMETERS.contains(&name.as_str()) {
                continue;
            }
            let kind = key.1;
            if parameter.default.is_none() {
                let text = "is a metaparameter; please choose another parameter name in the";
                return Err(Stop::runtime(format!("{name} {text} {kind} definition")));
            }
            let text = "is a metaparam; this value will inherit to all contained resources in the";
            let reason = Reason::runtime(format!("{name} {text} {kind} definition"));
            let warning = Diagnostic::new(reason, None).severity(Severity::Warning).label(parameter.span, "");
            self.state.late_logs.borrow_mut().push((self.logs.len(), warning));
        }
        Ok(())
    }
}
