//! Classification: which classes, parameters and environment a node gets from outside the manifests.
//!
//! In: certname, facts, trusted data. Out: [`Classification`]. Must not: know Rhai (a script classifier implements
//! [`Classifier`] in `scripting`).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::data::yaml;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::value::Hash;
use crate::value::Value;
use crate::world::Command;
use crate::world::World;

/// What a classifier is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The node.
    pub certname: Arc<str>,
    /// The environment that was asked for.
    pub environment: Arc<str>,
    /// Its facts.
    pub facts: Arc<Hash>,
    /// Its trusted data.
    pub trusted: Arc<Hash>,
}

/// What a classifier says (docs: "Writing external node classifiers").
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classification {
    /// Classes in order; with parameters they are declared like resources.
    pub classes: IndexMap<Arc<str>, Option<Arc<Hash>>>,
    /// Top-scope variables.
    pub parameters: IndexMap<Arc<str>, Value>,
    /// Overrides the environment that was asked for.
    pub environment: Option<Arc<str>>,
}

/// Gives a node its classes.
pub trait Classifier: Send + Sync {
    /// Classifies one node.
    ///
    /// # Errors
    /// The classifier failed or gave something that is no classification.
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>>;
}

impl Classification {
    /// Reads the document of an external node classifier: a hash with `classes` (text, array or hash), `parameters`,
    /// `environment`.
    ///
    /// # Errors
    /// It has another shape.
    pub fn from_value(value: &Value) -> Result<Classification, Reason> {
        let bad = |what: String| Reason::new(Code("ILLEGAL_CLASSIFICATION"), what);
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
                ("environment", Value::Str(environment)) => result.environment = Some(environment.clone()),
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
    let bad = |what: String| Err(Reason::new(Code("ILLEGAL_CLASSIFICATION"), what));
    let mut classes = IndexMap::new();
    match value {
        Value::Str(name) => {
            classes.insert(name.clone(), None);
        }
        Value::Array(names) => {
            for name in names.iter() {
                match name {
                    Value::Str(name) => classes.insert(name.clone(), None),
                    other => return bad(format!("a class name must be text, got {}", kind(other))),
                };
            }
        }
        Value::Hash(hash) => {
            for (name, parameters) in hash.iter() {
                let Some(name) = name.as_str() else {
                    return bad(format!("a class name must be text, got {}", kind(name)));
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
        Value::Int(_) | Value::Float(_) => "a number",
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
    /// It is killed after this time.
    pub limit: Duration,
}

impl Classifier for Exec {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let name = &request.certname;
        let fail = |message: String| Box::new(Diagnostic::new(Reason::new(Code("ENC_FAILED"), message), None));
        let path = self.path.display();
        let argv = vec![path.to_string(), name.to_string()];
        let command = Command { argv, stdin: None, limit: self.limit, decisive: true };
        let output = world.run(&command).map_err(|why| fail(format!("Failed to find {name} via exec: {why}")))?;
        match output.status {
            Some(0) => {}
            Some(status) => {
                let errors = String::from_utf8_lossy(&output.stderr);
                let text = format!("Execution of '{path} {name}' returned {status}: {}", errors.trim_end());
                return Err(fail(format!("Failed to find {name} via exec: {text}")));
            }
            None => {
                let limit = self.limit.as_secs();
                return Err(fail(format!(
                    "Failed to find {name} via exec: '{path} {name}' took longer than {limit} s"
                )));
            }
        }
        if output.stdout.iter().all(u8::is_ascii_whitespace) {
            return Err(fail(format!("Could not find node '{name}': '{path} {name}' printed nothing")));
        }
        let results = |why: String| fail(format!("Could not load external node results for {name}: {why}"));
        let value = yaml::parse(&output.stdout).map_err(|error| results(error.to_string()))?;
        Classification::from_value(&value).map_err(|reason| results(reason.message.into_owned()))
    }
}
