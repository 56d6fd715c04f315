//! What answers PuppetDB's queries: a PuppetDB, or something that knows the same.

use serde_json::Value;

use crate::Refused;

/// Answers queries in PQL or as AST.
pub trait QueryService: std::fmt::Debug + Send + Sync {
    /// The documents that a query selects, as PuppetDB returns them.
    ///
    /// # Errors
    /// The service is out of reach, or refuses the query.
    fn query(&self, query: &Value) -> Result<Value, Refused>;

    /// Where it is, for messages: an address or a path.
    fn location(&self) -> String;
}
