//! Classification: the classes, parameters and environment that an external source assigns to a node.
//!
//! In: certname, facts, trusted data. Out: [`Classification`]. Must not: know Rhai (a script classifier implements
//! [`Classifier`] in `scripting`).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_world::Command;
use catwalk_world::World;
use catwalk_world::excerpt;

/// The node to classify.
#[derive(Clone, Debug)]
pub struct Request {
    /// The certname.
    pub certname: Arc<str>,
    /// The environment that the agent requests.
    pub environment: Arc<str>,
    /// The node's facts.
    pub facts: Arc<Hash>,
    /// The node's trusted data.
    pub trusted: Arc<Hash>,
}

/// The result of a classifier (docs: "Writing external node classifiers").
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classification {
    /// Classes in order. Those with parameters are declared like resources.
    pub classes: IndexMap<Arc<str>, Option<Arc<Hash>>>,
    /// Top-scope variables.
    pub parameters: IndexMap<Arc<str>, Value>,
    /// Overrides the requested environment.
    pub environment: Option<Arc<str>>,
    /// Data for the automatic lookup of class parameters: `class::parameter`.
    pub data: IndexMap<Arc<str>, Value>,
    /// The origins of values, such as a node group. A value without an entry comes from the terminus as a whole.
    pub origins: IndexMap<ClassificationPart, Arc<str>>,
    /// Where values are written: in groups, in scripts, in the output of a command.
    pub locations: IndexMap<ClassificationPart, DefinitionLocation>,
    /// Warnings about the classifier.
    pub warnings: Vec<Diagnostic>,
}

/// One value of a classification.
#[derive(Clone, PartialEq, Eq, std::hash::Hash, Debug)]
pub enum ClassificationPart {
    /// The environment.
    Environment,
    /// A top-scope variable.
    Variable(Arc<str>),
    /// A class.
    Class(Arc<str>),
    /// A parameter of a class.
    Parameter(Arc<str>, Arc<str>),
    /// Data for a parameter, `class::parameter`.
    Data(Arc<str>),
}

/// Data that a classifier may read about the node that it classifies.
pub trait DataSource: Send + Sync {
    /// Calls Puppet's function `lookup` with these arguments. Hierarchies see the facts and trusted data of the node, and no classes and
    /// no variables of manifests.
    ///
    /// # Errors
    /// No data source has the key, or the data is invalid.
    fn lookup(&self, request: &Request, args: &[Value]) -> Result<Value, Box<Diagnostic>>;
}

/// A source of classifications.
pub trait Classifier: Send + Sync {
    /// Classifies one node.
    ///
    /// # Errors
    /// The classifier fails, or returns something that is not a classification.
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>>;
}

impl Classification {
    /// Reads the document of an external node classifier: a hash with `classes` (string, array or hash), `parameters`,
    /// `environment`.
    ///
    /// # Errors
    /// The value does not have this structure.
    pub fn from_value(value: &Value) -> Result<Classification, Reason> {
        let bad = |what: String| Reason::new(Code::ENC_FAILED, what);
        let hash = match value {
            Value::Undef => return Ok(Classification::default()),
            Value::Hash(hash) => hash,
            other => return Err(bad(format!("a classification must be a hash, got {}", kind(other)))),
        };
        let mut result = Classification::default();
        for (key, value) in hash.iter() {
            match (key.as_str().unwrap_or_default(), value) {
                (_, Value::Undef) => {}
                ("classes", value) => result.classes = classes(value)?,
                ("parameters", Value::Hash(parameters)) => {
                    let named = |(name, value): (&Value, &Value)| Some((Arc::from(name.as_str()?), value.clone()));
                    result.parameters = parameters.iter().filter_map(named).collect();
                }
                ("environment", Value::Str(environment)) => result.environment = Some(environment.to_shared()),
                (name @ ("parameters" | "environment"), other) => {
                    return Err(bad(format!("'{name}' of a classification cannot be {}", kind(other))));
                }
                // The exec terminus reads these three keys and ignores the rest.
                _ => {}
            }
        }
        Ok(result)
    }
}

fn classes(value: &Value) -> Result<IndexMap<Arc<str>, Option<Arc<Hash>>>, Reason> {
    let bad = |what: String| Err(Reason::new(Code::ENC_FAILED, what));
    let mut classes = IndexMap::new();
    match value {
        Value::Str(name) => {
            classes.insert(name.to_shared(), None);
        }
        Value::Array(names) => {
            for name in names.iter() {
                match name {
                    Value::Str(name) => classes.insert(name.to_shared(), None),
                    other => return bad(format!("a class name must be a string, got {}", kind(other))),
                };
            }
        }
        Value::Hash(hash) => {
            for (name, parameters) in hash.iter() {
                let Some(name) = name.as_str() else {
                    return bad(format!("a class name must be a string, got {}", kind(name)));
                };
                let parameters = match parameters {
                    Value::Undef => None,
                    Value::Hash(parameters) => Some(parameters.clone()),
                    other => return bad(format!("parameters of class '{name}' must be a hash, got {}", kind(other))),
                };
                classes.insert(Arc::from(name), parameters);
            }
        }
        other => return bad(format!("'classes' must be a hash or an array, got {}", kind(other))),
    }
    Ok(classes)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Undef => "undef",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => "a number",
        Value::Str(_) => "text",
        Value::Array(_) => "an array",
        Value::Hash(_) => "a hash",
        _ => "another value",
    }
}

