//! `Node` and `Classification`: argument and result of classifiers.

use parking_lot::Mutex;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::ImmutableString;
use rhai::NativeCallContext;
use rhai::Position;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::optional;
use crate::api::to_value;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::groups;
use crate::state;
use crate::table::Item;
use crate::table::Kind;
use crate::table::function;
use crate::table::method;
use crate::table::phase;
use crate::table::property;
use catwalk_node::classify::Classification;
use catwalk_node::classify::ClassificationPart;
use catwalk_node::classify::Request;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The node to classify.
#[derive(Clone, Debug)]
pub(crate) struct NodeHandle(pub(crate) Arc<Request>);

/// A call that fills a classification: the part that it sets, its script (empty: the classifier itself), and its position.
pub(crate) type Call = (ClassificationPart, String, Position);

/// The classification under construction, made by `classification()`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassificationHandle(Arc<Mutex<Classification>>, Arc<Mutex<Vec<Call>>>);

/// Whether `classification()` was called since the last call of this function.
pub(crate) fn take_has_begun() -> bool {
    state::call(|call| std::mem::take(&mut call.has_classification))
}

impl ClassificationHandle {
    /// Takes the collected classification.
    pub(crate) fn take(&self) -> Classification {
        self.0.lock().clone()
    }

    /// A handle of a finished classification.
    pub(crate) fn new(classification: Classification) -> ClassificationHandle {
        ClassificationHandle(Arc::new(Mutex::new(classification)), Arc::default())
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.1.lock().clone()
    }

    /// Records where the script sets a class and its parameters.
    fn record_class(&self, ctx: &NativeCallContext<'_>, class: &str, parameters: Option<&Hash>) {
        let class: Arc<str> = Arc::from(class);
        let names = parameters.into_iter().flat_map(|hash| hash.keys()).filter_map(Value::as_str);
        let parts = names.map(|name| ClassificationPart::Parameter(class.clone(), Arc::from(name)));
        self.record(ctx, parts.chain([ClassificationPart::Class(class.clone())]));
    }

    /// Records where the script sets parts of the classification.
    fn record(&self, ctx: &NativeCallContext<'_>, parts: impl IntoIterator<Item = ClassificationPart>) {
        let (source, at) = (ctx.fn_source().unwrap_or_default(), ctx.call_position());
        let mut calls = self.1.lock();
        calls.extend(parts.into_iter().map(|part| (part, source.to_owned(), at)));
    }

    fn change(&self, change: impl FnOnce(&mut Classification)) {
        change(&mut self.0.lock());
    }
}

fn parameters(dynamic: Dynamic) -> Fallible<Option<Arc<Hash>>> {
    match to_value(dynamic)? {
        Value::Undef => Ok(None),
        Value::Hash(hash) => Ok(Some(hash)),
        _ => fail("parameters of a class must be a map"),
    }
}

