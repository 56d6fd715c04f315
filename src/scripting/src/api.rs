//! The entries of the script API, by area.

mod catalog;
mod context;
mod functions;
mod hash;
mod ldap;
mod machine;
mod node;
mod paths;
mod provider;
mod resource_type;
mod standard;
mod values;

use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::Position;
use rhai::Scope;

use crate::bridge;
use crate::bridge::HashHandle;
use crate::bridge::Opaque;
use crate::bridge::SensitiveHandle;
use crate::host::HostFailure;
use crate::natives::Natives;
use crate::provider_tests;
use crate::running;
use crate::table::Item;
use crate::testing;
use catwalk_value::Value;

pub(super) use catalog::CatalogHandle;
pub(super) use catalog::CatalogView;
pub(super) use catalog::Verdict;
pub(super) use catalog::collect_verdicts;
pub(super) use context::ContextHandle;
pub(super) use functions::block_arity;
pub(super) use machine::check_options;
pub(super) use node::Call;
pub(super) use node::ClassificationHandle;
pub(super) use node::NodeHandle;
pub(super) use node::take_has_begun;
pub(super) use provider::ProviderContext;
pub(super) use values::NOT_A_TYPE;

pub(super) type Fallible<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn fail<T>(message: impl Into<std::borrow::Cow<'static, str>>) -> Fallible<T> {
    Err(Box::new(EvalAltResult::ErrorRuntime(message.into().into_owned().into(), Position::NONE)))
}

/// Converts a value from a script.
pub(super) fn to_value(dynamic: Dynamic) -> Fallible<Value> {
    bridge::from_dynamic(dynamic).or_else(fail)
}

fn optional(value: Option<&Value>) -> Dynamic {
    value.map_or(Dynamic::UNIT, bridge::to_dynamic)
}

/// The context of the running call: the variable `context` of a Hiera backend or provider function, or that of the running
/// provider. `None`: `context` is an ordinary variable.
pub(super) fn context_of(scope: &Scope<'_>) -> Option<Dynamic> {
    match scope.get("context") {
        Some(variable) if variable.is::<ProviderContext>() => Some(Dynamic::from(ProviderContext)),
        Some(variable) => variable.read_lock::<ContextHandle>().map(|handle| Dynamic::from(handle.clone())),
        None => running::is_set().then(|| Dynamic::from(ProviderContext)),
    }
}

/// The entries that all scripts have.
pub(super) fn items() -> impl Iterator<Item = &'static Item> {
    [
        functions::ITEMS,
        values::ITEMS,
        hash::ITEMS,
        node::ITEMS,
        context::ITEMS,
        catalog::ITEMS,
        machine::ITEMS,
        paths::ITEMS,
    ]
    .into_iter()
    .flatten()
    .chain(provider::items())
}

/// The entries for all scripts and those for tests of scripts.
pub(super) fn all() -> Vec<&'static Item> {
    items().chain(testing::ITEMS).chain(provider_tests::items()).collect()
}

/// Registers the entries of the table.
pub(super) fn register(engine: &mut Engine, with_tests: bool) {
    engine
        .register_type_with_name::<HashHandle>("Hash")
        .register_type_with_name::<NodeHandle>("Node")
        .register_type_with_name::<ClassificationHandle>("Classification")
        .register_type_with_name::<ContextHandle>("Context")
        .register_type_with_name::<ProviderContext>("ProviderContext")
        .register_type_with_name::<resource_type::TypeHandle>("ResourceType")
        .register_type_with_name::<provider_tests::TestProvider>("Provider")
        .register_type_with_name::<CatalogHandle>("Catalog")
        .register_type_with_name::<catalog::ResourceHandle>("Resource")
        .register_type_with_name::<Opaque>("PuppetValue")
        .register_type_with_name::<SensitiveHandle>("Sensitive")
        .register_type_with_name::<HostFailure>("Error");
    let mut natives = Natives::new();
    for item in items().chain(testing::ITEMS.iter().chain(provider_tests::items()).filter(|_| with_tests)) {
        (item.register)(&mut natives, item.name);
    }
    standard::register(&mut natives);
    natives.register_in(engine);
}
