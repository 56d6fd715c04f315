//! `Context`: the lookup as Hiera backends see it, backed by Puppet's `Puppet::LookupContext`.

use std::sync::Arc;

use rhai::Dynamic;
use rhai::FnPtr;
use rhai::ImmutableString;
use rhai::NativeCallContext;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::functions::with_block;
use crate::bridge;
use crate::host;
use crate::table::Item;
use crate::table::method;
use crate::table::property;
use catwalk_value::value::Object;
use catwalk_value::value::Value;

/// The context of a lookup.
#[derive(Clone, Debug)]
pub(crate) struct ContextHandle(pub(crate) Arc<Object>);

/// Calls a function of the context.
fn ask(ctx: &NativeCallContext, own: &ContextHandle, name: &str, args: Vec<Dynamic>) -> Fallible<Dynamic> {
    if !host::HOST.is_set() {
        return fail("the context of a lookup is only valid while the lookup runs");
    }
    let object = Value::Object(own.0.clone());
    with_block(ctx, args, |host, args, closure| host.call_context(&object, name, args, closure))
}

fn attribute(own: &ContextHandle, name: &str) -> Dynamic {
    own.0.get(name).map_or(Dynamic::UNIT, |value| bridge::to_dynamic(&value))
}

type ContextRef<'a> = &'a mut ContextHandle;

pub(super) const ITEMS: &[Item] = &[
    method(
        "Context",
        "not_found",
        &[],
        "",
        "Ends the call: this backend has no value, the lookup goes on with the next level. It cannot be caught.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>| ask(&ctx, own, n, vec![]));
        },
    ),
    method(
        "Context",
        "interpolate",
        &["value: Any"],
        "Any",
        "Fills in `%{…}` in a value, as Hiera does in data.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, value: Dynamic| {
                ask(&ctx, own, n, vec![value])
            });
        },
    ),
    method(
        "Context",
        "explain",
        &["block: Fn"],
        "",
        "Adds a line to the explanation of `catwalk lookup --explain`; the block, which gives the text, is only called when one is wanted.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, block: FnPtr| {
                ask(&ctx, own, n, vec![Dynamic::from(block)])
            });
        },
    ),
    method(
        "Context",
        "cache",
        &["key: Any", "value: Any"],
        "Any",
        "Keeps a value for later calls of the same compile, and gives it.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, key: Dynamic, value: Dynamic| {
                ask(&ctx, own, n, vec![key, value])
            });
        },
    ),
    method("Context", "cache_all", &["values: Map|Hash"], "", "Keeps all entries of a hash.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, values: Dynamic| {
            ask(&ctx, own, n, vec![values])
        });
    }),
    method("Context", "cached_value", &["key: Any"], "Any", "What was kept; `()` when nothing was.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, key: Dynamic| ask(&ctx, own, n, vec![key]));
    }),
    method("Context", "cache_has_key", &["key: Any"], "Boolean", "Whether something was kept for a key.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, key: Dynamic| ask(&ctx, own, n, vec![key]));
    }),
    method("Context", "cached_entries", &[], "Array", "All that was kept, as arrays of key and value.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>| ask(&ctx, own, n, vec![]));
    }),
    method(
        "Context",
        "cached_entries",
        &["block: Fn"],
        "",
        "Calls the block with each key and value that was kept.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, block: FnPtr| {
                ask(&ctx, own, n, vec![Dynamic::from(block)])
            });
        },
    ),
    method(
        "Context",
        "cached_file_data",
        &["path: String"],
        "String",
        "The text of a file of the site or of a module, or of the file that the hierarchy names; `catwalk watch` compiles again when it changes.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, own: ContextRef<'_>, path: ImmutableString| {
                ask(&ctx, own, n, vec![Dynamic::from(path)])
            });
        },
    ),
    property("Context", "environment_name", "String", "The name of the environment.", |e, n| {
        e.register_get(n, move |own: ContextRef<'_>| attribute(own, n));
    }),
    property(
        "Context",
        "module_name",
        "String",
        "The module whose `hiera.yaml` names the backend; `()` in other layers.",
        |e, n| {
            e.register_get(n, move |own: ContextRef<'_>| attribute(own, n));
        },
    ),
];
