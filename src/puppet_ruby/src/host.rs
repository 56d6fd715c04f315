//! The compile as the host of Ruby programs.
//!
//! In: calls of the language ([`catwalk_ruby::Host`]). Out: the results of Puppet's API. Each method continues the program that
//! called it.

use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;

use crate::catalog;
use crate::class_names;
use crate::exceptions;
use crate::function;
use crate::interp::Compile;
use crate::module_functions;
use crate::objects;
use crate::prelude;
use crate::puppet_files;
use crate::scope;
use crate::scope_defaults;
use crate::scope_methods;
use crate::scope_names;
use crate::type_factory;
use crate::values;
use catwalk_base::names::Name;
use catwalk_eval::state::Entry;
use catwalk_ruby::Blk;
use catwalk_ruby::Exception;
use catwalk_ruby::Frame;
use catwalk_ruby::Host;
use catwalk_ruby::Instance;
use catwalk_ruby::Library;
use catwalk_ruby::ParsedFile;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::Tables;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::data::yaml_cache::YamlCache;
use catwalk_value::ruby;
use catwalk_world::World;

impl Host for Compile<'_, '_> {
    fn world(&self) -> &dyn World {
        self.ev.world
    }

    fn yaml(&self) -> Option<&YamlCache> {
        Some(self.ev.program.yaml())
    }

    fn parse_file(&mut self, program: &mut ProgramState, path: &Path) -> Raise<Option<ParsedFile>> {
        match self.ev.program.ruby(path) {
            Ok(parsed) => Ok(Some(parsed)),
            Err(failure) => self.interp(program).raise_failure(failure.into()),
        }
    }

    fn library_paths(&self, relative: &str) -> Vec<PathBuf> {
        self.ev.program.environment.paths_in_modules(relative).collect()
    }

    fn has_library(&self, file: &str) -> bool {
        // The supported parts of Puppet's own files are built in. Files of PuppetDB's terminus or of older versions are
        // missing. Puppet's packages include the library puppet-resource_api.
        puppet_files::has(file, self.ev.settings.version)
            || file.starts_with("puppet/resource_api")
            || class_names::has_library(file)
    }

    fn file_of_constant(&self, path: &str) -> Option<String> {
        class_names::file_of_constant(path)
    }

