//! The beginning of a compile: the empty catalog, node variables, settings, the main manifest, classified classes
//! (the first phases of Puppet::Parser::Compiler#compile).

use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::class::REGULAR;
use crate::class::class_name;
use crate::resource::NewResource;
use crate::state::Entry;
use crate::state::Param;
use crate::state::Params;
use crate::state::ResourceDefinition;
use crate::state::Source;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_catalog::Kind;
use catwalk_catalog::ResourceId;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

impl<'c> Evaluator<'c> {
    /// The catalog with `Stage[main]`, and the names of classified classes.
    ///
    /// # Errors
    /// A class name that cannot be a tag.
    pub fn start_catalog(&mut self) -> Res<()> {
        for file in self.program.main() {
            for definition in &file.definitions {
                self.check_parameter_names(definition)?;
            }
        }
        self.type_loaded_definitions()?;
        // Puppet adds the definitions of a file when all of them are instantiated.
        self.check_duplicate_names()?;
        let Some(stage) = self.builtin(catwalk_base::name!("stage"))? else {
            return Err(Reason::unsupported("a world without stages").into());
        };
        let mut entry =
            self.predefined_entry("Stage", "main", true, ResourceDefinition::Builtin(stage), Kind::CompilableType)?;
        entry.in_compiler = false;
        // It is declared before the main class, so the main class is not its source.
        entry.source = Source::Class(catwalk_base::name!("settings"));
        entry.source = Source::Predefined;
        self.add_to_catalog(entry)?;
        for name in self.node.classes.keys() {
            self.add_class(name)?;
        }
        Ok(())
    }

    /// Adds definitions of the main manifest in their order, whatever their kind: the first duplicate is the error.
    fn check_duplicate_names(&self) -> Res<()> {
        match (self.program.check_names(), self.check_node_blocks()) {
            (Err(name), Err(Stop::Failed(node))) => {
                let order = |clash: &Diagnostic| clash.span.map(|span| self.main_order(span));
                Err(Stop::Failed(if order(&node) < order(&name) { node } else { name }))
            }
            (names, nodes) => names.map_err(Stop::from).and(nodes),
        }
    }

