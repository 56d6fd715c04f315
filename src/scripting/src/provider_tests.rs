//! Tests of providers: `provider("x")` with a machine in memory, and the properties that every provider has.
//!
//! In: calls of a test. Out: rows, logs, events. Every call checks what holds for all providers: rows are of the type and canonical,
//! `canonicalize` twice is once, after `set` `get` returns what should be, noop changes
//! nothing, and a second run changes nothing where the first ran no command.

mod automatic;
mod machine;
mod properties;
mod property_counts;
mod sample;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::ImmutableString;

use crate::api::Fallible;
use crate::api::check_options;
use crate::api::fail;
use crate::api::to_value;
use crate::bridge::HashHandle;
use crate::callers;
use crate::limits;
use crate::providers::RhaiProviders;
use crate::resource_types::RhaiTypes;
use crate::table::Item;
use crate::table::function;
use crate::table::method;
use crate::table::phase;
use crate::testing::TestSite;
pub use automatic::Outcome;
pub use automatic::PropertyReport;
use catwalk_apply as apply;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_catalog::Catalog;
use catwalk_program::ScriptTypes;
use catwalk_resource_api::Change;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Provider;
use catwalk_resource_api::Providers;
use catwalk_resource_api::State;
use catwalk_resource_api::absent_state;
use catwalk_system::FakeMachine;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
pub use property_counts::Property;

/// A provider in a test.
#[derive(Clone, Debug)]
pub(super) struct TestProvider(Arc<Definition>);

/// The logged lines of a run, in the console's format.
#[derive(Default)]
struct LogLines(Vec<String>);

impl Log for LogLines {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        let word = match level {
            Level::Debug => "Debug",
            Level::Info => "Info",
            Level::Notice => "Notice",
            Level::Warning => "Warning",
            _ => "Error",
        };
        let source = source.map(|source| format!("{source}: ")).unwrap_or_default();
        self.0.push(format!("{word}: {source}{message}"));
    }

    fn wants(&self, _: Level) -> bool {
        true
    }
}

impl LogLines {
    fn value(self) -> Value {
        Value::array(self.0.into_iter().map(Value::from).collect())
    }
}

/// Resolves no deferred values: these occur in catalogs, not in tests of providers.
struct NoDeferred;

impl apply::Resolver for NoDeferred {
    fn resolve(&mut self, value: &Value, _: &mut dyn Log) -> Result<Value, String> {
        Ok(value.clone())
    }
}

fn raise<T>(failure: Failure) -> Fallible<T> {
    let text = std::iter::once(failure.message).chain(failure.trace).collect::<Vec<_>>().join("\n  ");
    if failure.is_fatal { limits::stop(text) } else { fail(text) }
}

fn site<T>(call: impl FnOnce(&dyn TestSite) -> Result<T, String>) -> Fallible<T> {
    match callers::site(call) {
        Some(result) => result.or_else(fail),
        None => fail("this is only available in tests: catwalk script test"),
    }
}

/// `provider("x")`
fn provider(name: &str) -> Fallible<TestProvider> {
    let test_provider = TestProvider::find(name)?;
    // A provider that cannot be loaded fails here, where the test names it.
    test_provider.load()?;
    Ok(test_provider)
}

impl TestProvider {
    /// The provider of a type in Rhai or Ruby; it is not loaded.
    fn find(name: &str) -> Fallible<TestProvider> {
        let in_script = site(|site| {
            let (scripts, environment, world) = site.host();
            let modules =
                environment.modules.values().chain(&environment.individual_modules).map(|module| &module.root);
            let mut files =
                environment.root.iter().chain(modules).map(|root| root.join(format!("scripts/types/{name}.rhai")));
            let Some(file) = files.find(|file| world.kind(file) == Kind::File) else { return Ok(None) };
            let types = RhaiTypes { scripts: scripts.clone() };
            let script_type = types.read(&file, Name::new(name), &environment, world.as_ref());
            let definition = script_type.definition.map_err(|errors| {
                errors.first().map(|error| crate::error::with_location(error, &scripts.sources)).unwrap_or_default()
            });
            definition.map(|definition| Some(Arc::new(definition)))
        })?;
        let definition = match in_script {
            Some(definition) => Some(definition),
            None => limits::run_in_compile(|| site(|site| site.definition(name)))?,
        };
        definition.map_or_else(
            || {
                fail(format!(
                    "there is no type '{name}': neither scripts/types/{name}.rhai nor lib/puppet/type/{name}.rb"
                ))
            },
            |definition| Ok(TestProvider(definition)),
        )
    }

