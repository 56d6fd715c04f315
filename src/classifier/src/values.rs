//! What classification assigns a node: classes, their parameters, variables, configuration data, environment; each with where
//! it comes from.
//!
//! In: the members of groups. Out: these members overlaid, compared, written as documents. Must not: know rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::problem::object;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The key of an assigned value, ordered as in documents.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// The environment.
    Environment,
    /// A top-scope variable.
    Variable(Arc<str>),
    /// A parameter of a class.
    Parameter(Arc<str>, Arc<str>),
    /// Configuration data: a class and a parameter for automatic lookup.
    Data(Arc<str>, Arc<str>),
}

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// A group, by its number.
    Group(usize),
    /// The node's individual classification.
    Node,
}

/// A value with the groups that define it.
#[derive(Clone, PartialEq, Debug)]
pub struct SourcedValue {
    /// The value.
    pub value: Value,
    /// The groups that define it; several when unrelated groups agree.
    pub sources: Vec<Source>,
}

/// Classes and values, sorted by their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Values {
    /// The classes, with those that assign them.
    pub classes: BTreeMap<Arc<str>, Vec<Source>>,
    /// Everything that has a value.
    pub values: BTreeMap<Key, SourcedValue>,
}

/// The key that lists the sources of a class, in annotated documents.
pub const CLASS_SOURCES: &str = "puppetlabs.classifier/sources";

impl Values {
    /// The members of a group, or of a node's own classification, which is a hash that was checked before.
    #[must_use]
    pub fn read(document: &Hash, source: Source) -> Values {
        let mut values = Values::default();
        let mut add = |key: Key, value: &Value| {
            values.values.insert(key, SourcedValue { value: value.clone(), sources: vec![source] });
        };
        if let Some(environment @ Value::Str(_)) = document.get("environment") {
            add(Key::Environment, environment);
        }
        for (name, value) in entries(document.get("variables")) {
            add(Key::Variable(name), value);
        }
        for (class, data) in entries(document.get("config_data")) {
            for (name, value) in entries(Some(data)) {
                add(Key::Data(class.clone(), name), value);
            }
        }
        for (class, parameters) in entries(document.get("classes")) {
            for (name, value) in entries(Some(parameters)) {
                add(Key::Parameter(class.clone(), name), value);
            }
        }
        values.classes = entries(document.get("classes")).map(|(class, _)| (class, vec![source])).collect();
        values
    }

    /// Merges `over` into these values; those of `over` win. Classes are united.
    pub fn overlay(&mut self, over: &Values) {
        for (class, sources) in &over.classes {
            add_sources(self.classes.entry(class.clone()).or_default(), sources);
        }
        for (key, value) in &over.values {
            self.values.insert(key.clone(), value.clone());
        }
    }

    /// Merges the classification that is set for the node itself. A class that groups also assign keeps the groups as its sources.
    pub(crate) fn merge_node_values(&mut self, node_values: &Values) {
        for (class, sources) in &node_values.classes {
            self.classes.entry(class.clone()).or_insert_with(|| sources.clone());
        }
        for (key, value) in &node_values.values {
            self.values.insert(key.clone(), value.clone());
        }
    }

    /// The environment.
    #[must_use]
    pub fn environment(&self) -> Option<&str> {
        self.values.get(&Key::Environment)?.value.as_str()
    }

    /// The classes with their parameters, as a document.
    #[must_use]
    pub(crate) fn classes_document(&self) -> Hash {
        let mut classes: BTreeMap<&str, Hash> =
            self.classes.keys().map(|class| (class.as_ref(), Hash::new())).collect();
        for (key, value) in &self.values {
            if let Key::Parameter(class, name) = key {
                classes.entry(class).or_default().set(name, value.value.clone());
            }
        }
        classes.into_iter().map(|(class, parameters)| (Value::str(class), Value::hash(parameters))).collect()
    }

    /// The variables, as a document.
    #[must_use]
    pub(crate) fn variables_document(&self) -> Hash {
        let mut variables = Hash::new();
        for (key, value) in &self.values {
            if let Key::Variable(name) = key {
                variables.set(name, value.value.clone());
            }
        }
        variables
    }

    /// The configuration data, as a document.
    #[must_use]
    pub(crate) fn data_document(&self) -> Hash {
        nested(self.values.iter().filter_map(|(key, value)| match key {
            Key::Data(class, name) => Some((&**class, &**name, value.value.clone())),
            _ => None,
        }))
    }

    /// `{"environment", "variables", "classes", "config_data"}`; an environment and data only where there are.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut document = Hash::new();
        if let Some(environment) = self.values.get(&Key::Environment) {
            document.set("environment", environment.value.clone());
        }
        document.set("variables", Value::hash(self.variables_document()));
        document.set("classes", Value::hash(self.classes_document()));
        let data = self.data_document();
        if !data.is_empty() {
            document.set("config_data", Value::hash(data));
        }
        Value::hash(document)
    }

    /// The values with each replaced by `{"value", "sources"}`. `name` returns the name of a source.
    #[must_use]
    pub fn annotated_document(&self, name: &dyn Fn(Source) -> Value) -> Value {
        let sources = |sources: &[Source]| Value::array(sources.iter().map(|source| name(*source)).collect());
        let annotate =
            |value: &SourcedValue| object([("value", value.value.clone()), ("sources", sources(&value.sources))]);
        let mut document = Hash::new();
        let mut variables = Hash::new();
        let mut classes: BTreeMap<&str, Hash> = BTreeMap::new();
        for (class, given) in &self.classes {
            classes.entry(class).or_default().set(CLASS_SOURCES, sources(given));
        }
        for (key, value) in &self.values {
            match key {
                Key::Environment => document.set("environment", annotate(value)),
                Key::Variable(name) => variables.set(name, annotate(value)),
                Key::Parameter(class, name) => classes.entry(class).or_default().set(name, annotate(value)),
                Key::Data(..) => {}
            }
        }
        document.set("variables", Value::hash(variables));
        let classes = classes.into_iter().map(|(class, parameters)| (Value::str(class), Value::hash(parameters)));
        document.set("classes", Value::hash(classes.collect()));
        let data = nested(self.values.iter().filter_map(|(key, value)| match key {
            Key::Data(class, name) => Some((&**class, &**name, annotate(value))),
            _ => None,
        }));
        if !data.is_empty() {
            document.set("config_data", Value::hash(data));
        }
        Value::hash(document)
    }
}

/// Adds sources that do not exist yet.
pub(super) fn add_sources(to: &mut Vec<Source>, sources: &[Source]) {
    for source in sources {
        if !to.contains(source) {
            to.push(*source);
        }
    }
}

/// Values by two names.
pub fn nested<'a>(values: impl Iterator<Item = (&'a str, &'a str, Value)>) -> Hash {
    let mut outer: BTreeMap<&str, Hash> = BTreeMap::new();
    for (first, second, value) in values {
        outer.entry(first).or_default().set(second, value);
    }
    outer.into_iter().map(|(name, inner)| (Value::str(name), Value::hash(inner))).collect()
}

/// The entries of a hash with string keys.
pub fn entries(value: Option<&Value>) -> impl Iterator<Item = (Arc<str>, &Value)> {
    let hash = match value {
        Some(Value::Hash(hash)) => Some(hash.as_ref()),
        _ => None,
    };
    hash.into_iter().flat_map(|hash| hash.iter()).filter_map(|(key, value)| match key {
        Value::Str(key) => Some((key.to_shared(), value)),
        _ => None,
    })
}
