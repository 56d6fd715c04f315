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
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby_class;

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
    let definition = reader.read_definition(value, file);
    reader.finish(definition)
}

/// Reads the definition of a transport. `file` becomes [`TransportDefinition::file`].
#[must_use]
pub fn read_transport(value: &Value, file: &str) -> ReadResult<TransportDefinition> {
    let mut reader = Reader { name: String::new(), problems: Vec::new() };
    let definition = reader.read_transport_definition(value, file);
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

    fn add_help(&mut self, help: impl Into<String>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.help = Some(help.into());
        }
    }

    fn read_definition(&mut self, value: &Value, file: &str) -> Option<Definition> {
        let class = "Puppet::ResourceApi::TypeDefinition";
        let Value::Hash(hash) = value else {
            self.error(&[], format!("{class} must be a Hash, not `{}`", ruby_class(value)));
            return None;
        };
        let name = self.read_name(hash, || format!("{class} must have a name"));
        let mut attributes = Attributes::default();
        let attribute_hashes =
            self.read_attribute_hashes(hash, "attributes", || format!("{class} must have `attributes`"));
        let description = self.read_description(hash);
        if let Some(attribute_hashes) = attribute_hashes {
            attributes = self.read_attributes("attributes", attribute_hashes);
            self.check_reserved_names(attribute_hashes);
        }
        self.check_title_patterns_key(hash);
        if let Some(attribute_hashes) = attribute_hashes {
            self.check_ensure_type(attribute_hashes, &attributes);
        }
        let features = self.read_features(hash);
        if let Some(attribute_hashes) = attribute_hashes {
            let are_valid = self.read_behaviours("attributes", attribute_hashes, &mut attributes);
            self.read_defaults(attribute_hashes, &mut attributes);
            if are_valid && attributes.len() == attribute_hashes.len() && namevars(&attributes).next().is_none() {
                self.mistake(&["attributes"], format!("`{}` has no namevar", self.name));
                self.add_help("mark the attribute that identifies a resource with `behaviour: \"namevar\"`");
            }
        }
        self.report_unknown_keys(&[], hash, &KEYS);
        let title_patterns = self.read_title_patterns(hash, &attributes);
        let mut auto_relations = Vec::new();
        for relation in [Relation::Require, Relation::Before, Relation::Subscribe, Relation::Notify] {
            auto_relations.extend(self.read_relations(hash, relation, &attributes));
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

    fn read_transport_definition(&mut self, value: &Value, file: &str) -> Option<TransportDefinition> {
        let Value::Hash(hash) = value else {
            self.error(&[], format!("requires a hash as schema, not `{}`", ruby_class(value)));
            return None;
        };
        let name = self.read_name(hash, || "requires a `:name`".to_owned());
        if hash.get("desc").is_none_or(Value::is_undef) {
            self.error(&[], "requires `:desc`");
        }
        let description = self.read_description(hash);
        let mut connection_info = Attributes::default();
        match hash.get("connection_info").filter(|info| !info.is_undef()) {
            None => self.error(&[], "requires `:connection_info`"),
            Some(Value::Hash(attribute_hashes)) => {
                connection_info = self.read_attributes("connection_info", attribute_hashes);
                self.read_defaults(attribute_hashes, &mut connection_info);
            }
            Some(other) => {
                let text = format!("`:connection_info` must be a hash, not `{}`", ruby_class(other));
                self.error(&["connection_info"], text);
            }
        }
        if let Some(order) = hash.get("connection_info_order").filter(|order| !order.is_undef())
            && !matches!(order, Value::Array(_))
        {
            let text = format!("`:connection_info_order` must be an array, not `{}`", ruby_class(order));
            self.error(&["connection_info_order"], text);
        }
        self.report_unknown_keys(&[], hash, &TRANSPORT_KEYS);
        Some(TransportDefinition { name: name?, description, connection_info, file: Arc::from(file) })
    }

    /// Reads the name, with which later messages begin.
    fn read_name(&mut self, hash: &Hash, missing: impl FnOnce() -> String) -> Option<Name> {
        let name = hash.get("name").filter(|name| !name.is_undef());
        match name {
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

    fn read_attribute_hashes<'v>(
        &mut self,
        hash: &'v Hash,
        key: &'static str,
        missing: impl FnOnce() -> String,
    ) -> Option<&'v Hash> {
        match hash.get(key) {
            None => self.error(&[], missing()),
            Some(Value::Hash(hash)) => return Some(hash),
            Some(other) => {
                let text = format!("`{}.{key}` must be a hash, not `{}`", self.name, ruby_class(other));
                self.error(&[key], text);
            }
        }
        None
    }

    /// The description: key `desc`, or `docs` of earlier versions.
    fn read_description(&mut self, hash: &Hash) -> Option<Arc<str>> {
        let (desc, docs) = (hash.get("desc"), hash.get("docs"));
        if docs.is_some() && desc.is_some_and(Value::truthy) {
            self.error(&["docs"], format!("`{}` has both `desc` and `docs`, prefer using `desc`", self.name));
        } else if docs.or(desc).is_none() {
            let text = format!("`{}` has no documentation, add it using a `desc` key", self.name);
            self.warning(&[], text);
        }
        let key = if docs.is_some() { "docs" } else { "desc" };
        self.read_string(&[key], docs.or(desc))
    }

    /// Reads a required string.
    fn read_string(&mut self, keys: &[&str], value: Option<&Value>) -> Option<Arc<str>> {
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

    fn read_features(&mut self, hash: &Hash) -> Vec<Arc<str>> {
        let items = match hash.get("features") {
            None | Some(Value::Undef) => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.error(&["features"], format!("`:features` must be an array, not `{}`", ruby_class(other)));
                return Vec::new();
            }
        };
        let is_known = |item: &&Value| item.as_str().is_some_and(|name| FEATURES.contains(&name));
        let unknown: Vec<Value> = items.iter().filter(|item| !is_known(item)).cloned().collect();
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
