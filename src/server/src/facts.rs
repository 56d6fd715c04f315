//! Facts in requests of agents.
//!
//! In: JSON. Out: [`Facts`] of the node that sent them, parsed once. Must not: hold the facts of a node other than its sender.

use std::fmt;
use std::sync::Arc;

use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;

/// The longest excerpt of an invalid body in a message, in characters.
const MAX_MESSAGE: usize = 200;

/// The facts of a node, as its agent sent them (Puppet::Node::Facts): `{"name", "values", …}`.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    values: Arc<Hash>,
    size: usize,
}

/// Why a document does not contain the facts of the node that sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactsError {
    /// It is not JSON.
    Json(String),
    /// It is JSON, but not facts.
    Structure(&'static str),
    /// It describes a different node, with this name.
    OtherNode(String),
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactsError::Json(why) => f.write_str(why),
            FactsError::Structure(why) => f.write_str(why),
            FactsError::OtherNode(name) => write!(f, "they are the facts of \"{name}\""),
        }
    }
}

impl Facts {
    /// Parses the facts that a node sent.
    ///
    /// # Errors
    /// The document does not contain facts, or those of a different node.
    pub fn parse(document: &[u8], certname: &str) -> Result<Facts, FactsError> {
        let value = parse_json(document).map_err(FactsError::Json)?;
        Facts::from_document(&value, document.len(), certname)
    }

    /// Takes facts from a parsed document; `size` is the size of its JSON in bytes.
    ///
    /// # Errors
    /// As [`Facts::parse`].
    pub(crate) fn from_document(document: &Value, size: usize, certname: &str) -> Result<Facts, FactsError> {
        let Value::Hash(document) = document else { return Err(FactsError::Structure("the facts are not an object")) };
        let name = document.get("name").and_then(Value::as_str).unwrap_or_default();
        if name != certname {
            return Err(FactsError::OtherNode(name.to_owned()));
        }
        match document.get("values") {
            Some(Value::Hash(values)) => Ok(Facts { values: values.clone(), size }),
            _ => Err(FactsError::Structure("the facts have no values")),
        }
    }

    /// Facts by name; `size` is the size of their JSON in bytes.
    pub(crate) fn of(values: Arc<Hash>, size: usize) -> Facts {
        Facts { values, size }
    }

    /// The facts by name.
    #[must_use]
    pub fn values(&self) -> &Arc<Hash> {
        &self.values
    }

    /// The size of their JSON in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

/// Parses JSON. The message about invalid JSON ends after an excerpt.
pub(crate) fn parse_json(text: &[u8]) -> Result<Value, String> {
    json::parse(text).map_err(|error| match error.message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", error.message.get(..end).unwrap_or_default()),
        None => error.message,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn facts_are_those_of_the_node_that_sends_them() {
        let body = br#"{"name": "a.example.com", "values": {"role": "web"}, "timestamp": "2026-01-01T00:00:00+00:00"}"#;
        let facts = Facts::parse(body, "a.example.com").unwrap();
        assert_eq!((facts.values().get("role").and_then(Value::as_str), facts.size()), (Some("web"), body.len()));
        let other = Facts::parse(body, "b.example.com").unwrap_err();
        assert_eq!(other, FactsError::OtherNode("a.example.com".to_owned()));
        for bad in ["", "{", "[", "\u{0}", "{\"name\": \"a.example.com\", \"values\": {\"x\": 1}} x"] {
            assert!(matches!(Facts::parse(bad.as_bytes(), "a.example.com"), Err(FactsError::Json(_))), "{bad}");
        }
        for bad in ["[]", "1", r#"{"name": "a.example.com"}"#, r#"{"name": "a.example.com", "values": [1]}"#] {
            let error = Facts::parse(bad.as_bytes(), "a.example.com").unwrap_err();
            assert!(matches!(error, FactsError::Structure(_)), "{bad}");
        }
        let long = Facts::parse("x".repeat(100_000).as_bytes(), "a").unwrap_err().to_string();
        assert!(long.chars().count() <= MAX_MESSAGE + 1, "{}", long.len());
    }
}
