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
use crate::callers;
use crate::table::Item;
use crate::table::method;
use crate::table::property;
use catwalk_value::Object;
use catwalk_value::Value;

/// The context of a lookup.
#[derive(Clone, Debug)]
pub(crate) struct ContextHandle(pub(crate) Arc<Object>);

/// Calls a function of the context.
fn call(ctx: &NativeCallContext, receiver: &ContextHandle, name: &str, args: Vec<Dynamic>) -> Fallible<Dynamic> {
    if !callers::has_host() {
        return fail("the context of a lookup is only valid while the lookup runs");
    }
    let object = Value::Object(receiver.0.clone());
    with_block(ctx, args, |host, args, closure| host.call_context(&object, name, args, closure))
}

fn attribute(receiver: &ContextHandle, name: &str) -> Dynamic {
    receiver.0.get(name).map_or(Dynamic::UNIT, |value| bridge::to_dynamic(&value))
}

type ContextRef<'a> = &'a mut ContextHandle;

pub(super) const ITEMS: &[Item] = &[
    method(
        "Context",
        "not_found",
        &[],
        "",
        "Ends the call without a value: the lookup continues with the next level. It cannot be caught.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>| call(&ctx, receiver, n, vec![]));
        },
    ),
    method(
        "Context",
        "interpolate",
        &["value: Any"],
        "Any",
        "Returns the value with `%{…}` interpolated, as Hiera does in data.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, value: Dynamic| {
                call(&ctx, receiver, n, vec![value])
            });
        },
    ),
    method(
        "Context",
        "explain",
        &["block: Fn"],
        "",
        "Adds a line to the explanation of `catwalk lookup --explain`. The block, which returns the line, is called only with `--explain`.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, block: FnPtr| {
                call(&ctx, receiver, n, vec![Dynamic::from(block)])
            });
        },
    ),
    method(
        "Context",
        "cache",
        &["key: Any", "value: Any"],
        "Any",
        "Caches a value for later calls of the same compile, and returns it.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, key: Dynamic, value: Dynamic| {
                call(&ctx, receiver, n, vec![key, value])
            });
        },
    ),
    method("Context", "cache_all", &["values: Map|Hash"], "", "Caches all entries of a hash.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, values: Dynamic| {
            call(&ctx, receiver, n, vec![values])
        });
    }),
    method("Context", "cached_value", &["key: Any"], "Any", "Returns a cached value, or `()`.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, key: Dynamic| {
            call(&ctx, receiver, n, vec![key])
        });
    }),
    method("Context", "cache_has_key", &["key: Any"], "Boolean", "Returns whether a key is cached.", |e, n| {
        e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, key: Dynamic| {
            call(&ctx, receiver, n, vec![key])
        });
    }),
    method(
        "Context",
        "cached_entries",
        &[],
        "Array",
        "Returns all cached entries, as arrays of key and value.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>| call(&ctx, receiver, n, vec![]));
        },
    ),
    method(
        "Context",
        "cached_entries",
        &["block: Fn"],
        "",
        "Calls the block with the key and value of each cached entry.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, block: FnPtr| {
                call(&ctx, receiver, n, vec![Dynamic::from(block)])
            });
        },
    ),
    method(
        "Context",
        "cached_file_data",
        &["path: String"],
        "String",
        "Returns the contents of a file of the site or of a module, or of the file that the hierarchy names. `catwalk watch` recompiles when it changes.",
        |e, n| {
            e.register_fn(n, move |ctx: NativeCallContext, receiver: ContextRef<'_>, path: ImmutableString| {
                call(&ctx, receiver, n, vec![Dynamic::from(path)])
            });
        },
    ),
    property("Context", "environment_name", "String", "The name of the environment.", |e, n| {
        e.register_get(n, move |receiver: ContextRef<'_>| attribute(receiver, n));
    }),
    property(
        "Context",
        "module_name",
        "String",
        "The module whose `hiera.yaml` selects the backend; `()` in other layers.",
        |e, n| {
            e.register_get(n, move |receiver: ContextRef<'_>| attribute(receiver, n));
        },
    ),
];
