//! A node: the machine that a catalog is compiled for.
//!
//! In: facts, trusted data, classification. Out: [`Node`], the compiler's input. Must not: evaluate manifests.

pub mod classify;
pub mod documents;
pub mod facts;
pub mod groups;
pub mod ldap;
pub mod service;
pub mod terminus;

use std::sync::Arc;

use indexmap::IndexMap;

use crate::classify::Classification;
use crate::classify::ClassificationPart;
use catwalk_base::version::Version;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_value::Hash;
use catwalk_value::Value;

/// A node before evaluation (Puppet::Node after merging facts).
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The certname.
    pub certname: Arc<str>,
    /// The environment the catalog is compiled in.
    pub environment: Arc<str>,
    /// `$facts`, including `clientcert`, `clientversion` and `clientnoop`.
    pub facts: Arc<Hash>,
    /// `$trusted`
    pub trusted: Arc<Hash>,
    /// `$server_facts`
    pub server_facts: Arc<Hash>,
    /// Classes of the classification, in order. A class with `Some` parameters is declared like a resource.
    pub classes: IndexMap<Arc<str>, Option<Arc<Hash>>>,
    /// Top-scope variables of the classification; they win over facts of the same name.
    pub parameters: IndexMap<Arc<str>, Value>,
    /// Configuration data of the classification, `class::parameter`, for the Hiera backend `classifier_data`.
    pub data: Arc<Hash>,
    /// The origin of each value of the classification.
    pub origins: IndexMap<ClassificationPart, Arc<str>>,
    /// The locations of the classification's values in files.
    pub locations: IndexMap<ClassificationPart, DefinitionLocation>,
}

/// The input of [`Node::new`].
#[derive(Clone, Debug, Default)]
pub struct NodeInput {
    /// The facts, without those that an agent adds.
    pub facts: Arc<Hash>,
    /// `$trusted`; `None`: derived from the certname.
    pub trusted: Option<Hash>,
    /// `$server_facts`; `None`: those of a server of this version.
    pub server_facts: Option<Hash>,
    /// The classifier's result.
    pub classification: Classification,
    /// The Puppet version of the agent and the server.
    pub version: Version,
}

impl Node {
    /// Completes the data of a node as an agent and a server do: with [`AGENT_FACTS`] in the facts,
    /// trusted data from the certname, and the server's version. The classifier's environment wins over `environment`.
    #[must_use]
    pub fn new(certname: &str, environment: &str, parts: NodeInput) -> Node {
        let facts = with_agent_facts(parts.facts, certname, parts.version);
        let environment = parts.classification.environment.unwrap_or_else(|| Arc::from(environment));
        let mut server_facts = parts.server_facts.unwrap_or_else(|| {
            let mut all = server_version_facts(parts.version);
            all.set("servername", Value::str("puppet"));
            all.set("serverip", Value::str("127.0.0.1"));
            all
        });
        server_facts.set("environment", Value::from(environment.clone()));
        Node {
            certname: Arc::from(certname),
            facts,
            trusted: Arc::new(parts.trusted.unwrap_or_else(|| trusted(certname))),
            server_facts: Arc::new(server_facts),
            classes: parts.classification.classes,
            parameters: parts.classification.parameters,
            data: Arc::new(
                parts.classification.data.into_iter().map(|(key, value)| (Value::from(key), value)).collect(),
            ),
            origins: parts.classification.origins,
            locations: parts.classification.locations,
            environment,
        }
    }
}

/// The server facts about the version of a server (Puppet::Node::ServerFacts.load).
#[must_use]
pub fn server_version_facts(version: Version) -> Hash {
    let mut facts = Hash::new();
    if let Some(name) = version.implementation {
        facts.set(version.implementation_server_fact, Value::str(name));
    }
    facts.set("serverversion", Value::str(version.release));
    facts
}

/// Names of the facts that an agent adds itself (Puppet::Node::Facts#add_local_facts).
pub const AGENT_FACTS: [&str; 4] = ["implementation", "clientcert", "clientversion", "clientnoop"];

/// Adds the facts of an agent that are missing ([`AGENT_FACTS`]). Facts with a `clientversion` come from an agent, which has an
/// implementation only if they say so. Shared facts are copied only if one is missing.
#[must_use]
pub fn with_agent_facts(mut facts: Arc<Hash>, certname: &str, version: Version) -> Arc<Hash> {
    let is_from_agent = facts.get("clientversion").is_some_and(|version| !version.is_undef());
    let implementation = version.implementation.filter(|_| !is_from_agent);
    let mut add = |name: &str, value: Value| {
        if facts.get(name).is_none_or(Value::is_undef) {
            Arc::make_mut(&mut facts).set(name, value);
        }
    };
    if let Some(name) = implementation {
        add("implementation", Value::str(name));
    }
    add("clientcert", Value::str(certname));
    add("clientversion", Value::str(version.release));
    add("clientnoop", Value::Bool(false));
    facts
}

/// The trusted data of a certificate without extensions (Puppet::Context::TrustedInformation).
#[must_use]
pub fn trusted(certname: &str) -> Hash {
    let (hostname, domain) = match certname.split_once('.') {
        Some((hostname, domain)) => (Value::str(hostname), Value::str(domain)),
        None => (Value::str(certname), Value::Undef),
    };
    let mut trusted = Hash::new();
    trusted.set("authenticated", Value::str("remote"));
    trusted.set("certname", Value::str(certname));
    trusted.set("extensions", Value::hash(Hash::new()));
    trusted.set("hostname", hostname);
    trusted.set("domain", domain);
    trusted.set("external", Value::hash(Hash::new()));
    trusted
}
