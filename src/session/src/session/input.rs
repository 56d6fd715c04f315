//! The node of a compile, and whether the parts that the compile used are unchanged.
//!
//! In: the node with its facts, the facts that the compile used; the current node. Out: whether the used parts are equal. Must not:
//! compile.

use std::path::PathBuf;
use std::sync::Arc;

use crate::session::NodeSource;
use crate::session::PreparedNode;
use crate::session::Session;
use crate::session::layers::NodeFacts;
use catwalk_eval::FactsUse;
use catwalk_node::Node;
use catwalk_node::facts;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Reads;

/// The node that a compile used.
#[derive(Debug)]
pub(super) struct NodeUse {
    /// The node without its facts.
    node: Node,
    /// The file of its facts, with its bytes: it is parsed again when they change.
    file: Option<(PathBuf, Arc<[u8]>)>,
    /// Whether it is compiled in an environment other than the site's.
    has_assigned_environment: bool,
}

impl NodeUse {
    pub(super) fn new(node: &Node, file: Option<(PathBuf, Arc<[u8]>)>, has_assigned_environment: bool) -> NodeUse {
        let node = Node { facts: Arc::default(), ..node.clone() };
        NodeUse { node, file, has_assigned_environment }
    }

    /// The name of its server.
    pub(super) fn server(&self) -> Option<Arc<str>> {
        Some(Arc::from(self.node.server_facts.get("servername")?.as_str()?))
    }

    /// Its trusted data.
    pub(super) fn trusted(&self) -> &Hash {
        &self.node.trusted
    }

    /// Whether the parts that the compile used are equal in the node as it is now. Then the record is updated to it.
    /// `overrides` are the facts that options set for all nodes.
    pub(super) fn holds(
        &mut self,
        now: &PreparedNode,
        overrides: &[FactOverride],
        facts_use: &FactsUse,
        reads: &mut Reads,
    ) -> bool {
        let Some(used) = now.node_use() else { return false };
        if self.has_assigned_environment
            || used.has_assigned_environment
            || !same_node(&self.node, &used.node)
            || !self.has_same_facts(overrides, facts_use, (&used, &now.facts().values))
        {
            return false;
        }
        self.file = used.file;
        reads.set_node_inputs(now.node_reads().clone());
        true
    }

    /// Whether the facts that the compile used are equal.
    fn has_same_facts(&self, overrides: &[FactOverride], facts_use: &FactsUse, now: (&NodeUse, &Hash)) -> bool {
        let (now, facts) = now;
        let before = match (&self.file, &now.file) {
            (None, None) => return true,
            (Some((_, before)), Some((_, now))) if Arc::ptr_eq(before, now) => return true,
            (Some((path, before)), _) => facts::parse(path, before),
            (None, _) => Ok(Hash::new()),
        };
        let Ok(before) = before else { return false };
        let before = NodeFacts::new(before).with_overrides(overrides).values;
        if facts_use.all {
            return same_hash(&before, facts);
        }
        let is_same = |name: &str| match (before.get(name), facts.get(name)) {
            (Some(a), Some(b)) => same_value(a, b),
            (None, None) => true,
            _ => false,
        };
        // Only lookups of all facts can find names that are not valid variable names.
        let other_names = |facts: &Hash| -> Vec<String> {
            let is_plain = |c: char| c == '_' || c.is_alphanumeric();
            let names = facts.keys().filter_map(Value::as_str);
            names.filter(|name| !name.chars().all(is_plain)).map(str::to_owned).collect()
        };
        facts_use.names.iter().all(|name| is_same(name.as_str())) && other_names(&before) == other_names(facts)
    }
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

/// Whether two nodes are equal except for their facts.
fn same_node(a: &Node, b: &Node) -> bool {
    (&a.certname, &a.environment, &a.origins) == (&b.certname, &b.environment, &b.origins)
        && same_hash(&a.trusted, &b.trusted)
        && same_hash(&a.server_facts, &b.server_facts)
        && same_hash(&a.data, &b.data)
        && a.parameters.len() == b.parameters.len()
        && a.parameters.iter().zip(&b.parameters).all(|((x, a), (y, b))| x == y && same_value(a, b))
        && a.classes.len() == b.classes.len()
        && a.classes.iter().zip(&b.classes).all(|((x, a), (y, b))| {
            x == y
                && match (a, b) {
                    (Some(a), Some(b)) => same_hash(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                }
        })
}

/// Whether two hashes are equal, also in order.
fn same_hash(a: &Hash, b: &Hash) -> bool {
    let is_same = |((x, a), (y, b)): ((&Value, &Value), (&Value, &Value))| same_value(x, y) && same_value(a, b);
    std::ptr::eq(a, b) || a.len() == b.len() && a.iter().zip(b.iter()).all(is_same)
}

/// Whether two values are identical; values of facts and classifiers are those of JSON.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Hash(a), Value::Hash(b)) => same_hash(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_value(a, b))
        }
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
