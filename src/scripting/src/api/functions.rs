//! Functions for the running compile (functions, data, facts, the log), and the parts of Rhai that are removed.

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::ImmutableString;
use rhai::NativeCallContext;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::hash::hash;
use crate::api::ldap;
use crate::api::optional;
use crate::api::to_value;
use crate::bridge;
use crate::callers;
use crate::dispatch;
use crate::host;
use crate::host::HostFailure;
use crate::limits;
use crate::register;
use crate::running;
use crate::table::Item;
use crate::table::function;
use crate::table::phase;
use crate::testing;
use catwalk_value::Value;
use catwalk_world::HttpRequest;

/// The time limit of `http_get` and `ldap_search`; it does not count for the limit of the classifier.
pub(super) const HTTP_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Declares a function that logs.
macro_rules! logger {
    ($level:literal) => {
        function(
            $level,
            &["message: String"],
            "",
            phase::ANY,
            concat!("Logs a line of level `", $level, "`, as Puppet's function does."),
            |e, n| {
                e.register_fn(n, move |message: &str| host::log(n, message));
            },
        )
    };
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "dispatch",
        &["signature: String", "function: Fn"],
        "",
        phase::LOAD,
        "Declares a signature, at the top of a function's file: calls whose arguments match it go to this function. The signature is a parameter list of the Puppet language, `(Integer[1] $n, Optional[String] $t = undef) >> String`; the first match is used.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, text: &str, entry: FnPtr| dispatch::dispatch(&ctx, text, &entry));
        },
    ),
    function(
        "register_type",
        &["definition: Map|Hash"],
        "",
        phase::LOAD,
        "In `scripts/types/NAME.rhai`: defines the resource type of this name. Keys: `name`, `desc`, `attributes`, `features`, `title_patterns`, `autorequire`, `autobefore`, `autosubscribe`, `autonotify`; see resource-types.md. The order of the attributes is the one in which a map literal is written.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, definition: Dynamic| {
                register::register(&ctx, register::Kind::Type, definition)
            });
        },
    ),
    function(
        "register_transport",
        &["definition: Map|Hash"],
        "",
        phase::LOAD,
        "In `scripts/transports/NAME.rhai`: defines the transport of this name. Keys: `name`, `desc`, `connection_info`; see resource-types.md.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, definition: Dynamic| {
                register::register(&ctx, register::Kind::Transport, definition)
            });
        },
    ),
    function(
        "call_function",
        &["name: String", "..."],
        "Any",
        phase::COMPILING,
        "Calls a Puppet function, built in or in any language. A closure as the last argument is its block: `call_function(\"map\", list, |x| x * 2)`.",
        |e, n| {
            e.register_raw_fn(n, [std::any::TypeId::of::<ImmutableString>()], call_function);
            for extra in 1..=8 {
                let mut types = vec![std::any::TypeId::of::<Dynamic>(); extra + 1];
                if let Some(first) = types.first_mut() {
                    *first = std::any::TypeId::of::<ImmutableString>();
                }
                e.register_raw_fn(n, types, call_function);
            }
        },
    ),
    function(
        "lookup",
        &["key: String"],
        "Any",
        phase::COMPILING | phase::CLASSIFY,
        "Looks up a key in Hiera. A missing key is an error. In `classify(node)`, hierarchies see the node's facts and trusted data, and no classes or variables.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, key: ImmutableString| -> Fallible<Dynamic> {
                call_or_stub(&ctx, "lookup", vec![Dynamic::from(key)])
            });
        },
    ),
    function(
        "lookup",
        &["key: String", "options: Map|Hash"],
        "Any",
        phase::COMPILING | phase::CLASSIFY,
        "Looks up a key in Hiera with the options of Puppet's `lookup`: `value_type`, `merge`, `default_value`, `override`, `default_values_hash`.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, key: ImmutableString, options: Dynamic| -> Fallible<Dynamic> {
                let mut options = (*hash(options)?).clone();
                // Puppet needs the type as a type, not as a string.
                if let Some(Value::Str(text)) = options.get("value_type").cloned()
                    && let Some(value_type) = host::call(|host| host.parse_type(&text))
                {
                    options.set("value_type", value_type.map_err(host::raise)?);
                }
                call_or_stub(&ctx, "lookup", vec![Dynamic::from(key), bridge::to_dynamic(&Value::hash(options))])
            });
        },
    ),
    function(
        "fact",
        &["path: String"],
        "Any",
        phase::COMPILING,
        "Returns the fact at a dotted path, or `()`. Classifiers use `node.fact(…)`.",
        |e, n| {
            e.register_fn(n, |path: &str| -> Fallible<Dynamic> { Ok(optional(fact(path)?.as_ref())) });
        },
    ),
    function(
        "fact",
        &["path: String", "default: Any"],
        "Any",
        phase::COMPILING,
        "Returns the fact at a dotted path, or the default.",
        |e, n| {
            e.register_fn(n, |path: &str, default: Dynamic| -> Fallible<Dynamic> {
                Ok(fact(path)?.map_or(default, |fact| bridge::to_dynamic(&fact)))
            });
        },
    ),
    function(
        "http_get",
        &["url: String"],
        "Map",
        phase::CLASSIFY,
        "Requests a page of a web server with GET, and returns `#{ status: 200, body: \"…\" }`. Only in `classify(node)` of a trusted site whose scripts run in the program's process. `--record` saves the response, `--replay` uses the saved one.",
        |e, n| {
            e.register_fn(n, http_get);
        },
    ),
    function(
        "ldap_search",
        &["search: Map"],
        "Array",
        phase::CLASSIFY,
        "Searches an LDAP directory, and returns its entries: `[#{ dn: \"…\", attribute: [\"…\"] }]`, with names of attributes in lower case; values that are not UTF-8 are blobs. `search` has `url` (`ldap://HOST:PORT` or `ldaps://…`), `base` and `filter` (RFC 4515), and can have `attributes` (an array of names; by default all), `scope` (`base`, `one` or `sub`), `user` (a DN) with `password` or `password_file`, `start_tls`, and `ca`, `cert`, `key`, `crl` (paths from the site's directory). Only where `http_get` is available. `--record` saves the entries, `--replay` uses the saved ones.",
        |e, n| {
            e.register_fn(n, ldap::search);
        },
    ),
    function(
        "ldap_escape",
        &["value: String"],
        "String",
        phase::ANY,
        "Escapes a string for the filter of `ldap_search`: `(cn=${ldap_escape(node.name)})`.",
        |e, n| {
            e.register_fn(n, |value: &str| catwalk_world::escape_filter_value(value).into_owned());
        },
    ),
    function("fail", &["message: String"], "", phase::ANY, "Fails with a message, as `throw` does.", |e, n| {
        e.register_fn(n, |message: &str| -> Fallible<()> { fail(message.to_owned()) });
    }),
    function(
        "debug",
        &["message: String"],
        "",
        phase::ANY,
        "Logs a line of level `debug` with the file and line of the script.",
        |e, n| {
            // The engine logs what the function of this name returns.
            e.register_fn(n, |message: ImmutableString| message);
        },
    ),
    logger!("info"),
    logger!("notice"),
    logger!("warning"),
    logger!("err"),
    function("sleep", &["seconds: Any"], "", phase::ANY, "Refused: scripts do not wait.", |e, n| {
        e.register_fn(n, |_: i64| -> Fallible<()> { fail("sleep() is not available in scripts") });
        e.register_fn(n, |_: f64| -> Fallible<()> { fail("sleep() is not available in scripts") });
    }),
    function("exit", &[], "", phase::ANY, "Refused: scripts return or throw.", |e, n| {
        e.register_fn(n, exit);
    }),
    function("exit", &["value: Any"], "", phase::ANY, "Refused: scripts return or throw.", |e, n| {
        e.register_fn(n, |_: Dynamic| exit());
    }),
];