    fn library_of_constant(&self, path: &str) -> Option<&'static Library> {
        prelude::library_of_constant(path)
    }

    fn constant(&self, path: &str) -> Option<Rv> {
        match path {
            "Puppet::PUPPETVERSION" => Some(Rv::str(self.ev.settings.version.release)),
            path => type_factory::constant(path),
        }
    }

    fn displayed_class(&self, class: &str) -> Option<&'static str> {
        (class == function::FUNCTION).then_some("Puppet::Pops::Loader::RubyFunctionInstantiator")
    }

    fn call_definition(
        &mut self,
        program: &mut ProgramState,
        class: Name,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        function::define(&mut self.interp(program), class.as_str(), name, args, block)
    }

    fn call_class(
        &mut self,
        program: &mut ProgramState,
        class: Name,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        let rt = &mut self.interp(program);
        if let Some(value) = type_factory::class_method(rt, class.as_str(), name, args)? {
            return Ok(Some(value));
        }
        module_functions::call(rt, class.as_str(), name, args, block)
    }

    fn call_object(
        &mut self,
        program: &mut ProgramState,
        object: &Rc<Instance>,
        name: &str,
        args: &[Rv],
    ) -> Raise<Option<Rv>> {
        objects::call(&mut self.interp(program), object, name, args)
    }

    fn initialize_exception(
        &mut self,
        program: &mut ProgramState,
        exception: &Rc<Exception>,
        args: &[Rv],
    ) -> Raise<()> {
        exceptions::initialize(&mut self.interp(program), exception, args)
    }

    fn call_exception(
        &mut self,
        program: &mut ProgramState,
        exception: &Rc<Exception>,
        name: &str,
        _: &[Rv],
    ) -> Raise<Option<Rv>> {
        Ok(exceptions::call(&mut self.interp(program), exception, name))
    }

    fn call_self(
        &mut self,
        program: &mut ProgramState,
        this: &Rv,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        scope::call_self(&mut self.interp(program), this, name, args, block)
    }

    fn has_self_method(&self, name: &str) -> bool {
        scope::SELF_METHODS.contains(&name)
    }

    fn call_scope(&mut self, program: &mut ProgramState, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        scope_methods::call(&mut self.interp(program), name, args, block)
    }

    fn call_value(
        &mut self,
        program: &mut ProgramState,
        value: &Rc<Value>,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        values::call(&mut self.interp(program), value, name, args, block)
    }

    fn call_function(
        &mut self,
        program: &mut ProgramState,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        self.interp(program).call_function(name, args, block).map(Some)
    }

    fn call_block(&mut self, program: &mut ProgramState, number: usize, args: &[Rv]) -> Raise<Rv> {
        self.interp(program).call_puppet_block(number, args)
    }

    fn block_arity(&self, number: usize) -> i64 {
        self.own.blocks.get(number).map_or(-1, |block| {
            let arity = block.arity();
            let min = i64::try_from(arity.min).unwrap_or(i64::MAX);
            if arity.max == Some(arity.min) { min } else { -min - 1 }
        })
    }

    fn ignores(&self, module: Name, name: &str) -> bool {
        module == catwalk_base::name!("Puppet") && scope::is_log_level(name) && !self.ev.logs(scope::severity(name))
    }

    fn responds_to(&mut self, program: &mut ProgramState, value: &Rv, name: &str) -> bool {
        match value {
            Rv::Scope => scope::responds_to(&mut self.interp(program), name),
            Rv::Class(class) => matches!(
                (class.as_str(), name),
                ("Puppet::Util", "deterministic_rand" | "deterministic_rand_int")
                    | ("Puppet::Pops::PuppetStack", "stacktrace")
            ),
            Rv::Puppet(value) => match &**value {
                Value::Sensitive(_) => name == "unwrap",
                Value::Object(object) => object.get(name).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_known_missing(&self, class: &str, name: &str) -> bool {
        crate::environment::is_removed_method(class, name)
    }

    fn is_missing_in_scope(&self, name: &str) -> bool {
        scope_names::is_unknown_method(name)
    }

    fn scope_label(&self) -> String {
        self.ev.scope_label()
    }

    fn scope_class(&self) -> Name {
        scope_defaults::catalog_class()
    }

    fn scope_singleton(&self) -> Name {
        scope_defaults::singleton_name(self.ev.base())
    }

    fn scope_variable(&mut self, program: &mut ProgramState, name: Name) -> Option<Rv> {
        (name == "defaults").then(|| scope_defaults::defaults_table(&mut self.interp(program)))
    }

    fn bare_name(&mut self, program: &mut ProgramState, name: &str, frame: &Frame) -> Raise<Option<Rv>> {
        scope::wrapper_variable(&mut self.interp(program), name, frame)
    }

    fn instance_variable(&mut self, program: &mut ProgramState, class: Name, name: Name) -> Raise<Option<Rv>> {
        self.interp(program).template_variable(class, name)
    }

    fn instance_variables(&self, program: &ProgramState, class: Name) -> Vec<String> {
        if scope::is_template(program, class) { scope::variable_names(self.ev) } else { Vec::new() }
    }

    fn value_to_s(&mut self, program: &mut ProgramState, value: &Value) -> Raise<Option<String>> {
        match value {
            Value::Type(reference @ Type::Resource(_) | reference @ Type::Class(_))
                if self.own.is_legacy_function && catalog::is_reference(value) =>
            {
                match self.ev.catalog_reference(reference) {
                    Ok(reference) => Ok(Some(reference.to_string())),
                    Err(stop) => self.interp(program).raise_failure(stop),
                }
            }
            value => Ok(self.own.is_legacy_function.then(|| ruby::to_s_3x(value).into_owned())),
        }
    }

    fn inspect_value(&self, value: &Value) -> Option<String> {
        self.own.is_legacy_function.then(|| ruby::inspect(value))
    }

    fn display_value(&self, value: &Value) -> Option<String> {
        self.own.is_legacy_function.then(|| ruby::receiver(value))
    }

    fn value_class(&self, value: &Value) -> Option<&'static str> {
        self.own.is_legacy_function.then(|| ruby::class_name(value))
    }

    fn method_added(&mut self, tables: &mut Tables, class: Name, name: Name) {
        let is_scope_method = scope_defaults::is_scope_singleton(class.as_str());
        if is_scope_method || class == scope_defaults::catalog_class() {
            tables.scope_class = Some(scope_defaults::catalog_class());
            tables.has_scope_methods |= is_scope_method;
            tables.reopens_builtins = true;
        }
        // Semantic versions are values here.
        tables.reopens_builtins |= class.as_str().starts_with("SemanticPuppet");
        // Resources search the scope for defaults only if it can have some.
        self.ev.state.resources.has_defaults |= is_scope_method && name == catwalk_base::name!("lookupdefaults");
    }

    fn object_stored(&mut self) {
        self.ev.state.ruby_objects = true;
    }

    fn replace_values<'v>(&mut self, new_value: &dyn Fn(&Value) -> Option<&'v Value>, mut references: usize) {
        let replace_params = |entry: &mut Entry<'_>| {
            let mut replaced = 0;
            for param in entry.params.values_mut() {
                if let Some(new) = new_value(&param.value) {
                    param.value = new.clone();
                    replaced += 1;
                }
            }
            replaced
        };
        // Most references are variables of a new scope, and parameters of the resource that is evaluated in it.
        let ev = &mut *self.ev;
        for scope in ev.scopes.iter_mut().rev() {
            if references == 0 {
                break;
            }
            references = references.saturating_sub(scope.vars.replace(&new_value));
            let resource = scope.resource.and_then(|id| ev.state.resources.entries.get_mut(id.0 as usize));
            references =
                references.saturating_sub(resource.filter(|entry| !entry.is_builtin()).map_or(0, replace_params));
        }
        for entry in ev.state.resources.entries.iter_mut().rev() {
            if references == 0 {
                break;
            }
            if !entry.is_builtin() {
                references = references.saturating_sub(replace_params(entry));
            }
        }
    }
}
