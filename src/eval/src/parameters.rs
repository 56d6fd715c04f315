//! Parameters of classes and defines: declared values, data bindings, defaults, types
//! (Puppet::Resource::Type#set_resource_parameters).

mod validate;

use crate::Callee;
use crate::Evaluator;
use crate::PendingParameters;
use crate::Res;
use crate::ScopeId;
use crate::ScopeKind;
use crate::Stop;
use crate::Vars;
use crate::class::class_name;
use crate::lambda::reserved;
use crate::resource::set_param;
use crate::state::Identity;
use crate::state::Param;
use crate::state::ResourceDefinition;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::ResourceId;
use catwalk_syntax::ast;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Type;
use catwalk_value::Value;
pub(crate) use validate::ParameterTypes;

/// The parameters of a definition.
pub(crate) fn declared_parameters(definition: &Definition) -> &[ast::Parameter] {
    match &definition.kind {
        DefinitionKind::Class(class) => &class.params,
        DefinitionKind::Define(define) => &define.params,
        _ => &[],
    }
}

/// Adds the line of the definition to a failure of a default without a position (`Puppet::Util::Errors#adderrorcontext`).
fn with_definition_line(stop: Stop, span: Span) -> Stop {
    match stop {
        Stop::Failed(mut diagnostic) if diagnostic.span.is_none() => {
            diagnostic.span = Some(span);
            diagnostic.hide_column = true;
            Stop::Failed(diagnostic)
        }
        stop => stop,
    }
}

