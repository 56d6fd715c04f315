//! The script API: what scripts see of hashes, nodes, classifications, and which functions they have.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::ImmutableString;
use rhai::NativeCallContext;
use rhai::Position;

use crate::node::classify::Classification;
use crate::node::classify::Request;
use crate::scripting::bridge;
use crate::scripting::bridge::HashHandle;
use crate::scripting::bridge::Opaque;
use crate::scripting::dispatch;
use crate::scripting::groups;
use crate::scripting::host;
use crate::value::Hash;
use crate::value::Value;

type Fallible<T> = Result<T, Box<EvalAltResult>>;

/// The node a classifier is asked about.
#[derive(Clone, Debug)]
pub(super) struct NodeHandle(pub(super) Arc<Request>);

/// The classification under construction, made by `classification()`.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassificationHandle(Arc<Mutex<Classification>>);

impl ClassificationHandle {
    /// What was collected.
    pub(super) fn take(&self) -> Classification {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Classification)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn fail<T>(message: impl Into<String>) -> Fallible<T> {
    Err(Box::new(EvalAltResult::ErrorRuntime(message.into().into(), Position::NONE)))
}

fn value(dynamic: Dynamic) -> Fallible<Value> {
    bridge::from_dynamic(dynamic).or_else(fail)
}

fn optional(found: Option<&Value>) -> Dynamic {
    found.map_or(Dynamic::UNIT, bridge::to_dynamic)
}

/// Registers everything.
pub(super) fn register(engine: &mut Engine) {
    hashes(engine);
    nodes(engine);
    classifications(engine);
    functions(engine);
    groups::register(engine);
    removed(engine);
}

fn hashes(engine: &mut Engine) {
    engine
        .register_type_with_name::<HashHandle>("Hash")
        .register_fn("hash", || HashHandle(Arc::new(Hash::new())))
        .register_indexer_get(|hash: &mut HashHandle, key: &str| optional(hash.0.get(key)))
        .register_indexer_get(|hash: &mut HashHandle, key: i64| optional(hash.0.get_value(&Value::Int(key))))
        .register_indexer_set(|hash: &mut HashHandle, key: &str, item: Dynamic| -> Fallible<()> {
            let item = value(item)?;
            Arc::make_mut(&mut hash.0).set(key, item);
            Ok(())
        })
        .register_indexer_set(|hash: &mut HashHandle, key: i64, item: Dynamic| -> Fallible<()> {
            let item = value(item)?;
            Arc::make_mut(&mut hash.0).insert(Value::Int(key), item);
            Ok(())
        })
        .register_fn("len", |hash: &mut HashHandle| i64::try_from(hash.0.len()).unwrap_or(i64::MAX))
        .register_fn("is_empty", |hash: &mut HashHandle| hash.0.is_empty())
        .register_fn("contains", |hash: &mut HashHandle, key: &str| hash.0.get(key).is_some())
        .register_fn("keys", |hash: &mut HashHandle| -> rhai::Array { hash.0.keys().map(bridge::to_dynamic).collect() })
        .register_fn("values", |hash: &mut HashHandle| -> rhai::Array {
            hash.0.values().map(bridge::to_dynamic).collect()
        })
        .register_fn("entries", |hash: &mut HashHandle| -> rhai::Array {
            let pair = |(key, item): (&Value, &Value)| {
                Dynamic::from_array(vec![bridge::to_dynamic(key), bridge::to_dynamic(item)])
            };
            hash.0.iter().map(pair).collect()
        })
        .register_fn("dig", |hash: &mut HashHandle, path: &str| optional(bridge::dig(&hash.0, path).as_ref()))
        .register_fn("get", |hash: &mut HashHandle, path: &str, default: Dynamic| {
            bridge::dig(&hash.0, path).map_or(default, |found| bridge::to_dynamic(&found))
        })
        .register_fn("remove", |hash: &mut HashHandle, key: &str| {
            Arc::make_mut(&mut hash.0).remove(&Value::str(key));
        })
        .register_fn("to_string", |hash: &mut HashHandle| format!("{:?}", hash.0))
        .register_fn("to_debug", |hash: &mut HashHandle| format!("{:?}", hash.0))
        .register_type_with_name::<Opaque>("PuppetValue");
}

fn nodes(engine: &mut Engine) {
    engine
        .register_type_with_name::<NodeHandle>("Node")
        .register_get("name", |node: &mut NodeHandle| ImmutableString::from(node.0.certname.as_ref()))
        .register_get("certname", |node: &mut NodeHandle| ImmutableString::from(node.0.certname.as_ref()))
        .register_get("environment", |node: &mut NodeHandle| ImmutableString::from(node.0.environment.as_ref()))
        .register_get("facts", |node: &mut NodeHandle| HashHandle(node.0.facts.clone()))
        .register_get("trusted", |node: &mut NodeHandle| HashHandle(node.0.trusted.clone()))
        .register_fn("fact", |node: &mut NodeHandle, path: &str| optional(bridge::dig(&node.0.facts, path).as_ref()))
        .register_fn("fact", |node: &mut NodeHandle, path: &str, default: Dynamic| {
            bridge::dig(&node.0.facts, path).map_or(default, |found| bridge::to_dynamic(&found))
        });
}

fn classifications(engine: &mut Engine) {
    fn parameters(dynamic: Dynamic) -> Fallible<Option<Arc<Hash>>> {
        match value(dynamic)? {
            Value::Undef => Ok(None),
            Value::Hash(hash) => Ok(Some(hash)),
            _ => fail("parameters of a class must be a map"),
        }
    }
    engine
        .register_type_with_name::<ClassificationHandle>("Classification")
        .register_fn("classification", ClassificationHandle::default)
        .register_fn("include", |c: &mut ClassificationHandle, class: &str| {
            c.change(|c| {
                c.classes.entry(Arc::from(class)).or_insert(None);
            });
        })
        .register_fn("include", |c: &mut ClassificationHandle, class: &str, given: Dynamic| -> Fallible<()> {
            let given = parameters(given)?;
            c.change(|c| {
                c.classes.insert(Arc::from(class), given);
            });
            Ok(())
        })
        .register_fn("param", |c: &mut ClassificationHandle, name: &str, item: Dynamic| -> Fallible<()> {
            let item = value(item)?;
            c.change(|c| {
                c.parameters.insert(Arc::from(name), item);
            });
            Ok(())
        })
        .register_get_set(
            "environment",
            |c: &mut ClassificationHandle| {
                c.take().environment.map_or(Dynamic::UNIT, |name| Dynamic::from(ImmutableString::from(name.as_ref())))
            },
            |c: &mut ClassificationHandle, name: Dynamic| {
                c.change(|c| c.environment = (!name.is_unit()).then(|| Arc::from(name.to_string())));
            },
        );
}

fn functions(engine: &mut Engine) {
    engine
        .register_fn("matches", |text: &str, pattern: &str| -> Fallible<bool> {
            let pattern = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
            pattern.map(|pattern| pattern.is_match(text)).or_else(|why| fail(format!("bad regular expression: {why}")))
        })
        .register_fn("fail", |message: &str| -> Fallible<()> { fail(message) });
    for level in ["debug", "info", "notice", "warning", "err"] {
        engine.register_fn(level, move |message: &str| host::log(level, message));
    }
    engine.register_fn("dispatch", |ctx: NativeCallContext, text: &str, entry: FnPtr| -> Fallible<()> {
        dispatch::dispatch(&ctx, text, &entry)
    });
    engine.register_raw_fn("call_function", [std::any::TypeId::of::<ImmutableString>()], call_function);
    for extra in 1..=8 {
        let mut types = vec![std::any::TypeId::of::<Dynamic>(); extra + 1];
        if let Some(first) = types.first_mut() {
            *first = std::any::TypeId::of::<ImmutableString>();
        }
        engine.register_raw_fn("call_function", types, call_function);
    }
    engine.register_fn("lookup", |ctx: NativeCallContext, key: ImmutableString| -> Fallible<Dynamic> {
        let mut name = Dynamic::from(ImmutableString::from("lookup"));
        let mut key = Dynamic::from(key);
        call_function(ctx, &mut [&mut name, &mut key])
    });
}

/// `call_function(name, …)`: the last argument may be a block.
fn call_function(ctx: NativeCallContext, args: &mut [&mut Dynamic]) -> Fallible<Dynamic> {
    if !host::HOST.is_set() {
        return fail("Puppet functions are only available while a catalog is compiled");
    }
    let mut given = args.iter().map(|arg| (**arg).clone());
    let name = given.next().map(|name| name.to_string()).unwrap_or_default();
    let mut given: Vec<Dynamic> = given.collect();
    let block = match given.last() {
        Some(last) if last.is::<FnPtr>() => given.pop().and_then(Dynamic::try_cast::<FnPtr>),
        _ => None,
    };
    let args: Vec<Value> = given.into_iter().map(value).collect::<Fallible<_>>()?;
    let arity = block.as_ref().and_then(|block| arity(&ctx, block));
    let mut failed: Option<Box<EvalAltResult>> = None;
    let mut call_block = |args: &[Value]| -> Result<Value, String> {
        let Some(block) = &block else { return Err("there is no block".to_owned()) };
        let args: Vec<Dynamic> = args.iter().map(bridge::to_dynamic).collect();
        match block.call_within_context::<Dynamic>(&ctx, args) {
            Ok(result) => bridge::from_dynamic(result),
            Err(error) => {
                let text = error.to_string();
                failed = Some(error);
                Err(text)
            }
        }
    };
    let result = host::HOST.with(|host| {
        if block.is_some() {
            host.call_function(&name, &args, Some((&mut call_block, arity)))
        } else {
            host.call_function(&name, &args, None)
        }
    });
    match (result, failed) {
        (_, Some(error)) => Err(error),
        (Ok(result), None) => Ok(bridge::to_dynamic(&result)),
        (Err(failure), None) => Err(host::raise(failure)),
    }
}

/// How many arguments a block of the script takes; `None` for a pointer to a function of ours.
fn arity(ctx: &NativeCallContext, block: &FnPtr) -> Option<usize> {
    let defined = |n: &usize| ctx.iter_namespaces().any(|module| module.get_script_fn(block.fn_name(), *n).is_some());
    (0..=8_usize).find(defined).map(|n| n.saturating_sub(block.curry().len()))
}

/// What Rhai offers and a compile must not have: see `sleep` and `exit` in the list of measured escapes.
fn removed(engine: &mut Engine) {
    engine
        .register_fn("sleep", |_: i64| -> Fallible<()> { fail("sleep() is not available in scripts") })
        .register_fn("sleep", |_: f64| -> Fallible<()> { fail("sleep() is not available in scripts") })
        .register_fn("exit", || -> Fallible<()> { fail("exit() is not available in scripts: use return or throw") })
        .register_fn("exit", |_: Dynamic| -> Fallible<()> {
            fail("exit() is not available in scripts: use return or throw")
        })
        .register_fn("to_json", |map: rhai::Map| -> Fallible<ImmutableString> {
            // A map that holds a closure that captured the map locks itself for ever in Rhai's own version.
            match bridge::from_dynamic(Dynamic::from_map(map)) {
                Ok(value) => Ok(crate::value::json::to_json(&value).to_string().into()),
                Err(why) => fail(why),
            }
        });
}
