//! Queries in PQL or as AST, sent to the endpoint that the terminus' function `puppetdb_query` uses.

use std::time::Duration;

use serde_json::Value;

use crate::server::AttemptError;
use crate::server::PuppetDb;
use crate::server::parse_response;
use catwalk_world::QueryService;
use catwalk_world::WorldError;

/// PuppetDB's endpoint for queries of any entity.
const PATH: &str = "/pdb/query/v4";
/// The time limit of a query.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The largest response, in bytes.
const MAX_RESPONSE: u64 = 64 << 20;

impl QueryService for PuppetDb {
    fn query(&self, query: &Value) -> Result<Value, WorldError> {
        let client = self.client(TIMEOUT, MAX_RESPONSE)?;
        let body = serde_json::json!({ "query": query }).to_string();
        let headers = [("Accept", "application/json"), ("Content-Type", "application/json; charset=UTF-8")];
        self.try_addresses(|base| {
            let url = format!("{base}{PATH}");
            let response = client.send(&url, &headers, Some(body.as_bytes())).map_err(AttemptError::TryNext)?;
            parse_response(&url, &response)
        })
    }

    fn location(&self) -> String {
        PuppetDb::location(self)
    }
}
