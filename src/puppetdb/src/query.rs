//! Queries in PQL or as AST, at the address that the function `puppetdb_query` of PuppetDB's terminus uses.

use std::time::Duration;

use serde_json::Value;

use crate::server::PuppetDb;
use crate::server::Unsuccessful;
use crate::server::json_of;
use catwalk_world::QueryService;
use catwalk_world::Refused;

/// Where PuppetDB takes queries of any kind.
const PATH: &str = "/pdb/query/v4";
/// The time for a query.
const LIMIT: Duration = Duration::from_secs(60);
/// Longer responses are refused, in bytes.
const LARGEST: u64 = 64 << 20;

impl QueryService for PuppetDb {
    fn query(&self, query: &Value) -> Result<Value, Refused> {
        let client = self.client(LIMIT, LARGEST)?;
        let body = serde_json::json!({ "query": query }).to_string();
        let headers = [("Accept", "application/json"), ("Content-Type", "application/json; charset=UTF-8")];
        self.in_turn(|base| {
            let url = format!("{base}{PATH}");
            let response = client.send(&url, &headers, Some(body.as_bytes())).map_err(Unsuccessful::Here)?;
            json_of(&url, &response)
        })
    }

    fn location(&self) -> String {
        PuppetDb::location(self)
    }
}
