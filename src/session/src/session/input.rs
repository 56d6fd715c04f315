//! The node of a compile as fingerprints, and whether the parts that the compile used are unchanged.
//!
//! In: the node with its facts, the facts that the compile used; the current node. Out: whether the used parts are equal. Must not:
//! compile.

use std::hash::Hash as _;
use std::sync::Arc;

use crate::session::NodeSource;
use crate::session::PreparedNode;
use crate::session::Session;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::fingerprint::Fingerprinter;
use catwalk_base::names::Name;
use catwalk_eval::FactsUse;
use catwalk_eval::is_reserved_name;
use catwalk_node::Node;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::fingerprint;
use catwalk_world::Reads;

/// The node that a compile used.
#[derive(Debug)]
pub(super) struct NodeUse {
    /// The node without its facts.
    node: Fingerprint,
    /// The used facts: one fingerprint for each name, and one for names that are not names of variables; or one for all facts.
    facts: Box<[Fingerprint]>,
    /// The bytes of the file of its facts.
    file: Option<Arc<[u8]>>,
    trusted: Arc<Hash>,
    /// The name of its server.
    server: Option<Arc<str>>,
    /// Whether it is compiled in an environment other than the site's.
    has_assigned_environment: bool,
}

impl NodeUse {
    /// The record of a node for a compile that used these facts.
    pub(super) fn new(prepared: &PreparedNode, used: &FactsUse) -> NodeUse {
        let (node, facts) = (prepared.node(), prepared.facts());
        NodeUse {
            node: without_facts(node),
            facts: used_facts(used, &node.facts),
            file: facts.bytes().cloned(),
            trusted: node.trusted.clone(),
            server: node.server_facts.get("servername").and_then(Value::as_str).map(Arc::from),
            has_assigned_environment: prepared.is_elsewhere(),
        }
    }

    /// The name of its server.
    pub(super) fn server(&self) -> Option<Arc<str>> {
        self.server.clone()
    }

    /// Its trusted data.
    pub(super) fn trusted(&self) -> &Hash {
        &self.trusted
    }

    /// Whether it is compiled in an environment other than the site's.
    pub(super) fn has_assigned_environment(&self) -> bool {
        self.has_assigned_environment
    }

    /// Whether the parts that the compile used are equal in the node as it is now.
    pub(super) fn is_unchanged(&self, now: &PreparedNode, used: &FactsUse) -> bool {
        if self.has_assigned_environment || now.is_elsewhere() || self.node != without_facts(now.node()) {
            return false;
        }
        // Facts from the same bytes are equal.
        let is_same_file =
            matches!((&self.file, now.facts().bytes()), (Some(before), Some(now)) if Arc::ptr_eq(before, now));
        is_same_file || self.facts == used_facts(used, &now.node().facts)
    }

    /// The names of used facts with different values now; `None` if another part of the node differs.
    pub(super) fn changed_facts(&self, now: &PreparedNode, used: &FactsUse) -> Option<Vec<Name>> {
        if now.is_elsewhere() || self.node != without_facts(now.node()) {
            return None;
        }
        let current = used_facts(used, &now.node().facts);
        let differs = |at: usize| self.facts.get(at) != current.get(at);
        let mut names: Vec<Name> =
            used.names.iter().enumerate().filter(|(at, _)| differs(*at)).map(|(_, name)| *name).collect();
        names.sort_unstable_by_key(|name| name.as_str());
        Some(names)
    }

    /// Whether they are equal. Then the record is updated to this node.
    pub(super) fn holds(&mut self, now: &PreparedNode, used: &FactsUse, reads: &mut Reads) -> bool {
        let holds = self.is_unchanged(now, used);
        if holds {
            self.file = now.facts().bytes().cloned();
            reads.set_node_inputs(now.node_reads().clone());
        }
        holds
    }
}

/// The fingerprint of a node without its facts.
fn without_facts(node: &Node) -> Fingerprint {
    let mut fingerprinter = Fingerprinter::default();
    (&node.certname, &node.environment, node.origins.len()).hash(&mut fingerprinter);
    node.origins.iter().for_each(|origin| origin.hash(&mut fingerprinter));
    for hash in [&node.trusted, &node.server_facts, &node.data] {
        fingerprint::add_hash(hash, &mut fingerprinter);
    }
    (node.parameters.len(), node.classes.len()).hash(&mut fingerprinter);
    for (name, value) in &node.parameters {
        name.hash(&mut fingerprinter);
        fingerprint::add(value, &mut fingerprinter);
    }
    for (name, parameters) in &node.classes {
        (name, parameters.is_some()).hash(&mut fingerprinter);
        parameters.iter().for_each(|parameters| fingerprint::add_hash(parameters, &mut fingerprinter));
    }
    fingerprinter.fingerprint()
}

/// The fingerprints of the facts that a compile used.
fn used_facts(used: &FactsUse, facts: &Hash) -> Box<[Fingerprint]> {
    if used.all {
        return Box::from([fingerprint::of_hash(facts)]);
    }
    let fact = |name: &str| facts.get(name).map_or(Fingerprint::of(&()), fingerprint::of);
    // Only lookups of all facts can find names that are not valid variable names; reserved names fail.
    let is_plain = |name: &&str| name.chars().all(|c| c == '_' || c.is_alphanumeric()) && !is_reserved_name(name);
    let other_names: Vec<&str> = facts.keys().filter_map(Value::as_str).filter(|name| !is_plain(name)).collect();
    let names = used.names.iter().map(|name| fact(name.as_str()));
    names.chain([Fingerprint::of(&other_names)]).collect()
}

impl Session {
    /// Prepares a node to compare it with its last compile; `None` if that needs a compile.
    pub(super) fn read_current_node(&self, certname: &str) -> Option<PreparedNode> {
        // With a tape, only whole compiles query.
        if self.tapes.is_some() {
            return None;
        }
        self.try_prepare(NodeSource::Site(certname)).ok()
    }
}
