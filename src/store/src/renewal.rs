//! Updates a catalog whose recompile has not changed it: only version, UUIDs and times are written.

use rusqlite::TransactionBehavior;
use rusqlite::params;

use crate::error::StoreError;
use crate::store::Store;

/// The data of a new compile of an unchanged catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogRenewal {
    pub certname: String,
    pub version: String,
    pub catalog_uuid: Option<String>,
    pub transaction_uuid: Option<String>,
}

impl Store {
    /// Updates version, UUIDs and times of a catalog whose resources and edges are unchanged. Returns `false` if the store has no catalog of the
    /// node, which must then be [`put`](Store::put). `now` is the time in milliseconds since 1970.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn renew_catalog(&self, renewal: &CatalogRenewal, now: i64) -> Result<bool, StoreError> {
        self.sql(|connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "UPDATE catalogs SET version = ?2, catalog_uuid = ?3, transaction_uuid = ?4, producer_timestamp = ?5, received = ?5 \
                       WHERE node = (SELECT id FROM nodes WHERE certname = ?1)";
            let CatalogRenewal { certname, version, catalog_uuid, transaction_uuid } = renewal;
            let renewed = change
                .prepare_cached(sql)?
                .execute(params![certname, version, catalog_uuid, transaction_uuid, now])?;
            let sql = "UPDATE nodes SET deactivated = NULL WHERE certname = ?1 AND deactivated IS NOT NULL";
            change.prepare_cached(sql)?.execute([certname])?;
            change.commit()?;
            Ok(renewed > 0)
        })
    }

    /// From now on, does not wait until writes are on the disk. They survive a crash of this process. A power failure may undo the last writes,
    /// but does not damage the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn write_without_waiting(&self) -> Result<(), StoreError> {
        self.sql(|connection| connection.pragma_update(None, "synchronous", "normal"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::document::CatalogDocument;
    use crate::document::FactsDocument;
    use crate::fixture::NodeFixture;
    use serde_json::json;

    #[test]
    fn a_catalog_is_renewed_and_facts_are_replaced() {
        let store = Store::in_memory().unwrap();
        store.write_without_waiting().unwrap();
        let renewal = CatalogRenewal {
            certname: "a".to_owned(),
            version: "2".to_owned(),
            catalog_uuid: Some("u2".to_owned()),
            transaction_uuid: Some("t2".to_owned()),
        };
        assert!(!store.renew_catalog(&renewal, 1).unwrap());
        let catalog =
            CatalogDocument { certname: "a".to_owned(), version: "1".to_owned(), ..CatalogDocument::default() };
        let facts = |values: serde_json::Value| FactsDocument {
            certname: "a".to_owned(),
            values: values.as_object().unwrap().clone(),
            ..FactsDocument::default()
        };
        let node = |facts| NodeFixture { certname: "a".to_owned(), facts: Some(facts), ..NodeFixture::default() };
        let whole = NodeFixture { catalog: Some(catalog), ..node(facts(json!({"x": 1, "y": "a", "z": null}))) };
        store.put(&[whole], 1).unwrap();
        store.set_deactivated("a", Some(1)).unwrap();
        assert!(store.renew_catalog(&renewal, 5).unwrap());
        let now = json!({"x": 2, "y": "a", "w": [1]});
        store.put(&[node(facts(now.clone()))], 6).unwrap();
        let found = store.node("a").unwrap().unwrap();
        let catalog = found.catalog.unwrap();
        assert_eq!((catalog.version.as_str(), catalog.catalog_uuid.as_deref()), ("2", Some("u2")));
        assert_eq!((catalog.producer_timestamp, found.deactivated), (Some(5), None));
        assert_eq!(serde_json::Value::Object(found.facts.unwrap().values), now);
    }
}
