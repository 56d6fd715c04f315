//! The resources of a run, prepared from the catalog for their kinds.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_base::names::Name;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_resource_api::Level;
use catwalk_resource_api::State;
use catwalk_value::Value;
use catwalk_value::capitalize_segments;

use crate::DeclaredResource;
use crate::KindTraits;
use crate::ManagedResource;
use crate::ResourceKind;
use crate::ResourcePath;
use crate::status::Status;

/// Parameters that every resource has; kinds receive only those they request.
const METAPARAMETERS: [&str; 13] = [
    "alias",
    "audit",
    "before",
    "consume",
    "export",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

/// The values of the parameters that every resource has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metaparameters {
    /// Whether the resource is applied in noop mode; `None`: like the run.
    pub(crate) noop: Option<bool>,
    /// The log level of events.
    pub(crate) loglevel: Option<Level>,
    /// Properties whose changes outside of runs are reported; `all` is the empty list.
    pub(crate) audit: Option<Vec<Name>>,
    /// The name of the schedule.
    pub(crate) schedule: Option<Arc<str>>,
}

/// A resource of a run.
pub(crate) struct Item {
    pub(crate) declared: DeclaredResource,
    pub(crate) meta: Metaparameters,
    /// `before`, `notify`, `require`, `subscribe`, `alias` as declared.
    pub(crate) relations: IndexMap<Name, Value>,
    /// `File[/x]`
    pub(crate) reference: Arc<str>,
    /// `/Stage[main]/Main/File[/x]`
    pub(crate) path: ResourcePath,
    pub(crate) tags: Tags,
    pub(crate) is_container: bool,
    /// Whether a value is deferred: the resource is prepared right before its evaluation.
    pub(crate) is_deferred: bool,
    /// The value of the name attribute, if that is not a metaparameter.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) kind: Option<Rc<dyn ResourceKind>>,
    /// What is special about resources of its type.
    pub(crate) traits: Rc<KindTraits>,
    pub(crate) managed: Option<Box<dyn ManagedResource>>,
    pub(crate) status: Status,
    /// The position of the container.
    pub(crate) parent: Option<usize>,
    /// The position of the resource that generated this one before the run.
    pub(crate) generator: Option<usize>,
}

impl Item {
    /// The name of the type with a capital: `File`, `Class`.
    pub(crate) fn type_name(&self) -> &str {
        self.reference.split('[').next().unwrap_or_default()
    }

    /// The level of messages about changes.
    pub(crate) fn level(&self) -> Level {
        self.meta.loglevel.unwrap_or(Level::Notice)
    }
}

/// Whether a resource is a class, an instance of a defined type, a node or a stage.
pub(crate) fn is_container(resource: &Resource) -> bool {
    match resource.kind {
        Kind::Class | Kind::DefinedType => true,
        Kind::CompilableType => resource.type_name == "Stage",
        Kind::Unknown => matches!(resource.type_name.as_str(), "Class" | "Node" | "Stage"),
    }
}

/// The reference of a resource in messages: titles of classes with capitals.
pub(crate) fn reference(resource: &Resource, title: &str) -> String {
    if resource.type_name == "Class" {
        return format!("Class[{}]", capitalize_segments(title));
    }
    format!("{}[{title}]", resource.type_name)
}

/// The type and the parameters of a resource of a catalog, with those of its metaparameters that are in `metaparameters`.
pub(crate) fn declare(resource: &Resource, metaparameters: &[&str]) -> DeclaredResource {
    let mut parameters = State::new();
    for (name, value) in &resource.parameters {
        if !METAPARAMETERS.contains(&name.as_str()) || metaparameters.contains(&name.as_str()) {
            parameters.insert(*name, value.clone());
        }
    }
    // Serialized catalogs leave out name attributes that equal the title.
    if !resource.composite && !parameters.contains_key(&resource.namevar) {
        parameters.insert_before(0, resource.namevar, Value::from(resource.title.clone()));
    }
    DeclaredResource {
        type_name: resource.type_name.normalized(),
        title: resource.title.clone(),
        parameters,
        sensitive: resource.sensitive.clone(),
        position: resource.file.clone().zip(resource.line),
    }
}

/// Reads the metaparameters of a resource; an invalid value is an error.
pub(crate) fn read_metaparameters(resource: &Resource) -> Result<Metaparameters, String> {
    let mut meta = Metaparameters::default();
    let failed = |name: &str, text: String| Err(format!("Parameter {name} failed on {}: {text}", resource.reference()));
    for (name, value) in &resource.parameters {
        match name.as_str() {
            "noop" => match parse_flag(value) {
                Some(noop) => meta.noop = Some(noop),
                None => {
                    return failed("noop", format!("Invalid value {}. Valid values are true, false.", inspect(value)));
                }
            },
            "loglevel" => match value.as_str().and_then(parse_level) {
                Some(level) => meta.loglevel = Some(level),
                None => {
                    let valid = "debug, info, notice, warning, err, alert, emerg, crit, verbose";
                    return failed("loglevel", format!("Invalid value {}. Valid values are {valid}.", inspect(value)));
                }
            },
            "audit" => meta.audit = Some(parse_audit(value)),
            "schedule" => meta.schedule = value.as_str().map(Arc::from),
            _ => {}
        }
    }
    Ok(meta)
}

fn inspect(value: &Value) -> String {
    catwalk_value::ruby::inspect(value)
}

fn parse_level(name: &str) -> Option<Level> {
    if name == "verbose" { Some(Level::Info) } else { Level::parse(name) }
}

fn parse_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Str(text) => text.parse().ok(),
        _ => None,
    }
}

fn parse_audit(value: &Value) -> Vec<Name> {
    let names: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    if names.contains(&"all") { Vec::new() } else { names.into_iter().map(Name::new).collect() }
}

/// The relationships and aliases of a resource.
pub(crate) fn relations(resource: &Resource) -> IndexMap<Name, Value> {
    let names = ["require", "subscribe", "before", "notify", "alias"];
    let parameter = |name: &&str| Some((Name::new(name), resource.parameters.get(&Name::new(name))?.clone()));
    names.iter().filter_map(parameter).collect()
}

/// Whether a value is or contains a `Deferred`.
pub(crate) fn is_deferred(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.object_type.name.as_deref() == Some("Deferred"),
        Value::Array(items) => items.iter().any(is_deferred),
        Value::Hash(entries) => entries.values().any(is_deferred),
        Value::Sensitive(inner) => is_deferred(inner),
        _ => false,
    }
}
