//! `Catalog` and `Resource`: what policies see, and their verdicts.

use std::sync::Arc;
use std::sync::OnceLock;

use rhai::Dynamic;
use rhai::ImmutableString;
use rhai::NativeCallContext;
use rhai::Position;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::optional;
use crate::bridge;
use crate::bridge::HashHandle;
use crate::limits::MAX_ITEMS;
use crate::state;
use crate::table::Item;
use crate::table::function;
use crate::table::method;
use crate::table::phase;
use crate::table::property;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::capitalize_segments;

/// A finished catalog.
#[derive(Clone, Debug)]
pub(crate) struct CatalogHandle(pub(crate) Arc<CatalogView>);

/// A catalog that scripts read.
#[derive(Debug)]
pub(crate) struct CatalogView {
    pub(crate) catalog: Catalog,
    /// The container of each resource, computed on first use.
    containers: OnceLock<Vec<Option<usize>>>,
}

impl CatalogHandle {
    pub(crate) fn new(catalog: Catalog) -> CatalogHandle {
        CatalogHandle(Arc::new(CatalogView { catalog, containers: OnceLock::new() }))
    }

    /// Returns the catalog; it is copied if a script still holds a handle of it.
    pub(crate) fn into_catalog(self) -> Catalog {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.catalog.clone(), |held| held.catalog)
    }
}

/// A resource of a catalog.
#[derive(Clone, Debug)]
pub(super) struct ResourceHandle {
    view: Arc<CatalogView>,
    at: usize,
}

/// The verdict of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// Whether the catalog is refused.
    pub(crate) denied: bool,
    pub(crate) message: String,
    /// The resource it is about.
    pub(crate) resource: Option<usize>,
    /// Where the policy reports it: file and position.
    pub(crate) location: (Option<String>, Position),
}

/// The maximum number of verdicts of one policy.
const MAX_VERDICTS: usize = MAX_ITEMS;

/// Runs a policy and returns its verdicts.
pub(crate) fn collect_verdicts<T>(run: impl FnOnce() -> T) -> (T, Vec<Verdict>) {
    let before = state::call(|call| call.verdicts.replace(Vec::new()));
    let result = run();
    let verdicts = state::call(|call| std::mem::replace(&mut call.verdicts, before)).unwrap_or_default();
    (result, verdicts)
}

fn record_verdict(
    ctx: &NativeCallContext,
    denied: bool,
    resource: Option<&ResourceHandle>,
    message: &str,
) -> Fallible<()> {
    let verdict = Verdict {
        denied,
        message: message.to_owned(),
        resource: resource.map(|resource| resource.at),
        location: (ctx.call_source().map(str::to_owned), ctx.call_position()),
    };
    let has_room = state::call(|call| {
        let verdicts = call.verdicts.as_mut()?;
        let room = verdicts.len() < MAX_VERDICTS;
        if room {
            verdicts.push(verdict);
        }
        Some(room)
    });
    match has_room {
        Some(true) => Ok(()),
        Some(false) => fail(format!("a policy reports more than {MAX_VERDICTS} results for a catalog")),
        None => fail(format!("{}() is only available in policies: scripts/policies/*.rhai", ctx.fn_name())),
    }
}

impl ResourceHandle {
    fn get(&self) -> Option<&Resource> {
        self.view.catalog.resources.get(self.at)
    }

    fn parameter(&self, name: &str) -> Option<&Value> {
        let resource = self.get()?;
        let parameter = resource.parameters.iter().find(|(parameter, _)| parameter.as_str() == name);
        parameter.map(|(_, value)| value)
    }
}

fn text(text: &str) -> Dynamic {
    Dynamic::from(ImmutableString::from(text))
}

fn find_resources(catalog: &CatalogHandle, selects: impl Fn(&Resource) -> bool) -> rhai::Array {
    let resources = catalog.0.catalog.resources.iter().enumerate().filter(|(_, resource)| selects(resource));
    resources.map(|(at, _)| Dynamic::from(ResourceHandle { view: catalog.0.clone(), at })).collect()
}

