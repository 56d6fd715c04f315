//! The entries of the script API, by area.

mod catalog;
mod context;
mod functions;
mod hash;
mod node;
mod standard;
mod values;

use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::Position;

use crate::scripting::bridge;
use crate::scripting::bridge::HashHandle;
use crate::scripting::bridge::Opaque;
use crate::scripting::bridge::SensitiveHandle;
use crate::scripting::host::HostFailure;
use crate::scripting::natives::Natives;
use crate::scripting::table::Item;
use crate::scripting::testing;
use crate::value::Value;

pub(super) use catalog::CatalogHandle;
pub(super) use catalog::Held;
pub(super) use catalog::Verdict;
pub(super) use catalog::collect_verdicts;
pub(super) use context::ContextHandle;
pub(super) use node::ClassificationHandle;
pub(super) use node::NodeHandle;
pub(super) use values::NO_TYPE;

pub(super) type Fallible<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn fail<T>(message: impl Into<std::borrow::Cow<'static, str>>) -> Fallible<T> {
    Err(Box::new(EvalAltResult::ErrorRuntime(message.into().into_owned().into(), Position::NONE)))
}

fn value(dynamic: Dynamic) -> Fallible<Value> {
    bridge::from_dynamic(dynamic).or_else(fail)
}

fn optional(found: Option<&Value>) -> Dynamic {
    found.map_or(Dynamic::UNIT, bridge::to_dynamic)
}

/// The entries that all scripts have.
pub(super) fn items() -> impl Iterator<Item = &'static Item> {
    [functions::ITEMS, values::ITEMS, hash::ITEMS, node::ITEMS, context::ITEMS, catalog::ITEMS].into_iter().flatten()
}

/// These and those of tests.
pub(super) fn all() -> Vec<&'static Item> {
    items().chain(testing::ITEMS).collect()
}

/// Registers what the table says.
pub(super) fn register(engine: &mut Engine, with_tests: bool) {
    engine
        .register_type_with_name::<HashHandle>("Hash")
        .register_type_with_name::<NodeHandle>("Node")
        .register_type_with_name::<ClassificationHandle>("Classification")
        .register_type_with_name::<ContextHandle>("Context")
        .register_type_with_name::<CatalogHandle>("Catalog")
        .register_type_with_name::<catalog::ResourceHandle>("Resource")
        .register_type_with_name::<Opaque>("PuppetValue")
        .register_type_with_name::<SensitiveHandle>("Sensitive")
        .register_type_with_name::<HostFailure>("Error");
    let mut natives = Natives::new();
    for item in items().chain(testing::ITEMS.iter().filter(|_| with_tests)) {
        (item.register)(&mut natives, item.name);
    }
    standard::register(&mut natives);
    natives.give_to(engine);
}
