//! Reads definitions: the argument of `register_type` or `register_transport`.
//!
//! In: a value. Out: a [`Definition`] or [`TransportDefinition`] and all problems at once
//! (`BaseTypeDefinition#validate_schema`). Must not: know the position of the value in a file.

mod attributes;
mod keys;
mod relations;
mod titles;

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Attribute;
use crate::Behaviour;
use crate::Definition;
use crate::Relation;
use crate::TransportDefinition;
use crate::problem::Problem;
use crate::problem::ProblemLevel;
use crate::problem::ReadResult;
use crate::problem::Step;
use catwalk_base::names::Name;
use catwalk_value::types::ruby_class;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::ruby;

/// The features that a provider may have (`TypeDefinition#validate_schema`).
pub const FEATURES: [&str; 5] =
    ["supports_noop", "canonicalize", "custom_insync", "remote_resource", "simple_get_filter"];

/// Keys of `register_type`.
const KEYS: [&str; 10] = [
    "name",
    "desc",
    "docs",
    "attributes",
    "features",
    "title_patterns",
    "autorequire",
    "autobefore",
    "autosubscribe",
    "autonotify",
];

/// Keys of `register_transport`.
const TRANSPORT_KEYS: [&str; 4] = ["name", "desc", "connection_info", "connection_info_order"];