    fn predefined_entry(
        &mut self,
        type_name: &str,
        title: &str,
        title_is_main: bool,
        declared: ResourceDefinition<'c>,
        kind: Kind,
    ) -> Res<Entry<'c>> {
        let new = NewResource {
            type_name: Name::new(type_name),
            title,
            title_is_main,
            title_value: None,
            declared,
            kind,
            span: None,
            form: REGULAR,
            params: Params::default(),
            scope: ScopeId::TOP,
            source: Source::Class(catwalk_base::name!("")),
        };
        self.new_entry(new, false)
    }

    /// Top-scope variables: classification's parameters, facts, `$facts`, `$trusted`, `$server_facts`.
    ///
    /// # Errors
    /// A name that cannot be a variable.
    pub fn set_node_parameters(&mut self) -> Res<()> {
        let top = ScopeId::TOP;
        for (name, value) in &self.node.parameters {
            self.note_fact(Name::new(name));
            if name.as_ref() != "environment" {
                self.set_top_variable(name, value.clone())?;
            }
        }
        // Of the two environments, the node's own is bound, after all other variables: `Scope#to_hash` shows the order.
        self.note_fact(catwalk_base::name!("environment"));
        let environment = Value::from(self.node.environment.clone());
        for facts in [&self.node.facts, &self.node.server_facts] {
            for (name, value) in facts.iter() {
                let Some(name) = name.as_str().filter(|name| *name != "trusted") else { continue };
                if name == "environment" {
                    if !std::ptr::eq(facts, &self.node.server_facts) {
                        self.warn_shadowed(name, &environment, value);
                    }
                    continue;
                }
                match self.scope(top).and_then(|scope| scope.vars.get(Name::new(name))).cloned() {
                    None => self.set_top_variable(name, value.clone())?,
                    Some(current) => self.warn_shadowed(name, &current, value),
                }
            }
        }
        self.bind(top, catwalk_base::name!("environment"), environment);
        self.bind(top, catwalk_base::name!("trusted"), Value::Hash(self.node.trusted.clone()));
        self.bind(top, catwalk_base::name!("server_facts"), Value::Hash(self.node.server_facts.clone()));
        self.bind(top, catwalk_base::name!("facts"), Value::Hash(self.node.facts.clone()));
        Ok(())
    }

    /// Sets only `$facts`: the top scope of deferred functions, which have neither node variables nor a catalog
    /// (Puppet::Pops::Evaluator::DeferredResolver#set_facts_variable).
    pub fn set_facts(&mut self) {
        self.bind(ScopeId::TOP, catwalk_base::name!("facts"), Value::Hash(self.node.facts.clone()));
    }

    fn warn_shadowed(&mut self, name: &str, current: &Value, value: &Value) {
        self.note_fact(Name::new(name));
        let (current, value) = (ruby::to_s(current).into_owned(), ruby::to_s(value).into_owned());
        let node = &self.node.certname;
        let text = format!("The node parameter '{name}' for node '{node}' was already set to '{current}'.");
        self.warn_line(format!("{text} It could not be set to '{value}'"), None);
    }

    fn set_top_variable(&mut self, name: &str, value: Value) -> Res<()> {
        if super::lambda::reserved(name) {
            return Err(Stop::runtime(format!("Attempt to assign to a reserved variable name: '{name}'")));
        }
        self.bind(ScopeId::TOP, Name::new(name), value);
        Ok(())
    }

    /// Declares `Class[settings]` and sets its variables.
    ///
    /// # Errors
    /// The class cannot be declared.
    pub fn create_settings_scope(&mut self) -> Res<()> {
        let declared = ResourceDefinition::Class(None);
        let mut entry = self.predefined_entry("Class", "settings", false, declared, Kind::Unknown)?;
        entry.in_compiler = false;
        let id = self.add_to_catalog(entry)?;
        // It is declared outside of all classes, so it has only its own tags.
        self.evaluate_resource(id)?;
        Ok(())
    }

    /// Puppet's settings as manifests see them, by name; `$settings::all_local` is all of them. They are read when the first is
    /// used.
    ///
    /// # Errors
    ///
    /// A setting refers to one that has no value.
    pub fn puppet_setting(&mut self, name: &str) -> Res<Option<Value>> {
        let all = match &self.puppet_settings {
            Some(all) => all.clone(),
            None => {
                let settings = self.settings.environment_settings();
                let server = self.node.server_facts.get("servername").and_then(Value::as_str).unwrap_or("puppet");
                let all = Arc::new(settings.all(&self.program.environment, server, self.world)?);
                self.puppet_settings = Some(all.clone());
                all
            }
        };
        let found = if name == "all_local" { Some(Value::Hash(all)) } else { all.get(name).cloned() };
        self.program.environment.queries.record_setting(Name::new(name), found.as_ref());
        Ok(found)
    }

    /// Evaluates the main manifest as the body of `Class[main]`.
    ///
    /// # Errors
    ///
    /// Any failure in it.
    pub fn evaluate_main(&mut self) -> Res<()> {
        let id = self.declare_main()?;
        self.evaluate_resource(id)
    }

    /// Declares the main class without evaluating it: resources and tags of the top scope belong to it.
    ///
    /// # Errors
    ///
    /// As declaring a class.
    pub fn declare_main(&mut self) -> Res<ResourceId> {
        let entry = self.predefined_entry("Class", "", true, ResourceDefinition::Class(None), Kind::Unknown)?;
        let id = self.add_resource(ScopeId::TOP, entry)?;
        self.state.resources.main = Some(id);
        if let Some(scope) = self.scope_mut(ScopeId::TOP) {
            scope.resource = Some(id);
        }
        Ok(id)
    }

    /// Classes of the classification: those with parameters first. They are evaluated later, with the defines.
    ///
    /// # Errors
    /// A class is not found, or declared already.
    pub fn evaluate_node_classes(&mut self) -> Res<()> {
        let scope = self.state.node_scope.unwrap_or(ScopeId::TOP);
        let node = self.node;
        let has_params = |params: &Option<Arc<Hash>>| params.as_ref().is_some_and(|params| !params.is_empty());
        let mut with = Vec::new();
        for (name, params) in node.classes.iter().filter(|(_, params)| has_params(params)) {
            let Some(class) = self.find_class(name)? else {
                let certname = &node.certname;
                return Err(Stop::runtime(format!("Could not find class {name} for {certname}")));
            };
            with.push((class, params));
        }
        for (class, params) in with {
            let source = Source::Class(class_name(&class));
            let mut list = Params::default();
            for (key, value) in params.iter().flat_map(|params| params.iter()) {
                let Some(key) = key.as_str() else { continue };
                let identity = self.state.resources.identity();
                let param = Param { value: value.clone(), source, span: None, append: false, identity };
                list.insert(Name::new(key), param);
            }
            self.in_scope(scope, |ev| ev.ensure_class(class, Some(&list)))?;
        }
        let without: Vec<Arc<str>> =
            node.classes.iter().filter(|(_, params)| !has_params(params)).map(|(name, _)| name.clone()).collect();
        self.in_scope(scope, |ev| ev.ensure_classes(&without)).map(drop)
    }
}
