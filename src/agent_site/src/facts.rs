//! The latest facts of each node in memory.
//!
//! In: facts of requests. Out: the facts of one node. Must not: use facts for a node other than the one that sent them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use catwalk_server::Facts;
use catwalk_value::Hash;

/// The maximum size of the JSON of all facts in memory, in bytes, without a store. Parsed facts take about four times as much.
const MAX_BYTES: usize = 64 << 20;

/// The latest facts of each node in memory.
#[derive(Default)]
pub(crate) struct FactMemory {
    stored: Mutex<StoredFacts>,
}

#[derive(Default)]
struct StoredFacts {
    nodes: HashMap<String, Facts>,
    bytes: usize,
}

impl FactMemory {
    /// Stores the facts of a node.
    pub(crate) fn store(&self, certname: &str, facts: &Facts) {
        let mut stored = self.stored.lock();
        if stored.bytes.saturating_add(facts.size()) > MAX_BYTES {
            *stored = StoredFacts::default();
        }
        stored.bytes += facts.size();
        if let Some(before) = stored.nodes.insert(certname.to_owned(), facts.clone()) {
            stored.bytes -= before.size();
        }
    }

    /// The latest facts of a node.
    pub(crate) fn latest(&self, certname: &str) -> Option<Arc<Hash>> {
        let stored = self.stored.lock();
        stored.nodes.get(certname).map(|facts| facts.values().clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_value::Value;

    #[test]
    fn memory_is_separate_for_each_node() {
        let memory = FactMemory::default();
        for number in 1..=2 {
            let body = format!(r#"{{"name": "a", "values": {{"x": {number}}}}}"#);
            memory.store("a", &Facts::parse(body.as_bytes(), "a").unwrap());
        }
        assert_eq!(memory.latest("a").unwrap().get("x"), Some(&Value::Int(2)));
        assert!(memory.latest("b").is_none());
    }
}
