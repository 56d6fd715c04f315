//! Nodes of agents: the facts come with a request, `$trusted` from the certificate of its connection.
//!
//! In: an [`AgentNode`], a certificate. Out: `$trusted`, the definition of a prepared node. Must not: keep facts or certificates beyond
//! one request.

use std::sync::Arc;

use crate::session::PreparedNode;
use crate::session::Session;
use catwalk_base::diag::Reason;
use catwalk_node as node;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::RecordingWorld;

/// A node as its agent and its certificate describe it.
#[derive(Clone, Debug, Default)]
pub struct AgentNode {
    /// The certname.
    pub certname: Arc<str>,
    /// The facts that the agent sent.
    pub facts: Arc<Hash>,
    /// `$trusted`
    pub trusted: Hash,
    /// `$server_facts` where the site does not configure them.
    pub server_facts: Hash,
}

/// The definition of a node by a classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeDefinition {
    /// The environment that the classifier assigns, or else the session's.
    pub environment: Arc<str>,
    /// Classes with their parameters.
    pub classes: Vec<(Arc<str>, Option<Arc<Hash>>)>,
    /// Top-scope variables of the classifier.
    pub parameters: Vec<(Arc<str>, Value)>,
}

impl PreparedNode {
    /// The definition of the node: the answer to an agent that requests it.
    #[must_use]
    pub fn definition(&self) -> NodeDefinition {
        let node = self.node();
        NodeDefinition {
            environment: self.assigned_environment().unwrap_or(&node.environment).clone(),
            classes: node.classes.iter().map(|(name, parameters)| (name.clone(), parameters.clone())).collect(),
            parameters: node.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

impl Session {
    /// `$trusted` of a connection with a certificate: authenticated, with the certificate's extensions by name or number and the facts
    /// of `trusted_external_command`. (Puppet::Context::TrustedInformation.remote)
    ///
    /// # Errors
    /// The command fails, or the mapping of object identifiers cannot be read.
    pub fn trusted_of_certificate(&self, certname: &str, extensions: &[(String, String)]) -> Result<Hash, Reason> {
        let world = RecordingWorld::new(self.world.clone());
        let names = self.oid_names(&world)?;
        let mut named = Hash::new();
        for (oid, value) in extensions {
            let name = names.get(oid).and_then(Value::as_str).unwrap_or(oid);
            named.set(name, Value::str(value));
        }
        let mut trusted = node::trusted(certname);
        trusted.set("extensions", Value::hash(named));
        if let Some(external) = self.external_trusted(certname, &world)? {
            trusted.set("external", external);
        }
        Ok(trusted)
    }

    /// The facts of a node in the site's directory of nodes; `None` where it has none.
    #[must_use]
    pub fn listed_facts(&self, certname: &str) -> Option<Arc<Hash>> {
        let world = Arc::new(RecordingWorld::new(self.world.clone()));
        self.nodes().ok()?.contains_key(certname).then_some(())?;
        self.facts(certname, &world).ok().map(|facts| facts.values)
    }

    /// Drops the cached web pages and host names, so that the next request of an agent reads current ones.
    pub fn forget_services(&self) {
        self.world.forget_services();
        if let Some(stored) = &self.stored {
            stored.refresh();
        }
    }
}
