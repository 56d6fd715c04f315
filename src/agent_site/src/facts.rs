//! The latest facts of each node in memory.
//!
//! In: facts of requests. Out: the facts of one node. Must not: use facts for a node other than the one that sent them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use catwalk_server::Facts;
use catwalk_value::Hash;
use catwalk_value::Value;

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

    /// The latest facts of a node. A fact `trusted` is what the node says of itself, not what its certificate does: it is left out, as facts
    /// from PuppetDB have the certificate's there.
    pub(crate) fn latest(&self, certname: &str) -> Option<Arc<Hash>> {
        let mut facts = self.stored.lock().nodes.get(certname)?.values().clone();
        if facts.get("trusted").is_some() {
            Arc::make_mut(&mut facts).remove(&Value::str("trusted"));
        }
        Some(facts)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn memory_is_separate_for_each_node() {
        let memory = FactMemory::default();
        for number in 1..=2 {
            let body = format!(r#"{{"name": "a", "values": {{"x": {number}, "trusted": {{"extensions": 1}}}}}}"#);
            memory.store("a", &Facts::parse(body.as_bytes(), "a").unwrap());
        }
        assert_eq!(memory.latest("a").unwrap().get("x"), Some(&Value::Int(2)));
        assert_eq!(memory.latest("a").unwrap().get("trusted"), None);
        assert!(memory.latest("b").is_none());
    }
}
