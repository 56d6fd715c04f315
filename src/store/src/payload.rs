//! Catalogs and facts as payloads of PuppetDB's commands: `replace_catalog` version 9, `replace_facts` version 5.
//!
//! Members are in the order in which PuppetDB's terminus sends them. A document without a time gets the time `now`.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::document::CatalogDocument;
use crate::document::EdgeDocument;
use crate::document::FactsDocument;
use crate::document::ResourceDocument;
use crate::time;

/// The fact with the packages of a node, which a payload has in a separate member (puppet/indirector/facts/puppetdb.rb).
const INVENTORY: &str = "_puppet_inventory_1";

impl CatalogDocument {
    /// The payload of `replace_catalog`. `now` is in milliseconds since 1970.
    #[must_use]
    pub fn to_payload(&self, now: i64) -> Value {
        json!({
            "version": self.version,
            "code_id": self.code_id,
            "catalog_uuid": self.catalog_uuid,
            "resources": self.resources.iter().map(resource).collect::<Vec<_>>(),
            "edges": self.edges.iter().map(edge).collect::<Vec<_>>(),
            "job_id": self.job_id,
            "certname": self.certname,
            "transaction_uuid": self.transaction_uuid,
            "environment": self.environment,
            "producer_timestamp": time::print(self.producer_timestamp.unwrap_or(now)),
            "producer": self.producer,
        })
    }
}

fn resource(resource: &ResourceDocument) -> Value {
    let mut members = Map::new();
    members.insert("type".to_owned(), json!(resource.type_name));
    members.insert("title".to_owned(), json!(resource.title));
    members.insert("tags".to_owned(), json!(resource.tags));
    members.extend(resource.file.as_ref().map(|file| ("file".to_owned(), json!(file))));
    members.extend(resource.line.map(|line| ("line".to_owned(), json!(line))));
    members.insert("exported".to_owned(), json!(resource.exported));
    members.insert("parameters".to_owned(), json!(resource.parameters));
    Value::Object(members)
}

fn edge(edge: &EdgeDocument) -> Value {
    let end = |(type_name, title): &(String, String)| json!({ "type": type_name, "title": title });
    json!({ "source": end(&edge.source), "target": end(&edge.target), "relationship": edge.relationship })
}

impl FactsDocument {
    /// The payload of `replace_facts`. `now` is in milliseconds since 1970.
    #[must_use]
    pub fn to_payload(&self, now: i64) -> Value {
        let mut values = self.values.clone();
        let inventory = values.shift_remove(INVENTORY);
        let mut payload = json!({
            "certname": self.certname,
            "values": values,
            "environment": self.environment,
            "producer_timestamp": time::print(self.producer_timestamp.unwrap_or(now)),
            "producer": self.producer,
        });
        if let Some(packages) = inventory.as_ref().and_then(|inventory| inventory.get("packages")) {
            payload["package_inventory"] = packages.clone();
        }
        payload
    }
}
