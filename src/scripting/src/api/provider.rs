//! `ProviderContext`: what providers report.

use rhai::Dynamic;
use rhai::FnPtr;
use rhai::NativeCallContext;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::machine::check_options;
use crate::api::optional;
use crate::api::resource_type;
use crate::api::resource_type::TypeHandle;
use crate::api::to_value;
use crate::bridge;
use crate::limits;
use crate::reserved_words;
use crate::running;
use crate::table::Item;
use crate::table::method;
use crate::table::property;
use catwalk_resource_api::Action;
use catwalk_resource_api::Level;
use catwalk_resource_api::Operation;
use catwalk_resource_api::title_to_string;

/// The context of the provider that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProviderContext;

type ProviderRef<'a> = &'a mut ProviderContext;

/// A message: a string, or another value as a string.
fn message_string(message: Dynamic) -> Fallible<String> {
    Ok(title_to_string(&to_value(message)?))
}

fn log(level: Level, message: Dynamic) -> Fallible<()> {
    let message = message_string(message)?;
    running::context(|context| {
        context.log_message(level, &message);
        Ok(())
    })
}

fn log_for(level: Level, titles: Dynamic, message: Dynamic) -> Fallible<()> {
    let (titles, message) = (to_value(titles)?, message_string(message)?);
    running::context(|context| context.log_message_for(level, &titles, &message))
}

fn level(name: &str) -> Fallible<Level> {
    Level::parse(name).map_or_else(
        || fail(format!("'{name}' is not a log level: use debug, info, notice, warning, err, alert, emerg, crit")),
        Ok,
    )
}

/// `message` of the options of a method.
fn read_message(function: &str, options: Dynamic) -> Fallible<Option<String>> {
    let options = check_options(function, options, &["message"])?;
    Ok(options.get("message").map(title_to_string))
}

fn operate(
    ctx: &NativeCallContext<'_>,
    operation: Operation,
    titles: Dynamic,
    options: Option<Dynamic>,
    block: &FnPtr,
) -> Fallible<()> {
    let titles = to_value(titles)?;
    let message = options.map(|options| read_message(ctx.fn_name(), options)).transpose()?.flatten();
    let begin =
        |context: &mut catwalk_resource_api::Context<'_>| context.begin_block(operation, &titles, message.as_deref());
    running::block(ctx, begin, block, Dynamic::from(ProviderContext))
}

fn process(
    ctx: &NativeCallContext<'_>,
    (title, is, should): (Dynamic, Dynamic, Dynamic),
    options: Option<Dynamic>,
    block: &FnPtr,
) -> Fallible<()> {
    let (title, is, should) = (to_value(title)?, to_value(is)?, to_value(should)?);
    let message = options.map(|options| read_message(ctx.fn_name(), options)).transpose()?.flatten();
    let begin = |context: &mut catwalk_resource_api::Context<'_>| {
        context.begin_processing(&title, &is, &should, message.as_deref())
    };
    running::block(ctx, begin, block, Dynamic::from(ProviderContext))
}

fn log_action(function: &str, action: Action, titles: Dynamic, options: Option<Dynamic>) -> Fallible<()> {
    let titles = to_value(titles)?;
    let message = options.map(|options| read_message(function, options)).transpose()?.flatten();
    running::context(|context| context.log_action(action, &titles, message.as_deref()))
}

fn log_failure(titles: Dynamic, options: Option<Dynamic>) -> Fallible<()> {
    let titles = to_value(titles)?;
    let message = options.map(|options| read_message("failed", options)).transpose()?.flatten();
    running::context(|context| context.failed(&titles, message.as_deref()))
}

fn log_change(
    title: Dynamic,
    attribute: &str,
    (is, should): (Dynamic, Dynamic),
    options: Option<Dynamic>,
) -> Fallible<()> {
    let (title, is, should) = (to_value(title)?, to_value(is)?, to_value(should)?);
    let message = options.map(|options| read_message("attribute_changed", options)).transpose()?.flatten();
    running::context(|context| context.attribute_changed(&title, attribute, (&is, &should), message.as_deref()))
}

fn device() -> Fallible<Dynamic> {
    let device = running::context(|context| Ok(context.device.clone()))?;
    device.map_or_else(|| fail("no device configured"), |device| Ok(bridge::to_dynamic(&device)))
}

fn cache(key: Dynamic, value: Dynamic) -> Fallible<Dynamic> {
    let (key, value) = (to_value(key)?, to_value(value)?);
    let result = running::with(|_, cache| {
        limits::check_measure(cache.measure().with(&value)).or_else(limits::stop)?;
        cache.insert(key, value.clone());
        Ok(bridge::to_dynamic(&value))
    });
    result.unwrap_or_else(|| fail("the context of a provider is only valid while the provider runs"))
}

fn cached(key: Dynamic) -> Fallible<Dynamic> {
    let key = to_value(key)?;
    let result = running::with(|_, cache| optional(cache.get_value(&key)));
    result.map_or_else(|| fail("the context of a provider is only valid while the provider runs"), Ok)
}

