//! The context of a run of `apply` or `resource`: kinds of resources, the machine, deferred functions.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexSet;

use crate::embedded_types::EmbeddedTypes;
use crate::machine_facts;
use crate::results;
use crate::run_log::RunLog;
use crate::run_log::log_message;
use crate::settings;
use catwalk_apply::Kinds;
use catwalk_apply::Resolver;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_catalog::Catalog;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Providers;
use catwalk_scripting::RhaiProviders;
use catwalk_session::CompileInput;
use catwalk_session::DeferredResolver;
use catwalk_session::Session;
use catwalk_system::Machine;
use catwalk_value::Value;

/// The parts of a site that a run uses.
pub(crate) struct RunContext<'o> {
    input: &'o CompileInput<'o>,
    definitions: Vec<Arc<Definition>>,
    /// The embedded types, with the definitions of those that are used.
    embedded: EmbeddedTypes,
    embedded_definitions: Vec<Arc<Definition>>,
    /// The types that exist, managed or not.
    type_names: Vec<Name>,
    providers: Rc<RefCell<RhaiProviders>>,
    /// The time limit of a call of a provider.
    limit: Option<Duration>,
    /// The version whose behaviour is reproduced.
    pub(crate) version: Version,
    /// The setting `preprocess_deferred`.
    pub(crate) preprocess_deferred: bool,
    /// The setting `strict`.
    pub(crate) strict: Strict,
    /// Whether differences of file contents are logged.
    pub(crate) show_diff: bool,
    /// The device to manage; `None` for this machine.
    pub(crate) device: Option<Value>,
}

impl<'o> RunContext<'o> {
    /// The context for the types of a catalog's resources. `limit`: the time limit of a call of a provider.
    pub(crate) fn for_catalog(
        input: &'o CompileInput<'o>,
        catalog: &Catalog,
        limit: Option<Duration>,
        log: &mut dyn RunLog,
    ) -> Result<RunContext<'o>, String> {
        let mut names: IndexSet<Name> = IndexSet::new();
        for resource in &catalog.resources {
            names.insert(resource.type_name.normalized());
            if resource.type_name == "Resources" {
                names.insert(Name::new(&resource.title).normalized());
            }
        }
        let names: Vec<Name> = names.into_iter().collect();
        RunContext::for_types(input, &names, limit, log)
    }

    /// The context for these types. `limit`: the time limit of a call of a provider.
    pub(crate) fn for_types(
        input: &'o CompileInput<'o>,
        names: &[Name],
        limit: Option<Duration>,
        log: &mut dyn RunLog,
    ) -> Result<RunContext<'o>, String> {
        // Everything that becomes secret in the run is known to the log, whichever part reports it.
        log.follow(input.world.secrets());
        let mut definitions = Vec::new();
        let embedded = EmbeddedTypes::new(input.world.secrets());
        let mut embedded_definitions = Vec::new();
        for name in names.iter().filter(|name| !name.contains("::")) {
            let definition = input.definition(name)?;
            // Puppet loads a type for the compile and again for the run.
            input.type_warnings(name).iter().for_each(|message| log.log(Level::Warning, None, message));
            match definition {
                Some(definition) => definitions.push(definition),
                None => embedded_definitions.extend(embedded.definition(*name)),
            }
        }
        let type_names = names.iter().filter(|name| input.has_type(name)).copied().collect();
        let providers = input.providers().map_err(|reason| reason.message.to_string())?.with_time_limit(limit);
        let providers = Rc::new(RefCell::new(providers));
        Ok(RunContext {
            input,
            definitions,
            embedded,
            embedded_definitions,
            type_names,
            providers,
            limit,
            version: input.version(),
            preprocess_deferred: input.preprocess_deferred(),
            strict: input.strict(),
            show_diff: false,
            device: None,
        })
    }

    /// The kinds of resources. With `Origin::CommandLine`, values are strings and are converted.
    pub(crate) fn kinds(&self, origin: Option<Origin>) -> Kinds {
        let mut kinds = Kinds::new();
        self.type_names.iter().for_each(|name| kinds.declare_type(*name));
        let settings = settings::settings(self.input, self.show_diff);
        catwalk_resources::kinds(settings).into_iter().for_each(|kind| kinds.insert(kind));
        let origin = origin.unwrap_or(Origin::Catalog);
        let providers: Rc<RefCell<dyn Providers>> = self.providers.clone();
        for definition in &self.definitions {
            kinds.insert_definition(definition, &providers, self.device.clone(), origin);
        }
        if self.embedded_definitions.is_empty() {
            return kinds;
        }
        if let Some(providers) = self.embedded.providers(self.limit) {
            for definition in &self.embedded_definitions {
                kinds.insert_definition(definition, &providers, None, origin);
            }
        }
        kinds
    }

    /// The definition of a type.
    pub(crate) fn definition(&self, type_name: Name) -> Option<&Arc<Definition>> {
        self.definitions.iter().chain(&self.embedded_definitions).find(|definition| definition.name == type_name)
    }

    /// The collection of the secrets of the run.
    pub(crate) fn secrets(&self) -> &SecretCollection {
        self.input.world.secrets()
    }

    /// Calls the deferred functions of one run.
    pub(crate) fn resolver(&self) -> DeferredFunctions<'o> {
        DeferredFunctions { input: self.input, resolver: None }
    }
}

/// Calls the deferred functions of one run with one evaluator, which the first call creates.
pub(crate) struct DeferredFunctions<'o> {
    input: &'o CompileInput<'o>,
    resolver: Option<DeferredResolver<'o>>,
}

impl Resolver for DeferredFunctions<'_> {
    fn resolve(&mut self, value: &Value, log: &mut dyn Log) -> Result<Value, String> {
        let resolver = self.resolver.get_or_insert_with(|| self.input.deferred_resolver());
        let resolved = resolver.resolve(value);
        for line in resolver.take_logs() {
            let (level, message) = log_message(&line, &self.input.program.sources);
            log.log(level, None, &message);
        }
        resolved.map_err(|failure| failure.message_with_source().to_string())
    }
}

/// A log that shares the terminal with a progress line.
pub(crate) struct SharedLog<'a, 'l>(pub(crate) &'a RefCell<&'l mut dyn RunLog>);

impl Log for SharedLog<'_, '_> {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        self.0.borrow_mut().log(level, source, message);
    }

    fn wants(&self, level: Level) -> bool {
        self.0.borrow().wants(level)
    }

    fn show_excerpt(&mut self, excerpt: &str) {
        self.0.borrow_mut().show_excerpt(excerpt);
    }
}

/// This machine.
pub(crate) fn machine() -> Machine {
    match catwalk_world::worker::own_program() {
        Some(program) => Machine::new().with_launcher(program),
        None => Machine::new(),
    }
}

/// The node to compile a catalog for: `--certname`, the node of the facts, or this machine.
pub(crate) fn certname(name: Option<&str>, session: &Session) -> Result<Arc<str>, Reason> {
    match name {
        Some(name) => Ok(Arc::from(name.to_lowercase())),
        None => match session.facts_certname()? {
            Some(name) => Ok(name),
            None => Ok(Arc::from(machine_facts::host_name())),
        },
    }
}

/// A catalog in Puppet's format, with the secrets that it marks and this key for their tokens.
pub(crate) fn read_catalog(path: &Path, key: &Key) -> Result<Catalog, Reason> {
    let bytes = results::read(path).map_err(Reason::usage)?;
    let path = path.display();
    catwalk_formats::wire::read_native(&bytes, key).map_err(|error| Reason::usage(format!("{path}: {error}")))
}