    fn providers() -> Fallible<RhaiProviders> {
        site(|site| {
            let (scripts, environment, world) = site.host();
            RhaiProviders::new(scripts, environment, world).map_err(|reason| reason.message.into_owned())
        })
    }

    fn load(&self) -> Fallible<Box<dyn Provider>> {
        match Self::providers()?.load(&self.0) {
            Ok(Some(provider)) => Ok(provider),
            Ok(None) => fail(apply::missing_provider(&self.0.name)),
            Err(failure) => raise(failure),
        }
    }

    /// Calls the provider on the machine of the test.
    fn with<T>(
        &self,
        lines: &mut LogLines,
        run: impl FnOnce(&mut dyn Provider, &mut Context<'_>) -> Result<T, Failure>,
    ) -> Fallible<T> {
        let mut provider = self.load()?;
        let result = machine::with(|fake| {
            let mut context = Context::new(self.0.clone(), lines, fake);
            run(provider.as_mut(), &mut context)
        })?;
        result.or_else(raise)
    }

    fn get(&self, names: Option<&[Value]>) -> Fallible<Vec<State>> {
        self.with(&mut LogLines::default(), |provider, context| {
            let rows = provider.get(context, names)?;
            properties::rows(provider, context, &rows)?;
            property_counts::note(self.0.name, Property::Rows);
            Ok(rows)
        })
    }

    fn canonicalize(&self, states: Vec<State>) -> Fallible<Vec<State>> {
        if !self.0.has_feature("canonicalize") {
            return Ok(states);
        }
        self.with(&mut LogLines::default(), |provider, context| {
            let once = provider.canonicalize(context, states)?;
            properties::canonical_twice(provider, context, &once)?;
            property_counts::note(self.0.name, Property::CanonicalTwice);
            Ok(once)
        })
    }

    /// `set`: the changes with their missing parts, the call, the properties.
    fn set(&self, changes_by_name: &Hash, noop: bool) -> Fallible<Hash> {
        let mut lines = LogLines::default();
        let before = machine::with(|fake| snapshot(fake))?;
        let (changes, failed, notes) = self.with(&mut lines, |provider, context| {
            let changes = read_changes(provider, context, changes_by_name)?;
            context.requested = Some(changes.iter().map(|change| change.name.clone()).collect());
            context.noop = noop;
            context.watch_order();
            provider.set(context, &changes, noop)?;
            context.order_problem().map_or(Ok(()), |problem| Err(Failure::new(problem)))?;
            for property in [Property::GivenTitles, Property::Order] {
                property_counts::note(self.0.name, property);
            }
            Ok((changes, context.take_failed(), context.take_changes()))
        })?;
        if noop {
            properties::nothing_changed(&before, &machine::with(|fake| snapshot(fake))?, machine::changing_runs())
                .or_else(raise)?;
            property_counts::note(self.0.name, Property::Noop);
        } else if !failed {
            self.with(&mut LogLines::default(), |provider, context| properties::reached(provider, context, &changes))?;
            property_counts::note(self.0.name, Property::Reached);
        }
        let mut result = Hash::new();
        result.set("log", lines.value());
        result.set("failed", Value::Bool(failed));
        result.set("changes", Value::array(notes.into_iter().map(Value::from).collect()));
        Ok(result)
    }

    /// The kinds of a run: this type.
    fn kinds(&self) -> Fallible<apply::Kinds> {
        let providers: Rc<RefCell<dyn Providers>> = Rc::new(RefCell::new(Self::providers()?));
        let mut kinds = apply::Kinds::new();
        kinds.insert_definition(&self.0, &providers, None, Origin::Catalog);
        Ok(kinds)
    }

    /// `apply`: compiles code and applies its resources of this type.
    fn apply(&self, code: &str) -> Fallible<Hash> {
        let catalog = limits::run_in_compile(|| site(|site| site.compile(code, Arc::default())))?;
        let (kinds, secrets) = (self.kinds()?, secrets()?);
        let mut lines = LogLines::default();
        let commands = machine::with(|fake| fake.runs.len())?;
        let outcome = machine::with(|fake| apply_catalog(&catalog, &kinds, &mut lines, fake, &secrets))?;
        let failed = has_failed(&outcome);
        // Commands have the test's prepared output again, even if the first run has changed it.
        if !failed && machine::with(|fake| fake.runs.len())? == commands {
            // The second run starts without the state of the first.
            let kinds = self.kinds()?;
            let second =
                machine::with(|fake| apply_catalog(&catalog, &kinds, &mut LogLines::default(), fake, &secrets))?;
            properties::idle(&second).or_else(raise)?;
            property_counts::note(self.0.name, Property::SecondRun);
        }
        let events = outcome.resources.iter().flat_map(|resource| {
            resource.status.events.iter().map(|event| Value::from(format!("{}: {}", resource.reference, event.message)))
        });
        let mut result = Hash::new();
        result.set("events", Value::array(events.collect()));
        result.set("failed", Value::Bool(failed));
        result.set("log", lines.value());
        let rows = self.get(None)?;
        result.set("rows", Value::array(rows.iter().map(|row| Value::hash(row.to_hash())).collect()));
        Ok(result)
    }
}

/// The collection for the secrets of the site under test.
fn secrets() -> Fallible<Arc<SecretCollection>> {
    site(|site| Ok(site.host().2.secrets().clone()))
}

fn apply_catalog(
    catalog: &Catalog,
    kinds: &apply::Kinds,
    lines: &mut LogLines,
    fake: &mut FakeMachine,
    secrets: &SecretCollection,
) -> apply::RunOutcome {
    let mut environment = apply::Environment {
        system: fake,
        log: lines,
        secrets,
        resolver: &mut NoDeferred,
        state: &mut apply::State::default(),
        is_interrupted: &|| false,
        progress: &mut |_, _| {},
    };
    apply::apply(catalog, kinds, &mut environment, &apply::Options::default())
}

/// Whether a run or one of its resources failed.
fn has_failed(outcome: &apply::RunOutcome) -> bool {
    !outcome.is_complete || outcome.resources.iter().any(|resource| resource.status.failed)
}

/// All files with their contents.
fn snapshot(fake: &FakeMachine) -> Vec<(String, Vec<u8>)> {
    fake.files().map(|(path, contents)| (path.display().to_string(), contents.to_vec())).collect()
}

/// The changes of a test: a missing `is` is read with `get`, and both states are canonical.
fn read_changes(
    provider: &mut dyn Provider,
    context: &mut Context<'_>,
    changes_by_name: &Hash,
) -> Result<Vec<Change>, Failure> {
    let definition = context.definition.clone();
    let mut changes = Vec::new();
    for (name, states) in changes_by_name.iter() {
        let Value::Hash(states) = states else {
            return Err(Failure::new("set(): a change is a map of is and should"));
        };
        if let Some(key) = states.keys().find(|key| !matches!(key.as_str(), Some("is" | "should"))) {
            let key = catwalk_resource_api::title_to_string(key);
            return Err(Failure::new(format!("set(): a change has is and should, not '{key}'")));
        }
        let mut state = |key: &str| -> Result<Option<State>, Failure> {
            match states.get(key) {
                Some(Value::Hash(state)) if definition.has_feature("canonicalize") => {
                    Ok(provider.canonicalize(context, vec![State::from(state.as_ref())])?.pop())
                }
                Some(Value::Hash(state)) => Ok(Some(State::from(state.as_ref()))),
                _ => Ok(None),
            }
        };
        let (is, should) = (state("is")?, state("should")?);
        let is = match is {
            Some(is) => is,
            None => properties::current(provider, context, name)?.unwrap_or_else(|| absent_state(&definition, name)),
        };
        changes.push(Change { name: name.clone(), is: Some(is), should });
    }
    Ok(changes)
}

fn row_handles(rows: &[State]) -> rhai::Array {
    rows.iter().map(|row| Dynamic::from(handle(row.to_hash()))).collect()
}

fn hash(function: &str, dynamic: Dynamic) -> Fallible<Arc<Hash>> {
    match to_value(dynamic)? {
        Value::Hash(hash) => Ok(hash),
        _ => fail(format!("{function}: expects a map or a hash")),
    }
}

fn handle(hash: Hash) -> HashHandle {
    HashHandle(Arc::new(hash))
}

type TestProviderRef<'a> = &'a mut TestProvider;

/// The entries of tests of providers.
pub(super) fn items() -> impl Iterator<Item = &'static Item> {
    ITEMS.iter().chain(machine::ITEMS)
}