/// Declares the two methods that log at a level.
macro_rules! loggers {
    ($name:literal, $level:expr) => {
        [
            method(
                "ProviderContext",
                $name,
                &["message: Any"],
                "",
                concat!(
                    "Logs a message of level `",
                    $name,
                    "`: `thing: message`, in a block `thing[a]: Creating: message`."
                ),
                |e, n| {
                    e.register_fn(n, |_: ProviderRef<'_>, message: Dynamic| log($level, message));
                },
            ),
            method(
                "ProviderContext",
                $name,
                &["titles: Any", "message: Any"],
                "",
                "Logs a message about resources: `thing[a]: message`. `titles` is a name or an array of names.",
                |e, n| {
                    e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic, message: Dynamic| {
                        log_for($level, titles, message)
                    });
                },
            ),
        ]
    };
}

/// Declares the two methods of a block function.
macro_rules! operations {
    ($name:literal, $operation:expr, $doc:literal) => {
        [
            method("ProviderContext", $name, &["titles: Any", "block: Fn"], "", $doc, |e, n| {
                e.register_fn(n, |ctx: NativeCallContext, _: ProviderRef<'_>, titles: Dynamic, block: FnPtr| {
                    operate(&ctx, $operation, titles, None, &block)
                });
            }),
            method(
                "ProviderContext",
                $name,
                &["titles: Any", "options: Map|Hash", "block: Fn"],
                "",
                "Logs `message` of the options in place of the default message.",
                |e, n| {
                    e.register_fn(
                        n,
                        |ctx: NativeCallContext,
                         _: ProviderRef<'_>,
                         titles: Dynamic,
                         options: Dynamic,
                         block: FnPtr| { operate(&ctx, $operation, titles, Some(options), &block) },
                    );
                },
            ),
        ]
    };
}

/// Declares the two methods of an action function.
macro_rules! actions {
    ($name:literal, $action:expr, $word:literal) => {
        [
            method("ProviderContext", $name, &["titles: Any"], "", concat!("Logs `thing: ", $word, ": a`."), |e, n| {
                e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic| log_action($name, $action, titles, None));
            }),
            method(
                "ProviderContext",
                $name,
                &["titles: Any", "options: Map|Hash"],
                "",
                "Logs `message` of the options in place of the first word.",
                |e, n| {
                    e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic, options: Dynamic| {
                        log_action($name, $action, titles, Some(options))
                    });
                },
            ),
        ]
    };
}

static LOGGERS: [[Item; 2]; 4] = [
    loggers!("info", Level::Info),
    loggers!("notice", Level::Notice),
    loggers!("warning", Level::Warning),
    loggers!("err", Level::Err),
];

static OPERATIONS: [[Item; 2]; 4] = [
    operations!(
        "creating",
        Operation::Creating,
        "Runs a block that creates resources, and logs its end and duration. An error in the block is logged and the resources fail; `set` continues. The block takes the context or nothing."
    ),
    operations!("updating", Operation::Updating, "Runs a block that updates resources, as `creating` does."),
    operations!("deleting", Operation::Deleting, "Runs a block that deletes resources, as `creating` does."),
    operations!(
        "failing",
        Operation::Failing,
        "Runs a block that handles a failure, as `creating` does; its end is logged as a warning."
    ),
];

static ACTIONS: [[Item; 2]; 3] = [
    actions!("created", Action::Created, "Created"),
    actions!("updated", Action::Updated, "Updated"),
    actions!("deleted", Action::Deleted, "Deleted"),
];

