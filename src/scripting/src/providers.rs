//! Providers in Rhai: `modules/<m>/scripts/providers/<t>.rhai` manages the resources of the type `<t>`.
//!
//! In: the definition of a type, calls of a transaction. Out: rows and failures; the provider works on the machine of its context.
//! Must not: compare states or decide what is changed.

mod by_attribute;
mod rows;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use rhai::Dynamic;
use rhai::FnAccess;

use crate::api::ProviderContext;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::callers;
use crate::entry;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use crate::running::Call;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::render;
use catwalk_program::Environment;
use catwalk_resource_api::AttributeProvider;
use catwalk_resource_api::Change;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Provider;
use catwalk_resource_api::Providers;
use catwalk_resource_api::SimpleProvider;
use catwalk_resource_api::State;
use catwalk_resource_api::set_each;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

/// The providers that the scripts of an environment define.
pub struct RhaiProviders {
    scripts: Arc<Scripts>,
    environment: Arc<Environment>,
    world: Arc<dyn World>,
    /// How long one call may take.
    limit: Duration,
}

impl RhaiProviders {
    /// The providers of an environment, read through `world`.
    ///
    /// # Errors
    /// The scripts run in worker processes because their authors are not trusted: providers run with the rights of the user, so
    /// they are not started.
    pub fn new(
        scripts: Arc<Scripts>,
        environment: Arc<Environment>,
        world: Arc<dyn World>,
    ) -> Result<RhaiProviders, Reason> {
        if scripts.workers.is_some() {
            let text =
                "catalogs of untrusted code are not applied: its providers would run with the rights of this user";
            let help = "apply the catalog of a site that is trusted: without --untrusted, `untrusted` and `isolation` in catwalk.toml";
            return Err(Reason::new(Code::APPLY_UNTRUSTED, text).help(help));
        }
        Ok(RhaiProviders { scripts, environment, world, limit: limits::PROVIDER_LIMIT })
    }

    /// Limits the time of one call: a provider that takes longer fails and ends the run.
    #[must_use]
    pub fn with_time_limit(self, limit: Option<Duration>) -> RhaiProviders {
        RhaiProviders { limit: limit.unwrap_or(self.limit).min(self.limit), ..self }
    }

    /// The file of the provider of a type: that of the site, of the module that defines the type, of another module.
    fn file(&self, definition: &Definition) -> Option<PathBuf> {
        let environment = &self.environment;
        let defining_module = environment.module_of_path(Path::new(&*definition.file)).map(|module| &module.root);
        let modules = environment.modules.values().chain(&environment.individual_modules).map(|module| &module.root);
        let roots = environment.root.iter().chain(defining_module).chain(modules);
        let mut files = roots.map(|root| root.join(format!("scripts/providers/{}.rhai", definition.name)));
        files.find(|file| self.world.kind(file) == Kind::File)
    }

    /// A failure to load: there are no calls that led there, so the position is in the message.
    fn failure(&self, diagnostic: &Diagnostic) -> Failure {
        Failure::new(error::with_location(diagnostic, &self.scripts.sources))
    }
}

impl Providers for RhaiProviders {
    fn load(&mut self, definition: &Arc<Definition>) -> Result<Option<Box<dyn Provider>>, Failure> {
        let Some(file) = self.file(definition) else { return Ok(None) };
        let script = self
            .scripts
            .load(&file, &self.environment, self.world.as_ref())
            .map_err(|diagnostic| self.failure(&diagnostic))?;
        let problems = self.scripts.find_mismatches(&script, definition);
        if !problems.is_empty() {
            let messages: Vec<String> =
                problems.iter().map(|problem| error::with_location(problem, &self.scripts.sources)).collect();
            return Err(Failure::new(messages.join("\n")));
        }
        let functions = Functions::in_script(&script);
        Ok(Some(Box::new(RhaiProvider {
            scripts: self.scripts.clone(),
            environment: self.environment.clone(),
            world: self.world.clone(),
            script,
            functions,
            cache: Hash::new(),
            limit: self.limit,
        })))
    }
}

/// The public functions of a provider, with the numbers of their parameters.
pub(super) struct Functions(Vec<(String, usize)>);

impl Functions {
    pub(super) fn in_script(script: &Script) -> Functions {
        let public = script.ast.iter_functions().filter(|function| function.access == FnAccess::Public);
        Functions(public.map(|function| (function.name.to_owned(), function.params.len())).collect())
    }

    fn has(&self, name: &str, parameters: usize) -> bool {
        self.0.iter().any(|(function, count)| function == name && *count == parameters)
    }