fn text(text: &str) -> ImmutableString {
    ImmutableString::from(text)
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "group",
        &["name: String", "members: Map"],
        "",
        phase::LOAD,
        "Declares a node group at the top of a file. Members are those of Puppet Enterprise's groups: `parent`, `environment`, `rule`, `classes`, `variables`, `config_data`; the rule may be a closure `|node| …`.",
        |e, n| {
            e.register_fn(n, |ctx: rhai::NativeCallContext, name: &str, members: rhai::Map| {
                groups::declare(&ctx, name, members)
            });
        },
    ),
    property("Node", "name", "String", "The certname.", |e, n| {
        e.register_get(n, |node: &mut NodeHandle| text(&node.0.certname));
    }),
    property("Node", "certname", "String", "The certname.", |e, n| {
        e.register_get(n, |node: &mut NodeHandle| text(&node.0.certname));
    }),
    property("Node", "environment", "String", "The requested environment.", |e, n| {
        e.register_get(n, |node: &mut NodeHandle| text(&node.0.environment));
    }),
    property("Node", "facts", "Hash", "All facts: `node.facts.os.family`.", |e, n| {
        e.register_get(n, |node: &mut NodeHandle| HashHandle(node.0.facts.clone()));
    }),
    property("Node", "trusted", "Hash", "The trusted data of its certificate: `node.trusted.extensions`.", |e, n| {
        e.register_get(n, |node: &mut NodeHandle| HashHandle(node.0.trusted.clone()));
    }),
    method(
        "Node",
        "fact",
        &["path: String"],
        "Any",
        "Returns the fact at a dotted path, `node.fact(\"os.release.major\")`, or `()`.",
        |e, n| {
            e.register_fn(n, |node: &mut NodeHandle, path: &str| optional(bridge::dig(&node.0.facts, path).as_ref()));
        },
    ),
    method(
        "Node",
        "fact",
        &["path: String", "default: Any"],
        "Any",
        "Returns the fact at a dotted path, or the default.",
        |e, n| {
            e.register_fn(n, |node: &mut NodeHandle, path: &str, default: Dynamic| {
                bridge::dig(&node.0.facts, path).map_or(default, |fact| bridge::to_dynamic(&fact))
            });
        },
    ),
    function(
        "classification",
        &[],
        "Classification",
        phase::CLASSIFY | phase::TEST,
        "Returns an empty classification, for `classify` to fill and return.",
        |e, n| {
            e.register_fn(n, || {
                state::call(|call| call.has_classification = true);
                ClassificationHandle::default()
            });
        },
    ),
    method("Classification", "include", &["class: String"], "", "Adds a class.", |e, n| {
        e.register_fn(n, |ctx: NativeCallContext, c: &mut ClassificationHandle, class: &str| {
            c.record_class(&ctx, class, None);
            c.change(|c| {
                c.classes.entry(Arc::from(class)).or_insert(None);
            });
        });
    }),
    method(
        "Classification",
        "include",
        &["class: String", "parameters: Map|Hash"],
        "",
        "Adds a class with parameters.",
        |e, n| {
            let include = |ctx: NativeCallContext, c: &mut ClassificationHandle, class: &str, params: Dynamic| {
                let params = parameters(params)?;
                c.record_class(&ctx, class, params.as_deref());
                c.change(|c| {
                    c.classes.insert(Arc::from(class), params);
                });
                Fallible::Ok(())
            };
            e.register_fn(n, include);
        },
    ),
    method("Classification", "param", &["name: String", "value: Any"], "", "Sets a top-scope variable.", |e, n| {
        let set = |ctx: NativeCallContext, c: &mut ClassificationHandle, name: &str, item: Dynamic| {
            let item = to_value(item)?;
            c.record(&ctx, [ClassificationPart::Variable(Arc::from(name))]);
            c.change(|c| {
                c.parameters.insert(Arc::from(name), item);
            });
            Fallible::Ok(())
        };
        e.register_fn(n, set);
    }),
    Item {
        receiver: "Classification",
        name: "environment",
        kind: Kind::Variable,
        params: &[],
        returns: "String",
        phases: phase::ANY,
        doc: "The environment of the node; `()` is the requested one.",
        register: |e, n| {
            e.register_get(n, |c: &mut ClassificationHandle| {
                c.take().environment.map_or(Dynamic::UNIT, |name| Dynamic::from(text(&name)))
            });
            e.register_set(n, |ctx: NativeCallContext, c: &mut ClassificationHandle, name: Dynamic| {
                c.record(&ctx, [ClassificationPart::Environment]);
                c.change(|c| c.environment = (!name.is_unit()).then(|| Arc::from(name.to_string())));
            });
        },
    },
    property("Classification", "classes", "Hash", "The classes so far, with their parameters.", |e, n| {
        e.register_get(n, |c: &mut ClassificationHandle| {
            let classes = c.take().classes.into_iter();
            let pair = |(name, params): (Arc<str>, Option<Arc<Hash>>)| {
                (Value::from(name), params.map_or(Value::Undef, Value::Hash))
            };
            HashHandle(Arc::new(classes.map(pair).collect()))
        });
    }),
    property("Classification", "parameters", "Hash", "The top-scope variables so far.", |e, n| {
        e.register_get(n, |c: &mut ClassificationHandle| {
            let parameters = c.take().parameters.into_iter().map(|(name, item)| (Value::from(name), item));
            HashHandle(Arc::new(parameters.collect()))
        });
    }),
];