static OTHER_METHODS: &[Item] = &[
    method(
        "ProviderContext",
        "debug",
        &["message: Any"],
        "",
        "Logs a message of level `debug`: `thing: message`.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, message: Dynamic| -> Fallible<&'static str> {
                log(Level::Debug, message).map(|()| reserved_words::LOGGED)
            });
        },
    ),
    method(
        "ProviderContext",
        "debug",
        &["titles: Any", "message: Any"],
        "",
        "Logs a message about resources: `thing[a]: message`.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic, message: Dynamic| -> Fallible<&'static str> {
                log_for(Level::Debug, titles, message).map(|()| reserved_words::LOGGED)
            });
        },
    ),
    method(
        "ProviderContext",
        "log",
        &["level: String", "message: Any"],
        "",
        "Logs a message of a level: `debug`, `info`, `notice`, `warning`, `err`.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, name: &str, message: Dynamic| log(level(name)?, message));
        },
    ),
    method(
        "ProviderContext",
        "log",
        &["level: String", "titles: Any", "message: Any"],
        "",
        "Logs a message of a level about resources.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, name: &str, titles: Dynamic, message: Dynamic| {
                log_for(level(name)?, titles, message)
            });
        },
    ),
    method(
        "ProviderContext",
        "processing",
        &["title: Any", "is: Any", "should: Any", "block: Fn"],
        "",
        "Runs a block that changes one resource from one state to another, as `updating` does.",
        |e, n| {
            e.register_fn(
                n,
                |ctx: NativeCallContext,
                 _: ProviderRef<'_>,
                 title: Dynamic,
                 is: Dynamic,
                 should: Dynamic,
                 block: FnPtr| { process(&ctx, (title, is, should), None, &block) },
            );
        },
    ),
    method(
        "ProviderContext",
        "processing",
        &["title: Any", "is: Any", "should: Any", "options: Map|Hash", "block: Fn"],
        "",
        "Logs `message` of the options in place of `Processing`.",
        |e, n| {
            e.register_fn(
                n,
                |ctx: NativeCallContext,
                 _: ProviderRef<'_>,
                 title: Dynamic,
                 is: Dynamic,
                 should: Dynamic,
                 options: Dynamic,
                 block: FnPtr| process(&ctx, (title, is, should), Some(options), &block),
            );
        },
    ),
    method(
        "ProviderContext",
        "processed",
        &["title: Any", "is: Any", "should: Any"],
        "",
        "Logs `thing: Processed a from old to new`.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, title: Dynamic, is: Dynamic, should: Dynamic| -> Fallible<()> {
                let (title, is, should) = (to_value(title)?, to_value(is)?, to_value(should)?);
                running::context(|context| context.processed(&title, &is, &should))
            });
        },
    ),
    method(
        "ProviderContext",
        "failed",
        &["titles: Any"],
        "",
        "Logs an error, `thing[a]: Updating has failed`. To fail the resources, throw.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic| log_failure(titles, None));
        },
    ),
    method(
        "ProviderContext",
        "failed",
        &["titles: Any", "options: Map|Hash"],
        "",
        "Logs `message` of the options as an error.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, titles: Dynamic, options: Dynamic| {
                log_failure(titles, Some(options))
            });
        },
    ),
    method(
        "ProviderContext",
        "unchanged",
        &["title: Any"],
        "",
        "Logs at level `debug` that a resource needed no change.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, title: Dynamic| -> Fallible<()> {
                let title = to_value(title)?;
                running::context(|context| context.unchanged(&title))
            });
        },
    ),
    method(
        "ProviderContext",
        "attribute_changed",
        &["title: Any", "attribute: String", "is: Any", "should: Any"],
        "",
        "Logs `thing: a: attribute 'value' changed from 'x' to 'y'`.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, title: Dynamic, attribute: &str, is: Dynamic, should: Dynamic| {
                log_change(title, attribute, (is, should), None)
            });
        },
    ),
    method(
        "ProviderContext",
        "attribute_changed",
        &["title: Any", "attribute: String", "is: Any", "should: Any", "options: Map|Hash"],
        "",
        "Logs the change followed by `message` of the options.",
        |e, n| {
            e.register_fn(
                n,
                |_: ProviderRef<'_>,
                 title: Dynamic,
                 attribute: &str,
                 is: Dynamic,
                 should: Dynamic,
                 options: Dynamic| { log_change(title, attribute, (is, should), Some(options)) },
            );
        },
    ),
    method(
        "ProviderContext",
        "cache",
        &["key: Any", "value: Any"],
        "Any",
        "Caches a value until the end of the run, and returns it.",
        |e, n| {
            e.register_fn(n, |_: ProviderRef<'_>, key: Dynamic, value: Dynamic| cache(key, value));
        },
    ),
    method("ProviderContext", "cached_value", &["key: Any"], "Any", "Returns a cached value, or `()`.", |e, n| {
        e.register_fn(n, |_: ProviderRef<'_>, key: Dynamic| cached(key));
    }),
    property("ProviderContext", "type", "ResourceType", "The type of the resources.", |e, n| {
        e.register_get(n, |_: ProviderRef<'_>| running::context(|context| Ok(TypeHandle(context.definition.clone()))));
    }),
    property("ProviderContext", "noop", "Boolean", "Whether `set` is to change nothing.", |e, n| {
        e.register_get(n, |_: ProviderRef<'_>| running::context(|context| Ok(context.noop)));
    }),
    property(
        "ProviderContext",
        "device",
        "Any",
        "The value that the transport's `connect` returned. An error in a run without a device.",
        |e, _| {
            e.register_get("device", |_: ProviderRef<'_>| device());
            e.register_get("transport", |_: ProviderRef<'_>| device());
        },
    ),
    property(
        "ProviderContext",
        "transport",
        "Any",
        "The value that the transport's `connect` returned, as `device`.",
        |_, _| {},
    ),
    method("ProviderContext", "to_string", &[], "String", "`context`; also `to_debug()`.", |e, n| {
        for name in [n, "to_debug"] {
            e.register_fn(name, |_: ProviderRef<'_>| "context");
        }
    }),
];

/// The entries of providers.
pub(super) fn items() -> impl Iterator<Item = &'static Item> {
    LOGGERS
        .as_flattened()
        .iter()
        .chain(OPERATIONS.as_flattened())
        .chain(ACTIONS.as_flattened())
        .chain(OTHER_METHODS)
        .chain(resource_type::ITEMS)
}