    fn is_simple(&self) -> bool {
        !self.has("set", 2) && !self.has("set", 3)
    }

    /// Mismatches between the features of a type and the functions of its provider: the function with the mistake, and the
    /// message.
    fn find_mismatches(&self, definition: &Definition) -> Vec<(&'static str, String)> {
        let file = &definition.name;
        let feature = |name: &str| definition.has_feature(name);
        let mut mismatches = Vec::new();
        if !self.has("get", 1) && !self.has("get", 2) && !self.has("get", 3) {
            mismatches.push(("get", format!("the provider of '{file}' has no function get(context)")));
        } else if feature("simple_get_filter") && !self.has("get", 2) && !self.has("get", 3) {
            let text = "the type has the feature simple_get_filter: the provider needs get(context, names)";
            mismatches.push(("get", text.to_owned()));
        } else if !feature("simple_get_filter") && !self.has("get", 1) {
            let text =
                "get(context, names) needs the feature simple_get_filter of the type; without it there is get(context)";
            mismatches.push(("get", text.to_owned()));
        }
        if feature("supports_noop") && !self.has("set", 3) {
            let text = "the type has the feature supports_noop: the provider needs set(context, changes, noop)";
            mismatches.push(("set", text.to_owned()));
        }
        match (feature("canonicalize"), self.has("canonicalize", 2)) {
            (true, false) => {
                let text = "the type has the feature canonicalize: the provider needs canonicalize(context, resources)";
                mismatches.push(("canonicalize", text.to_owned()));
            }
            (false, true) => {
                let text = "canonicalize(context, resources) needs the feature canonicalize of the type";
                mismatches.push(("canonicalize", text.to_owned()));
            }
            _ => {}
        }
        mismatches
    }
}

impl Scripts {
    /// Mismatches between the features of a type and the functions of its provider, as diagnostics at the functions.
    fn find_mismatches(&self, script: &Script, definition: &Definition) -> Vec<Diagnostic> {
        let to_diagnostic = |(name, text)| {
            Diagnostic::new(Reason::new(Code::SCRIPT_ENTRY, text), Some(self.function_span(script, name)))
        };
        Functions::in_script(script).find_mismatches(definition).into_iter().map(to_diagnostic).collect()
    }

    /// The mistakes of a type's provider that concern the type. A script that cannot be loaded has none.
    #[must_use]
    pub fn check_provider(
        &self,
        path: &Path,
        definition: &Definition,
        environment: &Environment,
        world: &dyn World,
    ) -> Vec<Diagnostic> {
        self.load(path, environment, world).map(|script| self.find_mismatches(&script, definition)).unwrap_or_default()
    }
}

/// A provider, loaded for one run.
struct RhaiProvider {
    scripts: Arc<Scripts>,
    environment: Arc<Environment>,
    world: Arc<dyn World>,
    script: Arc<Script>,
    functions: Functions,
    /// Values that the provider caches during the run.
    cache: Hash,
    /// How long one call may take.
    limit: Duration,
}

impl RhaiProvider {
    /// Calls a function of the script with the context and these arguments.
    fn call(&mut self, context: &mut Context<'_>, function: &str, args: Vec<Dynamic>) -> Result<Dynamic, Failure> {
        let loading = ImportContext {
            scripts: &self.scripts,
            environment: &self.environment,
            world: self.world.as_ref(),
            data: None,
        };
        let name = context.definition.name;
        let call = Call { context, cache: &mut self.cache };
        let started = Instant::now();
        let result = enter((&self.script, self.limit), &loading, call, function, args);
        if self.limit < limits::PROVIDER_LIMIT && started.elapsed() >= self.limit {
            let seconds = self.limit.as_secs_f64();
            let text =
                format!("{function}() of the provider of '{name}' took longer than {seconds} s (--timeout-provider)");
            let failure = result.err().unwrap_or_else(|| Failure::new(""));
            return Err(Failure { message: text, is_fatal: true, ..failure });
        }
        result
    }

    /// The rows that a function returned. A failure is located at the function.
    fn rows(
        &self,
        function: &str,
        returned: Dynamic,
        definition: &Definition,
        received: &[State],
    ) -> Result<Vec<State>, Failure> {
        rows::read(function, returned, definition, received).map_err(|failure| self.at_function(failure, function))
    }

    /// A failure about what a function returned, with the position of the function.
    fn at_function(&self, failure: Failure, function: &str) -> Failure {
        let span = self.scripts.function_span(&self.script, function);
        let diagnostic = Diagnostic::new(Reason::new(Code::SCRIPT_FAILED, ""), Some(span));
        Failure { excerpt: render::excerpt(&diagnostic, &self.scripts.sources), ..failure }
    }

