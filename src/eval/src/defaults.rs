//! Resource defaults: `File { mode => '0644' }`, visible in the scope and all scopes nested in it (Scope#define_settings).

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::resource::general_type;
use crate::resource::issue;
use crate::resource::parse_error;
use crate::state::Params;
use crate::state::ResourceDefinition;
use catwalk_base::diag::Code;
use catwalk_base::names::Name;
use catwalk_catalog::ResourceId;
use catwalk_syntax::ast;
use catwalk_value::Type;
use catwalk_value::Value;

impl<'c> Evaluator<'c> {
    /// A resource default expression: the type.
    ///
    /// # Errors
    /// Not a resource type; a parameter that has a default in this scope already.
    pub(crate) fn eval_resource_defaults(&mut self, defaults: &'c ast::ResourceDefaults) -> Res<Value> {
        let value = self.eval(&defaults.type_ref)?;
        let name = match &value {
            Value::Type(Type::Resource(reference)) if reference.title.is_none() => reference.type_name.clone(),
            _ => None,
        };
        let Some(name) = name else {
            let text = "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got";
            let span = defaults.type_ref.span;
            return issue(Code::ILLEGAL_RESOURCE_TYPE, format!("{text} {}", general_type(&value)), span);
        };
        let mut params = Vec::new();
        for attribute in &defaults.attributes {
            params.extend(self.attribute_params(attribute)?);
        }
        let type_name = Name::new(&name).capitalized();
        let scope = self.base();
        self.state.resources.has_defaults = true;
        for (name, param) in params {
            let table = self.state.resources.defaults.entry((scope, type_name)).or_default();
            if table.contains_key(&name) {
                let text = format!("Default already defined for {type_name} {{ {name} }}; cannot redefine");
                return parse_error(text, param.span);
            }
            table.insert(name, param);
        }
        Ok(value)
    }

    /// The defaults of a type that a scope sees: outer ones first, replaced in place by inner ones.
    ///
    /// # Errors
    ///
    /// The error of a `lookupdefaults` in Ruby code.
    pub(crate) fn defaults_for(&mut self, scope: ScopeId, type_name: Name) -> Res<Params> {
        let scope = self.base_of(scope);
        if let Some(answer) = self.ruby_defaults(scope, type_name) {
            return answer;
        }
        self.plain_defaults(scope, type_name)
    }

    /// The defaults of a scope that does not override the method: those of the scopes around it, and its own table
    /// (`Scope#lookupdefaults`).
    ///
    /// # Errors
    /// As `Evaluator::defaults_for`.
    pub fn plain_defaults(&mut self, scope: ScopeId, type_name: Name) -> Res<Params> {
        let mut params = Params::default();
        let mut chain = vec![scope];
        let outer = |ev: &Self, id| ev.scope(id).and_then(|scope| scope.parent).map(|parent| ev.base_of(parent));
        let mut at = outer(self, scope);
        while let Some(id) = at {
            if let Some(answer) = self.ruby_defaults(id, type_name) {
                params = answer?;
                break;
            }
            chain.push(id);
            at = outer(self, id);
        }
        for table in chain.into_iter().rev().filter_map(|id| self.state.resources.defaults.get(&(id, type_name))) {
            for (name, param) in table {
                params.insert(*name, param.clone());
            }
        }
        Ok(params)
    }

    /// The defaults of a scope whose `lookupdefaults` Ruby code has replaced.
    fn ruby_defaults(&mut self, scope: ScopeId, type_name: Name) -> Option<Res<Params>> {
        if self.ruby.is_empty() { None } else { self.library.ruby.defaults(self, scope, type_name) }
    }

    /// Whether a value is the default of a parameter in a scope or around it.
    pub(crate) fn is_default(&self, scope: ScopeId, type_name: Name, name: Name, value: &Value) -> bool {
        if !self.state.resources.has_defaults {
            return false;
        }
        let mut at = Some(self.base_of(scope));
        while let Some(id) = at {
            let table = self.state.resources.defaults.get(&(id, type_name));
            if table.and_then(|table| table.get(&name)).is_some_and(|param| param.value == *value) {
                return true;
            }
            at = self.scope(id).and_then(|scope| scope.parent).map(|parent| self.base_of(parent));
        }
        false
    }

    /// The resource that a reference names; class titles are case-insensitive.
    ///
    /// # Errors
    /// The title does not fit the type.
    pub(crate) fn find_titled(&self, type_name: &str, title: &str) -> Res<Option<ResourceId>> {
        let name = Name::new(type_name).capitalized();
        if title.is_empty() && name == "Class" {
            return Ok(self.main_class());
        }
        let title = if name == "Class" { Name::new(title).capitalized().as_str() } else { title };
        self.find_resource(name, title)
    }

    /// The value of a resource's parameter as `File['/x']['mode']` returns it: its own or its scope's default.
    ///
    /// # Errors
    ///
    /// The error of a `lookupdefaults` in Ruby code.
    pub(crate) fn resource_parameter(&mut self, id: ResourceId, parameter: &str) -> Res<Value> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(Value::Undef) };
        let parameter = Name::new(parameter);
        if parameter == "title" {
            return Ok(Value::from(entry.title.clone()));
        }
        if let Some(value) = entry.get(parameter) {
            return Ok(value.clone());
        }
        let (scope, type_name) = (entry.scope, entry.type_name);
        let defaults = self.defaults_for(scope, type_name)?;
        Ok(defaults.get(&parameter).map_or(Value::Undef, |param| param.value.clone()))
    }

    /// Whether the value of a parameter of a resource may be read. For types that `puppet generate types` wrote it never may:
    /// Puppet looks for a string among symbols (ResourceTypeImpl#valid_parameter?).
    #[must_use]
    pub(crate) fn accepts_parameter(&self, id: ResourceId, parameter: &str) -> bool {
        let entry = self.state.resources.entries.get(id.0 as usize);
        entry.is_some_and(|entry| match &entry.declared {
            ResourceDefinition::Builtin(builtin) if builtin.schema().generated => false,
            declared => declared.accepts(Name::new(parameter)),
        })
    }
}