/// Rhai's `exit()`, which always fails. In a provider it ends the whole run, and no script can catch that.
fn exit() -> Fallible<()> {
    const TEXT: &str = "exit() is not available in scripts: use return or throw";
    if running::is_set() { limits::stop(TEXT.to_owned()) } else { fail(TEXT) }
}

/// `http_get(url)`
fn http_get(url: &str) -> Fallible<Dynamic> {
    if host::call(|host| host.may_fetch()) != Some(true) {
        return fail("http_get() is only available in classify(node), and not to isolated scripts");
    }
    let request = HttpRequest { url: url.to_owned(), timeout: Some(HTTP_LIMIT), ..HttpRequest::default() };
    let response = limits::wait_for(|| callers::loading(|loading| loading.world.fetch(&request)));
    let response = match response {
        Some(Ok(response)) => response,
        Some(Err(refused)) => return fail(format!("http_get(): {refused}")),
        None => return fail("http_get() is not available here"),
    };
    let Ok(body) = String::from_utf8(response.body.to_vec()) else {
        return fail(format!("http_get(): {url} is not UTF-8 text"));
    };
    if body.len() > limits::MAX_STRING {
        return fail(format!("http_get(): {url} is larger than {} MiB", limits::MAX_STRING >> 20));
    }
    let mut page = rhai::Map::new();
    page.insert("status".into(), Dynamic::from(i64::from(response.status)));
    page.insert("body".into(), body.into());
    Ok(Dynamic::from_map(page))
}