impl<'c> Evaluator<'c> {
    /// Sets the variables of the body's scope: `$title`, `$name`, module names, parameters.
    pub(crate) fn set_resource_parameters(&mut self, id: ResourceId, declared: &ResourceDefinition<'c>) -> Res<()> {
        let scope = self.base();
        self.bind_modules(id, declared, scope)?;
        if let ResourceDefinition::Class(Some(definition)) = declared {
            self.inject_external_parameters(id, class_name(declared), declared_parameters(definition))?;
        }
        self.bind_names(id, declared, scope)?;
        let definition = match declared {
            ResourceDefinition::Class(Some(definition))
            | ResourceDefinition::Define(definition)
            | ResourceDefinition::Node(definition) => *definition,
            _ => return Ok(()),
        };
        let parameters = declared_parameters(definition);
        if let ResourceDefinition::Class(_) = declared {
            self.set_class_scope(class_name(declared), scope);
        }
        let Some(given_count) = self.state.resources.entries.get(id.0 as usize).map(|entry| entry.params.len()) else {
            return Ok(());
        };
        if parameters.is_empty() && given_count == 0 {
            return Ok(());
        }
        let types = self.parameter_types(definition)?;
        let values =
            self.parameter_values(id, parameters, scope).map_err(|stop| with_definition_line(stop, definition.span))?;
        if !matches!(declared, ResourceDefinition::Node(_)) {
            self.validate_parameters(id, &types, &values)?;
            if let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) {
                entry.checked = true;
            }
        }
        self.assignable_parameters(scope, &values).map_err(|stop| with_definition_line(stop, definition.span))?;
        self.qualified_tops |= values.iter().any(|(name, _)| name.is_qualified());
        if let Some(scope) = self.scope_mut(scope) {
            scope.vars.extend(values);
        }
        Ok(())
    }

    /// Checks that parameters can become variables of the body, which already has some (`Puppet::Parser::Scope#setvar`).
    fn assignable_parameters(&self, scope: ScopeId, values: &[(Name, Value)]) -> Res<()> {
        let Some(scope) = self.scope(scope) else { return Ok(()) };
        for (name, _) in values {
            let text = if reserved(name.as_str()) {
                format!("Attempt to assign to a reserved variable name: '{name}'")
            } else if scope.vars.contains(*name) {
                format!("Cannot reassign variable '${name}'")
            } else {
                continue;
            };
            return Err(Stop::Failed(Box::from(Reason::runtime(text))));
        }
        Ok(())
    }

    /// Binds the names of the module and the caller's module, which data may use.
    fn bind_modules(&mut self, id: ResourceId, declared: &ResourceDefinition<'c>, scope: ScopeId) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let is_main = entry.title_is_main;
        let text = |name: Name| entry.get(name).cloned();
        let module = text(catwalk_base::name!("module_name")).or_else(|| match declared {
            ResourceDefinition::Class(None) if !entry.title_is_main => None,
            _ => Some(self.module_name_value(scope)),
        });
        let parent = self.scope(scope).and_then(|scope| scope.parent);
        let caller = text(catwalk_base::name!("caller_module_name"))
            .or_else(|| parent.map(|parent| self.module_name_value(self.base_of(parent))));
        self.bind_all(
            scope,
            is_main,
            [(catwalk_base::name!("module_name"), module), (catwalk_base::name!("caller_module_name"), caller)],
        )
    }

    /// `$title` and `$name`.
    fn bind_names(&mut self, id: ResourceId, declared: &ResourceDefinition<'c>, scope: ScopeId) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        // A title that is a resource is converted to a string for the language.
        let value =
            entry.title_value.clone().filter(|value| !matches!(value, Value::Type(Type::Resource(_) | Type::Class(_))));
        let title = value.unwrap_or_else(|| Value::from(entry.title.clone()));
        let name = entry.get(catwalk_base::name!("name")).cloned().unwrap_or_else(|| title.clone());
        let (title, name) = if entry.is_class() {
            let lower = |value: &Value| {
                let text = catwalk_value::to_puppet_string(value);
                match declared {
                    ResourceDefinition::Class(Some(definition))
                        if *text == *definition.name.normalized().capitalized() =>
                    {
                        Value::from(definition.name.normalized().shared())
                    }
                    _ => Value::str(text.to_lowercase()),
                }
            };
            (lower(&title), lower(&name))
        } else {
            (title, name)
        };
        let is_main = entry.title_is_main;
        self.bind_all(
            scope,
            is_main,
            [(catwalk_base::name!("title"), Some(title)), (catwalk_base::name!("name"), Some(name))],
        )?;
        if matches!(declared, ResourceDefinition::Class(None)) && !is_main {
            self.set_class_scope(class_name(declared), scope);
        }
        Ok(())
    }

    fn bind_all(&mut self, scope: ScopeId, is_main: bool, names: [(Name, Option<Value>); 2]) -> Res<()> {
        for (variable, value) in names {
            let Some(value) = value else { continue };
            // The top scope may have them as facts.
            if is_main {
                self.note_fact(variable);
            }
            if is_main && self.scope(scope).is_some_and(|top| top.vars.contains(variable)) {
                return Err(Stop::runtime(format!("Cannot reassign variable '${variable}'")));
            }
            self.bind(scope, variable, value);
        }
        Ok(())
    }

    /// A scope's module: empty in the main manifest.
    fn module_name_value(&self, scope: ScopeId) -> Value {
        let module = self.scope(scope).and_then(|scope| scope.module).unwrap_or(catwalk_base::name!(""));
        Value::from(module.shared())
    }

    /// Sets class parameters without values from Hiera.
    fn inject_external_parameters(&mut self, id: ResourceId, class: Name, parameters: &'c [ast::Parameter]) -> Res<()> {
        for parameter in parameters {
            let is_set = self
                .state
                .resources
                .entries
                .get(id.0 as usize)
                .is_some_and(|entry| entry.get(parameter.name).is_some());
            if is_set {
                continue;
            }
            if let Some(value) = self.lookup_class_parameter(class, parameter.name)?
                && (!value.is_undef() || parameter.default.is_none())
            {
                self.set_value(id, parameter.name, value)?;
            }
        }
        Ok(())
    }

    /// Sets a parameter of a resource as its own source would.
    pub fn set_value(&mut self, id: ResourceId, name: Name, value: Value) -> Res<()> {
        let identity = self.state.resources.identity();
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return Ok(()) };
        let param = Param { value, source: entry.source, span: None, append: false, identity };
        set_param(entry, name, param).map_err(|bad| self.invalid_tag(bad))
    }

    /// The values of all parameters: declared ones in their order, then the others.
    fn parameter_values(
        &mut self,
        id: ResourceId,
        parameters: &'c [ast::Parameter],
        scope: ScopeId,
    ) -> Res<Vec<(Name, Value)>> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(Vec::new()) };
        let is_declared_argument =
            |name: &Name| *name != catwalk_base::name!("name") && *name != catwalk_base::name!("title");
        let given_count = entry.params.keys().filter(|name| is_declared_argument(name)).count();
        let defaulted =
            |parameter: &&ast::Parameter| parameter.default.is_some() && entry.get(parameter.name).is_none();
        let defaulted_parameters: Vec<&ast::Parameter> = parameters.iter().filter(defaulted).collect();
        let mut set = Vec::new();
        if !defaulted_parameters.is_empty() {
            let mut vars = Vars::with_capacity(parameters.len().max(given_count));
            for (name, param) in entry.params.iter().filter(|(name, _)| is_declared_argument(name)) {
                vars.push(*name, param.value.clone());
            }
            let names = parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>();
            set = self.nested(ScopeKind::Local, scope, vars, |ev| ev.defaults(id, names, &defaulted_parameters))?;
        }
        // Defaults come in the order of the declared parameters.
        let mut values = Vec::with_capacity(parameters.len().max(given_count));
        let mut defaults = set.iter().peekable();
        let mut used = 0;
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(Vec::new()) };
        for parameter in parameters {
            let argument = entry.params.get(&parameter.name).filter(|_| is_declared_argument(&parameter.name));
            used += usize::from(argument.is_some());
            if let Some((name, value)) = defaults.next_if(|(name, _)| *name == parameter.name) {
                values.push((*name, value.clone()));
            } else if let Some(param) = argument {
                values.push((parameter.name, param.value.clone()));
            }
        }
        if used < given_count {
            let others = entry.params.iter().filter(|(name, _)| {
                is_declared_argument(name) && !parameters.iter().any(|parameter| parameter.name == **name)
            });
            values.extend(others.map(|(name, param)| (*name, param.value.clone())));
        }
        self.set_defaults(id, set)?;
        Ok(values)
    }

    /// Sets defaults as parameters of the resource, as its own source would.
    fn set_defaults(&mut self, id: ResourceId, defaults: Vec<(Name, Value)>) -> Res<()> {
        let mut identities = self.state.resources.identities(defaults.len());
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return Ok(()) };
        let source = entry.source;
        let mut param = |value| {
            let identity = identities.next().unwrap_or(Identity(0));
            Param { value, source, span: None, append: false, identity }
        };
        let is_new =
            |(name, _): &(Name, Value)| !entry.params.contains_key(name) && *name != catwalk_base::name!("tag");
        if defaults.iter().all(is_new) {
            entry.checked = false;
            entry.params.push_all(defaults.into_iter().map(|(name, value)| (name, param(value))));
            return Ok(());
        }
        let mut results = defaults.into_iter().map(|(name, value)| set_param(entry, name, param(value)));
        results.try_for_each(|done| done).map_err(|bad| self.invalid_tag(bad))
    }

    /// Evaluates defaults in order; each sees the earlier parameters and all that have values.
    fn defaults(
        &mut self,
        id: ResourceId,
        names: Vec<Name>,
        parameters: &[&'c ast::Parameter],
    ) -> Res<Vec<(Name, Value)>> {
        let at = self.scope;
        if let Some(scope) = self.scope_mut(at) {
            scope.pending = Some(Box::new(PendingParameters { callee: Callee::Resource(id), names, read_only: false }));
        }
        let mut defaults = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let Some(default) = &parameter.default else { continue };
            // An `undef` argument is treated as missing.
            let value = self.default_value(parameter.name, default)?;
            // An invalid reference is an error at the definition; a value that the catalog cannot hold is an error at the
            // declaration.
            let value = self.catalog_value(value).map_err(|stop| match stop {
                Stop::Reason(reason) if reason.code == Code::NOT_CONVERTIBLE => Stop::Reason(reason),
                Stop::Reason(reason) => Stop::Failed(Box::from(*reason)),
                stop => stop,
            })?;
            let value = value.deep_copy();
            self.set_pending(at, parameter.name, value.clone());
            defaults.push((parameter.name, value));
        }
        Ok(defaults)
    }

    /// Takes the log, with messages that were recorded while it could not be written to.
    pub fn take_logs(&mut self) -> Vec<Diagnostic> {
        let mut logs = std::mem::take(&mut self.logs);
        logs.append(&mut self.program.take_warnings());
        for (at, warning) in self.state.late_logs.take().into_iter().rev() {
            logs.insert(at.min(logs.len()), warning);
        }
        logs
    }
}