type CatalogRef<'a> = &'a mut CatalogHandle;
type ResourceRef<'a> = &'a mut ResourceHandle;

/// A property of a resource; `()` if it is missing.
fn read_property(resource: &ResourceHandle, read: impl Fn(&Resource) -> Dynamic) -> Dynamic {
    resource.get().map_or(Dynamic::UNIT, read)
}

pub(super) const ITEMS: &[Item] = &[
    function(
        "deny",
        &["resource: Resource", "message: String"],
        "",
        phase::POLICY,
        "Refuses the catalog. The message has the resource's file and line.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, resource: ResourceHandle, message: &str| {
                record_verdict(&ctx, true, Some(&resource), message)
            });
        },
    ),
    function("deny", &["message: String"], "", phase::POLICY, "Refuses the catalog as a whole.", |e, n| {
        e.register_fn(n, |ctx: NativeCallContext, message: &str| record_verdict(&ctx, true, None, message));
    }),
    function(
        "warn",
        &["resource: Resource", "message: String"],
        "",
        phase::POLICY,
        "Warns about a resource.",
        |e, n| {
            e.register_fn(n, |ctx: NativeCallContext, resource: ResourceHandle, message: &str| {
                record_verdict(&ctx, false, Some(&resource), message)
            });
        },
    ),
    function("warn", &["message: String"], "", phase::POLICY, "Warns about the catalog.", |e, n| {
        e.register_fn(n, |ctx: NativeCallContext, message: &str| record_verdict(&ctx, false, None, message));
    }),
    property("Catalog", "name", "String", "The certname.", |e, n| {
        e.register_get(n, |receiver: CatalogRef<'_>| text(&receiver.0.catalog.name));
    }),
    property("Catalog", "environment", "String", "The environment.", |e, n| {
        e.register_get(n, |receiver: CatalogRef<'_>| text(&receiver.0.catalog.environment));
    }),
    property("Catalog", "classes", "Array", "The names of all classes, in the order they were evaluated.", |e, n| {
        e.register_get(n, |receiver: CatalogRef<'_>| -> rhai::Array {
            receiver.0.catalog.classes.iter().map(|class| text(class)).collect()
        });
    }),
    method("Catalog", "resources", &[], "Array", "Returns all resources, in the order they were declared.", |e, n| {
        e.register_fn(n, |receiver: CatalogRef<'_>| find_resources(receiver, |_| true));
    }),
    method(
        "Catalog",
        "resources",
        &["type: String"],
        "Array",
        "Returns the resources of a type, `catalog.resources(\"File\")`, ignoring case.",
        |e, n| {
            e.register_fn(n, |receiver: CatalogRef<'_>, type_name: &str| {
                let type_name = capitalize_segments(type_name);
                find_resources(receiver, |resource| resource.type_name.as_str() == type_name)
            });
        },
    ),
    method(
        "Catalog",
        "resource",
        &["type: String", "title: String"],
        "Resource",
        "Returns a resource, or `()`.",
        |e, n| {
            e.register_fn(n, |receiver: CatalogRef<'_>, type_name: &str, title: &str| {
                let type_name = capitalize_segments(type_name);
                find_resources(receiver, |resource| {
                    resource.type_name.as_str() == type_name && *resource.title == *title
                })
                .into_iter()
                .next()
                .unwrap_or_default()
            });
        },
    ),
    method(
        "Catalog",
        "contains",
        &["class: String"],
        "Boolean",
        "Returns whether a class is in the catalog.",
        |e, n| {
            e.register_fn(n, |receiver: CatalogRef<'_>, class: &str| {
                receiver.0.catalog.classes.iter().any(|name| **name == *class)
            });
        },
    ),
    Item {
        receiver: "Resource",
        name: "[]",
        kind: crate::table::Kind::Index,
        params: &["parameter: String"],
        returns: "Any",
        phases: phase::ANY,
        doc: "The value of a parameter, or `()`: `file[\"mode\"]`. Secrets are `Sensitive`.",
        register: |e, _| {
            e.register_indexer_get(|resource: ResourceRef<'_>, name: &str| -> Dynamic {
                let secret = resource
                    .get()
                    .is_some_and(|receiver| receiver.sensitive.iter().any(|parameter| parameter.as_str() == name));
                match resource.parameter(name) {
                    Some(value) if secret => bridge::to_dynamic(&Value::Sensitive(Arc::new(value.clone()))),
                    found => optional(found),
                }
            });
        },
    },
    property("Resource", "type", "String", "Its type: `File`, `Apache::Vhost`, `Class`.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| read_property(receiver, |r| text(r.type_name.as_str())));
    }),
    property("Resource", "title", "String", "Its title.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| read_property(receiver, |r| text(&r.title)));
    }),
    property("Resource", "reference", "String", "The reference: `File[/etc/motd]`.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| read_property(receiver, |r| text(&r.reference())));
    }),
    property("Resource", "parameters", "Hash", "All its parameters; secrets are `Sensitive`.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| {
            read_property(receiver, |r| {
                let one = |(name, value): (&catwalk_base::names::Name, &Value)| {
                    let secret = r.sensitive.contains(name);
                    let value = if secret { Value::Sensitive(Arc::new(value.clone())) } else { value.clone() };
                    (Value::str(name.as_str()), value)
                };
                Dynamic::from(HashHandle(Arc::new(r.parameters.iter().map(one).collect::<Hash>())))
            })
        });
    }),
    property("Resource", "tags", "Array", "Its tags.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| -> rhai::Array {
            receiver.get().map(|r| r.tags.iter().map(|tag| text(tag)).collect()).unwrap_or_default()
        });
    }),
    property("Resource", "file", "String", "The manifest that declares it, or `()`.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| {
            read_property(receiver, |r| r.file.as_deref().map_or(Dynamic::UNIT, text))
        });
    }),
    property("Resource", "line", "Integer", "The line of the declaration.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| {
            read_property(receiver, |r| r.line.map_or(Dynamic::UNIT, |line| Dynamic::from_int(i64::from(line))))
        });
    }),
    property("Resource", "exported", "Boolean", "Whether it is exported.", |e, n| {
        e.register_get(n, |receiver: ResourceRef<'_>| {
            read_property(receiver, |r| Dynamic::from_bool(r.exported.unwrap_or(false)))
        });
    }),
    property(
        "Resource",
        "containers",
        "Array",
        "References to its containers, the nearest first: `[\"Class[Ntp]\", \"Stage[main]\"]`.",
        |e, n| {
            e.register_get(n, containers);
        },
    ),
    method(
        "Resource",
        "is_sensitive",
        &["parameter: String"],
        "Boolean",
        "Returns whether a parameter is a secret.",
        |e, n| {
            e.register_fn(n, |receiver: ResourceRef<'_>, name: &str| {
                receiver.get().is_some_and(|r| r.sensitive.iter().any(|parameter| parameter.as_str() == name))
            });
        },
    ),
    method("Resource", "to_string", &[], "String", "Its reference; also `to_debug()`.", |e, n| {
        for name in [n, "to_debug"] {
            e.register_fn(name, |receiver: ResourceRef<'_>| read_property(receiver, |r| text(&r.reference())));
        }
    }),
];

fn containers(receiver: ResourceRef<'_>) -> rhai::Array {
    let catalog = &receiver.view.catalog;
    let parents = receiver.view.containers.get_or_init(|| {
        let mut parents = vec![None; catalog.resources.len()];
        for (container, contained) in &catalog.edges {
            if let Some(parent) = parents.get_mut(*contained) {
                *parent = Some(*container);
            }
        }
        parents
    });
    let mut references = rhai::Array::new();
    let mut at = receiver.at;
    while let Some(Some(container)) = parents.get(at).filter(|_| references.len() < 1000) {
        references.extend(catalog.resources.get(*container).map(|r| text(&r.reference())));
        at = *container;
    }
    references
}
