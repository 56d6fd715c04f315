//! Facts in requests of agents, and the latest facts of each node.
//!
//! In: bodies of requests. Out: facts of one node. Must not: use facts for a node other than the one that sent them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use catwalk_server::Failure;
use catwalk_server::FailureKind;
use catwalk_value::data::json;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// The maximum size of all facts in memory, in bytes, without a store.
const MAX_BYTES: usize = 256 << 20;

/// The facts in a request of a node (Puppet::Node::Facts): `{"name", "values", …}`.
///
/// # Errors
/// The body does not contain facts, or those of a different node.
pub(super) fn parse(body: &[u8], certname: &str) -> Result<Arc<Hash>, Failure> {
    let bad = |message: String| Failure { kind: FailureKind::BadRequest, message };
    let document = json::parse(body).map_err(|error| bad(format!("The facts are not JSON: {}", error.message)))?;
    let Value::Hash(document) = document else { return Err(bad("The facts are not a hash".to_owned())) };
    let name = document.get("name").and_then(Value::as_str).unwrap_or_default();
    if name != certname {
        let message = format!("Catalog for {certname} was requested with fact definition for the wrong node ({name}).");
        return Err(Failure { kind: FailureKind::Failed, message });
    }
    match document.get("values") {
        Some(Value::Hash(values)) => Ok(values.clone()),
        _ => Err(bad("The facts have no values".to_owned())),
    }
}

/// The latest facts of each node in memory, in the form of the request.
#[derive(Default)]
pub(super) struct FactMemory {
    stored: Mutex<StoredFacts>,
}

#[derive(Default)]
struct StoredFacts {
    bodies: HashMap<String, Arc<[u8]>>,
    bytes: usize,
}

impl FactMemory {
    /// Stores the body of a request.
    pub(super) fn store(&self, certname: &str, body: &[u8]) {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.bytes.saturating_add(body.len()) > MAX_BYTES {
            *stored = StoredFacts::default();
        }
        stored.bytes += body.len();
        if let Some(before) = stored.bodies.insert(certname.to_owned(), Arc::from(body)) {
            stored.bytes -= before.len();
        }
    }

    /// The latest facts of a node.
    pub(super) fn latest(&self, certname: &str) -> Option<Arc<Hash>> {
        let body = self.stored.lock().unwrap_or_else(PoisonError::into_inner).bodies.get(certname).cloned()?;
        parse(&body, certname).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn facts_are_those_of_the_node_that_sends_them() {
        let body = br#"{"name": "a.example.com", "values": {"role": "web"}, "timestamp": "2026-01-01T00:00:00+00:00"}"#;
        assert_eq!(parse(body, "a.example.com").unwrap().get("role").and_then(Value::as_str), Some("web"));
        assert_eq!(
            parse(body, "b.example.com").unwrap_err().message,
            "Catalog for b.example.com was requested with fact definition for the wrong node (a.example.com)."
        );
        for bad in ["", "[]", "{", r#"{"name": "a.example.com"}"#, r#"{"name": "a.example.com", "values": 1}"#] {
            assert!(parse(bad.as_bytes(), "a.example.com").is_err(), "{bad}");
        }
    }

    #[test]
    fn memory_is_bounded_and_separate_for_each_node() {
        let memory = FactMemory::default();
        memory.store("a", br#"{"name": "a", "values": {"x": 1}}"#);
        memory.store("a", br#"{"name": "a", "values": {"x": 2}}"#);
        assert_eq!(memory.latest("a").unwrap().get("x"), Some(&Value::Int(2)));
        assert!(memory.latest("b").is_none());
    }
}
