//! The node object that a compile starts from, with the origin of every value: the output of `catwalk node show`.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::session::NodeSource;
use crate::session::PreparedNode;
use crate::session::Session;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::path::shown;
use catwalk_node::AGENT_FACTS;
use catwalk_node::Node;
use catwalk_node::classify::ClassificationPart;
use catwalk_value::Hash;
use catwalk_value::Value;

/// A node object with origins.
#[derive(Clone, Debug)]
pub struct NodeReport {
    /// The node.
    pub node: Node,
    /// The origin of facts; those that an agent adds are not in the file.
    pub facts: Arc<str>,
    /// Names of facts that an agent adds.
    pub added: Vec<&'static str>,
    /// The origin of `$trusted`.
    pub trusted: Arc<str>,
    /// The origin of `$trusted['external']`, if a command printed it.
    pub external: Option<Arc<str>>,
    /// The origin of `$server_facts`.
    pub server_facts: Arc<str>,
    /// The locations of the classification's values, if known: `groups/web.yaml:4`.
    pub locations: IndexMap<ClassificationPart, Arc<str>>,
    /// The origin of the environment.
    pub environment: Arc<str>,
    /// Facts that are not top-scope variables because classification has a variable of that name.
    pub hidden: Vec<Arc<str>>,
    /// Messages that were logged.
    pub logs: Vec<Diagnostic>,
    /// Secrets that the classifier handled.
    pub secrets: Arc<Secrets>,
}

impl Session {
    /// The node object of a node.
    ///
    /// # Errors
    /// No such node, broken facts, a classifier that fails.
    pub fn node_report(&self, certname: &str) -> Result<NodeReport, Box<Diagnostic>> {
        let mut prepared = self.prepare(NodeSource::Site(certname))?;
        let logs = prepared.take_logs();
        let report = self.build_report(&prepared, logs);
        prepared.node_world().close(Ok(report)).map_err(|mut failure| {
            failure.redact(prepared.secrets());
            failure
        })
    }

    fn build_report(&self, prepared: &PreparedNode, logs: Vec<Diagnostic>) -> NodeReport {
        let (certname, facts, node) = (prepared.certname(), prepared.facts(), prepared.node().clone());
        let world = self.world.as_ref();
        let root = self.options.root.as_deref();
        let display_path = |path: &std::path::Path| -> Arc<str> { Arc::from(shown(path, root)) };
        let inventory = self.site.nodes.as_ref().and_then(|folder| self.layers.nodes(folder, world).ok());
        let file = self.options.facts.clone().or_else(|| inventory?.get(&**certname).cloned());
        let server_file = self.options.server_facts.as_ref();
        let trusted_file = self.trusted_file(certname, world);
        let command = self.options.settings.values.get("trusted_external_command").filter(|text| !text.is_empty());
        let setting = self.options.settings.values.get("environment").filter(|name| !name.is_empty());
        let requested = match (self.caller_options.environment.as_ref().or(setting), &self.options.environment) {
            (Some(_), _) => "requested (option or setting)",
            (None, Some(_)) => "requested (catwalk.toml)",
            (None, None) => "requested (the default)",
        };
        let names = node.facts.keys().filter_map(Value::as_str);
        let hidden = names.filter(|name| node.parameters.contains_key(*name)).map(Arc::from).collect();
        let is_added =
            |name: &&str| facts.values.get(name).is_none_or(Value::is_undef) && node.facts.get(name).is_some();
        let located =
            |(part, location)| Some((ClassificationPart::clone(part), Arc::from(self.location_of(location)?)));
        let mut report = NodeReport {
            locations: node.locations.iter().filter_map(located).collect(),
            facts: file.map_or(Arc::from("no facts"), |path| display_path(&path)),
            added: AGENT_FACTS.into_iter().filter(is_added).collect(),
            trusted: trusted_file.map_or(Arc::from("the certname"), |path| display_path(&path)),
            external: command.map(|command| Arc::from(format!("trusted_external_command {command}"))),
            server_facts: server_file.map_or(Arc::from("the defaults"), |path| display_path(path)),
            environment: Arc::from(requested),
            hidden,
            node,
            logs,
            secrets: prepared.secrets().clone(),
        };
        if let Some(origin) = report.origin(&ClassificationPart::Environment) {
            report.environment = origin;
        }
        report
    }
}