const ITEMS: &[Item] = &[
    function(
        "provider",
        &["type: String"],
        "Provider",
        phase::TEST,
        "Returns the provider of a type in scripts, on a machine in memory with the files and commands of `fake_file` and `stub_run`. Every call also checks the rules for all providers: rows match the type and are canonical, `canonicalize` is idempotent, after `set` `get` returns the desired state, noop changes nothing.",
        |e, n| {
            e.register_fn(n, provider);
        },
    ),
    method("Provider", "get", &[], "Array", "Returns all resources that exist.", |e, n| {
        e.register_fn(n, |receiver: TestProviderRef<'_>| -> Fallible<rhai::Array> {
            receiver.get(None).map(|rows| row_handles(&rows))
        });
    }),
    method("Provider", "get", &["names: Array"], "Array", "Returns the resources with these names.", |e, n| {
        e.register_fn(n, |receiver: TestProviderRef<'_>, names: Dynamic| -> Fallible<rhai::Array> {
            match to_value(names)? {
                Value::Array(names) => receiver.get(Some(&names.to_vec())).map(|rows| row_handles(&rows)),
                _ => fail("get(): the names are an array"),
            }
        });
    }),
    method(
        "Provider",
        "set",
        &["changes: Map|Hash"],
        "Hash",
        "Makes changes, `#{ a: #{ is: …, should: … } }`; without `is`, the provider's `get` is called. Returns a hash of `log`, `failed` and `changes` (to the machine).",
        |e, n| {
            e.register_fn(n, |receiver: TestProviderRef<'_>, changes: Dynamic| -> Fallible<HashHandle> {
                receiver.set(&*hash("set()", changes)?, false).map(handle)
            });
        },
    ),
    method(
        "Provider",
        "set",
        &["changes: Map|Hash", "options: Map|Hash"],
        "Hash",
        "With `#{ noop: true }`, changes nothing.",
        |e, n| {
            e.register_fn(
                n,
                |receiver: TestProviderRef<'_>, changes: Dynamic, options: Dynamic| -> Fallible<HashHandle> {
                    let noop = check_options("set", options, &["noop"])?.get("noop") == Some(&Value::Bool(true));
                    receiver.set(&*hash("set()", changes)?, noop).map(handle)
                },
            );
        },
    ),
    method(
        "Provider",
        "canonicalize",
        &["resources: Array"],
        "Array",
        "Returns resources in canonical form.",
        |e, n| {
            e.register_fn(n, |receiver: TestProviderRef<'_>, states: rhai::Array| -> Fallible<rhai::Array> {
                let states = states.into_iter().map(|row| Ok(State::from(&*hash("canonicalize()", row)?)));
                receiver.canonicalize(states.collect::<Fallible<_>>()?).map(|rows| row_handles(&rows))
            });
        },
    ),
    method(
        "Provider",
        "apply",
        &["code: String"],
        "Hash",
        "Compiles code of the Puppet language and applies its resources of this type. Returns a hash of `events`, `log`, `failed` and `rows` (the result of `get` afterwards).",
        |e, n| {
            e.register_fn(n, |receiver: TestProviderRef<'_>, code: &str| -> Fallible<HashHandle> {
                receiver.apply(code).map(handle)
            });
        },
    ),
    method("Provider", "to_string", &[], "String", "Its name; also `to_debug()`.", |e, n| {
        for name in [n, "to_debug"] {
            e.register_fn(name, |receiver: TestProviderRef<'_>| {
                ImmutableString::from(format!("provider of {}", receiver.0.name))
            });
        }
    }),
];