fn fact(path: &str) -> Fallible<Option<Value>> {
    if !callers::has_host() {
        return fail("fact() is only available while a catalog is compiled: a classifier has node.fact()");
    }
    if let Some(value) = testing::stubbed_fact(path) {
        return Ok(Some(value));
    }
    Ok(host::call(|host| host.facts()).and_then(|facts| bridge::dig(&facts, path)))
}

/// The message for a Puppet function that a script calls outside of a compile.
const NOT_COMPILING: &str = "Puppet functions are only available while a catalog is compiled";

/// `call_function(name, …)`
fn call_function(ctx: NativeCallContext, args: &mut [&mut Dynamic]) -> Fallible<Dynamic> {
    let mut arguments = args.iter().map(|arg| (**arg).clone());
    let name = arguments.next().map(|name| name.to_string()).unwrap_or_default();
    let arguments: Vec<Dynamic> = arguments.collect();
    call_or_stub(&ctx, &name, arguments)
}

/// Calls a Puppet function, or its stub in a test.
fn call_or_stub(ctx: &NativeCallContext, name: &str, args: Vec<Dynamic>) -> Fallible<Dynamic> {
    if let Some(stub) = testing::stubbed_function(name) {
        return stub.call(ctx.engine(), args);
    }
    if !callers::has_host() {
        return fail(NOT_COMPILING);
    }
    with_block(ctx, args, |host, args, closure| host.call_function(name, args, closure))
}

/// Removes a closure from the end of the arguments and passes it on as a block.
pub(super) fn with_block(
    ctx: &NativeCallContext,
    mut arguments: Vec<Dynamic>,
    run: impl FnOnce(&mut dyn host::HostApi, &[Value], Option<host::Closure<'_>>) -> Result<Value, HostFailure>,
) -> Fallible<Dynamic> {
    let block = match arguments.last() {
        Some(last) if last.is::<FnPtr>() => arguments.pop().and_then(Dynamic::try_cast::<FnPtr>),
        _ => None,
    };
    let args: Vec<Value> = arguments.into_iter().map(to_value).collect::<Fallible<_>>()?;
    let arity = block.as_ref().and_then(|block| block_arity(ctx, block));
    let mut block_error: Option<Box<EvalAltResult>> = None;
    let mut call_block = |args: &[Value]| -> Result<Value, String> {
        let Some(block) = &block else { return Err("there is no block".to_owned()) };
        let args: Vec<Dynamic> = args.iter().map(bridge::to_dynamic).collect();
        match limits::run_in_script(|| block.call_within_context::<Dynamic>(ctx, args)) {
            Ok(result) => bridge::from_dynamic(result),
            Err(error) => {
                let text = error.to_string();
                block_error = Some(error);
                Err(text)
            }
        }
    };
    let result = host::call(|host| {
        let closure: Option<host::Closure<'_>> = block.is_some().then_some((&mut call_block, arity));
        run(host, &args, closure)
    });
    let Some(result) = result else { return fail(NOT_COMPILING) };
    match (result, block_error) {
        (_, Some(error)) => Err(error),
        (Ok(result), None) => Ok(bridge::to_dynamic(&result)),
        (Err(failure), None) => Err(host::raise(failure)),
    }
}

/// How many arguments a block of the script takes; `None` for a pointer to a function of the script API.
pub(crate) fn block_arity(ctx: &NativeCallContext, block: &FnPtr) -> Option<usize> {
    let takes = |n: &usize| ctx.iter_namespaces().any(|module| module.get_script_fn(block.fn_name(), *n).is_some());
    (0..=8_usize).find(takes).map(|n| n.saturating_sub(block.curry().len()))
}