    /// Calls a function of a provider without `set`, if it has it.
    fn call_if_implemented(
        &mut self,
        context: &mut Context<'_>,
        function: &str,
        args: Vec<Dynamic>,
    ) -> Result<(), Failure> {
        if !self.functions.has(function, args.len() + 1) {
            return Err(Failure::new(format!("{} has not implemented '{function}'", context.definition.name)));
        }
        self.call(context, function, args).map(drop)
    }
}

/// Enters a function of a provider or transport with the context and these arguments; it may run up to the limit.
pub(super) fn enter(
    (script, limit): (&Script, Duration),
    loading: &ImportContext<'_>,
    mut call: Call<'_, '_>,
    function: &str,
    args: Vec<Dynamic>,
) -> Result<Dynamic, Failure> {
    let args: Vec<Dynamic> = std::iter::once(Dynamic::from(ProviderContext)).chain(args).collect();
    let result = callers::with_provider(&mut call, || entry::call(script, function, args, limit, loading, None));
    match result {
        None => Err(Failure::new(entry::TOO_DEEP)),
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(error::failure(&error, script.file, &loading.scripts.sources)),
    }
}

/// A state for a script: a copy, so that changes of the script do not affect others.
fn to_script(state: &State) -> Dynamic {
    Dynamic::from(HashHandle(Arc::new(state.to_hash())))
}

impl Provider for RhaiProvider {
    fn get(&mut self, context: &mut Context<'_>, names: Option<&[Value]>) -> Result<Vec<State>, Failure> {
        let filters = self.functions.has("get", 2) && context.definition.has_feature("simple_get_filter");
        let args = match names {
            _ if !filters => Vec::new(),
            None => vec![Dynamic::UNIT],
            Some(names) => vec![Dynamic::from_array(names.iter().map(bridge::to_dynamic).collect())],
        };
        let args = match args {
            mut args if self.functions.has("get", 3) => {
                args.resize(1, Dynamic::UNIT);
                args.push(Dynamic::from(HashHandle(Arc::new(Hash::new()))));
                args
            }
            args => args,
        };
        let returned = self.call(context, "get", args)?;
        self.rows("get", returned, &context.definition, &[])
    }

    fn set(&mut self, context: &mut Context<'_>, changes: &[Change], noop: bool) -> Result<(), Failure> {
        if self.functions.is_simple() {
            return set_each(self, context, changes);
        }
        let mut args = vec![Dynamic::from(HashHandle(Arc::new(changes.iter().map(rows::change).collect())))];
        if self.functions.has("set", 3) {
            args.push(Dynamic::from_bool(noop));
        }
        self.call(context, "set", args).map(drop)
    }

    fn canonicalize(&mut self, context: &mut Context<'_>, states: Vec<State>) -> Result<Vec<State>, Failure> {
        let args = vec![Dynamic::from_array(states.iter().map(to_script).collect())];
        let returned = self.call(context, "canonicalize", args)?;
        let canonical = self.rows("canonicalize", returned, &context.definition, &states)?;
        if canonical.len() != states.len() {
            let (returned, received) = (canonical.len(), states.len());
            let failure = Failure::new(format!("canonicalize() got {received} resources and returned {returned}"));
            return Err(self.at_function(failure, "canonicalize"));
        }
        Ok(canonical)
    }

    fn as_attribute_provider(&mut self) -> Option<&mut dyn AttributeProvider> {
        let changes_attributes =
            [("insync", 5), ("change", 5), ("flush", 4)].iter().any(|(name, count)| self.functions.has(name, *count));
        if changes_attributes { Some(self) } else { None }
    }
}

impl SimpleProvider for RhaiProvider {
    fn create(&mut self, context: &mut Context<'_>, name: &Value, should: &State) -> Result<(), Failure> {
        self.call_if_implemented(context, "create", vec![bridge::to_dynamic(name), to_script(should)])
    }

    fn update(&mut self, context: &mut Context<'_>, name: &Value, should: &State) -> Result<(), Failure> {
        self.call_if_implemented(context, "update", vec![bridge::to_dynamic(name), to_script(should)])
    }

    fn delete(&mut self, context: &mut Context<'_>, name: &Value) -> Result<(), Failure> {
        self.call_if_implemented(context, "delete", vec![bridge::to_dynamic(name)])
    }
}

#[cfg(test)]
mod tests;
