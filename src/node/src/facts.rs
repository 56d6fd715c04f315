//! Facts from files: a plain hash, `{"name", "values"}`, or the output of `puppet facts`; JSON or YAML.

pub mod legacy;
pub mod overrides;

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_world::World;

/// An agent whose facts are made up.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its version.
    pub version: Version,
    /// Whether it sends legacy facts, from before structured facts (`include_legacy_facts`).
    pub legacy_facts: bool,
}

impl Agent {
    /// An agent whose setting `include_legacy_facts` has this value; `None`: the default of its version.
    #[must_use]
    pub fn new(version: Version, include_legacy_facts: Option<bool>) -> Agent {
        Agent { version, legacy_facts: include_legacy_facts.unwrap_or(version.legacy_facts) }
    }
}

impl Default for Agent {
    fn default() -> Agent {
        Agent::new(Version::default(), None)
    }
}

/// Reads a JSON or YAML file that holds a hash.
///
/// # Errors
/// The file cannot be read, does not parse (with line and column), or does not hold a hash.
pub fn read_hash(path: &Path, label: &str, world: &dyn World) -> Result<Hash, Reason> {
    parse_hash(path, &read_bytes(path, label, world)?, label)
}

/// Reads such a file, for callers that parse it only if it has changed.
///
/// # Errors
/// The file cannot be read.
pub fn read_bytes(path: &Path, label: &str, world: &dyn World) -> Result<Arc<[u8]>, Reason> {
    let fail = |why: String| Reason::new(Code::UNREADABLE_INPUT, format!("cannot read {label}: {why}"));
    world.read(path).map_err(|refused| fail(refused.to_string()).because(refused.cause()))
}

/// The hash in a JSON or YAML file.
///
/// # Errors
/// The file does not parse (with line and column), or does not hold a hash.
pub fn parse_hash(path: &Path, bytes: &[u8], label: &str) -> Result<Hash, Reason> {
    let fail = |why: &str, location| {
        Reason::new(Code::UNREADABLE_INPUT, format!("cannot read {label}: {why}")).in_file(location)
    };
    let json = path.extension().is_some_and(|extension| extension == "json")
        || bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| *byte == b'{');
    let value = if json {
        json::parse(bytes).map_err(|error| fail(error.summary(), error.location(path, bytes)))?
    } else {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            fail(&format!("it is not UTF-8 text: {error}"), DataLocation::at_byte(path, bytes, error.valid_up_to()))
        })?;
        // `puppet facts --render-as yaml` tags the document with the Ruby class.
        let untagged = text.strip_prefix("--- !ruby/object:Puppet::Node::Facts");
        yaml::parse(untagged.unwrap_or(text).as_bytes())
            .map_err(|error| fail(&error.message, error.location(path, bytes)))?
    };
    match value {
        Value::Hash(hash) => Ok(std::sync::Arc::unwrap_or_clone(hash)),
        _ => Err(fail("it must contain a hash", DataLocation::new(path, bytes, (1, 1)))),
    }
}

/// Reads facts.
///
/// # Errors
/// As [`read_hash`].
pub fn read(path: &Path, world: &dyn World) -> Result<Hash, Reason> {
    Ok(unwrap_values(read_hash(path, "facts", world)?))
}

/// Parses the contents of a file of facts.
///
/// # Errors
/// As [`read_hash`].
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Hash, Reason> {
    Ok(unwrap_values(parse_hash(path, bytes, "facts")?))
}

/// Adapts the facts of one machine to another name: the facts that hold the host's name.
#[must_use]
pub fn rename_host(facts: &Hash, certname: &str) -> Hash {
    let (hostname, domain) = certname.split_once('.').unwrap_or((certname, ""));
    let names = [("hostname", hostname), ("domain", domain), ("fqdn", certname)];
    let renamed = |facts: &Hash| {
        let mut facts = facts.clone();
        for (name, text) in names {
            if facts.get(name).is_some() {
                facts.insert(Value::from(name), Value::from(text));
            }
        }
        facts
    };
    let mut host = renamed(facts);
    if let Some(Value::Hash(networking)) = facts.get("networking") {
        host.insert(Value::from("networking"), Value::Hash(renamed(networking).into()));
    }
    host
}

fn unwrap_values(mut hash: Hash) -> Hash {
    if hash.get("name").is_none() || !matches!(hash.get("values"), Some(Value::Hash(_))) {
        return hash;
    }
    match hash.remove(&Value::str("values")) {
        Some(Value::Hash(values)) => std::sync::Arc::unwrap_or_clone(values),
        _ => hash,
    }
}