/// An executable that prints YAML (`node_terminus = exec`).
#[derive(Clone, Debug)]
pub struct Exec {
    /// The program.
    pub path: PathBuf,
    /// Arguments before the name of the node.
    pub arguments: Vec<String>,
    /// The process is killed after this time.
    pub limit: Duration,
}

impl Classifier for Exec {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let name = &request.certname;
        let failed = |text: String| {
            let text = format!("Failed when searching for node {name}: {text}");
            Diagnostic::new(Reason::new(Code::ENC_FAILED, text), None)
        };
        let via = |text: String| failed(format!("Failed to find {name} via exec: {text}"));
        let path = self.path.display();
        let mut argv = vec![path.to_string()];
        argv.extend(self.arguments.iter().cloned());
        argv.push(name.to_string());
        let line = argv.join(" ");
        let command = Command {
            argv,
            stdin: None,
            limit: self.limit,
            output: Command::OUTPUT,
            runs: catwalk_world::Runs::Decisive,
        };
        let output = world.run(&command).map_err(|refused| {
            let text = format!("Failed to find {name} via exec: Could not execute '{line}': {refused}");
            Box::from(Reason::new(Code::ENC_FAILED, text).because(refused.cause()))
        })?;
        match output.status {
            Some(0) => {}
            Some(status) => {
                let stdout = String::from_utf8_lossy(&output.stdout);
                let mut failure = via(format!("Execution of '{line}' returned {status}: {}", excerpt(stdout.trim())));
                let errors = String::from_utf8_lossy(&output.stderr);
                failure.help =
                    Some(excerpt(errors.trim()).into_owned()).filter(|errors| !errors.is_empty()).map(Into::into);
                return Err(Box::new(failure));
            }
            None => {
                let limit = self.limit.as_secs();
                return Err(Box::new(via(format!("'{line}' took longer than {limit} s"))));
            }
        }
        if output.stdout.iter().all(u8::is_ascii_whitespace) {
            let text = format!("Could not find node '{name}'; cannot compile");
            let reason = Reason::new(Code::ENC_FAILED, text).help(format!("'{line}' printed nothing"));
            return Err(Box::from(reason));
        }
        let results = |why: String| Box::new(failed(format!("Could not load external node results for {name}: {why}")));
        let value = yaml::parse(&output.stdout).map_err(|error| results(error.to_string()))?;
        let mut classification =
            Classification::from_value(&value).map_err(|reason| results(reason.message.into_owned()))?;
        classification.locations = locations(&value, &line, &String::from_utf8_lossy(&output.stdout));
        Ok(classification)
    }
}

/// The locations of all values in the output of a command.
fn locations(value: &Value, command: &str, text: &str) -> IndexMap<ClassificationPart, DefinitionLocation> {
    let mut locations = IndexMap::new();
    let Value::Hash(document) = value else { return locations };
    let output = DefinitionLocation::Output { command: Arc::from(command), text: Arc::from(text), keys: Vec::new() };
    if let Some(Value::Str(_)) = document.get("environment") {
        locations.insert(ClassificationPart::Environment, output.below(["environment"]));
    }
    if let Some(Value::Hash(variables)) = document.get("parameters") {
        for name in variables.keys().filter_map(Value::as_str) {
            locations.insert(ClassificationPart::Variable(Arc::from(name)), output.below(["parameters", name]));
        }
    }
    let of_classes = output.below(["classes"]);
    match document.get("classes") {
        Some(Value::Str(name)) => {
            locations.insert(ClassificationPart::Class(name.to_shared()), of_classes);
        }
        Some(Value::Array(names)) => {
            for (number, name) in names.iter().enumerate() {
                let Some(name) = name.as_str() else { continue };
                locations.insert(
                    ClassificationPart::Class(Arc::from(name)),
                    of_classes.below([number.to_string().as_str()]),
                );
            }
        }
        Some(Value::Hash(classes)) => {
            for (class, parameters) in classes.iter() {
                let Some(class) = class.as_str() else { continue };
                let of_class = of_classes.below([class]);
                let parameters = if let Value::Hash(parameters) = parameters { Some(parameters) } else { None };
                for name in parameters.iter().flat_map(|parameters| parameters.keys()).filter_map(Value::as_str) {
                    locations.insert(
                        ClassificationPart::Parameter(Arc::from(class), Arc::from(name)),
                        of_class.below([name]),
                    );
                }
                locations.insert(ClassificationPart::Class(Arc::from(class)), of_class);
            }
        }
        _ => {}
    }
    locations
}
