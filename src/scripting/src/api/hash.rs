//! `Hash`: Puppet hashes as scripts see them.

use std::sync::Arc;

use rhai::Dynamic;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::optional;
use crate::api::to_value;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::limits;
use crate::limits::MAX_ITEMS;
use crate::missing_key;
use crate::stand_in;
use crate::table::Item;
use crate::table::Kind;
use crate::table::function;
use crate::table::method;
use crate::table::phase;
use catwalk_value::Hash;
use catwalk_value::Value;

fn set(hash: &mut HashHandle, key: Value, item: Dynamic) -> Fallible<()> {
    let item = to_value(item)?;
    if hash.0.len() >= MAX_ITEMS && hash.0.get_value(&key).is_none() {
        return limits::stop(format!("a hash of a script has more than {MAX_ITEMS} entries"));
    }
    limits::check_measure(hash.0.measure().with(&item)).or_else(limits::stop)?;
    Arc::make_mut(&mut hash.0).insert(key, item);
    Ok(())
}

/// The hash of a value: that of a handle, or a map converted to a hash.
pub(super) fn hash(dynamic: Dynamic) -> Fallible<Arc<Hash>> {
    match to_value(dynamic)? {
        Value::Hash(hash) => Ok(hash),
        other => fail(format!("expects a hash or a map, got {}", catwalk_value::infer(&other))),
    }
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "hash",
        &[],
        "Hash",
        phase::ANY,
        "Returns an empty hash. Unlike a map literal `#{…}`, a hash keeps the order of its keys.",
        |e, n| {
            e.register_fn(n, || HashHandle(Arc::new(Hash::new())));
        },
    ),
    function(
        "hash",
        &["map: Map"],
        "Hash",
        phase::ANY,
        "Converts a map to a hash, which can be passed on without a copy.",
        |e, n| {
            e.register_fn(n, |map: rhai::Map| -> Fallible<HashHandle> {
                Ok(HashHandle(hash(Dynamic::from_map(map))?))
            });
        },
    ),
    function(
        "hash",
        &["hash: Hash"],
        "Hash",
        phase::ANY,
        "Returns the hash itself, so that `hash(…)` accepts hashes and maps.",
        |e, n| {
            e.register_fn(n, |receiver: HashHandle| receiver);
        },
    ),
    Item {
        receiver: "Hash",
        name: "[]",
        kind: Kind::Index,
        params: &["key: String|Integer|Hash|Map"],
        returns: "Any",
        phases: phase::ANY,
        doc: "The value of a key, or `()`; also `hash.key`. Assigning adds the key or replaces its value.",
        register: |e, _| {
            e.register_indexer_get(|hash: &mut HashHandle, key: &str| {
                let value = hash.0.get(key);
                if value.is_none() {
                    missing_key::record(key, &hash.0);
                }
                optional(value)
            })
            .register_indexer_get(|hash: &mut HashHandle, key: i64| optional(hash.0.get_value(&Value::Int(key))))
            .register_indexer_get(|receiver: &mut HashHandle, key: HashHandle| {
                optional(receiver.0.get_value(&Value::Hash(key.0)))
            })
            .register_indexer_get(|receiver: &mut HashHandle, key: rhai::Map| -> Fallible<Dynamic> {
                Ok(optional(receiver.0.get_value(&to_value(Dynamic::from_map(key))?)))
            })
            .register_indexer_set(|receiver: &mut HashHandle, key: HashHandle, item: Dynamic| -> Fallible<()> {
                set(receiver, Value::Hash(key.0), item)
            })
            .register_indexer_set(|hash: &mut HashHandle, key: &str, item: Dynamic| -> Fallible<()> {
                set(hash, Value::str(key), item)
            })
            .register_indexer_set(|hash: &mut HashHandle, key: i64, item: Dynamic| -> Fallible<()> {
                set(hash, Value::Int(key), item)
            });
        },
    },
    method("Hash", "len", &[], "Integer", "Returns the number of entries.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle| i64::try_from(hash.0.len()).unwrap_or(i64::MAX));
    }),
    method("Hash", "is_empty", &[], "Boolean", "Returns whether the hash is empty.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle| hash.0.is_empty());
    }),
    method(
        "Hash",
        "contains",
        &["key: String"],
        "Boolean",
        "Returns whether the hash has the key; also `key in hash`.",
        |e, n| {
            e.register_fn(n, |hash: &mut HashHandle, key: &str| hash.0.get(key).is_some());
            e.register_fn(n, |receiver: &mut HashHandle, key: HashHandle| receiver.0.contains(&Value::Hash(key.0)));
        },
    ),
    method("Hash", "keys", &[], "Array", "Returns the keys in order.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle| -> rhai::Array { hash.0.keys().map(bridge::to_dynamic).collect() });
    }),
    method("Hash", "values", &[], "Array", "Returns the values in order.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle| -> rhai::Array { hash.0.values().map(bridge::to_dynamic).collect() });
    }),
    method("Hash", "entries", &[], "Array", "Returns the entries in order, each an array of key and value.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle| -> rhai::Array {
            let pair = |(key, item): (&Value, &Value)| {
                Dynamic::from_array(vec![bridge::to_dynamic(key), bridge::to_dynamic(item)])
            };
            hash.0.iter().map(pair).collect()
        });
    }),
    method(
        "Hash",
        "dig",
        &["path: String"],
        "Any",
        "Returns the value at a dotted path, `dig(\"os.release.major\")`, or `()`; numbers index arrays.",
        |e, n| {
            e.register_fn(n, |hash: &mut HashHandle, path: &str| optional(bridge::dig(&hash.0, path).as_ref()));
        },
    ),
    method(
        "Hash",
        "get",
        &["path: String", "default: Any"],
        "Any",
        "Returns the value at a dotted path, or the default.",
        |e, n| {
            e.register_fn(n, |hash: &mut HashHandle, path: &str, default: Dynamic| {
                bridge::dig(&hash.0, path).map_or(default, |value| bridge::to_dynamic(&value))
            });
        },
    ),
    method("Hash", "remove", &["key: String"], "", "Removes a key.", |e, n| {
        e.register_fn(n, |hash: &mut HashHandle, key: &str| {
            Arc::make_mut(&mut hash.0).remove(&Value::str(key));
        });
    }),
    method(
        "Hash",
        "merge",
        &["other: Hash|Map"],
        "Hash",
        "Returns a hash with the entries of both; those of `other` win. Also `hash + other`.",
        |e, n| {
            fn merge(receiver: &mut HashHandle, added: Dynamic) -> Fallible<HashHandle> {
                let mut merged = receiver.clone();
                let added = hash(added)?;
                let entries = Arc::make_mut(&mut merged.0);
                for (key, item) in added.iter() {
                    entries.insert(key.clone(), item.clone());
                }
                if entries.len() > MAX_ITEMS {
                    return limits::stop(format!("a hash of a script has more than {MAX_ITEMS} entries"));
                }
                limits::check_measure(entries.measure()).or_else(limits::stop)?;
                Ok(merged)
            }
            e.register_fn(n, merge);
            e.register_fn("+", |mut receiver: HashHandle, other: HashHandle| {
                merge(&mut receiver, Dynamic::from(other))
            });
            e.register_fn("+", |mut receiver: HashHandle, other: rhai::Map| {
                merge(&mut receiver, Dynamic::from_map(other))
            });
        },
    ),
    method(
        "Hash",
        "==",
        &["other: Hash"],
        "Boolean",
        "Returns whether both have the same entries; also `!=`.",
        |e, _| {
            e.register_fn("==", |a: HashHandle, b: HashHandle| Value::Hash(a.0) == Value::Hash(b.0));
            e.register_fn("!=", |a: HashHandle, b: HashHandle| Value::Hash(a.0) != Value::Hash(b.0));
        },
    ),
    method(
        "Hash",
        "to_string",
        &[],
        "String",
        "Returns a string as Puppet prints the value; also `to_debug()`.",
        |e, n| {
            for name in [n, "to_debug"] {
                e.register_fn(name, |hash: &mut HashHandle| stand_in::display_value(&Value::Hash(hash.0.clone())));
            }
        },
    ),
];