/// Names that attributes must not have, in the order of the Resource API.
const RESERVED: [&str; 15] = [
    "title",
    "provider",
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

/// Attributes by name, in the order of their definition.
type Attributes = IndexMap<Name, Attribute, FxBuildHasher>;

/// Collects problems while a definition is read.
struct Reader {
    /// The name of the definition in messages, as Ruby prints it.
    name: String,
    problems: Vec<Problem>,
}

/// Reads the definition of a type. `file` becomes [`Definition::file`].
#[must_use]
pub fn read_type(value: &Value, file: &str) -> ReadResult<Definition> {
    let mut reader = Reader { name: String::new(), problems: Vec::new() };
    let definition = reader.definition(value, file);
    reader.finish(definition)
}

/// Reads the definition of a transport. `file` becomes [`TransportDefinition::file`].
#[must_use]
pub fn read_transport(value: &Value, file: &str) -> ReadResult<TransportDefinition> {
    let mut reader = Reader { name: String::new(), problems: Vec::new() };
    let definition = reader.transport(value, file);
    reader.finish(definition)
}

/// The path that consists of these keys.
fn path(keys: &[&str]) -> Vec<Step> {
    keys.iter().map(|key| Step::Key(Arc::from(*key))).collect()
}

impl Reader {
    fn finish<T>(self, definition: Option<T>) -> ReadResult<T> {
        let refused = self.problems.iter().any(|problem| problem.level == ProblemLevel::Error);
        ReadResult { definition: definition.filter(|_| !refused), problems: self.problems }
    }

    fn report(&mut self, level: ProblemLevel, path: Vec<Step>, message: impl Into<String>) {
        self.problems.push(Problem { level, path, message: message.into(), help: None });
    }

    fn error(&mut self, keys: &[&str], message: impl Into<String>) {
        self.report(ProblemLevel::Error, path(keys), message);
    }

    fn mistake(&mut self, keys: &[&str], message: impl Into<String>) {
        self.report(ProblemLevel::Mistake, path(keys), message);
    }

    fn warning(&mut self, keys: &[&str], message: impl Into<String>) {
        self.report(ProblemLevel::Warning, path(keys), message);
    }

    fn help(&mut self, help: impl Into<String>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.help = Some(help.into());
        }
    }

    fn definition(&mut self, value: &Value, file: &str) -> Option<Definition> {
        let class = "Puppet::ResourceApi::TypeDefinition";
        let Value::Hash(given) = value else {
            self.error(&[], format!("{class} must be a Hash, not `{}`", ruby_class(value)));
            return None;
        };
        let name = self.name_of(given, || format!("{class} must have a name"));
        let mut attributes = Attributes::default();
        let written = self.attribute_hash(given, "attributes", || format!("{class} must have `attributes`"));
        let description = self.description_of(given);
        if let Some(written) = written {
            attributes = self.attributes("attributes", written);
            self.reserved_names(written);
        }
        self.patterns_array(given);
        if let Some(written) = written {
            self.ensure_type(written, &attributes);
        }
        let features = self.features(given);
        if let Some(written) = written {
            let understood = self.behaviours("attributes", written, &mut attributes);
            self.defaults(written, &mut attributes);
            if understood && attributes.len() == written.len() && namevars(&attributes).next().is_none() {
                self.mistake(&["attributes"], format!("`{}` has no namevar", self.name));
                self.help("mark the attribute that identifies a resource with `behaviour: \"namevar\"`");
            }
        }
        self.unknown_keys(&[], given, &KEYS);
        let title_patterns = self.title_patterns(given, &attributes);
        let mut auto_relations = Vec::new();
        for relation in [Relation::Require, Relation::Before, Relation::Subscribe, Relation::Notify] {
            auto_relations.extend(self.relations(given, relation, &attributes));
        }
        Some(Definition {
            name: name?,
            description,
            attributes,
            title_patterns,
            auto_relations,
            features,
            file: Arc::from(file),
        })
    }

    fn transport(&mut self, value: &Value, file: &str) -> Option<TransportDefinition> {
        let Value::Hash(given) = value else {
            self.error(&[], format!("requires a hash as schema, not `{}`", ruby_class(value)));
            return None;
        };
        let name = self.name_of(given, || "requires a `:name`".to_owned());
        if given.get("desc").is_none_or(Value::is_undef) {
            self.error(&[], "requires `:desc`");
        }
        let description = self.description_of(given);
        let mut connection_info = Attributes::default();
        match given.get("connection_info").filter(|info| !info.is_undef()) {
            None => self.error(&[], "requires `:connection_info`"),
            Some(Value::Hash(written)) => {
                connection_info = self.attributes("connection_info", written);
                self.defaults(written, &mut connection_info);
            }
            Some(other) => {
                let text = format!("`:connection_info` must be a hash, not `{}`", ruby_class(other));
                self.error(&["connection_info"], text);
            }
        }
        if let Some(order) = given.get("connection_info_order").filter(|order| !order.is_undef())
            && !matches!(order, Value::Array(_))
        {
            let text = format!("`:connection_info_order` must be an array, not `{}`", ruby_class(order));
            self.error(&["connection_info_order"], text);
        }
        self.unknown_keys(&[], given, &TRANSPORT_KEYS);
        Some(TransportDefinition { name: name?, description, connection_info, file: Arc::from(file) })
    }

    /// Reads the name, with which later messages begin.
    fn name_of(&mut self, given: &Hash, missing: impl FnOnce() -> String) -> Option<Name> {
        let written = given.get("name").filter(|name| !name.is_undef());
        match written {
            None => {
                self.error(&[], missing());
                None
            }
            Some(Value::Str(name)) if !name.is_empty() => {
                self.name = name.to_string();
                Some(Name::new(name))
            }
            Some(other) => {
                self.name = ruby::to_s(other).into_owned();
                let text = format!("the name must be a string, not `{}`", ruby::inspect(other));
                self.error(&["name"], text);
                None
            }
        }
    }

    fn attribute_hash<'v>(
        &mut self,
        given: &'v Hash,
        key: &'static str,
        missing: impl FnOnce() -> String,
    ) -> Option<&'v Hash> {
        match given.get(key) {
            None => self.error(&[], missing()),
            Some(Value::Hash(written)) => return Some(written),
            Some(other) => {
                let text = format!("`{}.{key}` must be a hash, not `{}`", self.name, ruby_class(other));
                self.error(&[key], text);
            }
        }
        None
    }

    /// The description: key `desc`, or `docs` of earlier versions.
    fn description_of(&mut self, given: &Hash) -> Option<Arc<str>> {
        let (desc, docs) = (given.get("desc"), given.get("docs"));
        if docs.is_some() && desc.is_some_and(Value::truthy) {
            self.error(&["docs"], format!("`{}` has both `desc` and `docs`, prefer using `desc`", self.name));
        } else if docs.or(desc).is_none() {
            let text = format!("`{}` has no documentation, add it using a `desc` key", self.name);
            self.warning(&[], text);
        }
        let key = if docs.is_some() { "docs" } else { "desc" };
        self.string(&[key], docs.or(desc))
    }

    /// Reads a required string.
    fn string(&mut self, keys: &[&str], value: Option<&Value>) -> Option<Arc<str>> {
        match value {
            None | Some(Value::Undef) => None,
            Some(Value::Str(text)) => Some(text.to_shared()),
            Some(other) => {
                self.mistake(
                    keys,
                    format!("{} must be a string, not `{}`", display_key(keys, &self.name), ruby_class(other)),
                );
                None
            }
        }
    }

    fn features(&mut self, given: &Hash) -> Vec<Arc<str>> {
        let items = match given.get("features") {
            None | Some(Value::Undef) => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.error(&["features"], format!("`:features` must be an array, not `{}`", ruby_class(other)));
                return Vec::new();
            }
        };
        let known = |item: &&Value| item.as_str().is_some_and(|name| FEATURES.contains(&name));
        let unknown: Vec<Value> = items.iter().filter(|item| !known(item)).cloned().collect();
        if !unknown.is_empty() {
            let text = format!("Unknown feature detected: {}", ruby::inspect(&Value::array(unknown)));
            self.warning(&["features"], text);
        }
        items.iter().filter_map(|item| item.as_str().map(Arc::from)).collect()
    }
}

/// A key path as messages show it: `` `thing.value.desc` ``.
fn display_key(keys: &[&str], name: &str) -> String {
    let inner: Vec<&str> = keys.iter().copied().filter(|key| *key != "attributes").collect();
    format!("`{name}.{}`", inner.join("."))
}

/// The namevars of `attributes`.
fn namevars(attributes: &Attributes) -> impl Iterator<Item = Name> + '_ {
    attributes.iter().filter(|(_, attribute)| attribute.behaviour == Behaviour::Namevar).map(|(name, _)| *name)
}
