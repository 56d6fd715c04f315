//! Reads the catalog and the facts of one node from a store.

use rusqlite::Connection;
use rusqlite::OptionalExtension;
use serde_json::Value;

use crate::document::CatalogDocument;
use crate::document::EdgeDocument;
use crate::document::FactsDocument;
use crate::document::ResourceDocument;
use crate::error::StoreError;
use crate::fixture::NodeFixture;
use crate::store::Store;
use crate::store::damaged;

type Sql<T> = Result<T, rusqlite::Error>;

impl Store {
    /// The last catalog and the facts of a node. `None`: the store has no such node.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn node(&self, certname: &str) -> Result<Option<NodeFixture>, StoreError> {
        self.sql(|connection| {
            // In a transaction, so that all queries see the same state of the data.
            let connection = &connection.transaction()?;
            let sql = "SELECT id, deactivated FROM nodes WHERE certname = ?1";
            let found: Option<(i64, Option<i64>)> =
                connection.query_row(sql, [certname], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let Some((id, deactivated)) = found else { return Ok(None) };
            Ok(Some(NodeFixture {
                certname: certname.to_owned(),
                deactivated,
                catalog: catalog(connection, id, certname)?,
                facts: facts(connection, id, certname)?,
            }))
        })
    }
}

fn catalog(connection: &Connection, id: i64, certname: &str) -> Sql<Option<CatalogDocument>> {
    let sql = "SELECT environment, version, catalog_uuid, transaction_uuid, code_id, job_id, producer, producer_timestamp \
               FROM catalogs WHERE node = ?1";
    let head = connection.query_row(sql, [id], |row| {
        Ok(CatalogDocument {
            certname: certname.to_owned(),
            environment: row.get(0)?,
            version: row.get(1)?,
            catalog_uuid: row.get(2)?,
            transaction_uuid: row.get(3)?,
            code_id: row.get(4)?,
            job_id: row.get(5)?,
            producer: row.get(6)?,
            producer_timestamp: Some(row.get(7)?),
            resources: Vec::new(),
            edges: Vec::new(),
        })
    });
    let Some(catalog) = head.optional()? else { return Ok(None) };
    Ok(Some(CatalogDocument { resources: resources(connection, id)?, edges: edges(connection, id)?, ..catalog }))
}

fn resources(connection: &Connection, id: i64) -> Sql<Vec<ResourceDocument>> {
    let sql =
        "SELECT type, title, exported, file, line, tags, parameters FROM resources WHERE node = ?1 ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([id], |row| {
        let json = |at: usize| -> Sql<Value> {
            serde_json::from_str(row.get_ref(at)?.as_str()?).map_err(|error| damaged(at, error))
        };
        let tags = json(5)?;
        let tags = tags.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(ResourceDocument {
            type_name: row.get(0)?,
            title: row.get(1)?,
            exported: row.get(2)?,
            file: row.get(3)?,
            line: row.get(4)?,
            tags: tags.map(str::to_owned).collect(),
            parameters: json(6)?.as_object().cloned().unwrap_or_default(),
        })
    })?;
    rows.collect()
}

fn edges(connection: &Connection, id: i64) -> Sql<Vec<EdgeDocument>> {
    let sql = "SELECT source_type, source_title, target_type, target_title, relationship FROM edges WHERE node = ?1 ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([id], |row| {
        Ok(EdgeDocument {
            source: (row.get(0)?, row.get(1)?),
            target: (row.get(2)?, row.get(3)?),
            relationship: row.get(4)?,
        })
    })?;
    rows.collect()
}

fn facts(connection: &Connection, id: i64, certname: &str) -> Sql<Option<FactsDocument>> {
    let sql = "SELECT environment, producer, producer_timestamp FROM factsets WHERE node = ?1";
    let head = connection.query_row(sql, [id], |row| {
        Ok(FactsDocument {
            certname: certname.to_owned(),
            environment: row.get(0)?,
            producer: row.get(1)?,
            producer_timestamp: Some(row.get(2)?),
            values: serde_json::Map::new(),
        })
    });
    let Some(mut facts) = head.optional()? else { return Ok(None) };
    let mut statement = connection.prepare_cached("SELECT name, value FROM facts WHERE node = ?1 ORDER BY name")?;
    let rows = statement.query_map([id], |row| {
        let value: String = row.get(1)?;
        Ok((row.get::<_, String>(0)?, serde_json::from_str(&value).map_err(|error| damaged(1, error))?))
    })?;
    facts.values = rows.collect::<Sql<_>>()?;
    Ok(Some(facts))
}
