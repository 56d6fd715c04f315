//! The node that rules are evaluated for: its name, facts and trusted facts.
//!
//! In: a name and two hashes, or the body of a classification request. Out: values at paths. Must not: know rules.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_value::Hash;
use catwalk_value::Value;

/// A node as rules see it: the document `{"name", "trusted", "fact"}`.
#[derive(Clone, Debug)]
pub struct Subject {
    name: Value,
    fact: Value,
    trusted: Value,
    /// The lines that rules in scripts have logged.
    logs: Arc<Mutex<Vec<Diagnostic>>>,
}

/// One step of a path.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Segment {
    /// A key of a map; dots in it mean nothing.
    Key(Arc<str>),
    /// An index into an array.
    Index(i64),
}

/// The path of a value that a rule tests: a field by its bare name (`"name"`), or a list of steps (`["fact", "os", "family"]`).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Path {
    /// The steps; at least one.
    pub segments: Vec<Segment>,
    /// It was written as a string, not as a list: documents keep the author's form.
    pub bare: bool,
}

impl Subject {
    /// A node with its facts and trusted facts.
    #[must_use]
    pub fn new(name: &str, fact: Arc<Hash>, trusted: Arc<Hash>) -> Subject {
        Subject { name: Value::str(name), fact: Value::Hash(fact), trusted: Value::Hash(trusted), logs: Arc::default() }
    }

    /// From the body of a request to the classification endpoints: `{"fact": {…}, "trusted": {…}}`, where `trusted` may be
    /// missing. A hash without either key is taken as facts.
    #[must_use]
    pub fn from_body(name: &str, body: &Hash) -> Subject {
        let part = |key: &str| match body.get(key) {
            Some(Value::Hash(hash)) => Some(hash.clone()),
            _ => None,
        };
        let is_body = body.keys().all(|key| matches!(key.as_str(), Some("fact" | "trusted" | "name")));
        if is_body && (part("fact").is_some() || part("trusted").is_some()) {
            return Subject::new(name, part("fact").unwrap_or_default(), part("trusted").unwrap_or_default());
        }
        Subject::new(name, Arc::new(body.clone()), Arc::default())
    }

    /// Adds the lines that a rule has logged.
    pub fn log(&self, mut lines: Vec<Diagnostic>) {
        self.logs.lock().append(&mut lines);
    }

    /// Takes the lines that rules have logged.
    #[must_use]
    pub fn take_logs(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.logs.lock())
    }

    /// The node's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str().unwrap_or("")
    }

    /// Its facts.
    #[must_use]
    pub fn facts(&self) -> Arc<Hash> {
        hash(&self.fact)
    }

    /// Its trusted facts.
    #[must_use]
    pub fn trusted(&self) -> Arc<Hash> {
        hash(&self.trusted)
    }

    /// The document `node_as_received`.
    #[must_use]
    pub fn document(&self) -> Value {
        let entries = [("name", &self.name), ("trusted", &self.trusted), ("fact", &self.fact)];
        Value::hash(entries.into_iter().map(|(key, value)| (Value::str(key), value.clone())).collect())
    }

    /// The value at a path. `nodename` is an alias of `name` that some documents use.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<&Value> {
        let mut segments = path.segments.iter();
        let mut current = match segments.next()? {
            Segment::Key(key) => match key.as_ref() {
                "name" | "nodename" => &self.name,
                "fact" => &self.fact,
                "trusted" => &self.trusted,
                _ => return None,
            },
            Segment::Index(_) => return None,
        };
        for segment in segments {
            current = match (segment, current) {
                (Segment::Key(key), Value::Hash(hash)) => hash.get(key)?,
                (Segment::Index(at), Value::Array(items)) => items.get(usize::try_from(*at).ok()?)?,
                (Segment::Index(at), Value::Hash(hash)) => hash.get_value(&Value::Int(*at))?,
                _ => return None,
            };
        }
        Some(current).filter(|value| !value.is_undef())
    }
}

fn hash(value: &Value) -> Arc<Hash> {
    match value {
        Value::Hash(hash) => hash.clone(),
        _ => Arc::default(),
    }
}

impl Path {
    /// The first step, when it is a key.
    #[must_use]
    pub fn field(&self) -> &str {
        self.key(0)
    }

    /// A step that is a key; else an empty string.
    #[must_use]
    pub fn key(&self, at: usize) -> &str {
        match self.segments.get(at) {
            Some(Segment::Key(key)) => key,
            _ => "",
        }
    }

    /// The path in the author's form.
    #[must_use]
    pub fn document(&self) -> Value {
        let item = |segment: &Segment| match segment {
            Segment::Key(key) => Value::from(key.clone()),
            Segment::Index(at) => Value::Int(*at),
        };
        match self.segments.as_slice() {
            [only] if self.bare => item(only),
            segments => Value::array(segments.iter().map(item).collect()),
        }
    }
}

/// As people write it: `fact.os.family`, `fact.processors.models[0]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Index(at) => write!(f, "[{at}]")?,
                Segment::Key(key) => {
                    let dot = if number > 0 { "." } else { "" };
                    let quote = if key.contains(['.', ' ']) { "\"" } else { "" };
                    write!(f, "{dot}{quote}{key}{quote}")?;
                }
            }
        }
        Ok(())
    }
}