impl NodeReport {
    /// The origin of a value of classification, with its file and line if they are known.
    #[must_use]
    pub fn origin(&self, part: &ClassificationPart) -> Option<Arc<str>> {
        let origin = self.node.origins.get(part)?;
        Some(match self.locations.get(part) {
            // `script enc.rhai:3` rather than `script enc.rhai, enc.rhai:3`
            Some(location) => match location.split_once(':').filter(|(file, _)| origin.ends_with(*file)) {
                Some((_, line)) => Arc::from(format!("{origin}:{line}")),
                None => Arc::from(format!("{origin}, {location}")),
            },
            None => origin.clone(),
        })
    }

    /// The node object as a document; with `explain`, each value as `{"value", "origin"}`.
    #[must_use]
    pub fn document(&self, explain: bool) -> Value {
        let node = &self.node;
        let with_origin = |value: Value, origin: Arc<str>| {
            if !explain {
                return value;
            }
            let mut explained = Hash::new();
            explained.set("value", value);
            explained.set("origin", Value::from(origin));
            Value::hash(explained)
        };
        let origin = |part: ClassificationPart| self.origin(&part).unwrap_or_else(|| Arc::from("classifier"));
        let mut document = Hash::new();
        document.set("name", Value::from(node.certname.clone()));
        document.set("environment", with_origin(Value::from(node.environment.clone()), self.environment.clone()));
        let mut classes = Hash::new();
        for (class, parameters) in &node.classes {
            let mut values = Hash::new();
            for (name, value) in parameters.iter().flat_map(|parameters| parameters.iter()) {
                let key = ClassificationPart::Parameter(class.clone(), Arc::from(name.as_str().unwrap_or_default()));
                values.insert(name.clone(), with_origin(value.clone(), origin(key)));
            }
            if explain {
                let mut explained = Hash::new();
                explained.set("origin", Value::from(origin(ClassificationPart::Class(class.clone()))));
                explained.set("parameters", Value::hash(values));
                values = explained;
            }
            classes.set(class, Value::hash(values));
        }
        document.set("classes", Value::hash(classes));
        let variables = node.parameters.iter();
        let variables = variables.map(|(name, value)| {
            (Value::from(name.clone()), with_origin(value.clone(), origin(ClassificationPart::Variable(name.clone()))))
        });
        document.set("parameters", Value::hash(variables.collect()));
        if !node.data.is_empty() {
            let data = node.data.iter().map(|(key, value)| {
                let part = ClassificationPart::Data(Arc::from(key.as_str().unwrap_or_default()));
                (key.clone(), with_origin(value.clone(), origin(part)))
            });
            document.set("config_data", Value::hash(data.collect()));
        }
        let hash_with_origins = |hash: &Hash, origin: &dyn Fn(&str) -> Arc<str>| {
            let entry = |(key, value): (&Value, &Value)| {
                (key.clone(), with_origin(value.clone(), origin(key.as_str().unwrap_or_default())))
            };
            Value::hash(hash.iter().map(entry).collect())
        };
        document.set("trusted", hash_with_origins(&node.trusted, &|name| self.trusted_origin(name)));
        document.set("server_facts", hash_with_origins(&node.server_facts, &|name| self.server_origin(name)));
        document.set("facts", hash_with_origins(&node.facts, &|name| self.fact_origin(name)));
        Value::hash(document)
    }

    /// The origin of a member of `$trusted`.
    #[must_use]
    pub fn trusted_origin(&self, name: &str) -> Arc<str> {
        match &self.external {
            Some(command) if name == "external" => command.clone(),
            _ => self.trusted.clone(),
        }
    }

    /// The origin of a member of `$server_facts`.
    #[must_use]
    pub fn server_origin(&self, name: &str) -> Arc<str> {
        if name == "environment" { Arc::from("the environment of the node") } else { self.server_facts.clone() }
    }

    /// The origin of a fact.
    #[must_use]
    pub fn fact_origin(&self, name: &str) -> Arc<str> {
        let origin: Arc<str> =
            if self.added.contains(&name) { Arc::from("added, as an agent does") } else { self.facts.clone() };
        if self.hidden.iter().any(|hidden| **hidden == *name) {
            return Arc::from(format!("{origin}; the top-scope variable has the value of the classification"));
        }
        origin
    }

    /// Origins of classification, for people.
    #[must_use]
    pub fn origins(&self) -> &IndexMap<ClassificationPart, Arc<str>> {
        &self.node.origins
    }
}
