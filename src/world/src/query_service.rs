//! A service that answers PuppetDB queries: a PuppetDB, or a store with the same data.

use serde_json::Value;

use crate::WorldError;

/// Answers queries in PQL or as AST.
pub trait QueryService: std::fmt::Debug + Send + Sync {
    /// The documents that a query selects, as PuppetDB returns them.
    ///
    /// # Errors
    /// The service is out of reach, or refuses the query.
    fn query(&self, query: &Value) -> Result<Value, WorldError>;

    /// The address or path of the service, for messages.
    fn location(&self) -> String;
}
